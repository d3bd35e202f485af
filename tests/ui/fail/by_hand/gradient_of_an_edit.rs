use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(on_cpu)]
    #[backward(back)]
    fn f(x: &mut Tensor[N]);
}

fn main() {}
