//! Edits in place.

use super::*;

// Edit: y[N, C] <- y - sum[C](y * x), y read in its row before it is written.

struct RowProduct;
impl PassBody for RowProduct {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (x, y) = (&block.input::<f32>(0)[..n], &block.input::<f32>(1)[..n]);
        let values = &mut block.values::<f32>(0)[..n];
        for i in 0..n {
            values[i] = x[i] * y[i];
        }
    }
}

struct Subtract;
impl PassBody for Subtract {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (old, row) = (&block.input::<f32>(1)[..n], &block.row::<f32>(0)[..n]);
        let y = &mut block.output::<f32>(0)[..n];
        for i in 0..n {
            y[i] = y[i] * 2.0 - old[i] - row[i];
        }
    }
}

const EDIT: Kernel = Kernel {
    class: Class::Row,
    free: &[N],
    reduced: &[C],
    operands: &[
        operand(0, Elem::Generic, &[Index::Axis(N), Index::Axis(C)]),
        operand(1, Elem::Generic, &[Index::Axis(N), Index::Axis(C)]),
    ],
    reductions: &[reduction(0, ReduceOp::Sum, Elem::Compute)],
    writes: &[Write {
        array: Array::Param(1),
        elem: Elem::Generic,
        kind: WriteKind::Own { axes: &[N, C], reads_old: true },
    }],
    passes: &[
        Pass {
            kind: PassKind::Level(0),
            operands: &[0, 1],
            axes: &[],
            rows: &[],
            bodies: &[],
            reductions: &[0],
            writes: &[],
            cost: 4,
        },
        Pass {
            kind: PassKind::Inner,
            operands: &[1],
            axes: &[],
            rows: &[0],
            bodies: &[],
            reductions: &[],
            writes: &[0],
            cost: 4,
        },
    ],
    lines: None,
    contraction: None,
    cuda: CudaText::NONE,
};

#[test]
fn edit_in_place_reads_old_values_of_its_row() {
    for (n, c) in [(1, 1), (4, 3), (50, 40), (3, 3000), (1, 50000)] {
        let x = Host::from_fn(&[n, c], |i| (i % 5) as f32);
        let y = Host::from_fn(&[n, c], |i| (i % 7) as f32);
        let expected: Vec<f64> = (0..n * c)
            .map(|i| {
                let row = i / c * c;
                y.data[i] as f64 - (row..row + c).map(|k| (x.data[k] * y.data[k]) as f64).sum::<f64>()
            })
            .collect();
        for y in [y.clone(), y.laid_out(&[1, 0]), y.scattered()] {
            everywhere(|engine| {
                let mut y = y.clone();
                let sizes = Sizes { extents: &[n as i64, c as i64, 1, 1], rest: &[] };
                let array = y.array_mut();
                let passes = [PassFn::of::<RowProduct>(), PassFn::of::<Subtract>()];
                run(engine, &EDIT, &passes, DType::F32, &sizes, &[], &[x.array(), array], &[array]).unwrap();
                close(&y.values(), &expected, 1e-6);
            });
        }
    }
}

// Donation: out[N, C] = x[N, C] + x[N, C], `out` in the storage of `x`.

/// Reads after it writes, so that a slice of `x` that is the slice of `out` would be seen.
struct LateRead;
impl PassBody for LateRead {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let x = &block.input::<f32>(0)[..n];
        let out = &mut block.output::<f32>(0)[..n];
        out.fill(-1.0);
        for i in 0..n {
            out[i] = x[i] + x[i];
        }
    }
}

const DONATION: Kernel = Kernel {
    class: Class::Pointwise,
    free: &[N, C],
    reduced: &[],
    operands: &[operand(0, Elem::Generic, &[Index::Axis(N), Index::Axis(C)])],
    reductions: &[],
    writes: &[own(0, Elem::Generic, &[N, C])],
    passes: &[Pass {
        kind: PassKind::Outer,
        operands: &[0],
        axes: &[],
        rows: &[],
        bodies: &[],
        reductions: &[],
        writes: &[0],
        cost: 4,
    }],
    lines: None,
    contraction: None,
    cuda: CudaText::NONE,
};

#[test]
fn an_output_in_the_storage_of_an_operand_reads_what_was_there() {
    for (n, c) in [(1, 1), (4, 3), (300, 700)] {
        let x = Host::from_fn(&[n, c], |i| i as f32);
        everywhere(|engine| {
            let mut x = x.clone();
            let sizes = Sizes { extents: &[n as i64, c as i64, 1, 1], rest: &[] };
            let array = x.array_mut();
            run(engine, &DONATION, &[PassFn::of::<LateRead>()], DType::F32, &sizes, &[], &[array], &[array]).unwrap();
            assert!(x.data.iter().enumerate().all(|(i, x)| *x == 2.0 * i as f32));
        });
    }
}
