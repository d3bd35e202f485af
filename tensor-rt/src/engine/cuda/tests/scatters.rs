//! Gathers and scatters.

use super::*;

tensor_fn! {
    fn embedding(table: &Tensor[V, C], ids: &Tensor<i64>[..]) -> Tensor[.., C] { table[ids, C] }

    fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
        let m = max[C](logits);
        mean[N](m + ln(sum[C](exp(logits - m))) - logits[N, target])
    }

    fn segment_sum(x: &Tensor[N, C], ids: &Tensor<i64>[N], segments: usize) -> Tensor[S = segments, C] {
        sum[N](if ids == S { x } else { 0.0 })
    }

    fn histogram(acc: &atomic Tensor<i64>[B], bin: &Tensor<i64>[N]) { acc[bin] += 1; }

    fn highest(acc: &atomic Tensor[B], bin: &Tensor<i64>[N], x: &Tensor[N]) { acc[bin] = max(acc[bin], x); }

    fn add_rows(acc: &atomic Tensor[B], bin: &Tensor<i64>[N], x: &Tensor[N]) { acc[bin] += x; }
}

fn train<T: Float>() {
    let table = noise_of::<T>(&[11, 6], 1).requires_grad();
    let y = embedding(&table, &integers(&[4, 9], 11)).unwrap();
    let weights = noise_of::<T>(y.shape(), 77);
    (&y * &weights).unwrap().sum().unwrap().backward().unwrap();
}

#[test]
fn gathers_and_scatters_agree() {
    mirrored(|| {
        train::<f32>();
        train::<f64>();
        train::<f16>();
        train::<bf16>();
        cross_entropy(&noise(&[9, 10], 1).requires_grad(), &integers(&[9], 10)).unwrap().backward().unwrap();
        segment_sum(&noise(&[30, 5], 1), &integers(&[30], 9), 7).unwrap();
        segment_sum(&noise_of::<bf16>(&[30, 5], 1), &integers(&[30], 9), 7).unwrap();
    });
}

#[test]
fn atomic_accumulation_agrees() {
    mirrored(|| {
        let counts = Tensor::zeros_of::<i64>(&Cpu, [10]).unwrap().into_atomic().unwrap();
        histogram(&counts, &integers(&[100], 10)).unwrap();
        let bins = integers(&[100], 10);
        let best = noise(&[10], 1).into_atomic().unwrap();
        highest(&best, &bins, &noise(&[100], 2)).unwrap();
        let sums = noise_of::<f16>(&[10], 1).into_atomic().unwrap();
        add_rows(&sums, &integers(&[10], 10), &noise_of::<f16>(&[10], 2)).unwrap();
    });
}
