//! A layer, a net and a loss, generic over device and mode, without where-clauses.

use tensor_rt::prelude::*;

/// Stands for a kernel of two tensors: the mode of the result is the join of theirs.
fn multiply<D: Device, G: GradMode, H: GradMode, T: Float>(
    a: &Tensor<D, G, T>,
    b: &Tensor<D, H, T>,
) -> Result<Tensor<D, <G as Join<H>>::Out, T>>
where
    G: Join<H>,
{
    let _ = (a, b);
    unimplemented!("this case is about types")
}

struct Linear<D: Device> {
    weight: Param<D>,
    bias: Param<D>,
}

impl<D: Device> Linear<D> {
    fn new(device: &D, inputs: usize, outputs: usize, seed: u64) -> Result<Self> {
        let weight = Param::new(Tensor::randn(device, [inputs, outputs], seed)?);
        Ok(Linear { weight, bias: Param::new(Tensor::zeros(device, [outputs])?) })
    }

    /// The weights are in mode `M`, and so is the input: `Join<M, M>` is `M`.
    fn forward<M: GradMode>(&self, x: &Tensor<D, M>) -> Result<Tensor<D, M>> {
        multiply(&multiply(x, &self.weight.get::<M>())?, &self.bias.get::<M>())
    }

    /// An untracked input and weights in mode `M` give a result in mode `M`.
    fn first<M: GradMode>(&self, x: &Tensor<D>) -> Result<Tensor<D, M>> {
        multiply(x, &self.weight.get::<M>())
    }
}

struct Net<D: Device> {
    first: Linear<D>,
    second: Linear<D>,
}

impl<D: Device> Net<D> {
    fn forward<M: GradMode>(&self, x: &Tensor<D>) -> Result<Tensor<D, M>> {
        self.second.forward(&self.first.first::<M>(x)?)
    }
}

fn loss<D: Device, M: GradMode>(prediction: &Tensor<D, M>, target: &Tensor<D>) -> Result<Tensor<D, M>> {
    let error = multiply(prediction, target)?;
    multiply(&error, &error)
}

fn train<D: Device>(net: &Net<D>, x: &Tensor<D>, target: &Tensor<D>) -> Result<Tensor<D, Grad>> {
    loss(&net.forward(x)?, target)
}

fn evaluate<D: Device>(net: &Net<D>, x: &Tensor<D>, target: &Tensor<D>) -> Result<Tensor<D>> {
    loss(&net.forward(x)?, target)
}

/// Over two modes the one clause is `Join`.
fn mixed<D: Device, G: GradMode + Join<H>, H: GradMode>(a: &Tensor<D, G>, b: &Tensor<D, H>) -> Result<()> {
    multiply(a, b)?;
    Ok(())
}

fn main() -> Result<()> {
    let _ = (train::<Cpu>, evaluate::<Cpu>, train::<Cuda>, mixed::<Cpu, Grad, NoGrad>);
    Linear::new(&Cpu, 2, 3, 0).map(drop)
}
