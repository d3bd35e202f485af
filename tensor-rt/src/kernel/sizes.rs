//! Size expressions, evaluated on the host.
//!
//! Invariant: arithmetic is in `i64` and checked; an overflow or a division by zero gives `None`, never a wrong size.

use super::block::Scalar;
use super::program::SizeExpr;

/// The value of `expr`, given the sizes of the extents and the scalar arguments; `None` on overflow and on a division by
/// zero.
pub(crate) fn evaluate(expr: &SizeExpr, sizes: &[i64], scalars: &[Scalar]) -> Option<i64> {
    let value = |expr| evaluate(expr, sizes, scalars);
    match *expr {
        SizeExpr::Const(value) => Some(value),
        SizeExpr::Extent(extent) => Some(sizes[extent as usize]),
        SizeExpr::Scalar(scalar) => match scalars[scalar as usize] {
            Scalar::Int(value) => Some(value),
            Scalar::U64(value) => i64::try_from(value).ok(),
            Scalar::Bool(value) => Some(value.into()),
            Scalar::Float(_) | Scalar::F32(_) | Scalar::F64(_) => None,
        },
        SizeExpr::Add(a, b) => value(a)?.checked_add(value(b)?),
        SizeExpr::Sub(a, b) => value(a)?.checked_sub(value(b)?),
        SizeExpr::Mul(a, b) => value(a)?.checked_mul(value(b)?),
        SizeExpr::Div(a, b) => value(a)?.checked_div(value(b)?),
        SizeExpr::Rem(a, b) => value(a)?.checked_rem(value(b)?),
        SizeExpr::Min(a, b) => Some(value(a)?.min(value(b)?)),
        SizeExpr::Max(a, b) => Some(value(a)?.max(value(b)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convolution_size_follows_its_formula() {
        use SizeExpr::{Add, Const, Div, Extent, Mul, Scalar as Argument, Sub};
        // (L + 2 * pad - W) / stride + 1
        static DOUBLE: SizeExpr = Mul(&Const(2), &Argument(1));
        static PADDED: SizeExpr = Add(&Extent(0), &DOUBLE);
        static ROOM: SizeExpr = Sub(&PADDED, &Extent(1));
        static STEPS: SizeExpr = Div(&ROOM, &Argument(0));
        static SIZE: SizeExpr = Add(&STEPS, &Const(1));
        assert_eq!(evaluate(&SIZE, &[5, 3], &[Scalar::Int(2), Scalar::Int(1)]), Some(3));
        assert_eq!(evaluate(&SIZE, &[5, 3], &[Scalar::Int(0), Scalar::Int(1)]), None);
        assert_eq!(evaluate(&SIZE, &[i64::MAX, 3], &[Scalar::Int(1), Scalar::Int(1)]), None);
    }
}
