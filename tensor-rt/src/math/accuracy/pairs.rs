//! Functions of two operands, on pairs of all sizes and of moderate ones.

use rayon::prelude::*;

use super::{Case, Function, SPECIAL};
use crate::isa::{Baseline, Isa};
use crate::math::{double, single};

type Pair = (f32, f32);

/// Blocks of pairs: one block of special ones, and `blocks` of random ones.
fn pairs(blocks: u64) -> impl ParallelIterator<Item = Vec<Pair>> {
    const BLOCK: usize = 1 << 14;
    let random = (0..blocks).into_par_iter().map(|block| {
        let mut state = block.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 32) as u32
        };
        let pair = |count: usize| {
            let (x, y) = (next(), next());
            match count % 2 {
                0 => (f32::from_bits(x), f32::from_bits(y)),
                _ => (
                    x as f32 / 2f32.powi(28) - 2.0,
                    (y as f32 / 2f32.powi(27) - 16.0).round() / 2f32.powi((x % 4) as i32),
                ),
            }
        };
        (0..BLOCK).map(pair).collect()
    });
    let special = SPECIAL.into_iter().flat_map(|x| SPECIAL.into_iter().map(move |y| (x, y))).collect();
    rayon::iter::once(special).chain(random)
}

fn powf() -> Case<Pair> {
    struct Powf;
    impl Function<Pair> for Powf {
        #[inline(always)]
        fn at<I: Isa>((x, y): Pair) -> f32 {
            single::powf::<I>(x, y)
        }
    }
    Case::of::<Powf>("powf", 1.0, |(x, y)| f64::from(x).powf(f64::from(y)))
}

fn atan2() -> Case<Pair> {
    struct Atan2;
    impl Function<Pair> for Atan2 {
        #[inline(always)]
        fn at<I: Isa>((y, x): Pair) -> f32 {
            single::atan2::<I>(y, x)
        }
    }
    Case::of::<Atan2>("atan2", 0.51, |(y, x)| f64::from(y).atan2(f64::from(x)))
}

fn powi() -> Case<Pair> {
    fn exponent(y: f32) -> i64 {
        f64::from(y).clamp(-1e6, 1e6) as i64
    }
    struct Powi;
    impl Function<Pair> for Powi {
        #[inline(always)]
        fn at<I: Isa>((x, y): Pair) -> f32 {
            single::powi::<I>(x, exponent(y))
        }
    }
    Case::of::<Powi>("powi", 1.0, |(x, y)| f64::from(x).powf(exponent(y) as f64))
}

#[test]
fn powf_keeps_its_error() {
    powf().sweep(pairs(25));
}

#[test]
#[ignore = "a minute or two: 2^28 pairs"]
fn powf_keeps_its_error_everywhere() {
    powf().sweep(pairs(1 << 14));
}

#[test]
fn atan2_keeps_its_error() {
    atan2().sweep(pairs(25));
}

#[test]
fn powi_keeps_its_error() {
    powi().sweep(pairs(25));
    assert_eq!(double::powi::<Baseline>(-1.0, i64::MAX), -1.0);
    assert_eq!(double::powi::<Baseline>(-2.0, 3), -8.0);
    assert_eq!(single::powi::<Baseline>(3.0, 5), 243.0);
    assert_eq!(single::powi::<Baseline>(f32::NAN, 0), 1.0);
}

#[test]
fn extrema_propagate_nan() {
    for (x, y) in [(f32::NAN, 1.0), (1.0, f32::NAN), (f32::NAN, f32::NAN)] {
        assert!(single::nan_max::<Baseline>(x, y).is_nan() && single::nan_min::<Baseline>(x, y).is_nan());
        let (x, y) = (f64::from(x), f64::from(y));
        assert!(double::nan_max::<Baseline>(x, y).is_nan() && double::nan_min::<Baseline>(x, y).is_nan());
    }
    assert_eq!(single::nan_max::<Baseline>(1.0, 2.0), 2.0);
    assert_eq!(single::nan_min::<Baseline>(1.0, 2.0), 1.0);
}

#[test]
fn xlogy_of_zero_is_zero() {
    assert_eq!(single::xlogy::<Baseline>(0.0, 0.0), 0.0);
    assert_eq!(single::xlogy::<Baseline>(0.0, f32::INFINITY), 0.0);
    assert_eq!(single::xlogy::<Baseline>(0.0, -1.0), 0.0);
    assert!(single::xlogy::<Baseline>(0.0, f32::NAN).is_nan());
    assert_eq!(double::xlogy::<Baseline>(0.0, 0.0), 0.0);
    assert_eq!(double::xlogy::<Baseline>(2.0, 1.0), 0.0);
}
