//! Contractions, with and without a matrix product.

use super::*;

// Contraction: out[B, O] = sum[I](x[B, I] * w[O, I]) + b[O] over B = .., batched products, integers.

const B: u16 = 0;
const O: u16 = 1;
const I: u16 = 2;

struct Product<T>(PhantomData<T>);
impl<T: Float> PassBody for Product<T> {
    #[inline(always)]
    fn run<S: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (x, w) = (&block.input::<T>(0)[..n], &block.input::<T>(1)[..n]);
        let values = &mut block.values::<T::Compute>(0)[..n];
        for i in 0..n {
            values[i] = x[i].widen() * w[i].widen();
        }
    }
}

struct IntegerProduct;
impl PassBody for IntegerProduct {
    #[inline(always)]
    fn run<S: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (x, w) = (&block.input::<i32>(0)[..n], &block.input::<i32>(1)[..n]);
        let values = &mut block.values::<i64>(0)[..n];
        for i in 0..n {
            values[i] = x[i].wrapping_mul(w[i]) as i64;
        }
    }
}

struct Stored<T>(PhantomData<T>);
impl<T: Float> PassBody for Stored<T> {
    #[inline(always)]
    fn run<S: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (row, out) = (&block.row::<T::Compute>(0)[..n], &mut block.output::<T>(0)[..n]);
        for i in 0..n {
            out[i] = T::narrow(row[i]);
        }
    }
}

struct StoredInteger;
impl PassBody for StoredInteger {
    #[inline(always)]
    fn run<S: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (row, out) = (&block.row::<i64>(0)[..n], &mut block.output::<i64>(0)[..n]);
        out.copy_from_slice(row);
    }
}

struct Biased<T>(PhantomData<T>);
impl<T: Float> PassBody for Biased<T> {
    #[inline(always)]
    fn run<S: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (row, b) = (&block.row::<T::Compute>(0)[..n], &block.input::<T>(2)[..n]);
        let out = &mut block.output::<T>(0)[..n];
        for i in 0..n {
            out[i] = T::narrow(row[i] + b[i].widen());
        }
    }
}

const LEVEL: Pass = Pass {
    kind: PassKind::Level(0),
    operands: &[0, 1],
    axes: &[],
    rows: &[],
    bodies: &[],
    reductions: &[0],
    writes: &[],
    cost: 4,
};
const STORE: Pass = Pass {
    kind: PassKind::Outer,
    operands: &[],
    axes: &[],
    rows: &[0],
    bodies: &[],
    reductions: &[],
    writes: &[0],
    cost: 4,
};

/// `out[N, C] = sum[L](x[N, L] * w[C, L])`.
const MATMUL: Kernel = Kernel {
    class: Class::Contraction,
    free: &[B, O],
    reduced: &[I],
    operands: &[
        operand(0, Elem::Generic, &[Index::Axis(B), Index::Axis(I)]),
        operand(1, Elem::Generic, &[Index::Axis(O), Index::Axis(I)]),
    ],
    reductions: &[reduction(0, ReduceOp::Sum, Elem::Compute)],
    writes: &[own(0, Elem::Generic, &[B, O])],
    passes: &[LEVEL, STORE],
    lines: None,
    contraction: Some(Contraction { lhs: 0, rhs: 1, batch: &[], m: &[B], n: &[O], guarded: false, bare: true }),
    cuda: CudaText::NONE,
};

const LINEAR: Kernel = Kernel {
    operands: &[
        operand(0, Elem::Generic, &[Index::Axis(B), Index::Axis(I)]),
        operand(1, Elem::Generic, &[Index::Axis(O), Index::Axis(I)]),
        operand(2, Elem::Generic, &[Index::Axis(O)]),
    ],
    passes: &[
        LEVEL,
        Pass {
            kind: PassKind::Outer,
            operands: &[2],
            axes: &[],
            rows: &[0],
            bodies: &[],
            reductions: &[],
            writes: &[0],
            cost: 4,
        },
    ],
    lines: None,
    contraction: Some(Contraction { lhs: 0, rhs: 1, batch: &[], m: &[B], n: &[O], guarded: false, bare: false }),
    ..MATMUL
};

fn naive_product(x: &[f64], w: &[f64], m: usize, n: usize, k: usize) -> Vec<f64> {
    (0..m * n).map(|i| (0..k).map(|j| x[i / n * k + j] * w[i % n * k + j]).sum()).collect()
}

fn wide<E: Float>(values: &[E]) -> Vec<f64> {
    values.iter().map(|value| Compute::to_f64(value.widen())).collect()
}

