use tensor_rt::prelude::*;

fn run(x: &mut Tensor) -> Result<()> {
    let mut first = x.view_mut()?;
    let mut second = x.view_mut()?;
    first.fill(1.0)?;
    second.fill(2.0)
}

fn main() {}
