//! The legal twins of `fail/element`.

use tensor_rt::prelude::*;

fn add<T: Element, T1: SameElement<T>>(_a: &Tensor<Cpu, NoGrad, T>, _b: &Tensor<Cpu, NoGrad, T1>) {}

fn kernel_of_two_elements(a: &Tensor<Cpu, NoGrad, f32>, b: &Tensor<Cpu, NoGrad, f16>) -> Result<()> {
    add(a, &b.cast()?);
    Ok(())
}

fn bytes_as_element(x: &Tensor<Cpu, NoGrad, u8>) -> Result<Vec<u8>> {
    x.to_vec()
}

fn data_of_another_element() -> Result<Tensor<Cpu, NoGrad, i64>> {
    Tensor::new_of(&Cpu, [[1i64, 2]])
}

fn main() -> Result<()> {
    kernel_of_two_elements(&Tensor::new(&Cpu, 1.0)?, &Tensor::zeros_of(&Cpu, [])?)?;
    assert_eq!(bytes_as_element(&data_of_another_element()?.to_element()?)?, [1, 2]);
    Ok(())
}
