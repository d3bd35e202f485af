use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], n: usize) -> Tensor[N] {
        for i in 0..n {}
        x
    }
}

fn main() {}
