//! The error function, which `std` lacks.

/// 2 / sqrt(pi).
const SLOPE: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// The error function, to about 1e-15.
pub(super) fn erf(x: f64) -> f64 {
    match x.abs() < 2.5 {
        true => series(x),
        false => 1.0 - erfc(x),
    }
}

/// `1 - erf(x)` without cancellation for large `x`.
pub(super) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        x
    } else if x < 0.0 {
        2.0 - erfc(-x)
    } else if x < 2.5 {
        1.0 - series(x)
    } else {
        continued_fraction(x)
    }
}

/// The power series `erf(x) = 2/sqrt(pi) e^(-x^2) sum x (2 x^2)^n / (2n+1)!!`, whose terms are of one sign.
fn series(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
        if term.abs() <= 1e-17 * sum.abs() {
            break;
        }
    }
    SLOPE * (-x * x).exp() * sum
}

/// Laplace's continued fraction, evaluated from the tail; `x >= 2.5`.
fn continued_fraction(x: f64) -> f64 {
    let fraction = (1..=120).rev().fold(x, |tail, n| x + f64::from(n) / 2.0 / tail);
    0.5 * SLOPE * (-x * x).exp() / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (x, expected) in
            [(0.0, 0.0), (0.5, 0.5204998778130465), (1.0, 0.8427007929497149), (-2.0, -0.9953222650189527)]
        {
            assert!((erf(x) - expected).abs() < 1e-15, "erf({x}) = {}", erf(x));
        }
        for (x, expected) in [(0.5, 0.4795001221869535), (3.0, 2.209049699858544e-5), (6.0, 2.1519736712498913e-17)] {
            assert!((erfc(x) - expected).abs() < 1e-13 * expected, "erfc({x}) = {}", erfc(x));
        }
        assert_eq!(erfc(-30.0), 2.0);
        assert!(erf(f64::NAN).is_nan());
    }
}
