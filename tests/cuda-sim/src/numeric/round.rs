//! Rounding in a given direction.
//!
//! A result is computed to nearest, and the sign of what was lost tells whether to take the neighbour. For f32 what was
//! lost is exact in f64; for f64 it comes from error-free transformations.

use std::cmp::Ordering;

/// The rounding of a floating-point instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}

/// Floats that can be rounded in a direction.
pub(crate) trait Directed: Copy + PartialOrd + Send + Sync + 'static {
    fn add(self, other: Self, rounding: Rounding) -> Self;
    fn mul(self, other: Self, rounding: Rounding) -> Self;
    fn fma(self, factor: Self, addend: Self, rounding: Rounding) -> Self;
    fn div(self, other: Self, rounding: Rounding) -> Self;
    fn sqrt(self, rounding: Rounding) -> Self;
    /// An integer of at most 64 bits.
    fn from_int(int: i128, rounding: Rounding) -> Self;
}

/// What the exact result is, compared with a computed one; `None` if they are not to be compared: one is NaN, or the
/// infinite result is exact.
type Lost = Option<Ordering>;

macro_rules! impl_adjust {
    ($name:ident, $float:ty) => {
        /// The neighbour of `near` that the rounding asks for.
        #[inline(always)]
        fn $name(near: $float, lost: Lost, rounding: Rounding) -> $float {
            match (rounding, lost) {
                (Rounding::Down, Some(Ordering::Less)) => near.next_down(),
                (Rounding::Up, Some(Ordering::Greater)) => near.next_up(),
                (Rounding::Zero, Some(Ordering::Less)) if near.is_sign_positive() => near.next_down(),
                (Rounding::Zero, Some(Ordering::Greater)) if near.is_sign_negative() => near.next_up(),
                _ => near,
            }
        }
    };
}

impl_adjust!(adjust_f32, f32);
impl_adjust!(adjust_f64, f64);

/// The sum of two numbers and exactly what it lost, barring overflow.
#[inline(always)]
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// An f64 to f32, as [`Rounding`] asks.
#[inline(always)]
pub(crate) fn narrow(exact: f64, rounding: Rounding) -> f32 {
    sum_to_f32(exact, 0.0, rounding)
}

/// `high + low`, of which `low` is below the last place of `high`, to f32.
#[inline(always)]
fn sum_to_f32(high: f64, low: f64, rounding: Rounding) -> f32 {
    let near = high as f32;
    let lost = match high.partial_cmp(&f64::from(near)) {
        Some(Ordering::Equal) if high.is_finite() => low.partial_cmp(&0.0),
        other => other,
    };
    adjust_f32(near, lost, rounding)
}

/// The sign of a sum that is exactly zero: negative if rounding down, unless both terms are positive zeros.
#[inline(always)]
fn zero_sum(sum: f64, a: f64, b: f64, rounding: Rounding) -> f64 {
    let both_positive = a.is_sign_positive() && b.is_sign_positive();
    if sum == 0.0 && rounding == Rounding::Down && !both_positive { -0.0 } else { sum }
}

impl Directed for f32 {
    #[inline(always)]
    fn add(self, other: Self, rounding: Rounding) -> Self {
        if rounding == Rounding::Nearest {
            return self + other;
        }
        let (a, b) = (f64::from(self), f64::from(other));
        let (high, low) = two_sum(a, b);
        sum_to_f32(zero_sum(high, a, b, rounding), low, rounding)
    }

    #[inline(always)]
    fn mul(self, other: Self, rounding: Rounding) -> Self {
        if rounding == Rounding::Nearest {
            return self * other;
        }
        narrow(f64::from(self) * f64::from(other), rounding)
    }

    #[inline(always)]
    fn fma(self, factor: Self, addend: Self, rounding: Rounding) -> Self {
        if rounding == Rounding::Nearest {
            return self.mul_add(factor, addend);
        }
        let (product, addend) = (f64::from(self) * f64::from(factor), f64::from(addend));
        let (high, low) = two_sum(product, addend);
        sum_to_f32(zero_sum(high, product, addend, rounding), low, rounding)
    }

