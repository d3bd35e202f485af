//! What does not take part contributes exactly 0: points that a guard excludes, even where a factor is infinite or NaN
//! there, and sums over empty axes, even where a factor outside is infinite.

use tensor_rt::gradcheck;
use tensor_rt::prelude::*;
use tensor_rt_kernels::attention::attention;
use tensor_rt_kernels::softmax::{log_softmax, softmax};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

type Array = Tensor<Cpu, NoGrad, f64>;

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

fn array<const RANK: usize>(shape: [usize; RANK], values: &[f64]) -> Array {
    Tensor::from_vec(&Cpu, values.to_vec(), shape).unwrap()
}

#[track_caller]
fn assert_values(found: Result<Array>, expected: &[f64]) {
    assert_eq!(found.unwrap().to_vec().unwrap(), expected);
}

/// The gradients of two inputs for a cotangent of ones.
fn gradients(
    a: &Array,
    b: &Array,
    f: impl Fn(&Tensor<Cpu, Grad, f64>, &Tensor<Cpu, Grad, f64>) -> Result<Tensor<Cpu, Grad, f64>>,
) -> [Vec<f64>; 2] {
    let (a, b) = (a.clone().requires_grad(), b.clone().requires_grad());
    let y = f(&a, &b).unwrap();
    let ones = Tensor::ones_like(&y.detach()).unwrap();
    let gradients = y.backward_with(&ones).unwrap();
    [&a, &b].map(|x| gradients.get(x).unwrap().to_vec().unwrap())
}

#[test]
fn a_guard_excludes_nan_and_infinity_of_either_operand() {
    // Row 0 takes column 0 only, row 1 all; what is above the diagonal does not count.
    let b = array([2, 2], &[1.0, 2.0, 3.0, 4.0]);
    for bad in [NAN, INF] {
        let a = array([2, 2], &[5.0, bad, 6.0, 7.0]);
        assert_values(triangular(&a, &b), &[5.0, 10.0, 27.0, 40.0]);
    }
    let a = array([1, 2], &[5.0, 6.0]);
    for bad in [NAN, INF] {
        let b = array([2, 2], &[1.0, 2.0, bad, 4.0]);
        assert_values(triangular(&a, &b), &[5.0, 10.0]);
        let keep = Tensor::from_vec(&Cpu, vec![true, false], [1, 2]).unwrap();
        assert_values(masked(&a, &b, &keep), &[11.0, 21.0]);
    }
    // Where it counts, NaN passes.
    let [first, second] =
        triangular(&array([1, 1], &[2.0]), &array([1, 2], &[NAN, 3.0])).unwrap().to_vec().unwrap()[..]
    else {
        panic!("two elements")
    };
    assert!(first.is_nan() && second == 6.0);
}

