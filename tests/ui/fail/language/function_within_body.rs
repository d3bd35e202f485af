use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        fn square(v: f32) -> f32 { v * v }
        x
    }
}

fn main() {}
