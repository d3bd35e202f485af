//! Rows, columns and totals.

use super::*;

// Rows: softmax over C of x[N, C, L].

struct Maximum<T>(PhantomData<T>);
impl<T: Float> PassBody for Maximum<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let x = &block.input::<T>(0)[..n];
        let values = &mut block.values::<T::Compute>(0)[..n];
        for i in 0..n {
            values[i] = x[i].widen();
        }
    }
}

struct Exponential<T>(PhantomData<T>);
impl<T: Float> PassBody for Exponential<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let x = &block.input::<T>(0)[..n];
        let m = &block.row::<T::Compute>(0)[..n];
        let values = &mut block.values::<T::Compute>(1)[..n];
        for i in 0..n {
            values[i] = Compute::exp::<I>(x[i].widen() - m[i]);
        }
    }
}

struct Quotient<T>(PhantomData<T>);
impl<T: Float> PassBody for Quotient<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let x = &block.input::<T>(0)[..n];
        let m = &block.row::<T::Compute>(0)[..n];
        let s = &block.row::<T::Compute>(1)[..n];
        let out = &mut block.output::<T>(0)[..n];
        for i in 0..n {
            out[i] = T::narrow(Compute::exp::<I>(x[i].widen() - m[i]) / s[i]);
        }
    }
}

/// Writes the sum of the row.
struct Total<T>(PhantomData<T>);
impl<T: Float> PassBody for Total<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let s = &block.row::<T::Compute>(1)[..n];
        let out = &mut block.output::<T>(1)[..n];
        for i in 0..n {
            out[i] = T::narrow(s[i]);
        }
    }
}

const SOFTMAX: Kernel = Kernel {
    class: Class::StridedRow,
    free: &[N, L],
    reduced: &[C],
    operands: &[operand(0, Elem::Generic, &[Index::Axis(N), Index::Axis(C), Index::Axis(L)])],
    reductions: &[reduction(0, ReduceOp::Max, Elem::Compute), reduction(1, ReduceOp::Sum, Elem::Compute)],
    writes: &[own(0, Elem::Generic, &[N, C, L]), own(1, Elem::Generic, &[N, L])],
    passes: &[
        Pass {
            kind: PassKind::Level(0),
            operands: &[0],
            axes: &[],
            rows: &[],
            bodies: &[],
            reductions: &[0],
            writes: &[],
            cost: 4,
        },
        Pass {
            kind: PassKind::Level(1),
            operands: &[0],
            axes: &[],
            rows: &[0],
            bodies: &[],
            reductions: &[1],
            writes: &[],
            cost: 4,
        },
        Pass {
            kind: PassKind::Inner,
            operands: &[0],
            axes: &[],
            rows: &[0, 1],
            bodies: &[],
            reductions: &[],
            writes: &[0],
            cost: 4,
        },
        Pass {
            kind: PassKind::Outer,
            operands: &[],
            axes: &[],
            rows: &[1],
            bodies: &[],
            reductions: &[],
            writes: &[1],
            cost: 4,
        },
    ],
    lines: None,
    contraction: None,
    cuda: CudaText::NONE,
};

fn softmax<T: Float>(engine: CpuEngine, x: &Host<T>) -> (Vec<T>, Vec<T>) {
    let mut out = Host::<T>::empty(&x.shape);
    let mut sums = Host::<T>::empty(&[x.shape[0], x.shape[2]]);
    let sizes = Sizes { extents: &[x.shape[0] as i64, x.shape[1] as i64, x.shape[2] as i64, 1], rest: &[] };
    run(
        engine,
        &SOFTMAX,
        &[
            PassFn::of::<Maximum<T>>(),
            PassFn::of::<Exponential<T>>(),
            PassFn::of::<Quotient<T>>(),
            PassFn::of::<Total<T>>(),
        ],
        T::DTYPE,
        &sizes,
        &[],
        &[x.array()],
        &[out.array_mut(), sums.array_mut()],
    )
    .unwrap();
    (out.values(), sums.values())
}

