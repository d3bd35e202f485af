//! What does not take part contributes exactly 0: points that a guard excludes, even where a factor is infinite or NaN
//! there, and sums over empty axes, even where a factor outside is infinite.

use tensor_rt::gradcheck;
use tensor_rt::prelude::*;
use tensor_rt_kernels::attention::attention;
use tensor_rt_kernels::softmax::{log_softmax, softmax};
use tests::device::Read;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

type Array<D> = Tensor<D, NoGrad, f64>;

tensor_fn! {
    fn triangular(a: &Tensor[M, K], b: &Tensor[K, N]) -> Tensor[M, N] {
        sum[K](if K <= M { a * b } else { 0.0 })
    }

    fn masked(a: &Tensor[M, K], b: &Tensor[K, N], keep: &Tensor<bool>[M, K]) -> Tensor[M, N] {
        2.0 * sum[K](if keep { a * b } else { 0.0 }) + 1.0
    }

    /// The guard spans all three operands.
    fn masked_chain(q: &Tensor[T, K], k: &Tensor[S, K], v: &Tensor[S, V]) -> Tensor[T, V] {
        sum[S, K](if S <= T { q * k * v } else { 0.0 })
    }

    /// `J` is summed in one operand alone.
    fn lone_axis(a: &Tensor[M, K, J], b: &Tensor[K, N]) -> Tensor[M, N] {
        sum[K, J](a * b)
    }

    fn lone_axis_guarded(a: &Tensor[M, K, J], b: &Tensor[K, N]) -> Tensor[M, N] {
        sum[K, J](if J < K { a * b } else { 0.0 })
    }

    fn scaled(a: &Tensor[M, K], b: &Tensor[K, N], s: &Tensor[M]) -> Tensor[M, N] {
        sum[K](a * b * s)
    }

    fn divided(a: &Tensor[M, K], b: &Tensor[K, N], s: &Tensor[M]) -> Tensor[M, N] {
        sum[K](a * b / s)
    }

    fn weighted(e: &Tensor[T, S], v: &Tensor[S, V]) -> Tensor[T, V] {
        sum[S](e / sum[S](e) * v)
    }

    fn chain(a: &Tensor[M, K], b: &Tensor[K, L], c: &Tensor[L, N]) -> Tensor[M, N] {
        sum[K, L](a * b * c)
    }
}

fn array<D: Device, const RANK: usize>(device: &D, shape: [usize; RANK], values: &[f64]) -> Array<D> {
    Tensor::from_vec(device, values.to_vec(), shape).unwrap()
}

#[track_caller]
fn assert_values<D: Device>(found: Result<Array<D>>, expected: &[f64]) {
    assert_eq!(found.unwrap().read().unwrap(), expected);
}

/// The gradients of two inputs for a cotangent of ones.
fn gradients<D: Device>(
    a: &Array<D>,
    b: &Array<D>,
    f: impl Fn(&Tensor<D, Grad, f64>, &Tensor<D, Grad, f64>) -> Result<Tensor<D, Grad, f64>>,
) -> [Vec<f64>; 2] {
    let (a, b) = (a.clone().requires_grad(), b.clone().requires_grad());
    let y = f(&a, &b).unwrap();
    let ones = Tensor::ones_like(&y.detach()).unwrap();
    let gradients = y.backward_with(&ones).unwrap();
    [&a, &b].map(|x| gradients.get(x).unwrap().read().unwrap())
}

fn a_guard_excludes_nan_and_infinity_of_either_operand<D: Device>(device: &D) {
    // Row 0 takes column 0 only, row 1 all; what is above the diagonal does not count.
    let b = array(device, [2, 2], &[1.0, 2.0, 3.0, 4.0]);
    for bad in [NAN, INF] {
        let a = array(device, [2, 2], &[5.0, bad, 6.0, 7.0]);
        assert_values(triangular(&a, &b), &[5.0, 10.0, 27.0, 40.0]);
    }
    let a = array(device, [1, 2], &[5.0, 6.0]);
    for bad in [NAN, INF] {
        let b = array(device, [2, 2], &[1.0, 2.0, bad, 4.0]);
        assert_values(triangular(&a, &b), &[5.0, 10.0]);
        let keep = Tensor::from_vec(device, vec![true, false], [1, 2]).unwrap();
        assert_values(masked(&a, &b, &keep), &[11.0, 21.0]);
    }
    // Where it counts, NaN passes.
    let [first, second] =
        triangular(&array(device, [1, 1], &[2.0]), &array(device, [1, 2], &[NAN, 3.0])).unwrap().read().unwrap()[..]
    else {
        panic!("two elements")
    };
    assert!(first.is_nan() && second == 6.0);
}

