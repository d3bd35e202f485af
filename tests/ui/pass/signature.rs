//! The legal twins of `fail/signature`: items, parameters and attributes of a block.

use tensor_rt::prelude::*;

struct Weights;

tensor_fn! {
    #[allow(dead_code)]
    fn inner_attribute(x: &Tensor[N]) -> Tensor[N] { x }

    fn kernel_without_body(x: &Tensor[N]) -> Tensor[N] { x }

    fn parameter_without_type(x: &Tensor[N], a: float) -> Tensor[N] { a * x }

    fn mutable_parameter(x: &mut Tensor[N]) { x *= 2; }

    fn attribute_on_parameter(x: &Tensor[N], unused: float) -> Tensor[N] { x }

    fn every_scalar(x: &Tensor[N], a: float, b: f32, c: f64, d: i64, e: usize, f: u64, g: bool) -> Tensor[N] {
        if g { x + a + b as float + c as float + d as float + e as float + (f as i64) as float } else { x }
    }

    fn list_of_numbers(x: &Tensor[N], a: &Tensor[3]) -> Tensor[N] { x * a[0] }

    fn constant_generic(x: &Tensor[N], k: usize) -> Tensor[N] { x * (k as float) }

    fn one_number(x: &Tensor[N]) -> Tensor[] { sum[N](x) }

    fn two_devices(x: &Tensor<Cpu>[N], y: &Tensor<Cpu>[N]) -> Tensor[N] { x + y }

    fn every_argument<D: Device, G: GradMode, T: Float>(x: &Tensor<D, G, T>[N]) -> Tensor<T>[N] { x }

    fn where_clause<D, T>(x: &Tensor<T, D>[N]) -> Tensor<T>[N] where T: Float, D: Device { x }

    fn qualified(x: &Tensor<tensor_rt::Cpu, tensor_rt::NoGrad>[N]) -> Tensor[N] { x }

    fn without_tensor(count: usize, step: float) -> Tensor<f32>[N = count] { N * step }

    fn without_parameter() -> Tensor<f64>[] { pi }
}

pub fn main() -> Result<()> {
    let _ = Weights;
    let x = Tensor::new(&Cpu, [1.0, 2.0])?;
    assert_eq!(every_scalar(&x, 1.0, 2.0, 3.0, 4, 5, 6, true)?.to_vec()?, [22.0, 23.0]);
    assert_eq!(list_of_numbers(&x, &Tensor::new(&Cpu, [3.0, 0.0, 0.0])?)?.to_vec()?, [3.0, 6.0]);
    assert_eq!(where_clause(&every_argument(&qualified(&x)?)?)?.to_vec()?, [1.0, 2.0]);
    assert_eq!(without_tensor(&Cpu, 3, 0.5)?.to_vec()?, [0.0, 0.5, 1.0]);
    assert_eq!(without_parameter(&Cpu)?.item()?, std::f64::consts::PI);
    Ok(())
}
