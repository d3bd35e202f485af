//! A layer, a net and a loss, generic over device and mode, without where-clauses.

use tensor_rt::prelude::*;

tensor_fn! {
    /// `x w^T + b`
    pub fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] {
        sum[I](x * w) + b
    }

    /// Mean squared error.
    pub fn mean_squared_error(prediction: &Tensor[N, C], target: &Tensor[N, C]) -> Tensor[] {
        let d = prediction - target;
        mean[N, C](d * d)
    }
}

struct Linear<D: Device> {
    weight: Param<D>,
    bias: Param<D>,
}

impl<D: Device> Linear<D> {
    fn new(device: &D, inputs: usize, outputs: usize, seed: u64) -> Result<Self> {
        let weight = Param::new(Tensor::randn(device, [outputs, inputs], seed)?);
        Ok(Linear { weight, bias: Param::new(Tensor::zeros(device, [outputs])?) })
    }

    /// Weights and input in one mode.
    fn forward<M: GradMode>(&self, x: &Tensor<D, M>) -> Result<Tensor<D, M>> {
        linear(x, &self.weight.get::<M>(), &self.bias.get::<M>())
    }

    /// An untracked input and weights in mode `M` give a result in mode `M`.
    fn first<M: GradMode>(&self, x: &Tensor<D>) -> Result<Tensor<D, M>> {
        linear(x, &self.weight.get::<M>(), &self.bias.get::<M>())
    }
}

struct Net<D: Device> {
    first: Linear<D>,
    second: Linear<D>,
}

impl<D: Device> Net<D> {
    fn forward<M: GradMode>(&self, x: &Tensor<D>) -> Result<Tensor<D, M>> {
        let hidden = self.first.first::<M>(x)?;
        self.second.forward(&(&hidden * &hidden)?)
    }
}

fn loss<D: Device, M: GradMode>(prediction: &Tensor<D, M>, target: &Tensor<D>) -> Result<Tensor<D, M>> {
    mean_squared_error(prediction, target)
}

fn train<D: Device>(net: &Net<D>, x: &Tensor<D>, target: &Tensor<D>) -> Result<Gradients> {
    loss(&net.forward::<Grad>(x)?, target)?.backward()
}

fn evaluate<D: Device>(net: &Net<D>, x: &Tensor<D>, target: &Tensor<D>) -> Result<f32> {
    loss(&net.forward::<NoGrad>(x)?, target)?.item()
}

/// Over two modes the one clause is `Join`.
fn mixed<D: Device, G: GradMode + Join<H>, H: GradMode>(a: &Tensor<D, G>, b: &Tensor<D, H>) -> Result<()> {
    mean_squared_error(a, b).map(drop)
}

pub fn main() -> Result<()> {
    let net = Net { first: Linear::new(&Cpu, 2, 3, 0)?, second: Linear::new(&Cpu, 3, 1, 1)? };
    let (x, target) = (Tensor::ones(&Cpu, [4, 2])?, Tensor::zeros(&Cpu, [4, 1])?);
    assert!(evaluate(&net, &x, &target)? >= 0.0);
    train(&net, &x, &target)?;
    mixed(&target, &target.clone().requires_grad())
}
