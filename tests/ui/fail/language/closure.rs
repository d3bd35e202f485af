use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        let square = |v| v * v;
        square(x)
    }
}

fn main() {}
