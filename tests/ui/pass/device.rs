//! The legal twins of `fail/device`.

use tensor_rt::prelude::*;

fn axpy<Y: InPlace, D: SameDevice<Y::Device>>(_y: &mut Y, _x: &Tensor<D>) {}

fn add<D: Device, D1: SameDevice<D>>(_a: &Tensor<D>, _b: &Tensor<D1>) {}

fn kernel_on_two_devices(y: &mut Tensor<Cpu>, x: &Tensor<Cuda>) -> Result<()> {
    axpy(y, &x.to(&Cpu)?);
    Ok(())
}

fn kernel_on_two_ordinals(a: &Tensor<Cuda>, b: &Tensor<Cuda<1>>) -> Result<()> {
    add(a, &b.to(&a.device())?);
    Ok(())
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

fn main() -> Result<()> {
    let _ = (kernel_on_two_devices, kernel_on_two_ordinals, copy_from_another_device);
    let _ = (read_from_another_device, slice_of_another_device);
    element_in_place_of_device(&Tensor::zeros_of(&Cpu, [1])?);
    assert!(Cuda::new().is_err() && Cuda::<1>::open().is_err());
    Ok(())
}
