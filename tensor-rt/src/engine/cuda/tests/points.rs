//! Kernels without reductions.

use super::*;

tensor_fn! {
    fn gelu(x: &Tensor[..]) -> Tensor[..] {
        0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    }

    /// Names that mean something to C or to the prelude.
    fn names(float: &Tensor[T, C], register: &Tensor[C], int: float, at: i64) -> Tensor[T, C] {
        let row = float * register;
        let exp = exp(row) + int;
        exp * 2.0 + ((at + T) / 3) as float + tanh(exp)
    }

    fn axpy(y: &mut Tensor[..], x: &Tensor[..], a: float) { y += a * x; }

    fn two(x: Tensor[N, M]) -> (Tensor[N, M], Tensor[N, M]) { (x * 2.0, x + 1.0) }

    fn functions(x: &Tensor[N]) -> (Tensor[N], Tensor[N], Tensor[N], Tensor[N]) {
        let positive = abs(x) + 0.5;
        (
            exp(x) + exp2(x) + expm1(x) + sinh(x) + cosh(x) + sigmoid(x) + softplus(x) + erf(x) + erfc(x),
            ln(positive) + log2(positive) + log10(positive) + log1p(positive) + sqrt(positive) + rsqrt(positive) + cbrt(x),
            sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + atan2(x, positive) + powf(positive, x),
            floor(x * 9.0) + ceil(x * 7.0) + round(x * 5.0) + trunc(x * 3.0) + sign(x) + powi(x, 5) + x % 0.3 + xlogy(positive, positive),
        )
    }

    fn conventions(x: &Tensor[N], y: &Tensor[N]) -> (Tensor[N], Tensor[N], Tensor[N], Tensor<i64>[N], Tensor<i32>[N], Tensor<u8>[N], Tensor<bool>[N]) {
        (max(x, y), min(x, y), x % y, x as i64, x as i32, x as u8, is_finite(x) && !is_nan(y))
    }

    fn whole(x: &Tensor<i64>[N], y: &Tensor<i32>[N]) -> (Tensor<i64>[N], Tensor<i32>[N], Tensor<i64>[N], Tensor<u8>[N]) {
        (x * x * x - (y as i64), y / 3 + y % 5 - abs(y), max(x, 3) + sign(x), x as u8 + 250)
    }

    fn random(x: &Tensor[N, M], seed: u64) -> (Tensor[N, M], Tensor[N, M]) { (uniform(seed) + 0.0 * x, normal(seed) + 0.0 * x) }

    fn shift(x: &Tensor[N], by: i64) -> Tensor[N] { pad_with(x[N - by], 0.0) * 2.0 }

    fn halves(x: &Tensor<f16>[N], y: &Tensor<bf16>[N]) -> (Tensor<f16>[N], Tensor<bf16>[N], Tensor<f32>[N]) {
        (x * (y as f32) as f16, (x as f32) as bf16 + y, (x as f32) * 3.0)
    }
}

#[test]
fn points_agree() {
    mirrored(|| {
        for shape in [&[1][..], &[7], &[64], &[3, 5], &[2, 3, 4], &[1024]] {
            gelu(&noise(shape, 1).requires_grad()).unwrap().sum().unwrap().backward().unwrap();
        }
        gelu(&noise_of::<f64>(&[6, 10], 2)).unwrap();
        gelu(&noise_of::<f16>(&[6, 32], 3)).unwrap();
        gelu(&noise_of::<bf16>(&[33], 3)).unwrap();
        let x = noise(&[6, 8], 4);
        gelu(&x.transpose(0, 1).unwrap()).unwrap();
        gelu(&x.narrow(1, 1, 5).unwrap()).unwrap();
        gelu(&noise(&[1, 8], 4).broadcast_to([5, 8]).unwrap()).unwrap();
        names(&noise(&[5, 6], 5), &noise(&[6], 6), 0.25, 4).unwrap();
        two(noise(&[4, 9], 7)).unwrap();
    });
}

#[test]
fn edits_agree() {
    mirrored(|| {
        let x = noise(&[6, 8], 1);
        let mut y = noise(&[6, 8], 2);
        axpy(&mut y, &x, 0.5).unwrap();
        axpy(&mut y.view_mut().unwrap().transpose(0, 1).unwrap(), &noise(&[8, 6], 3), 0.5).unwrap();
        let mut y = noise_of::<bf16>(&[30], 2);
        axpy(&mut y, &noise_of::<bf16>(&[30], 4), 0.5).unwrap();
    });
}

#[test]
fn functions_and_conventions_agree() {
    let inf = f32::INFINITY;
    let special =
        [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, inf, -inf, f32::NAN, 1e30, -1e30, 300.0, -7.75, 2147483648.0, 1e-40, 2.5];
    mirrored(|| {
        functions(&noise(&[300], 1)).unwrap();
        functions(&noise_of::<f64>(&[40], 1)).unwrap();
        let (mut x, mut y) = (vec![], vec![]);
        for a in special {
            for b in special {
                x.push(a);
                y.push(b);
            }
        }
        conventions(
            &Tensor::from_vec(&Cpu, x.clone(), [256]).unwrap(),
            &Tensor::from_vec(&Cpu, y.clone(), [256]).unwrap(),
        )
        .unwrap();
        let wide = |x: Vec<f32>| Tensor::from_vec(&Cpu, x.into_iter().map(f64::from).collect(), [256]).unwrap();
        conventions(&wide(x), &wide(y)).unwrap();
        let integers = vec![0, 1, -1, 5, -7, i64::MAX, i64::MIN, 3_000_000_000];
        let small = vec![0, 1, -1, 5, -7, i32::MAX, i32::MIN, 77];
        whole(&Tensor::from_vec(&Cpu, integers, [8]).unwrap(), &Tensor::from_vec(&Cpu, small, [8]).unwrap()).unwrap();
        halves(&noise_of::<f16>(&[40], 8), &noise_of::<bf16>(&[40], 9)).unwrap();
    });
}

#[test]
fn random_numbers_and_padding_agree() {
    mirrored(|| {
        random(&noise(&[9, 20], 1), 0x1234_5678_9abc_def0).unwrap();
        random(&noise_of::<f64>(&[9, 20], 1), 5).unwrap();
        for by in [0, 2, -3, 100] {
            shift(&noise(&[20], 1).requires_grad(), by).unwrap().sum().unwrap().backward().unwrap();
        }
    });
}
