//! The errors that the module states, on every instruction set of the machine: a dense sample of all `f32`, and all of
//! them in the ignored test.

use super::{double, single};
use crate::isa::{Avx2, Avx512, Baseline, Isa};

/// A function under test.
trait Function {
    fn at<I: Isa>(x: f32) -> f32;
}

type Map = fn(&[f32], &mut [f32]);

/// One function with its reference, and its largest error in ulp.
struct Case {
    name: &'static str,
    maps: Vec<(&'static str, Map)>,
    exact: fn(f64) -> f64,
    ulp: f64,
}

#[inline(always)]
fn map<I: Isa, F: Function>(x: &[f32], y: &mut [f32]) {
    for (x, y) in x.iter().zip(y) {
        *y = F::at::<I>(*x);
    }
}

#[cfg(target_arch = "x86_64")]
mod vector {
    use super::*;

    #[target_feature(enable = "avx2,fma")]
    fn map_avx2<F: Function>(x: &[f32], y: &mut [f32]) {
        map::<Avx2, F>(x, y);
    }

    #[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512bw,avx512vl")]
    fn map_avx512<F: Function>(x: &[f32], y: &mut [f32]) {
        map::<Avx512, F>(x, y);
    }

    /// The maps that this machine can run.
    pub fn maps<F: Function>() -> Vec<(&'static str, Map)> {
        let mut maps: Vec<(&'static str, Map)> = vec![];
        if has_avx2() {
            // SAFETY: the machine has the features that the function enables.
            maps.push((Avx2::NAME, |x, y| unsafe { map_avx2::<F>(x, y) }));
        }
        if has_avx512() {
            // SAFETY: the machine has the features that the function enables.
            maps.push((Avx512::NAME, |x, y| unsafe { map_avx512::<F>(x, y) }));
        }
        maps
    }

    fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }

