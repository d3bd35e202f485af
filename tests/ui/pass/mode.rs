//! The legal twins of `fail/mode`.

use tensor_rt::prelude::*;

tensor_fn! {
    /// y <- y + a x
    pub fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }
}

fn device_in_place_of_mode(_x: &Tensor<Cpu, NoGrad, f32>) {}

fn backward_of_untracked(loss: Tensor) -> Result<Gradients> {
    loss.requires_grad().backward()
}

fn integers_are_never_tracked(x: Tensor<Cpu, NoGrad, i64>) -> Result<Tensor<Cpu, Grad, f32>> {
    Ok(x.cast()?.requires_grad())
}

fn conversion_would_lose_the_gradient(x: &Tensor<Cpu, Grad>) -> Result<Tensor<Cpu, NoGrad, i64>> {
    x.detach().to_element()
}

fn edit_would_lose_the_gradient(y: &mut Tensor, x: &Tensor<Cpu, Grad>) -> Result<()> {
    axpy(y, &x.detach(), 0.5)
}

fn running_total_would_lose_the_gradient(total: &mut Tensor, loss: &Tensor<Cpu, Grad>) {
    *total += loss.detach();
}

pub fn main() -> Result<()> {
    let x = integers_are_never_tracked(Tensor::new_of(&Cpu, [3i64])?)?;
    assert_eq!(conversion_would_lose_the_gradient(&x)?.to_vec()?, [3]);
    let mut y = x.detach();
    edit_would_lose_the_gradient(&mut y, &x)?;
    running_total_would_lose_the_gradient(&mut y, &x);
    assert_eq!(y.to_vec()?, [7.5]);
    device_in_place_of_mode(&y);
    backward_of_untracked(y).map(drop)
}
