use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], n: usize) -> Tensor[N] {
        match n { 0 => x, _ => -x }
    }
}

fn main() {}
