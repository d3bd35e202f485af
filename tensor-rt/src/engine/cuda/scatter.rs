//! What surrounds a scatter: the identity where it starts from nothing, and `f32` copies of half arrays.
//!
//! Sums into halves are made in `f32` and rounded once, so a half array is widened into scratch memory before and narrowed
//! after; not one that other launches change meanwhile.

use smallvec::SmallVec;

use super::arguments::Arguments;
use super::geometry::{Geometry, Place, Strides};
use super::mapping::Mapping;
use super::source::Source;
use super::{KernelLaunch, Prepared};
use crate::element::DType;
use crate::engine::{ArrayRef, Launch};
use crate::kernel::program::{ReduceOp, WriteKind};

/// The kernels that copy and fill.
const COPIES: &str = include_str!("prelude/copies.cu");

/// The wide copies of a launch's writes.
pub(super) struct Scattered {
    wide: SmallVec<[Wide; 1]>,
}

/// A dense `f32` copy of a half array, in scratch memory.
pub(super) struct Wide {
    write: usize,
    /// Its first byte in the scratch memory.
    pub place: u64,
    /// In elements.
    pub strides: SmallVec<[isize; 6]>,
}

impl Scattered {
    /// Adds the kernels that come before the scatters of a launch.
    pub fn of(launch: &Launch<'_>, prepared: &mut Prepared) -> Self {
        let mut this = Self { wide: SmallVec::new() };
        for (position, write) in launch.kernel.writes.iter().enumerate() {
            let WriteKind::Scatter { op, zeroed, .. } = write.kind else { continue };
            let array = &launch.writes[position];
            let elements: usize = array.shape.iter().product();
            if array.pointer.is_null() || elements == 0 {
                continue;
            }
            let half = matches!(array.dtype, DType::F16 | DType::Bf16) && !launch.is_atomic(position);
            if !half {
                if zeroed {
                    let target = (Place::Address(array.pointer as u64), array.dtype, strides_of(array));
                    prepared.kernels.push(fill(array.shape, target, op));
                }
                continue;
            }
            let place = prepared.reserve(elements * DType::F32.size());
            let wide = Wide { write: position, place, strides: dense(array.shape) };
            prepared.kernels.push(match zeroed {
                true => fill(array.shape, wide.array(), op),
                false => copy("widen", array.dtype, array.shape, narrow_array(array), wide.array()),
            });
            this.wide.push(wide);
        }
        this
    }

    /// The wide copy of a write, if it has one.
    pub fn wide(&self, write: usize) -> Option<&Wide> {
        self.wide.iter().find(|wide| wide.write == write)
    }

    /// Adds the kernels that come after.
    pub fn finish(&self, launch: &Launch<'_>, prepared: &mut Prepared) {
        for wide in &self.wide {
            let array = &launch.writes[wide.write];
            prepared.kernels.push(copy("narrow", array.dtype, array.shape, wide.array(), narrow_array(array)));
        }
    }
}

/// True if a launch sums floats at computed addresses: the sum depends on the order then.
pub(super) fn depends_on_order(launch: &Launch<'_>) -> bool {
    launch.kernel.writes.iter().zip(launch.writes).any(|(write, array)| {
        let sums = matches!(write.kind, WriteKind::Scatter { op: ReduceOp::Sum, .. });
        sums && array.dtype.is_float() && !array.pointer.is_null()
    })
}

/// An array of a copy or a fill.
type Copied = (Place, DType, Strides);

impl Wide {
    fn array(&self) -> Copied {
        (Place::Scratch(self.place), DType::F32, self.strides.iter().map(|&stride| stride as i64).collect())
    }
}

fn narrow_array(array: &ArrayRef<'_>) -> Copied {
    (Place::Address(array.pointer as u64), array.dtype, strides_of(array))
}

fn strides_of(array: &ArrayRef<'_>) -> Strides {
    array.strides.iter().map(|&stride| stride as i64).collect()
}

fn dense(shape: &[usize]) -> SmallVec<[isize; 6]> {
    let mut strides = SmallVec::from_elem(1, shape.len());
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim] as isize;
    }
    strides
}

/// Fills an array with what a reduction gives for no elements.
fn fill(shape: &[usize], target: Copied, op: ReduceOp) -> KernelLaunch {
    let dtype = target.1;
    let value = identity(op, dtype).to_le_bytes();
    simple("fill", dtype, shape, [target], Some(&value[..dtype.size()]))
}

/// Copies an array into one of another element. `half` is the narrower one.
fn copy(entry: &'static str, half: DType, shape: &[usize], from: Copied, to: Copied) -> KernelLaunch {
    simple(entry, half, shape, [from, to], None)
}

fn simple<const N: usize>(
    entry: &'static str,
    generic: DType,
    shape: &[usize],
    arrays: [Copied; N],
    value: Option<&[u8]>,
) -> KernelLaunch {
    let geometry = Geometry::of_arrays(shape, arrays);
    let step = Mapping::points(&geometry, (0..N).collect()).steps(&geometry)[0];
    let mut arguments = Arguments::of_arrays(&geometry, &step);
    if let Some(value) = value {
        arguments.value(value);
    }
    KernelLaunch {
        source: Source::new(generic, &geometry, &step, COPIES),
        entry,
        arguments: arguments.finish(0),
        grid: step.grid,
        block: step.block,
        shared: 0,
    }
}

/// The bits of what combines to nothing.
fn identity(op: ReduceOp, dtype: DType) -> u64 {
    let lowest = match op {
        ReduceOp::Max => true,
        ReduceOp::Min => false,
        _ => return 0,
    };
    let float = if lowest { f32::NEG_INFINITY } else { f32::INFINITY };
    match dtype {
        DType::F32 => float.to_bits().into(),
        DType::F64 => f64::from(float).to_bits(),
        DType::F16 => half::f16::from_f32(float).to_bits().into(),
        DType::Bf16 => half::bf16::from_f32(float).to_bits().into(),
        DType::I64 => (if lowest { i64::MIN } else { i64::MAX }) as u64,
        DType::I32 => (if lowest { i32::MIN } else { i32::MAX }) as u32 as u64,
        DType::U32 => {
            if lowest {
                0
            } else {
                u32::MAX.into()
            }
        }
        DType::U8 => {
            if lowest {
                0
            } else {
                u8::MAX.into()
            }
        }
        DType::Bool => (!lowest).into(),
    }
}
