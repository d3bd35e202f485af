//! The legal twins of `fail/functions`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn scaled(v, a) { a * v }

    fn square(v) { v * v }

    fn unknown_name(x: &Tensor[N], bias: float) -> Tensor[N] { x + bias }

    fn unknown_function(x: &Tensor[N]) -> Tensor[N] { ln(x) }

    fn wrong_number_of_arguments(x: &Tensor[N]) -> Tensor[N] { max(x, 0) * exp(0) }

    fn function_without_call(x: &Tensor[N]) -> Tensor[N] { x * exp(x) }

    fn call_of_kernel(x: &Tensor[N]) -> Tensor[N] { square(x) }

    fn call_of_let(x: &Tensor[N]) -> Tensor[N] {
        let e = exp(x);
        e * x
    }

    fn call_of_parameter(x: &Tensor[N]) -> Tensor[] { x[0] }

    fn arguments_of_two_types(x: &Tensor[N], i: &Tensor<i64>[N]) -> Tensor[N] { max(x, i as float) }

    fn select_without_condition(x: &Tensor[N]) -> Tensor[N] { select(x > 0, x, 0) }

    fn size_of_tensor(x: &Tensor[N]) -> Tensor[N] { x / size(N) }

    fn padding_of_bare_tensor(x: &Tensor[N]) -> Tensor[N] { pad_with(x[N - 1], 0.0) }

    fn padding_of_expression(x: &Tensor[N]) -> Tensor[N] { exp(pad_with(x[N - 1], -inf)) }

    fn padding_of_another_type(x: &Tensor[N]) -> Tensor[N] { pad_with(x[N - 1], if N == 0 { 1.0 } else { 0.0 }) }

    fn seed_that_varies(x: &Tensor[N], seed: u64) -> Tensor[N] { x + uniform(seed) }

    fn seed_that_is_no_integer(x: &Tensor[N], seed: i64) -> Tensor[N] { x + normal(seed) - normal(7) }

    fn helper_sees_kernel(x: &Tensor[N], a: float) -> Tensor[N] { scaled(x, a) }

    fn helper_reduces(x: &Tensor[N]) -> Tensor[] { sum[N](square(x)) }

    fn helper_calls_itself(x: &Tensor[N]) -> Tensor[N] { square(square(x)) }
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [-1.0, 2.0])?;
    assert_eq!(wrong_number_of_arguments(&x)?.to_vec()?, [0.0, 2.0]);
    assert_eq!(size_of_tensor(&x)?.to_vec()?, [-0.5, 1.0]);
    assert!(seed_that_varies(&x, 1)?.to_vec()?[0] < 0.0);
    assert_ne!(seed_that_is_no_integer(&x, 7)?.to_vec()?, [-1.0, 2.0]);
    assert_eq!(padding_of_bare_tensor(&x)?.to_vec()?, [0.0, -1.0]);
    assert_eq!(padding_of_expression(&x)?.to_vec()?, [0.0, (-1f32).exp()]);
    assert_eq!(padding_of_another_type(&x)?.to_vec()?, [1.0, -1.0]);
    assert_eq!(helper_sees_kernel(&x, 3.0)?.to_vec()?, [-3.0, 6.0]);
    assert_eq!(helper_reduces(&x)?.item()?, 5.0);
    assert_eq!(helper_calls_itself(&x)?.to_vec()?, [1.0, 16.0]);
    Ok(())
}
