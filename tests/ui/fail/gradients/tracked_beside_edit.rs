use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor[N], x: &Tensor<Grad>[N]) { y += x; }
}

fn main() {}
