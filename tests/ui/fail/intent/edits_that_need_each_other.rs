use tensor_rt::prelude::*;

tensor_fn! {
    fn f(a: &mut Tensor[N], b: &mut Tensor[N, M]) {
        let old = a;
        a = a + b[N, 0];
        b = b * old;
    }
}

fn main() {}
