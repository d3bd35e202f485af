use tensor_rt::prelude::*;

tensor_fn! {
    struct Weights;
}

fn main() {}