#[test]
fn softmax_of_every_layout() {
    let shapes = [
        [1, 1, 1],
        [3, 5, 1],
        [4, 1, 3],
        [2, 300, 1],
        [3, 2000, 1],
        [2, 17, 70],
        [1, 3000, 20],
        [40, 40, 40],
        [1, 60000, 1],
    ];
    for [n, c, l] in shapes {
        let x = Host::from_fn(&[n, c, l], |i| 4.0 * noise(i) as f32);
        let mut expected = vec![0.0; n * c * l];
        let mut sums = vec![0.0; n * l];
        for (row, sum) in sums.iter_mut().enumerate() {
            let at = |k: usize| (row / l * c + k) * l + row % l;
            let m = (0..c).map(|k| x.data[at(k)]).fold(f32::NEG_INFINITY, f32::max) as f64;
            *sum = (0..c).map(|k| (x.data[at(k)] as f64 - m).exp()).sum::<f64>();
            for k in 0..c {
                expected[at(k)] = (x.data[at(k)] as f64 - m).exp() / *sum;
            }
        }
        for x in [x.clone(), x.laid_out(&[2, 0, 1]), x.laid_out(&[1, 2, 0]), x.scattered()] {
            everywhere(|engine| {
                let (out, total) = softmax(engine, &x);
                close(&out, &expected, 2e-6);
                close(&total, &sums, 2e-6);
                (bits(&out), bits(&total))
            });
        }
    }
}

#[test]
fn softmax_of_bf16_computes_in_f32() {
    let x = Host::from_fn(&[3, 50, 4], |i| bf16::from_f64(noise(i)));
    everywhere(|engine| {
        let (out, _) = softmax(engine, &x);
        let total: f32 = out.iter().map(|value| value.to_f32()).sum();
        assert!((total - 12.0).abs() < 0.05);
    });
}

#[test]
fn softmax_of_empty_rows_writes_only_their_sums() {
    let x = Host::<f32>::empty(&[3, 0, 2]);
    everywhere(|engine| assert_eq!(softmax(engine, &x), (vec![], vec![0.0; 6])));
}

// Sums of x[N, C] over all, rows and columns, with the position of the largest.

struct Bodies3<T>(PhantomData<T>);
impl<T: Float> PassBody for Bodies3<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let x = &block.input::<T>(0)[..n];
        let sum = &mut block.values::<T::Compute>(0)[..n];
        let largest = &mut block.values::<T::Compute>(1)[..n];
        let count = &mut block.values::<i64>(2)[..n];
        for i in 0..n {
            sum[i] = x[i].widen();
            largest[i] = x[i].widen();
            count[i] = 1;
        }
    }
}

struct Store3<T>(PhantomData<T>);
impl<T: Float> PassBody for Store3<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let sum = &mut block.output::<T>(0)[..n];
        let largest = &mut block.output::<i64>(1)[..n];
        let count = &mut block.output::<i64>(2)[..n];
        for i in 0..n {
            sum[i] = T::narrow(block.row::<T::Compute>(0)[i]);
            largest[i] = block.row::<i64>(1)[i];
            count[i] = block.row::<i64>(2)[i];
        }
    }
}

macro_rules! statistics {
    ($name:ident, $class:ident, $free:expr, $reduced:expr) => {
        const $name: Kernel = Kernel {
            class: Class::$class,
            free: $free,
            reduced: $reduced,
            operands: &[operand(0, Elem::Generic, &[Index::Axis(N), Index::Axis(C)])],
            reductions: &[
                reduction(0, ReduceOp::Sum, Elem::Compute),
                reduction(0, ReduceOp::ArgMax, Elem::Compute),
                reduction(0, ReduceOp::Sum, Elem::Fixed(DType::I64)),
            ],
            writes: &[
                own(0, Elem::Generic, $free),
                own(1, Elem::Fixed(DType::I64), $free),
                own(2, Elem::Fixed(DType::I64), $free),
            ],
            passes: &[
                Pass {
                    kind: PassKind::Level(0),
                    operands: &[0],
                    axes: &[],
                    rows: &[],
                    bodies: &[],
                    reductions: &[0, 1, 2],
                    writes: &[],
                    cost: 4,
                },
                Pass {
                    kind: PassKind::Outer,
                    operands: &[],
                    axes: &[],
                    rows: &[0, 1, 2],
                    bodies: &[],
                    reductions: &[],
                    writes: &[0, 1, 2],
                    cost: 4,
                },
            ],
            lines: None,
            contraction: None,
            cuda: CudaText::NONE,
        };
    };
}

