//! Reductions: rows, columns, everything.

use super::*;

tensor_fn! {
    fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
        let e = exp(x - max[C](x));
        e / sum[C](e)
    }

    fn softmax_along(x: &Tensor[N, C, L]) -> Tensor[N, C, L] {
        let e = exp(x - max[C](x));
        e / sum[C](e)
    }

    fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
        let d = x - mean[C](x);
        d * rsqrt(mean[C](d * d) + eps) * gamma + beta
    }

    fn batch_norm(x: &Tensor[N, C, L], gamma: &Tensor[C]) -> Tensor[N, C, L] {
        (x - mean[N, L](x)) * rsqrt(var[N, L](x) + 0.00001) * gamma
    }

    fn statistics(x: &Tensor[N, C]) -> (Tensor[N], Tensor[N], Tensor<i64>[N], Tensor<i64>[N]) {
        (max[C](x), prod[C](x), argmax[C](x), argmin[C](x))
    }

    fn masks(x: &Tensor[N, C]) -> (Tensor<bool>[N], Tensor<bool>[N]) { (any[C](x > 0.9), all[C](x < 0.9)) }

    fn columns(x: &Tensor[N, C]) -> (Tensor[C], Tensor[C], Tensor<i64>[C], Tensor[C]) {
        (sum[N](x), min[N](x), argmax[N](x), var[N](x))
    }

    fn total(x: &Tensor[..]) -> (Tensor[], Tensor[], Tensor<i64>[]) { (sum[..](x), var[..](x), argmax[..](x)) }

    fn count(x: &Tensor<u8>[N, C]) -> Tensor<i64>[N] { sum[C](x) }

    fn centered(x: &mut Tensor[N, C]) { x = x - mean[C](x); }

    fn max_pool(x: &Tensor[N, C, L], window: usize, stride: usize) -> Tensor[N, C, P = (L - window) / stride + 1] {
        max[W = window](x[N, C, P * stride + W])
    }
}

/// A sum of everything with weights, so that cotangents differ.
fn backward<T: Float>(y: &Tensor<Cpu, Grad, T>) {
    let weights = noise_of::<T>(y.shape(), 77);
    (y * &weights).unwrap().sum().unwrap().backward().unwrap();
}

#[test]
fn softmax_agrees() {
    mirrored(|| {
        for shape in [&[3, 1][..], &[5, 6], &[4, 64], &[2, 2, 100], &[3, 1200], &[200, 5]] {
            backward(&softmax(&noise(shape, 1).requires_grad()).unwrap());
        }
        backward(&softmax(&noise_of::<f64>(&[3, 40], 1).requires_grad()).unwrap());
        backward(&softmax(&noise_of::<bf16>(&[3, 64], 1).requires_grad()).unwrap());
        softmax(&noise(&[40, 30], 1).transpose(0, 1).unwrap()).unwrap();
        backward(&softmax_along(&noise(&[3, 70, 40], 1).requires_grad()).unwrap());
    });
}

#[test]
fn norms_agree() {
    mirrored(|| {
        for shape in [[4, 10], [3, 256], [70, 33]] {
            let (gamma, beta) = (noise(&shape[1..], 2).requires_grad(), noise(&shape[1..], 3).requires_grad());
            backward(&layer_norm(&noise(&shape, 1).requires_grad(), &gamma, &beta, 1e-5).unwrap());
        }
        backward(&batch_norm(&noise(&[6, 5, 7], 1).requires_grad(), &noise(&[5], 2).requires_grad()).unwrap());
        let mut x = noise(&[6, 50], 1);
        centered(&mut x).unwrap();
        backward(&max_pool(&noise(&[2, 3, 20], 1).requires_grad(), 3, 2).unwrap());
    });
}

#[test]
fn reductions_agree() {
    mirrored(|| {
        for shape in [[5, 3], [3, 70], [2, 5000], [300, 3]] {
            statistics(&noise(&shape, 1)).unwrap();
            columns(&noise(&shape, 1)).unwrap();
            columns(&noise_of::<f64>(&shape, 1)).unwrap();
        }
        columns(&noise(&[3000, 5], 1)).unwrap();
        total(&noise(&[40_000], 1)).unwrap();
        total(&noise_of::<f16>(&[17], 1)).unwrap();
        let with_nan = Tensor::new(&Cpu, [[1.0, f32::NAN, 5.0, f32::NAN], [2.0, 2.0, -1.0, -1.0]]).unwrap();
        statistics(&with_nan).unwrap();
        columns(&with_nan).unwrap();
        masks(&noise(&[30, 70], 1)).unwrap();
        let bytes = Tensor::from_vec(&Cpu, (0..600).map(|i| i as u8).collect(), [2, 300]).unwrap();
        count(&bytes).unwrap();
    });
}
