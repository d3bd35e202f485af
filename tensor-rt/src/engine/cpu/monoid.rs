//! What values are folded with: sums, products and extremes, of every computing type.
//!
//! On `bool` a sum is "any" and a product "all". An extreme is NaN if one of its values is.

use crate::element::Element;

/// Values that can be folded.
pub(super) trait Value: Element {
    const ZERO: Self;
    const ONE: Self;
    const LOWEST: Self;
    const HIGHEST: Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// False for every type but floats.
    fn nan(self) -> bool;
}

macro_rules! float_value {
    ($($value:ident)*) => {$(
        impl Value for $value {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LOWEST: Self = $value::NEG_INFINITY;
            const HIGHEST: Self = $value::INFINITY;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn nan(self) -> bool { self.is_nan() }
        }
    )*};
}

macro_rules! integer_value {
    ($($value:ident)*) => {$(
        impl Value for $value {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LOWEST: Self = $value::MIN;
            const HIGHEST: Self = $value::MAX;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn nan(self) -> bool { false }
        }
    )*};
}

float_value! { f32 f64 }
integer_value! { i64 i32 u32 u8 }

/// `bool` is the type of `any` (the sum), `all` (the product), and of the extremes of a mask.
impl Value for bool {
    const ZERO: Self = false;
    const ONE: Self = true;
    const LOWEST: Self = false;
    const HIGHEST: Self = true;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn nan(self) -> bool {
        false
    }
}

/// A reduction without positions.
pub(super) trait Monoid<V> {
    const IDENTITY: V;
    fn combine(left: V, right: V) -> V;
}

pub(super) struct Add;
pub(super) struct Mul;
pub(super) struct Max;
pub(super) struct Min;

impl<V: Value> Monoid<V> for Add {
    const IDENTITY: V = <V as Value>::ZERO;
    #[inline(always)]
    fn combine(left: V, right: V) -> V {
        left.add(right)
    }
}

impl<V: Value> Monoid<V> for Mul {
    const IDENTITY: V = <V as Value>::ONE;
    #[inline(always)]
    fn combine(left: V, right: V) -> V {
        left.mul(right)
    }
}

impl<V: Value> Monoid<V> for Max {
    const IDENTITY: V = V::LOWEST;
    #[inline(always)]
    fn combine(left: V, right: V) -> V {
        // Where `left` is NaN the comparison fails, so that only `right` has to be looked at, beside the chain of results.
        let larger = if right > left { right } else { left };
        if right.nan() { right } else { larger }
    }
}

impl<V: Value> Monoid<V> for Min {
    const IDENTITY: V = V::HIGHEST;
    #[inline(always)]
    fn combine(left: V, right: V) -> V {
        let smaller = if right < left { right } else { left };
        if right.nan() { right } else { smaller }
    }
}

/// A reduction to a position: which of two values is the more extreme.
pub(super) trait Extreme<V>: Monoid<V> {
    fn beats(challenger: V, champion: V) -> bool;
}

impl<V: Value> Extreme<V> for Max {
    #[inline(always)]
    fn beats(challenger: V, champion: V) -> bool {
        challenger > champion || (challenger.nan() && !champion.nan())
    }
}

impl<V: Value> Extreme<V> for Min {
    #[inline(always)]
    fn beats(challenger: V, champion: V) -> bool {
        challenger < champion || (challenger.nan() && !champion.nan())
    }
}