statistics!(COLUMNS, Column, &[C], &[N]);
statistics!(ROWS, Row, &[N], &[C]);
statistics!(FULL, Full, &[], &[N, C]);

fn statistics<T: Float>(engine: CpuEngine, kernel: &Kernel, x: &Host<T>) -> (Vec<T>, Vec<i64>, Vec<i64>) {
    let shape: Vec<usize> = kernel.free.iter().map(|&axis| x.shape[axis as usize]).collect();
    let (mut sum, mut largest, mut count) =
        (Host::<T>::empty(&shape), Host::<i64>::empty(&shape), Host::<i64>::empty(&shape));
    let sizes = Sizes { extents: &[x.shape[0] as i64, x.shape[1] as i64, 1, 1], rest: &[] };
    run(
        engine,
        kernel,
        &[PassFn::of::<Bodies3<T>>(), PassFn::of::<Store3<T>>()],
        T::DTYPE,
        &sizes,
        &[],
        &[x.array()],
        &[sum.array_mut(), largest.array_mut(), count.array_mut()],
    )
    .unwrap();
    (sum.values(), largest.values(), count.values())
}

#[test]
fn rows_columns_and_totals_of_every_layout() {
    for (n, c) in [(1, 1), (3, 4), (1, 5000), (5000, 1), (70, 33), (300, 500), (40000, 3), (2, 70000)] {
        let x = Host::from_fn(&[n, c], |i| noise(i) as f32);
        for (kernel, rows) in [(&ROWS, n), (&COLUMNS, c), (&FULL, 1)] {
            let mut sum = vec![0.0; rows];
            let mut largest = vec![(f32::NEG_INFINITY, 0, 0); rows];
            for i in 0..n * c {
                let (row, position) = match rows {
                    _ if kernel.free.is_empty() => (0, i),
                    _ if kernel.free == [N] => (i / c, i % c),
                    _ => (i % c, i / c),
                };
                sum[row] += x.data[i] as f64;
                if x.data[i] > largest[row].0 {
                    largest[row] = (x.data[i], position as i64, 0);
                }
            }
            let largest: Vec<i64> = largest.iter().map(|found| found.1).collect();
            for x in [x.clone(), x.laid_out(&[1, 0]), x.scattered()] {
                everywhere(|engine| {
                    let (found, positions, count) = statistics(engine, kernel, &x);
                    close(&found, &sum, 1e-4);
                    assert_eq!(positions, largest, "[{n}, {c}] {:?}", kernel.class);
                    assert!(count.iter().all(|&count| count as usize * rows == n * c));
                    bits(&found)
                });
            }
        }
    }
}

#[test]
fn large_sum_of_ones_is_exact() {
    let mut x = Host::from_fn(&[1, 1], |_| 1.0f32);
    x.shape = vec![4, 5_000_000];
    x.strides = vec![0, 0];
    let engine = CpuEngine::new(*InstructionSet::available().last().unwrap());
    assert_eq!(statistics(engine, &FULL, &x).0, [2e7]);
    let tall = Host { data: vec![1.0f32; 20_000_000], offset: 0, shape: vec![20_000_000, 1], strides: vec![1, 1] };
    assert_eq!(statistics(engine, &COLUMNS, &tall).0, [2e7]);
    let two = Host { data: vec![1.0f32; 20_000_000], offset: 0, shape: vec![10_000_000, 2], strides: vec![2, 1] };
    assert_eq!(statistics(engine, &COLUMNS, &two).0, [1e7, 1e7]);
}
