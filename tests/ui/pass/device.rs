//! The legal twins of `fail/device`.

use tensor_rt::prelude::*;

tensor_fn! {
    /// y <- y + a x
    pub fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }

    /// Elementwise product.
    pub fn scale(a: &Tensor[N], b: &Tensor[N]) -> Tensor[N] { a * b }
}

fn kernel_on_two_devices(y: &mut Tensor<Cpu>, x: &Tensor<Cuda>) -> Result<()> {
    axpy(y, &x.to(&Cpu)?, 0.5)
}

fn kernel_on_two_ordinals(a: &Tensor<Cuda>, b: &Tensor<Cuda<1>>) -> Result<Tensor<Cuda>> {
    scale(a, &b.to(&a.device())?)
}

fn operator_on_two_devices(a: &Tensor<Cpu>, b: &Tensor<Cuda>) -> Result<Tensor<Cpu>> {
    a + b.to(&Cpu)?
}

fn copy_from_another_device(y: &mut Tensor<Cpu>, x: &Tensor<Cuda>) -> Result<()> {
    y.copy_from(&x.to_host()?)
}

fn element_in_place_of_device(_x: &Tensor<Cpu, NoGrad, f64>) {}

fn read_from_another_device(x: &Tensor<Cuda>) -> Result<Vec<f32>> {
    x.to_host()?.to_vec()
}

fn slice_of_another_device(x: &Tensor<Cuda>) -> Result<f32> {
    Ok(x.to_host()?.as_slice()?[0])
}

pub fn main() -> Result<()> {
    let _ = (kernel_on_two_devices, kernel_on_two_ordinals, copy_from_another_device);
    let _ = (read_from_another_device, slice_of_another_device, operator_on_two_devices);
    element_in_place_of_device(&Tensor::zeros_of(&Cpu, [1])?);
    // Whether there is such a device or not, nothing panics.
    let _ = (Cuda::new(), Cuda::<1>::open());
    Ok(())
}
