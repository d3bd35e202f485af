//! The legal twins of `fail/statements`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn unused_value(x: &Tensor[N]) -> Tensor[N] {
        let e = exp(x);
        e + 1
    }

    fn assertion_without_text(x: &Tensor[N]) -> Tensor[N] {
        assert!(x > 0, "x is positive");
        x
    }

    fn assertion_with_values_in_its_text(x: &Tensor[N]) -> Tensor[N] {
        assert!(x > 0, "x is positive, found less");
        x
    }

    fn assertion_of_equality(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] {
        assert!(x == y, "x and y are the same");
        x
    }

    fn assertion_as_value(x: &Tensor[N]) -> (Tensor[N], Tensor<bool>[N]) { (x, x > 0) }

    fn semicolon_at_the_end(x: &Tensor[N]) -> Tensor[N] { x }

    fn branch_without_value(x: &Tensor[N]) -> Tensor[N] {
        if x > 0 { x } else { 0.0 }
    }

    fn if_without_else(y: &mut Tensor[N], x: &Tensor[N]) {
        if x > 0 { y += x; }
    }

    fn value_without_output(y: &mut Tensor[N]) -> Tensor[N] {
        y += 1;
        y
    }

    fn two_values_for_two_outputs(x: &Tensor[N]) -> (Tensor[N], Tensor[N]) { (x, -x) }

    fn one_value_for_one_output(x: &Tensor[N]) -> (Tensor[N],) { (x,) }

    fn second_output_with_free_axis(x: &Tensor[N]) -> (Tensor[N], Tensor[]) { (x, sum[N](x)) }
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [-1.0, 2.0])?;
    let mut y = x.clone();
    if_without_else(&mut y, &x)?;
    assert_eq!(value_without_output(&mut y)?.to_vec()?, [0.0, 5.0]);
    assert_eq!(assertion_of_equality(&x, &x)?.to_vec()?, x.to_vec()?);
    for error in [assertion_without_text(&x).unwrap_err(), assertion_with_values_in_its_text(&x).unwrap_err()] {
        assert_eq!(error.kind(), tensor_rt::ErrorKind::Assertion);
    }
    assert_eq!(assertion_as_value(&x)?.1.to_vec()?, [false, true]);
    let (same,) = one_value_for_one_output(&x)?;
    let (first, second) = second_output_with_free_axis(&same)?;
    assert_eq!((first.to_vec()?, second.item()?), (vec![-1.0, 2.0], 1.0));
    Ok(())
}