    #[inline(always)]
    fn div(self, other: Self, rounding: Rounding) -> Self {
        let near = self / other;
        if rounding == Rounding::Nearest || self == 0.0 || other == 0.0 || !self.is_finite() || !other.is_finite() {
            return near;
        }
        // `near * other` is exact in f64, and its distance from `self` has the sign of what was lost.
        let lost = if near.is_infinite() {
            (f64::from(self) / f64::from(other)).partial_cmp(&f64::from(near))
        } else {
            let rest = (f64::from(self) - f64::from(near) * f64::from(other)) * f64::from(other).signum();
            rest.partial_cmp(&0.0)
        };
        adjust_f32(near, lost, rounding)
    }

    #[inline(always)]
    fn sqrt(self, rounding: Rounding) -> Self {
        let near = f32::sqrt(self);
        if rounding == Rounding::Nearest || !near.is_finite() {
            return near;
        }
        adjust_f32(near, f64::from(self).partial_cmp(&(f64::from(near) * f64::from(near))), rounding)
    }

    #[inline(always)]
    fn from_int(int: i128, rounding: Rounding) -> Self {
        let near = int as f32;
        adjust_f32(near, Some(int.cmp(&(near as i128))), rounding)
    }
}

impl Directed for f64 {
    #[inline(always)]
    fn add(self, other: Self, rounding: Rounding) -> Self {
        if rounding == Rounding::Nearest {
            return self + other;
        }
        let (near, low) = two_sum(self, other);
        if near.is_infinite() {
            return overflowed(near, self.is_finite() && other.is_finite(), rounding);
        }
        adjust_f64(zero_sum(near, self, other, rounding), low.partial_cmp(&0.0), rounding)
    }

    #[inline(always)]
    fn mul(self, other: Self, rounding: Rounding) -> Self {
        let near = self * other;
        if rounding == Rounding::Nearest || self == 0.0 || other == 0.0 {
            return near;
        }
        if near.is_infinite() {
            return overflowed(near, self.is_finite() && other.is_finite(), rounding);
        }
        adjust_f64(near, product_rest(self, other, near), rounding)
    }

    #[inline(always)]
    fn fma(self, factor: Self, addend: Self, rounding: Rounding) -> Self {
        let near = self.mul_add(factor, addend);
        if rounding == Rounding::Nearest || near.is_nan() {
            return near;
        }
        if near.is_infinite() {
            let finite = self.is_finite() && factor.is_finite() && addend.is_finite();
            return overflowed(near, finite, rounding);
        }
        // Boldo and Muller: the error of a fused multiply-add is a sum of two floats.
        let product = self * factor;
        let product_low = self.mul_add(factor, -product);
        let (sum, sum_low) = two_sum(addend, product_low);
        let (high, low) = two_sum(product, sum);
        let rest = ((high - near) + low) + sum_low;
        adjust_f64(zero_sum(near, product, addend, rounding), rest.partial_cmp(&0.0), rounding)
    }

    #[inline(always)]
    fn div(self, other: Self, rounding: Rounding) -> Self {
        let near = self / other;
        if rounding == Rounding::Nearest || self == 0.0 || other == 0.0 || !self.is_finite() || !other.is_finite() {
            return near;
        }
        if near.is_infinite() {
            return overflowed(near, true, rounding);
        }
        let rest = (-near).mul_add(other, self) * other.signum();
        adjust_f64(near, rest.partial_cmp(&0.0), rounding)
    }

    #[inline(always)]
    fn sqrt(self, rounding: Rounding) -> Self {
        let near = f64::sqrt(self);
        if rounding == Rounding::Nearest || !near.is_finite() {
            return near;
        }
        adjust_f64(near, (-near).mul_add(near, self).partial_cmp(&0.0), rounding)
    }

    #[inline(always)]
    fn from_int(int: i128, rounding: Rounding) -> Self {
        let near = int as f64;
        adjust_f64(near, Some(int.cmp(&(near as i128))), rounding)
    }
}

/// An infinite result of finite operands is too far from zero.
fn overflowed(near: f64, of_finite: bool, rounding: Rounding) -> f64 {
    let lost = of_finite.then_some(if near > 0.0 { Ordering::Less } else { Ordering::Greater });
    adjust_f64(near, lost, rounding)
}

