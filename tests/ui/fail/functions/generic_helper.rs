use tensor_rt::prelude::*;

tensor_fn! {
    fn square<T>(v) { v * v }
}

fn main() {}
