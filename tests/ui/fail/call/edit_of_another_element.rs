use tensor_rt::prelude::*;

tensor_fn! {
    fn count(y: &mut Tensor<i64>[N]) { y += 1; }
}

fn call(y: &mut Tensor) -> Result<()> {
    count(y)
}

fn main() {}
