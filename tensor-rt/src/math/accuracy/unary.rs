//! Functions of one operand: a dense sample of all `f32` in every run, and all of them in the tests of [`everywhere`].

use rayon::prelude::*;

use super::{Case, Function, SPECIAL};
use crate::isa::{Baseline, Isa};
use crate::math::{double, single};

/// One line per function: name, definition, largest error in ulp, reference. Each gets a test over every `f32`.
macro_rules! functions {
    ($($name:ident, $function:expr, $ulp:expr, $exact:expr;)*) => {
        $(
            #[expect(non_camel_case_types, reason = "called as the function is")]
            struct $name;

            impl Function<f32> for $name {
                #[inline(always)]
                fn at<I: Isa>(x: f32) -> f32 {
                    $function(x)
                }
            }
        )*

        fn cases() -> Vec<Case<f32>> {
            vec![$({
                let exact: fn(f32) -> f64 = |x| { let exact: fn(f64) -> f64 = $exact; exact(f64::from(x)) };
                Case::of::<$name>(stringify!($name), $ulp, exact)
            }),*]
        }

        mod everywhere {
            $(
                #[test]
                #[ignore = "a minute or two: every f32"]
                fn $name() {
                    super::sweep_everywhere(stringify!($name));
                }
            )*
        }
    };
}

functions! {
    exp, single::exp::<I>, 1.25, f64::exp;
    exp2, single::exp2::<I>, 1.5, f64::exp2;
    ln, single::ln::<I>, 1.0, f64::ln;
    log2, single::log2::<I>, 2.0, f64::log2;
    log10, single::log10::<I>, 0.51, f64::log10;
    log1p, single::log1p::<I>, 1.5, f64::ln_1p;
    expm1, single::expm1::<I>, 2.0, f64::exp_m1;
    sqrt, single::sqrt::<I>, 0.0, f64::sqrt;
    rsqrt, single::rsqrt::<I>, 1.5, |x| 1.0 / x.sqrt();
    recip, |x| 1.0 / x, 0.0, f64::recip;
    cbrt, single::cbrt::<I>, 0.51, f64::cbrt;
    sin, single::sin::<I>, 0.51, f64::sin;
    cos, single::cos::<I>, 0.51, f64::cos;
    tan, single::tan::<I>, 0.51, f64::tan;
    asin, single::asin::<I>, 0.51, f64::asin;
    acos, single::acos::<I>, 0.51, f64::acos;
    atan, single::atan::<I>, 0.51, f64::atan;
    sinh, single::sinh::<I>, 2.0, f64::sinh;
    cosh, single::cosh::<I>, 2.0, f64::cosh;
    tanh, single::tanh::<I>, 2.0, f64::tanh;
    sigmoid, single::sigmoid::<I>, 3.0, |x| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) };
    softplus, single::softplus::<I>, 3.0, |x| x.max(0.0) + (-x.abs()).exp().ln_1p() + if x.is_nan() { x } else { 0.0 };
    erf, single::erf::<I>, 2.0, double::erf::<Baseline>;
    erfc, single::erfc::<I>, 0.75, double::erfc::<Baseline>;
    abs, single::abs::<I>, 0.0, f64::abs;
    sign, single::sign::<I>, 0.0, |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x };
    floor, single::floor::<I>, 0.0, f64::floor;
    ceil, single::ceil::<I>, 0.0, f64::ceil;
    round, single::round::<I>, 0.0, f64::round;
    trunc, single::trunc::<I>, 0.0, f64::trunc;
}

#[test]
fn functions_of_one_operand_keep_their_error() {
    let patterns: Vec<u32> = (0..=u32::MAX).step_by(4099).collect();
    for case in cases() {
        let blocks = patterns.par_chunks(1 << 14).map(|block| block.iter().copied().map(f32::from_bits).collect());
        case.sweep(blocks.chain(rayon::iter::once(SPECIAL.to_vec())));
    }
}

fn sweep_everywhere(name: &str) {
    const BLOCK: u32 = 1 << 14;
    let case = cases().into_iter().find(|case| case.name == name).expect("a test has the name of its case");
    case.sweep((0..=u32::MAX / BLOCK).into_par_iter().map(|block| {
        let first = block * BLOCK;
        (first..=first + (BLOCK - 1)).map(f32::from_bits).collect()
    }));
}

#[test]
fn case_e27_tanh_saturates() {
    for x in [10.5, 40.0, 1000.0, f32::MAX, f32::INFINITY] {
        for case in cases().into_iter().filter(|case| case.name == "tanh") {
            for (isa, map) in case.maps {
                let mut values = [0.0; 2];
                map(&[x, -x], &mut values);
                assert_eq!(values, [1.0, -1.0], "{isa}");
            }
        }
        assert_eq!(double::tanh::<Baseline>(2.0 * f64::from(x)), 1.0);
    }
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
