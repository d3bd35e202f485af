//! Trap: an edit in place of a tensor that a gradient still needs.

#![forbid(unsafe_code)]

use examples::trap;
use tensor_rt::prelude::*;
use tensor_rt_kernels::activation::sigmoid;
use tensor_rt_kernels::index::slice_assign;
use tensor_rt_kernels::optimizer::{Optimizer, Sgd};

tensor_fn! {
    /// y <- factor y
    fn scale(y: &mut Tensor[..], factor: float) {
        y *= factor;
    }
}

fn main() -> Result<()> {
    trap::pytorch(
        "y = torch.sigmoid(x)\n\
         y *= 2                                  # accepted\n\
         y.sum().backward()\n\
         RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation\n\
         \n\
         The error comes at `backward`, far from the edit; through `detach()` or `.data` it does not come at all, and the\n\
         gradient is wrong.",
    );

    trap::here("A tracked tensor cannot be edited in place.");
    trap::refused(
        include_str!("../../../tests/ui/fail/edit/kernel_edits_tracked.rs"),
        include_str!("../../../tests/ui/fail/edit/kernel_edits_tracked.stderr"),
    );

    trap::here("The legal forms. A new value, with a gradient for the old one and for what replaced it:");
    let x = Tensor::new(&Cpu, [1.0, 2.0, 3.0])?.requires_grad();
    let y = sigmoid(&x)?;
    let replaced = slice_assign(&y, &Tensor::new(&Cpu, [2.0])?, 1)?;
    let gradients = replaced.sum()?.backward()?;
    println!("    gradient of x = {}\n", gradients.get(&x).expect("x took part"));

    trap::here("An edit of an untracked handle, which makes its storage its own first: the graph keeps what it saved.");
    let x = Tensor::new(&Cpu, [1.0, 2.0, 3.0])?.requires_grad();
    let y = sigmoid(&x)?;
    let mut detached = y.detach();
    scale(&mut detached, 2.0)?;
    println!("    y        = {}", y.detach());
    println!("    detached = {detached}");
    let gradients = y.sum()?.backward()?;
    println!("    gradient = {}\n", gradients.get(&x).expect("x took part"));

    trap::here("A step of an optimizer edits parameters in place, through `&mut Param`, once the graph is consumed:");
    let mut p = Param::new(Tensor::new(&Cpu, [1.0, -2.0])?);
    let loss = (p.tracked() * Tensor::new(&Cpu, [0.5, 0.25])?)?.sum()?;
    let gradients = loss.backward()?;
    let updated = Sgd::new(0.1).step(&mut [&mut p], &gradients)?;
    println!("    {updated} parameter updated: {}", p.value());
    Ok(())
}