fn product<T: Float>(engine: CpuEngine, x: &Host<T>, w: &Host<T>, b: Option<&Host<T>>, out: &mut Host<T>) {
    let sizes = Sizes { extents: &[x.shape[0] as i64, w.shape[0] as i64, x.shape[1] as i64, 1], rest: &[] };
    let writes = [out.array_mut()];
    match b {
        None => {
            let passes = [PassFn::of::<Product<T>>(), PassFn::of::<Stored<T>>()];
            run(engine, &MATMUL, &passes, T::DTYPE, &sizes, &[], &[x.array(), w.array()], &writes).unwrap();
        }
        Some(b) => {
            let passes = [PassFn::of::<Product<T>>(), PassFn::of::<Biased<T>>()];
            run(engine, &LINEAR, &passes, T::DTYPE, &sizes, &[], &[x.array(), w.array(), b.array()], &writes).unwrap();
        }
    }
}

#[test]
fn matrix_products_of_every_layout() {
    for (m, n, k) in [(1, 1, 1), (5, 1, 7), (1, 6, 3), (17, 33, 2), (64, 64, 64), (130, 70, 300), (3, 4, 0)] {
        let x = Host::from_fn(&[m, k], |i| noise(i) as f32);
        let w = Host::from_fn(&[n, k], |i| noise(i + 99) as f32);
        let b = Host::from_fn(&[n], |i| noise(i + 7) as f32);
        let plain = naive_product(&wide(&x.data), &wide(&w.data), m, n, k);
        let biased: Vec<f64> = plain.iter().enumerate().map(|(i, sum)| sum + b.data[i % n] as f64).collect();
        for x in [x.clone(), x.laid_out(&[1, 0]), x.scattered()] {
            for w in [w.clone(), w.laid_out(&[1, 0])] {
                for out in [
                    Host::<f32>::empty(&[m, n]),
                    Host::empty(&[m, n]).laid_out(&[1, 0]),
                    Host::empty(&[m, n]).scattered(),
                ] {
                    everywhere(|engine| {
                        let mut out = out.clone();
                        product(engine, &x, &w, None, &mut out);
                        close(&out.values(), &plain, 1e-5);
                        let mut sum = out.clone();
                        product(engine, &x, &w, Some(&b), &mut sum);
                        close(&sum.values(), &biased, 1e-5);
                        (bits(&out.values()), bits(&sum.values()))
                    });
                }
            }
        }
    }
}

#[test]
fn matrix_products_of_halves_sum_in_f32() {
    let (m, n, k) = (20, 30, 3000);
    let x = Host::from_fn(&[m, k], |_| f16::from_f32(1.0));
    let w = Host::from_fn(&[n, k], |i| if i % 2 == 0 { f16::from_f32(2.0) } else { f16::from_f32(-1.0) });
    everywhere(|engine| {
        let mut out = Host::<f16>::empty(&[m, n]);
        product(engine, &x, &w, None, &mut out);
        assert!(out.data.iter().all(|&sum| sum == f16::from_f32(1500.0)));
    });
    let (x, w) = (Host::from_fn(&[m, k], noise), Host::from_fn(&[n, k], noise));
    everywhere(|engine| {
        let mut out = Host::<f64>::empty(&[m, n]);
        product(engine, &x, &w, None, &mut out);
        let expected = naive_product(&x.data, &w.data, m, n, k);
        assert!(out.data.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-10));
    });
}

const INTEGERS: Kernel = Kernel {
    operands: &[operand(0, I32, &[Index::Axis(B), Index::Axis(I)]), operand(1, I32, &[Index::Axis(O), Index::Axis(I)])],
    reductions: &[reduction(0, ReduceOp::Sum, Elem::Fixed(DType::I64))],
    writes: &[own(0, Elem::Fixed(DType::I64), &[B, O])],
    ..MATMUL
};

#[test]
fn integer_products_run_as_rows() {
    let x = Host::from_fn(&[9, 40], |i| i as i32 - 100);
    let w = Host::from_fn(&[11, 40], |i| i as i32 % 13);
    let sizes = Sizes { extents: &[9, 11, 40, 1], rest: &[] };
    for w in [w.clone(), w.laid_out(&[1, 0])] {
        everywhere(|engine| {
            let mut out = Host::<i64>::empty(&[9, 11]);
            let passes = [PassFn::of::<IntegerProduct>(), PassFn::of::<StoredInteger>()];
            let arrays = [x.array(), w.array()];
            run(engine, &INTEGERS, &passes, DType::F32, &sizes, &[], &arrays, &[out.array_mut()]).unwrap();
            for i in 0..99 {
                let sum: i64 =
                    (0..40).map(|j| x.data[i / 11 * 40 + j] as i64 * w.values()[i % 11 * 40 + j] as i64).sum();
                assert_eq!(out.data[i], sum);
            }
        });
    }
}

