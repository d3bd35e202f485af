//! Contractions, as tiles and as rows.

use super::*;

tensor_fn! {
    fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] { sum[I](x * w) + b }

    fn scores(q: &Tensor[B, T, K], k: &Tensor[B, S, K]) -> Tensor[B, T, S] {
        if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf }
    }

    fn conv(x: &Tensor[N, C, L], k: &Tensor[O, C, W], stride: usize, pad: usize) -> Tensor[N, O, P = (L + 2 * pad - W) / stride + 1] {
        sum[C, W](pad_with(x[N, C, P * stride + W - pad], 0.0) * k)
    }

    fn distances(x: &Tensor[N, D], y: &Tensor[M, D]) -> Tensor[N, M] { sum[D]((x - y) * (x - y)) }

    fn masked(a: &Tensor[M, K], b: &Tensor[K, N]) -> Tensor[M, N] { sum[K](if K <= M { a * b } else { 0.0 }) }
}

fn backward<T: Float>(y: &Tensor<Cpu, Grad, T>) {
    let weights = noise_of::<T>(y.shape(), 77);
    (y * &weights).unwrap().sum().unwrap().backward().unwrap();
}

fn train<T: Float>(rows: &[usize], i: usize, o: usize) {
    let x = noise_of::<T>(&[rows, &[i]].concat(), 1).requires_grad();
    let (w, b) = (noise_of::<T>(&[o, i], 2).requires_grad(), noise_of::<T>(&[o], 3).requires_grad());
    backward(&linear(&x, &w, &b).unwrap());
}

#[test]
fn linear_layers_agree() {
    mirrored(|| {
        train::<f32>(&[3], 5, 4);
        train::<f32>(&[20], 30, 18);
        train::<f32>(&[70], 65, 90);
        train::<f32>(&[2, 40], 600, 33);
        train::<f64>(&[20], 17, 40);
        train::<f16>(&[20], 20, 20);
        train::<bf16>(&[33], 40, 20);
        let x = noise(&[40, 20], 1);
        linear(&x.transpose(0, 1).unwrap(), &noise(&[30, 40], 2), &noise(&[30], 3)).unwrap();
    });
}

#[test]
fn other_contractions_agree() {
    mirrored(|| {
        backward(&scores(&noise(&[2, 20, 16], 1).requires_grad(), &noise(&[2, 20, 16], 2).requires_grad()).unwrap());
        backward(&conv(&noise(&[3, 4, 20], 1).requires_grad(), &noise(&[17, 4, 5], 2).requires_grad(), 2, 1).unwrap());
        backward(&conv(&noise(&[2, 3, 9], 1).requires_grad(), &noise(&[4, 3, 3], 2).requires_grad(), 1, 1).unwrap());
        backward(&distances(&noise(&[20, 30], 1).requires_grad(), &noise(&[18, 30], 2).requires_grad()).unwrap());
        let inf = f32::INFINITY;
        let mut b = vec![1.0; 20 * 20];
        b[19 * 20] = inf;
        let b = Tensor::from_vec(&Cpu, b, [20, 20]).unwrap();
        masked(&noise(&[20, 20], 1), &b).unwrap();
    });
}
