//! Kernels with hand-written tables and bodies, compared with naive loops.

use std::marker::PhantomData;

use super::*;
use crate::element::{Compute, Element, Float, bf16, f16};
use crate::engine::{ArrayRef, Engine, Launch};
use crate::isa::Isa;
use crate::kernel::block::{Block, FaultKind, Scalar};
use crate::kernel::program::*;
use crate::kernel::{PassBody, PassFn};

/// A strided array that owns its memory.
#[derive(Clone, Debug)]
struct Host<E> {
    data: Vec<E>,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl<E: Element> Host<E> {
    fn dense(shape: &[usize], data: Vec<E>) -> Self {
        assert_eq!(shape.iter().product::<usize>(), data.len());
        let strides = stage::dense_strides(shape, 1).to_vec();
        Self { data, offset: 0, shape: shape.to_vec(), strides }
    }

    fn from_fn(shape: &[usize], element: impl FnMut(usize) -> E) -> Self {
        Self::dense(shape, (0..shape.iter().product()).map(element).collect())
    }

    fn empty(shape: &[usize]) -> Self {
        Self::from_fn(shape, |_| E::default())
    }

    /// The same elements with the dimensions laid out in another order in memory.
    fn laid_out(&self, order: &[usize]) -> Self {
        let mut strides = vec![0; self.shape.len()];
        let mut stride = 1;
        for &dim in order.iter().rev() {
            strides[dim] = stride as isize;
            stride *= self.shape[dim];
        }
        let mut other = Self { data: self.data.clone(), offset: 0, shape: self.shape.clone(), strides };
        for point in 0..self.data.len() {
            let at = other.at(point);
            other.data[at] = self.data[self.at(point)];
        }
        other
    }

    /// Every dimension backwards, with gaps between the elements.
    fn scattered(&self) -> Self {
        let mut other = Self::empty(&self.shape);
        other.data = vec![E::POISON; self.data.len() * 3 + 7];
        other.offset = self.data.len() * 3;
        for stride in &mut other.strides {
            *stride *= -3;
        }
        for point in 0..self.data.len() {
            let at = other.at(point);
            other.data[at] = self.data[self.at(point)];
        }
        other
    }

    fn at(&self, point: usize) -> usize {
        let (mut rest, mut at) = (point, self.offset as isize);
        for dim in (0..self.shape.len()).rev() {
            at += (rest % self.shape[dim]) as isize * self.strides[dim];
            rest /= self.shape[dim];
        }
        at as usize
    }

    fn values(&self) -> Vec<E> {
        (0..self.shape.iter().product()).map(|point| self.data[self.at(point)]).collect()
    }

    fn array(&self) -> ArrayRef<'_> {
        let pointer = self.data.as_ptr().wrapping_add(self.offset).cast::<u8>().cast_mut();
        ArrayRef { pointer, dtype: E::DTYPE, shape: &self.shape, strides: &self.strides }
    }

    fn array_mut(&mut self) -> ArrayRef<'_> {
        let pointer = self.data.as_mut_ptr().wrapping_add(self.offset).cast();
        ArrayRef { pointer, dtype: E::DTYPE, shape: &self.shape, strides: &self.strides }
    }
}

const AXES: &[Axis] = &[
    Axis { name: "N", extent: 0, rest: false },
    Axis { name: "C", extent: 1, rest: false },
    Axis { name: "L", extent: 2, rest: false },
    Axis { name: "..", extent: 3, rest: true },
];
const N: u16 = 0;
const C: u16 = 1;
const L: u16 = 2;
const REST: u16 = 3;

static PROGRAM: Program = Program {
    name: "test",
    axes: AXES,
    extents: &[Extent::Declared; 4],
    tensors: &[],
    scalars: &[],
    outputs: &[],
    bounds: &[],
    assertions: &[],
    saved: &[],
    forward: Schedule { temps: &[], kernels: &[] },
    backward: None,
};

const fn operand(param: u16, elem: Elem, index: &'static [Index]) -> Operand {
    Operand { array: Array::Param(param), elem, index }
}

const fn own(output: u16, elem: Elem, axes: &'static [u16]) -> Write {
    Write { array: Array::Output(output), elem, kind: WriteKind::Own { axes, reads_old: false } }
}

const fn reduction(level: u8, op: ReduceOp, value: Elem) -> Reduction {
    Reduction { level, op, value, name: "reduction" }
}

struct Sizes<'a> {
    extents: &'a [i64],
    rest: &'a [usize],
}

