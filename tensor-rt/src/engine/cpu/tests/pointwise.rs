//! Kernels without reductions.

use super::*;

// Pointwise: out[N, C] = x[N, C] + b[C] * s + (index along N).

struct Shifted<T>(PhantomData<T>);
impl<T: Float> PassBody for Shifted<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let x = &block.input::<T>(0)[..n];
        let b = &block.input::<T>(1)[..n];
        let index = &block.axis(0)[..n];
        let s = block.float::<T::Compute>(0);
        let out = &mut block.output::<T>(0)[..n];
        for i in 0..n {
            out[i] = T::narrow(x[i].widen() + b[i].widen() * s + T::Compute::from_i64(index[i]));
        }
    }
}

const SHIFTED: Kernel = Kernel {
    class: Class::Pointwise,
    free: &[N, C],
    reduced: &[],
    operands: &[
        operand(0, Elem::Generic, &[Index::Axis(N), Index::Axis(C)]),
        operand(1, Elem::Generic, &[Index::Axis(C)]),
    ],
    reductions: &[],
    writes: &[own(0, Elem::Generic, &[N, C])],
    passes: &[Pass {
        kind: PassKind::Outer,
        operands: &[0, 1],
        axes: &[N],
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

fn shifted<T: Float>(engine: CpuEngine, x: &Host<T>, b: &Host<T>) -> Vec<T> {
    let mut out = Host::<T>::empty(&x.shape);
    let sizes = Sizes { extents: &[x.shape[0] as i64, x.shape[1] as i64, 1, 1], rest: &[] };
    run(
        engine,
        &SHIFTED,
        &[PassFn::of::<Shifted<T>>()],
        T::DTYPE,
        &sizes,
        &[Scalar::Float(0.5)],
        &[x.array(), b.array()],
        &[out.array_mut()],
    )
    .unwrap();
    out.values()
}

#[test]
fn pointwise_of_every_layout() {
    for (n, c) in [(1, 1), (1, 7), (5, 1), (3, 5), (70, 90), (300, 1), (2, 3000), (1500, 40), (600, 300)] {
        let x = Host::from_fn(&[n, c], |i| noise(i) as f32);
        let b = Host::from_fn(&[c], |i| noise(i + 5) as f32);
        let expected: Vec<f32> = (0..n * c).map(|i| x.data[i] + b.data[i % c] * 0.5 + (i / c) as f32).collect();
        for x in [x.clone(), x.laid_out(&[1, 0]), x.scattered()] {
            for b in [b.clone(), b.scattered()] {
                everywhere(|engine| {
                    let out = shifted(engine, &x, &b);
                    assert_eq!(bits(&out), bits(&expected), "[{n}, {c}]");
                });
            }
        }
    }
}

#[test]
fn pointwise_of_halves_and_doubles() {
    let x = Host::from_fn(&[40, 33], |i| f16::from_f64(noise(i)));
    let b = Host::from_fn(&[33], |i| f16::from_f64(noise(i + 5)));
    everywhere(|engine| {
        let out = shifted(engine, &x, &b);
        for (i, (x, found)) in x.data.iter().zip(&out).enumerate() {
            let exact = x.to_f32() + b.data[i % 33].to_f32() * 0.5 + (i / 33) as f32;
            assert_eq!(*found, f16::from_f32(exact));
        }
    });
    let x = Host::from_fn(&[40, 33], noise);
    let b = Host::from_fn(&[33], |i| noise(i + 5));
    everywhere(|engine| {
        let out = shifted(engine, &x, &b);
        assert!((0..x.data.len()).all(|i| out[i] == x.data[i] + b.data[i % 33] * 0.5 + (i / 33) as f64));
    });
}

#[test]
fn broadcast_operand_of_stride_zero() {
    let mut x = Host::from_fn(&[1, 1], |_| 3.0f32);
    x.shape = vec![50, 60];
    x.strides = vec![0, 0];
    let b = Host::from_fn(&[60], |i| i as f32);
    everywhere(|engine| {
        let out = shifted(engine, &x, &b);
        assert!((0..3000).all(|i| out[i] == 3.0 + (i % 60) as f32 * 0.5 + (i / 60) as f32));
    });
}

#[test]
fn nothing_is_launched_for_no_elements() {
    for shape in [[0, 5], [5, 0], [0, 0]] {
        let x = Host::<f32>::empty(&shape);
        let b = Host::<f32>::empty(&[shape[1]]);
        everywhere(|engine| assert!(shifted(engine, &x, &b).is_empty()));
    }
}

// Integers: division faults, and a write that nobody wants.

struct Divide;
impl PassBody for Divide {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (a, b) = (&block.input::<i32>(0)[..n], &block.input::<i32>(1)[..n]);
        let (quotient, rest) = (&mut block.output::<i32>(0)[..n], &mut block.output::<i32>(1)[..n]);
        for i in 0..n {
            quotient[i] = block.divide(i, a[i], b[i]);
            rest[i] = if b[i] == 0 { 0 } else { block.remainder(i, a[i], b[i]) };
        }
    }
}

const DIVIDE: Kernel = Kernel {
    class: Class::Pointwise,
    free: &[N],
    reduced: &[],
    operands: &[operand(0, I32, &[Index::Axis(N)]), operand(1, I32, &[Index::Axis(N)])],
    reductions: &[],
    writes: &[own(0, I32, &[N]), own(1, I32, &[N])],
    passes: &[Pass {
        kind: PassKind::Outer,
        operands: &[0, 1],
        axes: &[],
        rows: &[],
        bodies: &[],
        reductions: &[],
        writes: &[0, 1],
        cost: 4,
    }],
    lines: None,
    contraction: None,
    cuda: CudaText::NONE,
};

#[test]
fn division_faults_name_the_lowest_element() {
    let a = Host::from_fn(&[3000], |i| i as i32 - 1500);
    let mut b = Host::from_fn(&[3000], |i| i as i32 % 7 + 1);
    let sizes = Sizes { extents: &[3000, 1, 1, 1], rest: &[] };
    let unwanted = || ArrayRef { pointer: std::ptr::null_mut(), dtype: DType::I32, shape: &[3000], strides: &[1] };
    everywhere(|engine| {
        let mut out = Host::<i32>::empty(&[3000]);
        let passes = [PassFn::of::<Divide>()];
        let writes = [out.array_mut(), unwanted()];
        run(engine, &DIVIDE, &passes, DType::F32, &sizes, &[], &[a.array(), b.array()], &writes).unwrap();
        assert!((0..3000).all(|i| out.data[i] == a.data[i] / b.data[i]));
    });
    b.data[2000] = 0;
    b.data[1234] = 0;
    everywhere(|engine| {
        let mut out = Host::<i32>::empty(&[3000]);
        let passes = [PassFn::of::<Divide>()];
        let writes = [out.array_mut(), unwanted()];
        let fault =
            run(engine, &DIVIDE, &passes, DType::F32, &sizes, &[], &[a.array(), b.array()], &writes).unwrap_err();
        let LaunchError::Fault(fault) = fault else { panic!("{fault:?}") };
        assert_eq!(fault.kind, FaultKind::DivisionByZero);
        assert_eq!(*fault.position, [1234]);
    });
}

#[test]
fn large_flat_launches_are_divided_and_name_the_lowest_fault() {
    let n = 200_000;
    let a = Host::from_fn(&[n], |i| i as i32 - 1500);
    let mut b = Host::from_fn(&[n], |i| i as i32 % 7 + 1);
    let sizes = Sizes { extents: &[n as i64, 1, 1, 1], rest: &[] };
    let divide = |engine, b: &Host<i32>| {
        let (mut quotient, mut rest) = (Host::<i32>::empty(&[n]), Host::<i32>::empty(&[n]));
        let passes = [PassFn::of::<Divide>()];
        let writes = [quotient.array_mut(), rest.array_mut()];
        let result = run(engine, &DIVIDE, &passes, DType::F32, &sizes, &[], &[a.array(), b.array()], &writes);
        (result, quotient.data, rest.data)
    };
    everywhere(|engine| {
        let (result, quotient, rest) = divide(engine, &b);
        result.unwrap();
        assert!((0..n).all(|i| quotient[i] == a.data[i] / b.data[i] && rest[i] == a.data[i] % b.data[i]));
    });
    for fault in [199_999, 150_001, 70_003] {
        b.data[fault] = 0;
    }
    everywhere(|engine| {
        let Err(LaunchError::Fault(fault)) = divide(engine, &b).0 else { panic!("no fault") };
        assert_eq!(*fault.position, [70_003]);
    });
}
