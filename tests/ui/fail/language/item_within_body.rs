use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        const A: f32 = 1.0;
        A * x
    }
}

fn main() {}