fn run(
    engine: CpuEngine,
    kernel: &Kernel,
    passes: &[PassFn],
    generic: DType,
    sizes: &Sizes<'_>,
    scalars: &[Scalar],
    operands: &[ArrayRef<'_>],
    writes: &[ArrayRef<'_>],
) -> Result<(), LaunchError> {
    // SAFETY: the tests pass arrays that own their elements, one for each operand and write.
    let launch =
        unsafe { Launch::new(&PROGRAM, kernel, passes, generic, sizes.extents, sizes.rest, scalars, operands, writes) };
    engine.launch(&launch)
}

/// Runs a test on every instruction set and on 1, 2 and 4 threads; all give the same bits for one instruction set.
fn everywhere<R: PartialEq + std::fmt::Debug + Send>(test: impl Fn(CpuEngine) -> R + Sync) {
    for set in InstructionSet::available() {
        let mut first = None;
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let result = pool.install(|| test(CpuEngine::new(set)));
            let first = first.get_or_insert(result);
            let again = pool.install(|| test(CpuEngine::new(set)));
            assert!(*first == again, "{} threads on {}", threads, set.name());
        }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn close(found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (point, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let same = (found as f64 - expected).abs() <= tolerance * (1.0 + expected.abs())
            || found.is_nan() && expected.is_nan()
            || found as f64 == expected;
        assert!(same, "element {point}: found {found}, expected {expected}");
    }
}

/// A reproducible number in -1..1.
fn noise(i: usize) -> f64 {
    let x = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

// --- pointwise: out[N, C] = x[N, C] + b[C] * s + (index along N) ---

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
    passes: &[Pass { kind: PassKind::Outer, operands: &[0, 1], axes: &[N], rows: &[], reductions: &[], writes: &[0] }],
    contraction: None,
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
    for (n, c) in [(1, 1), (1, 7), (5, 1), (3, 5), (70, 90), (300, 1), (2, 3000), (1500, 40)] {
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
        for i in 0..x.data.len() {
            let exact = x.data[i].to_f32() + b.data[i % 33].to_f32() * 0.5 + (i / 33) as f32;
            assert_eq!(out[i], f16::from_f32(exact));
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

// --- rows: softmax over C of x[N, C, L] ---

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
        Pass { kind: PassKind::Level(0), operands: &[0], axes: &[], rows: &[], reductions: &[0], writes: &[] },
        Pass { kind: PassKind::Level(1), operands: &[0], axes: &[], rows: &[0], reductions: &[1], writes: &[] },
        Pass { kind: PassKind::Inner, operands: &[0], axes: &[], rows: &[0, 1], reductions: &[], writes: &[0] },
        Pass { kind: PassKind::Outer, operands: &[], axes: &[], rows: &[1], reductions: &[], writes: &[1] },
    ],
    contraction: None,
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
        for row in 0..n * l {
            let at = |k: usize| (row / l * c + k) * l + row % l;
            let m = (0..c).map(|k| x.data[at(k)]).fold(f32::NEG_INFINITY, f32::max) as f64;
            sums[row] = (0..c).map(|k| (x.data[at(k)] as f64 - m).exp()).sum::<f64>();
            for k in 0..c {
                expected[at(k)] = (x.data[at(k)] as f64 - m).exp() / sums[row];
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

// --- sums of x[N, C] over all, rows and columns, with the position of the largest ---

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
                    reductions: &[0, 1, 2],
                    writes: &[],
                },
                Pass {
                    kind: PassKind::Outer,
                    operands: &[],
                    axes: &[],
                    rows: &[0, 1, 2],
                    reductions: &[],
                    writes: &[0, 1, 2],
                },
            ],
            contraction: None,
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

// --- gather: out[N, C] = table[ids[N], C] ---

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
    passes: &[Pass { kind: PassKind::Outer, operands: &[0, 1], axes: &[], rows: &[], reductions: &[], writes: &[0] }],
    contraction: None,
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

// --- scatter: out[ids[N], C] += x[N, C] ---

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
    passes: &[Pass { kind: PassKind::Outer, operands: &[0, 1], axes: &[], rows: &[], reductions: &[], writes: &[0] }],
    contraction: None,
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

// --- edit: y[N, C] <- y - sum[C](y * x), y read in its row before it is written ---

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
        Pass { kind: PassKind::Level(0), operands: &[0, 1], axes: &[], rows: &[], reductions: &[0], writes: &[] },
        Pass { kind: PassKind::Inner, operands: &[1], axes: &[], rows: &[0], reductions: &[], writes: &[0] },
    ],
    contraction: None,
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

// --- integers: division faults, and a write that nobody wants ---

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

const I32: Elem = Elem::Fixed(DType::I32);
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
        reductions: &[],
        writes: &[0, 1],
    }],
    contraction: None,
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

// --- contraction: out[B, O] = sum[I](x[B, I] * w[O, I]) + b[O] over B = .., batched products, integers ---

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

const LEVEL: Pass =
    Pass { kind: PassKind::Level(0), operands: &[0, 1], axes: &[], rows: &[], reductions: &[0], writes: &[] };
const STORE: Pass = Pass { kind: PassKind::Outer, operands: &[], axes: &[], rows: &[0], reductions: &[], writes: &[0] };

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
    contraction: Some(Contraction { lhs: 0, rhs: 1, batch: &[], m: &[B], n: &[O], bare: true }),
};

const LINEAR: Kernel = Kernel {
    operands: &[
        operand(0, Elem::Generic, &[Index::Axis(B), Index::Axis(I)]),
        operand(1, Elem::Generic, &[Index::Axis(O), Index::Axis(I)]),
        operand(2, Elem::Generic, &[Index::Axis(O)]),
    ],
    passes: &[
        LEVEL,
        Pass { kind: PassKind::Outer, operands: &[2], axes: &[], rows: &[0], reductions: &[], writes: &[0] },
    ],
    contraction: Some(Contraction { lhs: 0, rhs: 1, batch: &[], m: &[B], n: &[O], bare: false }),
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
    contraction: Some(Contraction { lhs: 0, rhs: 1, batch: &[REST], m: &[N], n: &[C], bare: true }),
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
    contraction: Some(Contraction { lhs: 0, rhs: 1, batch: &[], m: &[N], n: &[C], bare: true }),
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
