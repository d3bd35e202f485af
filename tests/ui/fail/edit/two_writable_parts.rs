use tensor_rt::prelude::*;

fn run(x: &mut Tensor) -> Result<()> {
    let mut view = x.view_mut()?;
    let mut head = view.narrow(0, 0, 5)?;
    let mut tail = view.narrow(0, 3, 5)?;
    head.fill(1.0)?;
    tail.fill(2.0)
}

fn main() {}
