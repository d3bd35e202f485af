//! The errors of the functions of `f64`, on samples of all sizes and of moderate ones.

use super::SPECIAL;
use crate::isa::{Avx2, Baseline};
use crate::math::double;

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
