use tensor_rt::prelude::*;

tensor_fn! {
    fn square(v) { v * v }
    fn square(v) { v * v }
}

fn main() {}
