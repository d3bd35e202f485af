//! Kernels with hand-written tables and bodies, compared with naive loops.

use std::marker::PhantomData;

use super::*;
use crate::element::{Compute, Element, Float, bf16, f16};
use crate::engine::{ArrayRef, Engine, Launch};
use crate::isa::Isa;
use crate::kernel::block::{Block, FaultKind, Scalar};
use crate::kernel::program::*;
use crate::kernel::{PassBody, PassFn};

mod contractions;
mod deviations;
mod in_place;
mod indexed;
mod pointwise;
mod random;
mod rows;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod vector_code;

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
const I32: Elem = Elem::Fixed(DType::I32);

static PROGRAM: Program = Program {
    name: "test",
    axes: AXES,
    extents: &[Extent::Declared; 4],
    tensors: &[],
    scalars: &[],
    outputs: &[],
    assertions: &[],
    saved: &[],
    forward: Schedule { temps: &[], kernels: &[], elementwise: false, passed_on: &[] },
    backward: None,
};

const fn operand(param: u16, elem: Elem, index: &'static [Index]) -> Operand {
    Operand { array: Array::Param(param), elem, index }
}

const fn own(output: u16, elem: Elem, axes: &'static [u16]) -> Write {
    Write { array: Array::Output(output), elem, kind: WriteKind::Own { axes, reads_old: false } }
}

const fn reduction(level: u8, op: ReduceOp, value: Elem) -> Reduction {
    Reduction { level, op, value, operand: None, name: "reduction" }
}

struct Sizes<'a> {
    extents: &'a [i64],
    rest: &'a [usize],
}

#[expect(clippy::too_many_arguments, reason = "mirrors a launch")]
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
