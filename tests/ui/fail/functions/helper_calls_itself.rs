use tensor_rt::prelude::*;

tensor_fn! {
    fn twice(v) { twice(v) }
    fn f(x: &Tensor[N]) -> Tensor[N] { twice(x) }
}

fn main() {}