/// How the exact product compares with the computed one. Small products are scaled, so that the rest does not vanish.
fn product_rest(a: f64, b: f64, near: f64) -> Lost {
    const UP: f64 = f64::from_bits((1023 + 540) << 52);
    if near.abs() > f64::from_bits(100 << 52) {
        return a.mul_add(b, -near).partial_cmp(&0.0);
    }
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    (small * UP).mul_add(large, -near * UP).partial_cmp(&0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTIONS: [Rounding; 3] = [Rounding::Zero, Rounding::Down, Rounding::Up];

    /// Random bits, half of them with exponents near one another.
    fn samples() -> Vec<u64> {
        let mut state = 7_u64;
        (0..4000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state ^ state >> 29
            })
            .collect()
    }

    /// Down and up enclose the result to nearest, at most one place apart, and zero is one of them.
    fn assert_encloses<T: Copy + PartialOrd + std::fmt::Debug>(
        of: impl Fn(Rounding) -> T,
        next_up: fn(T) -> T,
        zero: T,
        case: &str,
    ) {
        let near = of(Rounding::Nearest);
        let [toward_zero, down, up] = DIRECTIONS.map(of);
        if near.partial_cmp(&near).is_none() {
            return;
        }
        assert!(down <= near && near <= up, "{case}: {down:?} {near:?} {up:?}");
        assert!(up == down || up == next_up(down), "{case}: {down:?} {up:?}");
        assert!(toward_zero == if down >= zero { down } else { up } || down == zero || up == zero, "{case}");
    }

    #[test]
    fn directions_enclose_the_nearest_in_f32() {
        let floats: Vec<f32> = samples().iter().map(|&bits| f32::from_bits(bits as u32)).collect();
        for window in floats.windows(3) {
            let [a, b, c] = [window[0], window[1], window[2]];
            let near = f32::from_bits(a.to_bits() ^ b.to_bits() >> 12);
            for (x, y) in [(a, b), (a, near), (a, -near), (near, c)] {
                assert_encloses(|r| x.add(y, r), f32::next_up, 0.0, &format!("{x} + {y}"));
                assert_encloses(|r| x.mul(y, r), f32::next_up, 0.0, &format!("{x} * {y}"));
                assert_encloses(|r| x.div(y, r), f32::next_up, 0.0, &format!("{x} / {y}"));
                assert_encloses(|r| Directed::sqrt(x.abs(), r), f32::next_up, 0.0, &format!("sqrt {x}"));
                assert_encloses(|r| x.fma(y, c, r), f32::next_up, 0.0, &format!("{x} * {y} + {c}"));
            }
        }
    }

    #[test]
    fn directions_enclose_the_nearest_in_f64() {
        let floats: Vec<f64> = samples().iter().map(|&bits| f64::from_bits(bits)).collect();
        for window in floats.windows(3) {
            let [a, b, c] = [window[0], window[1], window[2]];
            let near = f64::from_bits(a.to_bits() ^ b.to_bits() >> 12);
            for (x, y) in [(a, b), (a, near), (a, -near), (near, c)] {
                assert_encloses(|r| x.add(y, r), f64::next_up, 0.0, &format!("{x} + {y}"));
                assert_encloses(|r| x.mul(y, r), f64::next_up, 0.0, &format!("{x} * {y}"));
                assert_encloses(|r| x.div(y, r), f64::next_up, 0.0, &format!("{x} / {y}"));
                assert_encloses(|r| Directed::sqrt(x.abs(), r), f64::next_up, 0.0, &format!("sqrt {x}"));
            }
        }
    }

    #[test]
    fn known_cases() {
        assert_eq!(1.0_f32.div(3.0, Rounding::Up), 0.333_333_34);
        assert_eq!(1.0_f32.div(3.0, Rounding::Down), (1.0_f32 / 3.0).next_down());
        assert_eq!(1.0_f32.add(1e-30, Rounding::Up), 1.0_f32.next_up());
        assert_eq!(1.0_f32.add(-1e-30, Rounding::Zero), 1.0_f32.next_down());
        assert_eq!(f32::MAX.add(f32::MAX, Rounding::Zero), f32::MAX);
        assert_eq!(f32::MAX.mul(-2.0, Rounding::Up), f32::MIN);
        assert!(1.0_f32.add(-1.0, Rounding::Down).is_sign_negative());
        assert_eq!(f32::from_int(16_777_217, Rounding::Up), 16_777_218.0);
        assert_eq!(f32::from_int(-16_777_217, Rounding::Zero), -16_777_216.0);
        assert_eq!(f64::MAX.add(f64::MAX, Rounding::Down), f64::MAX);
        assert_eq!(1.0_f64.fma(1.0, 1e-30, Rounding::Up), 1.0_f64.next_up());
        assert_eq!(f64::INFINITY.add(1.0, Rounding::Down), f64::INFINITY);
    }
}
