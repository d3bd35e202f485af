//! The legal twins of `fail/values`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn float_and_integer(x: &Tensor[N], i: &Tensor<i64>[N]) -> Tensor[N] { x + i as float }

    fn two_floats(x: &Tensor<f32>[N], y: &Tensor<f64>[N]) -> Tensor<f64>[N] { x as f64 * y }

    fn float_and_typed_scalar(x: &Tensor[N], a: f32, b: float) -> Tensor[N] { a as float * x + b }

    fn function_of_integers(i: &Tensor<i64>[N]) -> Tensor<f32>[N] { exp(i as f32) }

    fn power_with_fraction(x: &Tensor[N]) -> Tensor[N] { powf(x, 0.5) + powi(x, 2) }

    fn negative_of_unsigned(i: &Tensor<u8>[N]) -> Tensor<i64>[N] { -(i as i64) }

    fn arithmetic_of_conditions(b: &Tensor<bool>[N]) -> Tensor<bool>[N] { b || !b }

    fn number_as_condition(x: &Tensor[N]) -> Tensor[N] {
        if x != 0 { 1.0 } else { 0.0 }
    }

    fn branches_of_two_types(x: &Tensor[N], i: &Tensor<i64>[N]) -> Tensor[N] {
        if x > 0 { x } else { i as float }
    }

    fn cast_to_bool(x: &Tensor[N]) -> Tensor<bool>[N] { x != 0 }

    fn cast_to_unknown_type(x: &Tensor[N]) -> Tensor<i64>[N] { x as i64 }

    fn literal_out_of_range(i: &Tensor<u8>[N]) -> Tensor<i64>[N] { i as i64 + 300 }

    fn literal_with_unknown_suffix(i: &Tensor<i64>[N]) -> Tensor<i64>[N] { i + 3i64 }

    fn literal_too_large(x: &Tensor[N]) -> Tensor[N] { x * 99999999999999999999.0 }

    fn division_by_zero(i: &Tensor<i64>[N]) -> Tensor<i64>[N] { i / 2 }

    fn output_of_another_element(x: &Tensor[N]) -> Tensor<i64>[N] { floor(x) as i64 }

    fn output_without_element(i: &Tensor<i64>[N]) -> Tensor<f32>[N] { i as f32 }

    fn let_of_another_type(x: &Tensor[N]) -> Tensor[N] {
        let e: float = 2;
        e * x
    }

    fn two_generic_elements<T: Float>(x: &Tensor<T>[N], y: &Tensor<f64>[N]) -> Tensor<T>[N] { x + y as T }

    fn generic_without_bound<T: Float>(x: &Tensor<T>[N]) -> Tensor<T>[N] { 2 * x }

    fn unknown_argument(x: &Tensor<f16>[N]) -> Tensor<f16>[N] { x }

    fn two_arguments_of_one_kind(x: &Tensor<Cpu, f64>[N]) -> Tensor<f32>[N] { x as f32 }

    fn element_after_axes(x: &Tensor<f32>[N]) -> Tensor<f32>[N] { x }
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [1.5, -2.0])?;
    let i = Tensor::from_vec(&Cpu, vec![1_i64, 2], [2])?;
    assert_eq!(float_and_integer(&x, &i)?.to_vec()?, [2.5, 0.0]);
    assert_eq!(float_and_typed_scalar(&x, 2.0, 1.0)?.to_vec()?, [4.0, -3.0]);
    assert_eq!(negative_of_unsigned(&Tensor::from_vec(&Cpu, vec![200_u8], [1])?)?.to_vec()?, [-200]);
    assert_eq!(branches_of_two_types(&x, &i)?.to_vec()?, [1.5, 2.0]);
    assert_eq!(literal_out_of_range(&Tensor::from_vec(&Cpu, vec![200_u8], [1])?)?.to_vec()?, [500]);
    assert_eq!(output_of_another_element(&x)?.to_vec()?, [1, -2]);
    assert_eq!(two_generic_elements(&x, &x.cast()?)?.to_vec()?, [3.0, -4.0]);
    Ok(())
}