    fn has_avx512() -> bool {
        has_avx2()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod vector {
    use super::*;

    pub fn maps<F: Function>() -> Vec<(&'static str, Map)> {
        vec![]
    }
}

macro_rules! cases {
    ($($name:ident, $ulp:expr, $exact:expr;)*) => {{
        let mut cases = vec![];
        $({
            struct This;
            impl Function for This {
                #[inline(always)]
                fn at<I: Isa>(x: f32) -> f32 { single::$name::<I>(x) }
            }
            let mut maps: Vec<(&'static str, Map)> = vec![(Baseline::NAME, map::<Baseline, This>)];
            maps.extend(vector::maps::<This>());
            cases.push(Case { name: stringify!($name), maps, exact: $exact, ulp: $ulp });
        })*
        cases
    }};
}

fn cases() -> Vec<Case> {
    cases! {
        exp, 1.25, f64::exp;
        exp2, 1.5, f64::exp2;
        ln, 1.0, f64::ln;
        log2, 2.0, f64::log2;
        log10, 0.51, f64::log10;
        log1p, 1.5, f64::ln_1p;
        expm1, 2.0, f64::exp_m1;
        sqrt, 0.5, f64::sqrt;
        rsqrt, 1.5, |x| 1.0 / x.sqrt();
        cbrt, 0.51, f64::cbrt;
        sin, 0.51, f64::sin;
        cos, 0.51, f64::cos;
        tan, 0.51, f64::tan;
        asin, 0.51, f64::asin;
        acos, 0.51, f64::acos;
        atan, 0.51, f64::atan;
        sinh, 2.0, f64::sinh;
        cosh, 2.0, f64::cosh;
        tanh, 2.0, f64::tanh;
        sigmoid, 3.0, |x| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) };
        softplus, 3.0, |x| x.max(0.0) + (-x.abs()).exp().ln_1p() + if x.is_nan() { x } else { 0.0 };
        erf, 2.0, double::erf::<Baseline>;
        erfc, 0.75, double::erfc::<Baseline>;
        abs, 0.0, f64::abs;
        sign, 0.0, |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x };
        floor, 0.0, f64::floor;
        ceil, 0.0, f64::ceil;
        round, 0.0, f64::round;
        trunc, 0.0, f64::trunc;
    }
}

/// Distance from `exact` in units of the last place of an `f32` of its size; infinite for the wrong kind of value.
fn ulp_error(value: f32, exact: f64) -> f64 {
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

/// Asserts the stated errors over `patterns` and prints the largest.
fn sweep(patterns: impl Iterator<Item = u32> + Clone) {
    for case in cases() {
        let mut worst = vec![(0.0, 0.0f32); case.maps.len()];
        let mut patterns = patterns.clone().map(f32::from_bits).chain(SPECIAL).peekable();
        while patterns.peek().is_some() {
            let x: Vec<f32> = patterns.by_ref().take(1 << 14).collect();
            let exact: Vec<f64> = x.iter().map(|&x| (case.exact)(f64::from(x))).collect();
            let mut y = vec![0.0; x.len()];
            for ((_, map), worst) in case.maps.iter().zip(&mut worst) {
                map(&x, &mut y);
                for ((&x, &y), &exact) in x.iter().zip(&y).zip(&exact) {
                    let error = ulp_error(y, exact);
                    if error > worst.0 {
                        *worst = (error, x);
                    }
                }
            }
        }
        for ((isa, _), (error, x)) in case.maps.iter().zip(worst) {
            println!("{:10} {isa:9} {error:.3} at {x:e}", case.name);
            assert!(error <= case.ulp, "{} on {isa}: {error} ulp at {x:e} ({:#x})", case.name, x.to_bits());
        }
    }
}

#[test]
fn functions_of_one_operand_keep_their_error() {
    sweep((0..=u32::MAX).step_by(4099));
}

#[test]
#[ignore = "minutes: every f32"]
fn functions_of_one_operand_keep_their_error_everywhere() {
    sweep(0..=u32::MAX);
}

/// Pairs of all sizes, and of moderate size.
fn pairs() -> impl Iterator<Item = (f32, f32)> {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    let random = (0..400_000).map(move |count| {
        let (x, y) = (next(), next());
        match count % 2 {
            0 => (f32::from_bits(x), f32::from_bits(y)),
            _ => {
                (x as f32 / 2f32.powi(28) - 2.0, (y as f32 / 2f32.powi(27) - 16.0).round() / 2f32.powi((x % 4) as i32))
            }
        }
    });
    SPECIAL.into_iter().flat_map(|x| SPECIAL.into_iter().map(move |y| (x, y))).chain(random)
}

/// The largest error over `pairs()` on the baseline, whose results differ from the others' by roundings only.
#[track_caller]
fn assert_pairs(ulp: f64, function: impl Fn(f32, f32) -> f32, exact: impl Fn(f64, f64) -> f64) {
    for (x, y) in pairs() {
        let (value, exact) = (function(x, y), exact(f64::from(x), f64::from(y)));
        let error = ulp_error(value, exact);
        // An `f64` result below every `f32` is 0 here, with its sign.
        let tiny = exact.abs() < 1e-46 && value == 0.0 && value.is_sign_negative() == exact.is_sign_negative();
        assert!(error <= ulp || tiny, "({x:e}, {y:e}): {value:e}, exact {exact:e}, {error} ulp");
    }
}

#[test]
fn powf_keeps_its_error() {
    assert_pairs(1.0, single::powf::<Baseline>, f64::powf);
    assert_pairs(1.0, single::powf::<Avx2>, f64::powf);
}

#[test]
fn powi_keeps_its_error() {
    let exponent = |y: f64| y.clamp(-1e6, 1e6) as i64;
    let by_squaring = |x: f64, y: f64| x.powf(exponent(y) as f64);
    assert_pairs(1.0, |x, y| single::powi::<Baseline>(x, exponent(f64::from(y))), by_squaring);
    assert_eq!(double::powi::<Baseline>(-1.0, i64::MAX), -1.0);
    assert_eq!(double::powi::<Baseline>(-2.0, 3), -8.0);
    assert_eq!(single::powi::<Baseline>(3.0, 5), 243.0);
    assert_eq!(single::powi::<Baseline>(f32::NAN, 0), 1.0);
}

#[test]
fn atan2_keeps_its_error() {
    assert_pairs(0.51, single::atan2::<Baseline>, f64::atan2);
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

#[test]
fn case_e27_tanh_saturates() {
    for x in [10.5, 40.0, 1000.0, f32::MAX, f32::INFINITY] {
        assert_eq!(single::tanh::<Baseline>(x), 1.0);
        assert_eq!(single::tanh::<Avx2>(-x), -1.0);
        assert_eq!(double::tanh::<Baseline>(2.0 * f64::from(x)), 1.0);
    }
}

#[test]
fn doubles_keep_their_error() {
    #[rustfmt::skip]
    type Own = (&'static str, fn(f64) -> f64, fn(f64) -> f64, fn(f64) -> f64, f64);
    let functions: [Own; 17] = [
        ("exp", double::exp::<Baseline>, double::exp::<Avx2>, f64::exp, 2.0),
        ("exp2", double::exp2::<Baseline>, double::exp2::<Avx2>, f64::exp2, 2.0),
        ("expm1", double::expm1::<Baseline>, double::expm1::<Avx2>, f64::exp_m1, 3.0),
        ("ln", double::ln::<Baseline>, double::ln::<Avx2>, f64::ln, 2.0),
        ("log2", double::log2::<Baseline>, double::log2::<Avx2>, f64::log2, 3.0),
        ("log1p", double::log1p::<Baseline>, double::log1p::<Avx2>, f64::ln_1p, 3.0),
        ("sinh", double::sinh::<Baseline>, double::sinh::<Avx2>, f64::sinh, 4.0),
        ("cosh", double::cosh::<Baseline>, double::cosh::<Avx2>, f64::cosh, 3.0),
        ("tanh", double::tanh::<Baseline>, double::tanh::<Avx2>, f64::tanh, 4.0),
        ("rsqrt", double::rsqrt::<Baseline>, double::rsqrt::<Avx2>, |x| 1.0 / x.sqrt(), 0.0),
        ("sqrt", double::sqrt::<Baseline>, double::sqrt::<Avx2>, f64::sqrt, 0.0),
        ("floor", double::floor::<Baseline>, double::floor::<Avx2>, f64::floor, 0.0),
        ("ceil", double::ceil::<Baseline>, double::ceil::<Avx2>, f64::ceil, 0.0),
        ("round", double::round::<Baseline>, double::round::<Avx2>, f64::round, 0.0),
        ("trunc", double::trunc::<Baseline>, double::trunc::<Avx2>, f64::trunc, 0.0),
        (
            "sigmoid",
            double::sigmoid::<Baseline>,
            double::sigmoid::<Avx2>,
            |x| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) },
            4.0,
        ),
        (
            "softplus",
            double::softplus::<Baseline>,
            double::softplus::<Avx2>,
            |x| (if x < 0.0 { 0.0 } else { x }) + (-x.abs()).exp().ln_1p(),
            4.0,
        ),
    ];
    let wide = (0..200_000u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let moderate = (0..200_000).map(|i| f64::from(i - 100_000) * 7.1e-4 + 1e-7);
    let special = SPECIAL.into_iter().map(f64::from).chain([f64::MAX, f64::MIN, 5e-324, -5e-324, 1e-310]);
    let samples: Vec<f64> = wide.chain(moderate).chain(special).collect();
    for (name, baseline, fused, exact, ulp) in functions {
        let mut worst = (0.0, 0.0);
        for &x in &samples {
            for value in [baseline(x), fused(x)] {
                let exact = exact(x);
                let error = if value == exact || value.is_nan() && exact.is_nan() {
                    if exact == 0.0 && value.is_sign_negative() != exact.is_sign_negative() {
                        f64::INFINITY
                    } else {
                        0.0
                    }
                } else {
                    let unit = f64::from_bits(exact.abs().to_bits() + 1) - exact.abs();
                    (value - exact).abs() / unit
                };
                if error.is_nan() || error > worst.0 {
                    worst = (error, x);
                }
            }
        }
        println!("{name:10} {:.2} at {:e}", worst.0, worst.1);
        assert!(worst.0 <= ulp, "{name}: {} ulp at {:e}", worst.0, worst.1);
    }
}

/// Argument, error function and its complement, computed with 50 digits.
const ERF: [(f64, f64, f64); 32] = [
    (1e-300, 1.1283791670955126e-300, 1.0),
    (1e-10, 1.1283791670955126e-10, 0.999999999887162),
    (0.01, 0.011283415555849618, 0.9887165844441503),
    (0.1, 0.1124629160182849, 0.887537083981715),
    (0.25, 0.27632639016823696, 0.7236736098317631),
    (0.5, 0.5204998778130465, 0.4795001221869535),
    (0.75, 0.7111556336535151, 0.28884436634648486),
    (0.9, 0.7969082124228322, 0.20309178757716786),
    (0.99, 0.8385080695553698, 0.1614919304446302),
    (1.0, 0.8427007929497149, 0.15729920705028513),
    (1.01, 0.8468104962282768, 0.1531895037717233),
    (1.25, 0.9229001282564583, 0.07709987174354177),
    (1.5, 0.9661051464753108, 0.033894853524689274),
    (2.0, 0.9953222650189527, 0.004677734981047266),
    (2.5, 0.999593047982555, 0.0004069520174449589),
    (3.0, 0.9999779095030014, 2.209049699858544e-05),
    (3.7, 0.9999998328489421, 1.6715105790914599e-07),
    (4.5, 0.9999999998033839, 1.9661604415428876e-10),
    (5.9, 0.9999999999999999, 7.190409783550478e-17),
    (7.0, 1.0, 4.183825607779414e-23),
    (9.0, 1.0, 4.13703174651381e-37),
    (12.0, 1.0, 1.3562611692059042e-64),
    (16.0, 1.0, 2.3284857515715308e-113),
    (20.5, 1.0, 8.450842369572458e-185),
    (25.0, 1.0, 8.300172571196523e-274),
    (26.5, 1.0, 2.2109076642637343e-307),
    (-0.3, -0.3286267594591274, 1.3286267594591274),
    (-0.8, -0.7421009647076605, 1.7421009647076604),
    (-1.2, -0.9103139782296353, 1.9103139782296354),
    (-2.2, -0.9981371537020182, 1.998137153702018),
    (-3.3, -0.9999969422902035, 1.9999969422902035),
    (-5.0, -0.9999999999984626, 1.9999999999984626),
];

#[test]
fn doubles_of_the_error_function_keep_their_error() {
    for (x, erf, erfc) in ERF {
        for (erf_value, erfc_value) in [
            (double::erf::<Baseline>(x), double::erfc::<Baseline>(x)),
            (double::erf::<Avx2>(x), double::erfc::<Avx2>(x)),
        ] {
            assert!(
                (erf_value - erf).abs() <= 4.0 * f64::EPSILON * erf.abs(),
                "erf({x}) = {erf_value:e}, exact {erf:e}"
            );
            assert!(
                (erfc_value - erfc).abs() <= 6.0 * f64::EPSILON * erfc,
                "erfc({x}) = {erfc_value:e}, exact {erfc:e}"
            );
        }
    }
    assert_eq!(double::erfc::<Baseline>(f64::INFINITY), 0.0);
    assert_eq!(double::erfc::<Baseline>(f64::NEG_INFINITY), 2.0);
    assert!(double::erfc::<Baseline>(f64::NAN).is_nan() && double::erf::<Baseline>(f64::NAN).is_nan());
}

#[test]
#[ignore = "a measurement; run it with --release"]
fn time_per_element() {
    let x: Vec<f32> = (0..1024).map(|i| i as f32 / 128.0 - 3.9).collect();
    let mut y = vec![0.0; x.len()];
    for case in cases() {
        for (isa, map) in &case.maps {
            let best = (0..200).map(|_| {
                let start = std::time::Instant::now();
                for _ in 0..10 {
                    map(std::hint::black_box(&x), std::hint::black_box(&mut y));
                }
                start.elapsed().as_secs_f64() * 1e9 / (10 * x.len()) as f64
            });
            println!("{:10} {isa:9} {:.2} ns", case.name, best.fold(f64::INFINITY, f64::min));
        }
    }
}
