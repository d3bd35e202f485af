use tensor_rt::prelude::*;

tensor_fn! {
    pub fn square(v) { v * v }
}

fn main() {}
