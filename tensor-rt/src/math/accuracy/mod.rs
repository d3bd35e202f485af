//! The errors that [`math`](super) states, on every instruction set of the machine.
//!
//! Functions of one operand are compared with `f64` on a dense sample, and on every `f32` by the ignored tests
//! `unary::everywhere`; functions of two on many pairs. Each test prints the largest error of every instruction set:
//!
//! ```text
//! cargo test --release -p tensor-rt --lib everywhere -- --ignored --nocapture --test-threads 1
//! ```
//!
//! Vocabulary: a *map* is a function under test over a slice, instantiated for one instruction set as the passes of a
//! kernel are, so that what is compared is what vector code computes.

mod doubles;
mod pairs;
mod unary;

use rayon::prelude::*;

#[cfg(target_arch = "x86_64")]
use crate::isa::{Avx2, Avx512};
use crate::isa::{Baseline, Isa};

/// A function under test: of an `f32`, or of a pair.
trait Function<X> {
    fn at<I: Isa>(x: X) -> f32;
}

type Map<X> = fn(&[X], &mut [f32]);

/// One function with its reference, and its largest error in ulp.
struct Case<X> {
    name: &'static str,
    maps: Vec<(&'static str, Map<X>)>,
    exact: fn(X) -> f64,
    ulp: f64,
}

impl<X: Copy + Send + Sync + std::fmt::Debug + 'static> Case<X> {
    fn of<F: Function<X>>(name: &'static str, ulp: f64, exact: fn(X) -> f64) -> Self {
        let mut maps: Vec<(&'static str, Map<X>)> = vec![(Baseline::NAME, map::<Baseline, X, F>)];
        maps.extend(vector_maps::<X, F>());
        Case { name, maps, exact, ulp }
    }

    /// Asserts the stated error over all blocks of operands, and prints the largest.
    fn sweep(&self, blocks: impl ParallelIterator<Item = Vec<X>>) {
        let none = || vec![(0.0, None); self.maps.len()];
        let larger = |a: (f64, Option<X>), b: (f64, Option<X>)| if b.0 > a.0 { b } else { a };
        let place = |x: &Option<X>| x.map_or_else(String::new, |x| format!(" at {x:?}"));
        let worst = blocks
            .map(|block| self.worst(&block))
            .reduce(none, |a, b| a.into_iter().zip(b).map(|(a, b)| larger(a, b)).collect());
        for ((isa, _), (error, x)) in self.maps.iter().zip(&worst) {
            println!("{:10} {isa:9} {error:.3}{}", self.name, place(x));
        }
        for ((isa, _), (error, x)) in self.maps.iter().zip(&worst) {
            assert!(*error <= self.ulp, "{} on {isa}: {error} ulp{}, stated {}", self.name, place(x), self.ulp);
        }
    }

    /// The largest error of each map over some operands, and where it is.
    fn worst(&self, operands: &[X]) -> Vec<(f64, Option<X>)> {
        let exact: Vec<f64> = operands.iter().map(|&x| (self.exact)(x)).collect();
        let mut values = vec![0.0; operands.len()];
        let maps = self.maps.iter().map(|(_, map)| {
            map(operands, &mut values);
            let errors = values.iter().zip(&exact).map(|(&value, &exact)| ulp_error(value, exact));
            let errors = errors.zip(operands);
            errors.fold((0.0, None), |worst, (error, &x)| if error > worst.0 { (error, Some(x)) } else { worst })
        });
        maps.collect()
    }
}

#[inline(always)]
fn map<I: Isa, X: Copy, F: Function<X>>(x: &[X], y: &mut [f32]) {
    for (x, y) in x.iter().zip(y) {
        *y = F::at::<I>(*x);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn map_avx2<X: Copy, F: Function<X>>(x: &[X], y: &mut [f32]) {
    map::<Avx2, X, F>(x, y);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512bw,avx512vl")]
fn map_avx512<X: Copy, F: Function<X>>(x: &[X], y: &mut [f32]) {
    map::<Avx512, X, F>(x, y);
}

/// The maps beside the baseline that this machine can run.
#[cfg(target_arch = "x86_64")]
fn vector_maps<X: Copy, F: Function<X>>() -> Vec<(&'static str, Map<X>)> {
    let mut maps: Vec<(&'static str, Map<X>)> = vec![];
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    if avx2 {
        // SAFETY: the machine has the features that the function enables.
        maps.push((Avx2::NAME, |x, y| unsafe { map_avx2::<X, F>(x, y) }));
    }
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl");
    if avx2 && avx512 {
        // SAFETY: the machine has the features that the function enables.
        maps.push((Avx512::NAME, |x, y| unsafe { map_avx512::<X, F>(x, y) }));
    }
    maps
}

#[cfg(not(target_arch = "x86_64"))]
fn vector_maps<X: Copy, F: Function<X>>() -> Vec<(&'static str, Map<X>)> {
    vec![]
}

/// Distance from `exact` in units of the last place of an `f32` of its size; 0 for the `f32` nearest to it, infinite for
/// the wrong kind of value.
fn ulp_error(value: f32, exact: f64) -> f64 {
    if value.to_bits() == (exact as f32).to_bits() {
        return 0.0;
    }
    if exact.is_nan() || value.is_nan() {
        return if exact.is_nan() && value.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if exact == 0.0 {
        return if value == 0.0 && value.is_sign_negative() == exact.is_sign_negative() { 0.0 } else { f64::INFINITY };
    }
    if exact.is_infinite() {
        return if f64::from(value) == exact { 0.0 } else { f64::INFINITY };
    }
    // Overflow counts as 2^128, its first value, which stands for all above.
    let limit = 2f64.powi(128);
    let value = f64::from(value).clamp(-limit, limit);
    let exact = exact.clamp(-limit, limit);
    let exponent = ((exact.abs().to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    (value - exact).abs() / 2f64.powi(exponent - 23)
}

const SPECIAL: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::MIN,
    1e-45,
    -1e-45,
];
