use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor[N], x: &Tensor[M]) {
        if x > 0 { y = 1; }
    }
}

fn main() {}
