use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        let v = vec![0.0; 3];
        x
    }
}

fn main() {}
