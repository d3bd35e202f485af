use tensor_rt::prelude::*;

fn run() -> Result<()> {
    let mut x = Tensor::zeros(&Cpu, [3])?;
    let mut view = x.view_mut()?;
    drop(x);
    view.fill(1.0)
}

fn main() {}