/// `out[.., C, N] = sum[L](x[.., L, N] * w[L, .., C])`.
const BATCHED: Kernel = Kernel {
    class: Class::Contraction,
    free: &[REST, C, N],
    reduced: &[L],
    operands: &[
        operand(0, Elem::Generic, &[Index::Axis(REST), Index::Axis(L), Index::Axis(N)]),
        operand(1, Elem::Generic, &[Index::Axis(L), Index::Axis(REST), Index::Axis(C)]),
    ],
    reductions: &[reduction(0, ReduceOp::Sum, Elem::Compute)],
    writes: &[own(0, Elem::Generic, &[REST, C, N])],
    passes: &[LEVEL, STORE],
    lines: None,
    contraction: Some(Contraction { lhs: 0, rhs: 1, batch: &[REST], m: &[N], n: &[C], guarded: false, bare: true }),
    cuda: CudaText::NONE,
};

#[test]
fn batched_products_over_any_rank() {
    let (n, c, l) = (20, 30, 25);
    for rest in [vec![], vec![3], vec![2, 4], vec![2, 0]] {
        let batches: usize = rest.iter().product();
        let shape = |front: &[usize], back: &[usize]| [front, &rest, back].concat();
        let x = Host::from_fn(&shape(&[], &[l, n]), |i| noise(i) as f32);
        let w = Host::from_fn(&shape(&[l], &[c]), |i| noise(i + 3) as f32);
        let expected: Vec<f64> = (0..batches * c * n)
            .map(|i| {
                let (batch, column, row) = (i / (c * n), i / n % c, i % n);
                (0..l)
                    .map(|j| {
                        x.data[(batch * l + j) * n + row] as f64 * w.data[(j * batches + batch) * c + column] as f64
                    })
                    .sum()
            })
            .collect();
        let sizes = Sizes { extents: &[n as i64, c as i64, l as i64, batches as i64], rest: &rest };
        for bare in [true, false] {
            let contraction = Some(Contraction { bare, ..BATCHED.contraction.unwrap() });
            let kernel = Kernel { contraction, ..BATCHED };
            everywhere(|engine| {
                let mut out = Host::<f32>::empty(&shape(&[], &[c, n]));
                let passes = [PassFn::of::<Product<f32>>(), PassFn::of::<Stored<f32>>()];
                let arrays = [x.array(), w.array()];
                run(engine, &kernel, &passes, DType::F32, &sizes, &[], &arrays, &[out.array_mut()]).unwrap();
                close(&out.data, &expected, 1e-5);
                bits(&out.data)
            });
        }
    }
}

/// `out[N, C] = sum[L](x[N + L] * w[C, L])`: the left operand's rows overlap in memory, and it is read at an offset.
const WINDOW: Kernel = Kernel {
    class: Class::Contraction,
    free: &[N, C],
    reduced: &[L],
    operands: &[
        operand(
            0,
            Elem::Generic,
            &[Index::Affine {
                terms: &[(N, SizeExpr::Scalar(0)), (L, SizeExpr::Const(1))],
                offset: SizeExpr::Const(1),
            }],
        ),
        operand(1, Elem::Generic, &[Index::Axis(C), Index::Axis(L)]),
    ],
    reductions: &[reduction(0, ReduceOp::Sum, Elem::Compute)],
    writes: &[own(0, Elem::Generic, &[N, C])],
    passes: &[LEVEL, STORE],
    lines: None,
    contraction: Some(Contraction { lhs: 0, rhs: 1, batch: &[], m: &[N], n: &[C], guarded: false, bare: true }),
    cuda: CudaText::NONE,
};

#[test]
fn window_contraction_with_and_without_the_matrix_product() {
    let x = Host::from_fn(&[30], |i| noise(i) as f32);
    let w = Host::from_fn(&[4, 5], |i| noise(i + 50) as f32);
    let sizes = Sizes { extents: &[9, 4, 5, 1], rest: &[] };
    let expected: Vec<f64> = (0..36)
        .map(|i| (0..5).map(|j| x.data[i / 4 * 3 + j + 1] as f64 * w.data[i % 4 * 5 + j] as f64).sum())
        .collect();
    for contraction in [WINDOW.contraction, None] {
        let kernel = Kernel { contraction, ..WINDOW };
        everywhere(|engine| {
            let mut out = Host::<f32>::empty(&[9, 4]);
            let passes = [PassFn::of::<Product<f32>>(), PassFn::of::<Stored<f32>>()];
            let arrays = [x.array(), w.array()];
            let scalars = [Scalar::Int(3)];
            run(engine, &kernel, &passes, DType::F32, &sizes, &scalars, &arrays, &[out.array_mut()]).unwrap();
            close(&out.data, &expected, 1e-6);
        });
    }
}
