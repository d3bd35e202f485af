use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], n: usize) -> Tensor[N] {
        if let 0 = n { x } else { -x }
    }
}

fn main() {}
