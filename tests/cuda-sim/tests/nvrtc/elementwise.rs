//! Kernels of one thread an element.

use crate::device::{Element, on_every_device};

/// Values at which functions are special, and a range of usual ones.
pub fn floats() -> Vec<f32> {
    let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, 1e-40, 3e38];
    special.into_iter().chain((-500..500).map(|step| step as f32 * 0.0371)).collect()
}

/// Checks a device expression of `x` against the same in Rust, to a relative tolerance.
fn check(expression: &str, tolerance: f32, expected: fn(f32) -> f32) {
    let source = format!(
        r#"extern "C" __global__ void f(float *out, const float *in, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) {{ float x = in[i]; out[i] = {expression}; }}
        }}"#
    );
    on_every_device(&source, |device| {
        let input = floats();
        let (from, to) = (device.upload(&input), device.room::<f32>(input.len()));
        let blocks = (input.len() as u32).div_ceil(128);
        let parameters = [to.to_bytes(), from.to_bytes(), (input.len() as i32).to_bytes()];
        let touched = device.launch("f", blocks, 128, &parameters);
        // Beside the input, tables of constants.
        assert!(touched.read.contains(&(from..from + 4 * input.len() as u64)));
        assert_eq!(touched.written, std::slice::from_ref(&(to..to + 4 * input.len() as u64)));
        for (&x, found) in input.iter().zip(device.download::<f32>(to, input.len())) {
            let expected = expected(x);
            let equal = found == expected || found.is_nan() && expected.is_nan();
            let close = (found - expected).abs() <= tolerance * expected.abs();
            assert!(equal || close, "{expression} at {x}: {found}, expected {expected}");
        }
    });
}

#[test]
fn arithmetic_is_bit_exact() {
    check("x * 2.0f + 1.0f", 0.0, |x| x.mul_add(2.0, 1.0));
    check("x / 3.0f", 0.0, |x| x / 3.0);
    check("1.0f / x", 0.0, |x| 1.0 / x);
    check("sqrtf(x)", 0.0, f32::sqrt);
    check("fmaxf(x, 0.0f)", 0.0, |x| x.max(0.0));
    check("floorf(x) + truncf(x) * ceilf(x)", 1e-6, |x| x.floor() + x.trunc() * x.ceil());
    check("(float)(int)x", 0.0, |x| x as i32 as f32);
    check("fabsf(x)", 0.0, f32::abs);
    check("rintf(x)", 0.0, f32::round_ties_even);
    check("x > 0.5f ? x : -x", 0.0, |x| if x > 0.5 { x } else { -x });
}

/// CUDA's own documentation allows 2 places for most of these, and the approximations below them are exact here.
#[test]
fn functions_are_accurate() {
    check("expf(x)", 4e-7, f32::exp);
    check("logf(x)", 4e-7, f32::ln);
    check("tanhf(x)", 4e-7, f32::tanh);
    check("erff(x)", 4e-7, erf);
    check("log1pf(x)", 4e-7, |x| f64::from(x).ln_1p() as f32);
    check("expm1f(x)", 4e-7, |x| f64::from(x).exp_m1() as f32);
    check("sinf(x)", 4e-7, |x| f64::from(x).sin() as f32);
    check("cosf(x)", 6e-7, |x| f64::from(x).cos() as f32);
    check("cbrtf(x)", 4e-7, f32::cbrt);
    check("atanf(x)", 4e-7, f32::atan);
    check("powf(fabsf(x), 1.7f)", 6e-7, |x| f64::from(x.abs()).powf(1.7_f32.into()) as f32);
    check("rsqrtf(x)", 4e-7, |x| (1.0 / f64::from(x).sqrt()) as f32);
    check("1.0f + 0.5f * tanhf(0.79788456f * (x + 0.044715f * x * x * x))", 4e-7, |x| {
        let x = f64::from(x);
        (1.0 + 0.5 * (0.797_884_56 * (x + 0.044_715 * x * x * x)).tanh()) as f32
    });
}

/// The error function by its series, in f64; from 4 on it is one to the precision of f32.
fn erf(x: f32) -> f32 {
    let x = f64::from(x);
    if x.is_nan() || x.abs() > 4.0 {
        return if x.is_nan() { f32::NAN } else { x.signum() as f32 };
    }
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > 1e-18 * sum.abs() && n < 300.0 {
        n += 1.0;
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    (sum * std::f64::consts::FRAC_2_SQRT_PI) as f32
}
