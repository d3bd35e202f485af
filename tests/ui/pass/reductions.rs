//! The legal twins of `fail/reductions`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn reduction_without_axes(x: &Tensor[N, K]) -> Tensor[N] { sum[K](x) }

    fn reduction_over_nothing(x: &Tensor[..]) -> Tensor[] { sum[..](x) }

    fn axis_reduced_twice(x: &Tensor[N, K]) -> Tensor[] { sum[N, K](x) }

    fn body_without_reduced_axis(x: &Tensor[N], a: float) -> Tensor[N] { x * a * size(N) }

    fn parameter_in_place_of_axis(x: &Tensor[N]) -> Tensor[] { sum[N](x) }

    fn unknown_axis(x: &Tensor[K]) -> Tensor[] { sum[K](x) }

    fn unknown_reduction(x: &Tensor[N]) -> Tensor[] { prod[N](x) }

    fn function_in_place_of_reduction(x: &Tensor[N]) -> Tensor[N] { exp(x) }

    fn reduction_without_body(x: &Tensor[N]) -> Tensor[] { sum[N](x) }

    fn reduction_of_two_values(x: &Tensor[N]) -> Tensor[] { sum[N](x + x) }

    fn sum_of_conditions(x: &Tensor[N]) -> Tensor<i64>[] { sum[N]((x > 0) as i64) }

    fn any_of_numbers(x: &Tensor[N]) -> Tensor<bool>[] { any[N](x > 0) }

    fn mean_of_integers(i: &Tensor<i64>[N]) -> Tensor<f32>[] { mean[N](i as f32) }

    fn position_as_float(x: &Tensor[N, K]) -> Tensor<i64>[N] { argmax[K](x) }

    fn window_that_is_an_axis(x: &Tensor[N, K]) -> Tensor[N] { max[W = 2](x[N, W]) }

    fn window_with_fraction(x: &Tensor[N], width: usize) -> Tensor[] { max[W = width](x[W]) }

    fn window_in_lower_case(x: &Tensor[N]) -> Tensor[] { max[W = 3](x[W]) }

    fn window_outside_its_reduction(x: &Tensor[N]) -> Tensor[] { max[W = 3](x[W] + x[W]) }
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [[1.0, 2.0, 0.0], [3.0, -4.0, 9.0]])?;
    let v = Tensor::new(&Cpu, [1.0, -2.0, 3.0])?;
    assert_eq!(reduction_over_nothing(&x)?.item()?, 11.0);
    assert_eq!(body_without_reduced_axis(&v, 2.0)?.to_vec()?, [6.0, -12.0, 18.0]);
    assert_eq!(unknown_reduction(&v)?.item()?, -6.0);
    assert_eq!(sum_of_conditions(&v)?.item()?, 2);
    assert!(any_of_numbers(&v)?.item()?);
    assert_eq!(position_as_float(&x)?.to_vec()?, [1, 2]);
    assert_eq!(window_that_is_an_axis(&x)?.to_vec()?, [2.0, 3.0]);
    assert_eq!(window_with_fraction(&v, 2)?.item()?, 1.0);
    assert_eq!(window_outside_its_reduction(&v)?.item()?, 6.0);
    Ok(())
}
