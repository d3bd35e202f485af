//! Gathers and scatters.

use super::*;

// Gather: out[N, C] = table[ids[N], C].

struct Lookup<T>(PhantomData<T>);
impl<T: Float> PassBody for Lookup<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let table = block.gather::<T>(0);
        let ids = &block.input::<i64>(1)[..n];
        let out = &mut block.output::<T>(0)[..n];
        for i in 0..n {
            out[i] = table.get(i, [ids[i]]);
        }
    }
}

const LOOKUP: Kernel = Kernel {
    class: Class::Pointwise,
    free: &[REST, C],
    reduced: &[],
    operands: &[
        operand(0, Elem::Generic, &[Index::Dynamic, Index::Axis(C)]),
        operand(1, Elem::Fixed(DType::I64), &[Index::Axis(REST)]),
    ],
    reductions: &[],
    writes: &[own(0, Elem::Generic, &[REST, C])],
    passes: &[Pass {
        kind: PassKind::Outer,
        operands: &[0, 1],
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
fn gather_reads_rows_and_reports_the_lowest_fault() {
    let table = Host::from_fn(&[50, 30], |i| i as f32);
    for table in [table.clone(), table.laid_out(&[1, 0]), table.scattered()] {
        let mut ids = Host::from_fn(&[6, 200], |i| (i * 7 % 50) as i64);
        everywhere(|engine| {
            let mut out = Host::<f32>::empty(&[6, 200, 30]);
            let sizes = Sizes { extents: &[1, 30, 1, 1200], rest: &[6, 200] };
            let passes = [PassFn::of::<Lookup<f32>>()];
            let arrays = [table.array(), ids.array()];
            run(engine, &LOOKUP, &passes, DType::F32, &sizes, &[], &arrays, &[out.array_mut()]).unwrap();
            assert!((0..36000).all(|i| out.data[i] == (i / 30 * 7 % 50 * 30 + i % 30) as f32));
        });
        ids.data[711] = 50;
        ids.data[1100] = -1;
        everywhere(|engine| {
            let mut out = Host::<f32>::empty(&[6, 200, 30]);
            let sizes = Sizes { extents: &[1, 30, 1, 1200], rest: &[6, 200] };
            let passes = [PassFn::of::<Lookup<f32>>()];
            let arrays = [table.array(), ids.array()];
            let fault =
                run(engine, &LOOKUP, &passes, DType::F32, &sizes, &[], &arrays, &[out.array_mut()]).unwrap_err();
            let LaunchError::Fault(fault) = fault else { panic!("{fault:?}") };
            assert_eq!(fault.kind, FaultKind::Gather { operand: 0, dim: 0, value: 50, bound: 50 });
            assert_eq!(*fault.position, [3, 111, 0]);
            assert!(out.data[711 * 30].is_nan());
        });
    }
}

// Scatter: out[ids[N], C] += x[N, C].

struct Spread<T>(PhantomData<T>);
impl<T: Float> PassBody for Spread<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let x = &block.input::<T>(0)[..n];
        let ids = &block.input::<i64>(1)[..n];
        let out = &mut block.output::<T::Compute>(0)[..n];
        let index = &mut block.indices(0, 0)[..n];
        for i in 0..n {
            out[i] = x[i].widen();
            index[i] = if ids[i] == -100 { i64::MIN } else { ids[i] };
        }
    }
}

const SPREAD: Kernel = Kernel {
    class: Class::Scatter,
    free: &[N, C],
    reduced: &[],
    operands: &[
        operand(0, Elem::Generic, &[Index::Axis(N), Index::Axis(C)]),
        operand(1, Elem::Fixed(DType::I64), &[Index::Axis(N)]),
    ],
    reductions: &[],
    writes: &[Write {
        array: Array::Output(0),
        elem: Elem::Generic,
        kind: WriteKind::Scatter { index: &[Index::Dynamic, Index::Axis(C)], op: ReduceOp::Sum, zeroed: true },
    }],
    passes: &[Pass {
        kind: PassKind::Outer,
        operands: &[0, 1],
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

fn spread<T: Float>(engine: CpuEngine, x: &Host<T>, ids: &Host<i64>, out: &mut Host<T>) -> Result<(), LaunchError> {
    let sizes = Sizes { extents: &[x.shape[0] as i64, x.shape[1] as i64, 1, 1], rest: &[] };
    let passes = [PassFn::of::<Spread<T>>()];
    run(engine, &SPREAD, &passes, T::DTYPE, &sizes, &[], &[x.array(), ids.array()], &[out.array_mut()])
}

#[test]
fn scatter_adds_in_order_and_skips() {
    let (n, c, v) = (3000, 17, 40);
    let x = Host::from_fn(&[n, c], |i| noise(i) as f32);
    let ids = Host::from_fn(&[n], |i| if i % 11 == 0 { -100 } else { (i * 13 % v) as i64 });
    let mut expected = vec![0f32; v * c];
    for i in 0..n * c {
        if i / c % 11 != 0 {
            expected[i / c * 13 % v * c + i % c] += x.data[i];
        }
    }
    everywhere(|engine| {
        let mut out = Host::from_fn(&[v, c], |_| 77f32);
        spread(engine, &x, &ids, &mut out).unwrap();
        assert_eq!(bits(&out.data), bits(&expected));
    });
    let mut bad = ids.clone();
    bad.data[5] = v as i64;
    everywhere(|engine| {
        let mut out = Host::<f32>::empty(&[v, c]);
        let fault = spread(engine, &x, &bad, &mut out).unwrap_err();
        let LaunchError::Fault(fault) = fault else { panic!("{fault:?}") };
        assert_eq!(fault.kind, FaultKind::Scatter { write: 0, dim: 0, value: v as i64, bound: v as i64 });
        assert_eq!(*fault.position, [5, 0]);
    });
}

#[test]
fn scatter_into_halves_rounds_once() {
    let x = Host::from_fn(&[5000, 1], |_| f16::from_f32(1.0));
    let ids = Host::from_fn(&[5000], |_| 1i64);
    everywhere(|engine| {
        let mut out = Host::<f16>::empty(&[3, 1]).scattered();
        spread(engine, &x, &ids, &mut out).unwrap();
        // Adding up in f16 would stop at 2048.
        assert_eq!(out.values(), [f16::ZERO, f16::from_f32(5000.0), f16::ZERO]);
    });
}

#[test]
fn scatter_of_nothing_still_zeroes() {
    let (x, ids) = (Host::<f32>::empty(&[0, 2]), Host::<i64>::empty(&[0]));
    everywhere(|engine| {
        let mut out = Host::from_fn(&[3, 2], |_| 5f32);
        spread(engine, &x, &ids, &mut out).unwrap();
        assert_eq!(out.data, [0.0; 6]);
    });
}
