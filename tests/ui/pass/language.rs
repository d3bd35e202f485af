//! The legal twins of `fail/language`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn square(v) { v * v }

    fn loops(x: &Tensor[N]) -> Tensor[] { sum[N](x) }

    fn early_return(x: &Tensor[N]) -> Tensor[N] {
        if x < 0 { 0.0 } else { x }
    }

    fn closure(x: &Tensor[N]) -> Tensor[N] { square(x) }

    fn match_arms(x: &Tensor[N], n: usize) -> Tensor[N] {
        if n == 0 { x } else if n == 1 { -x } else { 0.0 }
    }

    fn method_call(x: &Tensor[N]) -> Tensor[N] { exp(x) }

    fn printing(x: &Tensor[N]) -> (Tensor[N], Tensor[N]) {
        let e = exp(x);
        (e + 1, e)
    }

    fn list(x: &Tensor[N]) -> Tensor[N, C = 3] { x }

    fn assertion(x: &Tensor[N]) -> (Tensor[N], Tensor<bool>[]) { (x, all[N](x > 0)) }

    fn panic(x: &Tensor[N]) -> Tensor[N] {
        if x > 0 { x } else { nan }
    }

    fn struct_literal(x: &Tensor[N], scale: float, shift: float) -> Tensor[N] { scale * x + shift }

    fn path(x: &Tensor[N]) -> Tensor[N] { x * pi }

    fn quotient_of_integers(x: &Tensor[N]) -> Tensor[N] { x * (1.0 / 2) + (N / 2) as float }

    fn power_operator(x: &Tensor[N]) -> Tensor[N] { powi(x, 2) }

    fn block(x: &Tensor[N]) -> Tensor[N] {
        let e = {
            let e = 2 * x;
            e + 1
        };
        (e)
    }

    fn mutable_let(x: &Tensor[N]) -> Tensor[N] {
        let e = x;
        let e = e + 1;
        e
    }

    fn pattern_in_let(x: &Tensor[N]) -> Tensor[N] {
        let a = x;
        let b = x;
        a + b
    }

    fn bits(i: &Tensor<i64>[N]) -> Tensor<i64>[N] { i % 2 }

    fn not_of_number(x: &Tensor[N]) -> Tensor<bool>[N] { !(x > 0) }

    fn chained_comparison(x: &Tensor[N]) -> Tensor<bool>[N] { 0 < x && x < 1 }

    fn unfinished_expression(x: &Tensor[N]) -> Tensor[N] { x + 1 }
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [-1.0, 2.0])?;
    assert_eq!(loops(&x)?.item()?, 1.0);
    assert_eq!(early_return(&x)?.to_vec()?, [0.0, 2.0]);
    assert_eq!(closure(&x)?.to_vec()?, [1.0, 4.0]);
    assert_eq!(match_arms(&x, 1)?.to_vec()?, [1.0, -2.0]);
    let (value, good) = assertion(&x)?;
    assert_eq!((value.to_vec()?, good.item()?), (vec![-1.0, 2.0], false));
    assert_eq!(block(&x)?.to_vec()?, [-1.0, 5.0]);
    assert_eq!(quotient_of_integers(&x)?.to_vec()?, [-0.5, 1.0]);
    assert_eq!(power_operator(&x)?.to_vec()?, [1.0, 4.0]);
    assert_eq!(mutable_let(&x)?.to_vec()?, [0.0, 3.0]);
    assert_eq!(bits(&Tensor::from_vec(&Cpu, vec![-3_i64, 4], [2])?)?.to_vec()?, [-1, 0]);
    Ok(())
}
