//! The legal twins of `fail/axes`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn axis_neither_in_output_nor_reduced(x: &Tensor[N, K]) -> Tensor[N] { sum[K](x) }

    fn free_axis_within_let(x: &Tensor[N], w: &Tensor[N, M]) -> Tensor[N] {
        let e = exp(w);
        x + sum[M](e)
    }

    fn axis_of_output_without_size(x: &Tensor[N], classes: usize) -> Tensor[N, C = classes] { x }

    fn axis_of_output_without_name(x: &Tensor[N]) -> Tensor[N, C = 3] { x }

    fn axis_of_output_sized_twice(x: &Tensor[N], n: usize) -> Tensor[N, M = n] { x }

    fn axis_twice_in_parameter(x: &Tensor[N, M = N]) -> Tensor[N] { x[N, N] }

    fn axis_twice_in_output(x: &Tensor[N]) -> Tensor[N, M = N] {
        if N == M { x } else { 0.0 }
    }

    fn any_number_of_axes_without_parameter(x: &Tensor[..]) -> Tensor[..] { -x }

    fn axis_in_lower_case(x: &Tensor[N]) -> Tensor[N] { x }

    fn axis_that_is_a_parameter(n: &Tensor[N]) -> Tensor[N] { n }

    fn axis_that_is_a_let(x: &Tensor[N]) -> Tensor[N] {
        let n = 2 * x;
        n
    }

    fn axis_of_parameter_with_computed_size(x: &Tensor[N, M = N]) -> Tensor[N] { sum[M](x) }

    fn axis_of_parameter_with_two_sizes(x: &Tensor[N, M = N], y: &Tensor[M]) -> Tensor[N] { sum[M](x * y) }

    fn axis_sized_by_itself(x: &Tensor[M]) -> Tensor[M] { x }

    fn axis_without_size_after_equals(x: &Tensor[N]) -> Tensor[N, C = N + 1] { x }

    fn axes_without_comma(x: &Tensor[N, M]) -> Tensor[M, N] { x }

    fn tensor_without_axes(x: &Tensor[]) -> Tensor[] { x }

    fn unknown_axis(x: &Tensor[Rows, K]) -> Tensor[Rows] { sum[K](x) / size(Rows) }

    fn size_with_fraction(x: &Tensor[N, 3]) -> Tensor[N] { x[N, 0] }

    fn size_from_data(x: &Tensor[N]) -> Tensor[M = N] { x[M] }

    fn size_from_float(x: &Tensor[N], count: usize) -> Tensor[M = count] { sum[N](x) }

    fn size_below_zero(x: &Tensor[N]) -> Tensor[M = 2 - 1] { sum[N](x) }

    fn bare_tensor_with_unnamed_axis(x: &Tensor[N, C = 3]) -> Tensor[N] { sum[C](x) }
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [[1.0, 2.0], [3.0, 4.0]])?;
    let v = Tensor::new(&Cpu, [5.0, 6.0])?;
    assert_eq!(axis_neither_in_output_nor_reduced(&x)?.to_vec()?, [3.0, 7.0]);
    assert_eq!(axis_of_output_without_size(&v, 1)?.to_vec()?, [5.0, 6.0]);
    assert_eq!(axis_twice_in_parameter(&x)?.to_vec()?, [1.0, 4.0]);
    assert_eq!(axis_twice_in_output(&v)?.to_vec()?, [5.0, 0.0, 0.0, 6.0]);
    assert_eq!(axes_without_comma(&x)?.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(axis_without_size_after_equals(&v)?.to_vec()?, [5.0, 5.0, 5.0, 6.0, 6.0, 6.0]);
    assert_eq!(axis_of_parameter_with_two_sizes(&x, &v)?.to_vec()?, [17.0, 39.0]);
    assert_eq!(size_below_zero(&v)?.to_vec()?, [11.0]);
    Ok(())
}
