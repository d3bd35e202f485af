//! Sums of squared deviations beside sums, over columns, rows and everything.

use super::*;

/// `sum[F] = sum[A](x)`, `square[F] = squared_deviation[A](x)`.
struct Terms;
impl PassBody for Terms {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let x = &block.input::<f32>(0)[..n];
        block.values::<f32>(0)[..n].copy_from_slice(x);
        block.values::<f32>(1)[..n].copy_from_slice(x);
    }
}

struct Store;
impl PassBody for Store {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        block.output::<f32>(0)[..n].copy_from_slice(&block.row::<f32>(0)[..n]);
        block.output::<f32>(1)[..n].copy_from_slice(&block.row::<f32>(1)[..n]);
    }
}

const F32: Elem = Elem::Fixed(DType::F32);
const REDUCTIONS: &[Reduction] = &[reduction(0, ReduceOp::Sum, F32), reduction(0, ReduceOp::SquaredDeviation, F32)];
const PASSES: &[Pass] = &[
    Pass {
        kind: PassKind::Level(0),
        operands: &[0],
        axes: &[],
        rows: &[],
        bodies: &[],
        reductions: &[0, 1],
        writes: &[],
        cost: 4,
    },
    Pass {
        kind: PassKind::Outer,
        operands: &[],
        axes: &[],
        rows: &[0, 1],
        bodies: &[],
        reductions: &[],
        writes: &[0, 1],
        cost: 4,
    },
];

/// Over the rows of `x[N, C]`.
const OVER_N: Kernel = Kernel {
    class: Class::Column,
    free: &[C],
    reduced: &[N],
    operands: &[operand(0, F32, &[Index::Axis(N), Index::Axis(C)])],
    reductions: REDUCTIONS,
    writes: &[own(0, F32, &[C]), own(1, F32, &[C])],
    passes: PASSES,
    lines: None,
    contraction: None,
    cuda: CudaText::NONE,
};

/// Over all of `x[N, C]`.
const OVER_ALL: Kernel =
    Kernel { class: Class::Full, free: &[], reduced: &[N, C], writes: &[own(0, F32, &[]), own(1, F32, &[])], ..OVER_N };

fn reduced(engine: CpuEngine, kernel: &Kernel, x: &Host<f32>) -> (Vec<f32>, Vec<f32>) {
    let shape: Vec<usize> = if kernel.free.is_empty() { vec![] } else { vec![x.shape[1]] };
    let (mut sums, mut squares) = (Host::<f32>::empty(&shape), Host::<f32>::empty(&shape));
    let sizes = Sizes { extents: &[x.shape[0] as i64, x.shape[1] as i64, 1, 1], rest: &[] };
    let passes = [PassFn::of::<Terms>(), PassFn::of::<Store>()];
    run(engine, kernel, &passes, DType::F32, &sizes, &[], &[x.array()], &[sums.array_mut(), squares.array_mut()])
        .unwrap();
    (sums.values(), squares.values())
}

/// The sum of squared deviations in `f64`, in two passes.
fn exact(values: impl Iterator<Item = f32> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    let mean = values.clone().map(f64::from).sum::<f64>() / count;
    values.map(|x| (f64::from(x) - mean).powi(2)).sum()
}

#[test]
fn deviations_far_from_zero_keep_their_digits() {
    for (n, c) in [(1, 1), (2, 3), (100, 1), (1, 100), (70, 900), (3000, 7), (40_000, 2), (5, 3000)] {
        let x = Host::from_fn(&[n, c], |i| (1e4 + noise(i)) as f32);
        let columns: Vec<f64> = (0..c).map(|column| exact(x.data.iter().copied().skip(column).step_by(c))).collect();
        let all = [exact(x.data.iter().copied())];
        for x in [x.clone(), x.laid_out(&[1, 0]), x.scattered()] {
            everywhere(|engine| {
                let found = reduced(engine, &OVER_N, &x).1;
                close(&found, &columns, 2e-6);
                let total = reduced(engine, &OVER_ALL, &x).1;
                close(&total, &all, 2e-6);
                (bits(&found), bits(&total))
            });
        }
    }
}

#[test]
fn nan_and_nothing() {
    let mut x = Host::from_fn(&[50, 3], |i| noise(i) as f32);
    x.data[25 * 3 + 1] = f32::NAN;
    everywhere(|engine| {
        let (_, squares) = reduced(engine, &OVER_N, &x);
        assert!(squares[1].is_nan() && !squares[0].is_nan() && !squares[2].is_nan());
        assert_eq!(reduced(engine, &OVER_N, &Host::<f32>::empty(&[0, 3])).1, [0.0; 3]);
        assert_eq!(reduced(engine, &OVER_ALL, &Host::<f32>::empty(&[0, 3])).1, [0.0]);
    });
}