#[test]
fn gradients_of_excluded_points_are_zero() {
    let a = array([1, 2], &[5.0, 6.0]);
    for bad in [NAN, INF] {
        let b = array([2, 2], &[1.0, 2.0, bad, 4.0]);
        let [da, db] = gradients(&a, &b, triangular);
        assert_eq!(da, [3.0, 0.0]);
        assert_eq!(db, [5.0, 5.0, 0.0, 0.0]);
    }
    let b = array([2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let a = array([1, 2], &[5.0, NAN]);
    let [da, db] = gradients(&a, &b, triangular);
    assert_eq!(da, [3.0, 0.0]);
    assert_eq!(db, [5.0, 5.0, 0.0, 0.0]);
}

#[test]
fn guards_over_three_operands_and_over_a_lone_axis() {
    let q = array([2, 1], &[1.0, 2.0]);
    let k = array([2, 1], &[3.0, 4.0]);
    assert_values(masked_chain(&q, &k, &array([2, 1], &[5.0, 6.0])), &[15.0, 78.0]);
    let first = masked_chain(&q, &k, &array([2, 1], &[5.0, NAN])).unwrap().to_vec().unwrap()[0];
    assert_eq!(first, 15.0);
    // K = 0 takes no J at all.
    let a = array([1, 2, 1], &[2.0, 3.0]);
    assert_values(lone_axis_guarded(&a, &array([2, 1], &[NAN, 5.0])), &[15.0]);
    assert_values(lone_axis(&a, &array([2, 1], &[4.0, 5.0])), &[23.0]);
}

#[test]
fn a_sum_over_nothing_is_zero_whatever_stands_outside() {
    let (a, b) = (array([2, 0], &[]), array([0, 2], &[]));
    for bad in [INF, NAN] {
        assert_values(scaled(&a, &b, &array([2], &[bad, 1.0])), &[0.0; 4]);
    }
    assert_values(divided(&a, &b, &array([2], &[0.0, 1.0])), &[0.0; 4]);
    assert_values(weighted(&a, &b), &[0.0; 4]);
    // The inner sum of a nested pair is empty, or the sum of one operand is.
    assert_values(chain(&a, &b, &array([2, 2], &[INF, 1.0, NAN, 1.0])), &[0.0; 4]);
    assert_values(lone_axis(&array([1, 2, 0], &[]), &array([2, 1], &[INF, NAN])), &[0.0]);
}

#[test]
fn gradients_through_a_sum_over_nothing_are_zero() {
    let a = array([2, 0], &[]).requires_grad();
    let b = array([0, 2], &[]).requires_grad();
    let s = array([2], &[0.0, 1.0]).requires_grad();
    let ones = array([2, 2], &[1.0; 4]);
    let gradients = divided(&a, &b, &s).unwrap().backward_with(&ones).unwrap();
    assert_eq!(gradients.get(&s).unwrap().to_vec().unwrap(), [0.0, 0.0]);
    assert_eq!(gradients.get(&a).unwrap().shape()[..], [2, 0]);
    assert_eq!(gradients.get(&b).unwrap().shape()[..], [0, 2]);
}

#[test]
fn attention_to_nothing_is_zero() {
    let q = Tensor::ones(&Cpu, [1, 2, 3]).unwrap().requires_grad();
    let (k, v) = (Tensor::zeros(&Cpu, [1, 0, 3]).unwrap(), Tensor::zeros(&Cpu, [1, 0, 4]).unwrap());
    let y = attention(&q, &k, &v).unwrap();
    assert_eq!(y.detach().to_vec().unwrap(), [0.0; 8]);
    let ones = Tensor::ones_like(&y.detach()).unwrap();
    let gradients = y.backward_with(&ones).unwrap();
    assert_eq!(gradients.get(&q).unwrap().to_vec().unwrap(), [0.0; 6]);
}

#[test]
fn rows_without_elements_have_gradients() {
    for f in [softmax, log_softmax] {
        for shape in [[3, 0], [1, 0], [0, 3], [0, 0]] {
            let x = Tensor::zeros(&Cpu, shape).unwrap().requires_grad();
            let y = f(&x).unwrap();
            let cotangent = Tensor::zeros(&Cpu, shape).unwrap();
            let gradients = y.backward_with(&cotangent).unwrap();
            assert_eq!(gradients.get(&x).unwrap().shape()[..], shape);
        }
    }
}

#[test]
fn guarded_contractions_match_finite_differences() {
    let values = |n: usize| (0..n).map(|i| (i as f64 * 1.3).sin()).collect::<Vec<_>>();
    let a = array([3, 4], &values(12));
    let b = array([4, 2], &values(8));
    gradcheck(|x| triangular(&x[0], &x[1])?.sum(), &[a.clone(), b.clone()]).unwrap();
    gradcheck(|x| scaled(&x[0], &x[1], &x[2])?.sum(), &[a.clone(), b.clone(), array([3], &[1.0, -2.0, 0.5])]).unwrap();
    gradcheck(|x| chain(&x[0], &x[1], &x[2])?.sum(), &[a, b.clone(), array([2, 2], &values(4))]).unwrap();
    gradcheck(|x| masked_chain(&x[0], &x[1], &x[2])?.sum(), &[b.clone(), b.clone(), b]).unwrap();
}
