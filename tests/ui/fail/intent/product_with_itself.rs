use tensor_rt::prelude::*;

tensor_fn! {
    fn f(w: &mut Tensor[M, N], b: &Tensor[N, K = N]) { w = sum[K](w[M, K] * b[K, N]); }
}

fn main() {}