fn gradients_of_excluded_points_are_zero<D: Device>(device: &D) {
    let a = array(device, [1, 2], &[5.0, 6.0]);
    for bad in [NAN, INF] {
        let b = array(device, [2, 2], &[1.0, 2.0, bad, 4.0]);
        let [da, db] = gradients(&a, &b, triangular);
        assert_eq!(da, [3.0, 0.0]);
        assert_eq!(db, [5.0, 5.0, 0.0, 0.0]);
    }
    let b = array(device, [2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let a = array(device, [1, 2], &[5.0, NAN]);
    let [da, db] = gradients(&a, &b, triangular);
    assert_eq!(da, [3.0, 0.0]);
    assert_eq!(db, [5.0, 5.0, 0.0, 0.0]);
}

fn guards_over_three_operands_and_over_a_lone_axis<D: Device>(device: &D) {
    let q = array(device, [2, 1], &[1.0, 2.0]);
    let k = array(device, [2, 1], &[3.0, 4.0]);
    assert_values(masked_chain(&q, &k, &array(device, [2, 1], &[5.0, 6.0])), &[15.0, 78.0]);
    let first = masked_chain(&q, &k, &array(device, [2, 1], &[5.0, NAN])).unwrap().read().unwrap()[0];
    assert_eq!(first, 15.0);
    // K = 0 takes no J at all.
    let a = array(device, [1, 2, 1], &[2.0, 3.0]);
    assert_values(lone_axis_guarded(&a, &array(device, [2, 1], &[NAN, 5.0])), &[15.0]);
    assert_values(lone_axis(&a, &array(device, [2, 1], &[4.0, 5.0])), &[23.0]);
}

fn a_sum_over_nothing_is_zero_whatever_stands_outside<D: Device>(device: &D) {
    let (a, b) = (array(device, [2, 0], &[]), array(device, [0, 2], &[]));
    for bad in [INF, NAN] {
        assert_values(scaled(&a, &b, &array(device, [2], &[bad, 1.0])), &[0.0; 4]);
    }
    assert_values(divided(&a, &b, &array(device, [2], &[0.0, 1.0])), &[0.0; 4]);
    assert_values(weighted(&a, &b), &[0.0; 4]);
    // The inner sum of a nested pair is empty, or the sum of one operand is.
    assert_values(chain(&a, &b, &array(device, [2, 2], &[INF, 1.0, NAN, 1.0])), &[0.0; 4]);
    assert_values(lone_axis(&array(device, [1, 2, 0], &[]), &array(device, [2, 1], &[INF, NAN])), &[0.0]);
}

fn gradients_through_a_sum_over_nothing_are_zero<D: Device>(device: &D) {
    let a = array(device, [2, 0], &[]).requires_grad();
    let b = array(device, [0, 2], &[]).requires_grad();
    let s = array(device, [2], &[0.0, 1.0]).requires_grad();
    let ones = array(device, [2, 2], &[1.0; 4]);
    let gradients = divided(&a, &b, &s).unwrap().backward_with(&ones).unwrap();
    assert_eq!(gradients.get(&s).unwrap().read().unwrap(), [0.0, 0.0]);
    assert_eq!(gradients.get(&a).unwrap().shape()[..], [2, 0]);
    assert_eq!(gradients.get(&b).unwrap().shape()[..], [0, 2]);
}

fn attention_to_nothing_is_zero<D: Device>(device: &D) {
    let q = Tensor::ones(device, [1, 2, 3]).unwrap().requires_grad();
    let (k, v) = (Tensor::zeros(device, [1, 0, 3]).unwrap(), Tensor::zeros(device, [1, 0, 4]).unwrap());
    let y = attention(&q, &k, &v).unwrap();
    assert_eq!(y.detach().read().unwrap(), [0.0; 8]);
    let ones = Tensor::ones_like(&y.detach()).unwrap();
    let gradients = y.backward_with(&ones).unwrap();
    assert_eq!(gradients.get(&q).unwrap().read().unwrap(), [0.0; 6]);
}

fn rows_without_elements_have_gradients<D: Device>(device: &D) {
    for f in [softmax, log_softmax] {
        for shape in [[3, 0], [1, 0], [0, 3], [0, 0]] {
            let x = Tensor::zeros(device, shape).unwrap().requires_grad();
            let y = f(&x).unwrap();
            let cotangent = Tensor::zeros(device, shape).unwrap();
            let gradients = y.backward_with(&cotangent).unwrap();
            assert_eq!(gradients.get(&x).unwrap().shape()[..], shape);
        }
    }
}

fn guarded_contractions_match_finite_differences<D: Device>(device: &D) {
    let values = |n: usize| (0..n).map(|i| (i as f64 * 1.3).sin()).collect::<Vec<_>>();
    let a = array(device, [3, 4], &values(12));
    let b = array(device, [4, 2], &values(8));
    gradcheck(|x| triangular(&x[0], &x[1])?.sum(), &[a.clone(), b.clone()]).unwrap();
    gradcheck(|x| scaled(&x[0], &x[1], &x[2])?.sum(), &[a.clone(), b.clone(), array(device, [3], &[1.0, -2.0, 0.5])])
        .unwrap();
    gradcheck(|x| chain(&x[0], &x[1], &x[2])?.sum(), &[a, b.clone(), array(device, [2, 2], &values(4))]).unwrap();
    gradcheck(|x| masked_chain(&x[0], &x[1], &x[2])?.sum(), &[b.clone(), b.clone(), b]).unwrap();
}

tests::on_each_device! {
    a_guard_excludes_nan_and_infinity_of_either_operand,
    gradients_of_excluded_points_are_zero,
    guards_over_three_operands_and_over_a_lone_axis,
    a_sum_over_nothing_is_zero_whatever_stands_outside,
    gradients_through_a_sum_over_nothing_are_zero,
    attention_to_nothing_is_zero,
    rows_without_elements_have_gradients,
    guarded_contractions_match_finite_differences,
}
