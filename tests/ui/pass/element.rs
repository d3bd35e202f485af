//! The legal twins of `fail/element`.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Elementwise product.
    pub fn scale(a: &Tensor[N], b: &Tensor[N]) -> Tensor[N] { a * b }
}

fn kernel_of_two_elements(a: &Tensor<Cpu, NoGrad, f32>, b: &Tensor<Cpu, NoGrad, f16>) -> Result<Tensor> {
    scale(a, &b.cast::<f32>()?)
}

fn operator_on_two_elements(a: &Tensor, b: &Tensor<Cpu, NoGrad, f16>) -> Result<Tensor> {
    a + b.cast::<f32>()?
}

fn arithmetic_of_bools(a: &Tensor<Cpu, NoGrad, bool>) -> Result<Tensor<Cpu, NoGrad, i64>> {
    let a = a.to_element::<i64>()?;
    &a + &a
}

fn bytes_as_element(x: &Tensor<Cpu, NoGrad, u8>) -> Result<Vec<u8>> {
    x.to_vec()
}

fn data_of_another_element() -> Result<Tensor<Cpu, NoGrad, i64>> {
    Tensor::new_of(&Cpu, [[1i64, 2]])
}

pub fn main() -> Result<()> {
    let (x, y) = (Tensor::new(&Cpu, [2.0, 3.0])?, Tensor::ones_of(&Cpu, [2])?);
    assert_eq!(kernel_of_two_elements(&x, &y)?.to_vec()?, [2.0, 3.0]);
    assert_eq!(operator_on_two_elements(&x, &y)?.to_vec()?, [3.0, 4.0]);
    assert_eq!(arithmetic_of_bools(&Tensor::new_of(&Cpu, [true, false])?)?.to_vec()?, [2, 0]);
    assert_eq!(bytes_as_element(&data_of_another_element()?.to_element()?)?, [1, 2]);
    Ok(())
}
