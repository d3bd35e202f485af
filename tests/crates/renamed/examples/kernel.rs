//! A kernel of an example, in a package that calls the runtime `tf`.

use tf::prelude::*;

tensor_fn! {
    fn square(x: &Tensor[..]) -> Tensor[..] { x * x }
}

fn main() -> Result<()> {
    println!("{}", square(&renamed::affine(&Tensor::new(&Cpu, [1.0, 2.0])?)?)?);
    Ok(())
}
