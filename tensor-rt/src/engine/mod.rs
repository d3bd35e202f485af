//! Engines: what runs one kernel of a program on a device.
//!
//! A [`Launch`] is one kernel with everything known: sizes, scalars, and for each operand and write an [`ArrayRef`] in
//! the array's own dimensions. The engine owns traversal, staging, reduction and parallelism; it knows nothing of
//! tensors, reference counts or gradients.
//!
//! Invariant: whoever makes a launch guarantees that its arrays are what [`Launch::new`] demands; every unsafe access of
//! an engine follows from that and from the engine's own index arithmetic.

pub(crate) mod cpu;
pub(crate) mod cuda;

use smallvec::SmallVec;

use crate::element::DType;
use crate::kernel::PassFn;
use crate::kernel::block::{FaultKind, Scalar, Slot};
use crate::kernel::program::{Array, Elem, Intent, Kernel, Program, SizeExpr};
use crate::kernel::sizes::evaluate;

/// A strided array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayRef<'a> {
    /// Element 0; null for a write that nobody wants.
    pub pointer: *mut u8,
    /// Its element.
    pub dtype: DType,
    /// Elements along each dimension.
    pub shape: &'a [usize],
    /// Distance of neighbors along each dimension, in elements.
    pub strides: &'a [isize],
}

/// One kernel, ready to run.
#[derive(Clone, Copy)]
pub(crate) struct Launch<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    passes: &'a [PassFn],
    generic: DType,
    sizes: &'a [i64],
    rest: &'a [usize],
    scalars: &'a [Scalar],
    operands: &'a [ArrayRef<'a>],
    writes: &'a [ArrayRef<'a>],
}

/// An elementwise kernel over runs of elements, ready to run: what is left of a [`Launch`] when every array is dense and
/// indexed by the one axis.
#[derive(Clone, Copy)]
pub(crate) struct RunLaunch<'a> {
    kernel: &'a Kernel,
    pass: PassFn,
    points: usize,
    operands: &'a [Slot],
    writes: &'a [Slot],
    scalars: &'a [Scalar],
    sizes: &'a [i64],
}

/// What a kernel found wrong, at the lowest element.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LaunchFault {
    /// What it is.
    pub kind: FaultKind,
    /// The index along each free axis, then each reduced axis, of the kernel; `..` takes its rank.
    pub position: Box<[usize]>,
}

/// A request for working memory that failed, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OutOfMemory {
    pub requested: usize,
    pub free: usize,
    pub largest_block: usize,
}

/// Why a launch failed.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum LaunchError {
    Fault(LaunchFault),
    OutOfMemory(OutOfMemory),
}

/// Runs kernels.
pub(crate) trait Engine: Sync {
    /// Runs one kernel to its end.
    fn launch(&self, launch: &Launch<'_>) -> Result<(), LaunchError>;
}

impl<'a> Launch<'a> {
    /// The parts of a launch: `sizes` by extent, `rest` the sizes that `..` stands for, `operands` and `writes` by their
    /// positions in the kernel, `passes` by pass.
    ///
    /// # Safety
    /// Every element that an array's shape and strides address is allocated, initialised for operands and for writes that
    /// are read, and of the array's type; nothing else accesses the written ones during the launch (nothing but atomic
    /// operations those of `&atomic` parameters), and nothing writes the read ones. Arrays of different [`Array`]s do not
    /// overlap where one is written, but an output may be exactly the elements of a donated parameter whose intent lists
    /// it.
    /// Shapes agree with `sizes` and `rest`; affine indices are within their dimensions unless the launch has no element.
    #[expect(clippy::too_many_arguments, reason = "the parts of a launch have no smaller grouping")]
    pub(crate) unsafe fn new(
        program: &'a Program,
        kernel: &'a Kernel,
        passes: &'a [PassFn],
        generic: DType,
        sizes: &'a [i64],
        rest: &'a [usize],
        scalars: &'a [Scalar],
        operands: &'a [ArrayRef<'a>],
        writes: &'a [ArrayRef<'a>],
    ) -> Self {
        debug_assert_eq!(kernel.operands.len(), operands.len());
        debug_assert_eq!(kernel.writes.len(), writes.len());
        debug_assert_eq!(kernel.passes.len(), passes.len());
        Self { program, kernel, passes, generic, sizes, rest, scalars, operands, writes }
    }

    /// The element that `elem` stands for.
    pub(crate) fn dtype(&self, elem: Elem) -> DType {
        elem.dtype(self.generic)
    }

    /// True if an operand is the array of a write: an edited parameter, or a donated one whose storage the output took.
    pub(crate) fn is_written(&self, operand: usize, write: usize) -> bool {
        self.kernel.operands[operand].array == self.kernel.writes[write].array
            || self.operands[operand].pointer == self.writes[write].pointer
    }

    /// True if other launches may combine into the array of a write at the same time.
    pub(crate) fn is_atomic(&self, write: usize) -> bool {
        match self.kernel.writes[write].array {
            Array::Param(param) => self.program.tensors[param as usize].intent == Intent::Atomic,
            Array::Cotangent(_) | Array::Output(_) | Array::Gradient(_) | Array::Saved(_) | Array::Temp(_) => false,
        }
    }

    /// The value of a size expression, which the host has evaluated before.
    pub(crate) fn size(&self, expr: &SizeExpr) -> i64 {
        evaluate(expr, self.sizes, self.scalars).unwrap_or(0)
    }

    /// The index along each free axis, then each reduced axis, of a point given by its row-major positions among the free
    /// and the reduced ones.
    pub(crate) fn position(&self, free: usize, reduced: usize) -> Box<[usize]> {
        position(self.kernel, |axis| self.axis_sizes(axis).collect(), free, reduced)
    }

    /// The sizes of the dimensions that an axis stands for.
    pub(crate) fn axis_sizes(&self, axis: u16) -> impl Iterator<Item = usize> + '_ {
        axis_sizes(self.program, self.sizes, self.rest, axis)
    }
}

/// The sizes of the dimensions that an axis stands for, given those of the extents and of `..`.
pub(crate) fn axis_sizes<'a>(
    program: &Program,
    sizes: &[i64],
    rest: &'a [usize],
    axis: u16,
) -> impl Iterator<Item = usize> + 'a {
    let axis = &program.axes[axis as usize];
    let size = sizes[axis.extent as usize] as usize;
    let rest = if axis.rest { rest } else { &[] };
    let own = if axis.rest { None } else { Some(size) };
    rest.iter().copied().chain(own)
}

/// The index along each free axis, then each reduced axis, of two row-major positions.
pub(crate) fn position(
    kernel: &Kernel,
    axis_sizes: impl Fn(u16) -> SmallVec<[usize; 4]>,
    free: usize,
    reduced: usize,
) -> Box<[usize]> {
    let mut position = Vec::new();
    for (axes, linear) in [(kernel.free, free), (kernel.reduced, reduced)] {
        let sizes: Vec<usize> = axes.iter().flat_map(|&axis| axis_sizes(axis)).collect();
        position.extend(unravel(linear, &sizes));
    }
    position.into()
}

impl<'a> RunLaunch<'a> {
    /// The parts of a launch: `operands` and `writes` by their positions in the kernel.
    ///
    /// # Safety
    /// As [`Launch::new`], where every array is `points` elements one after the other, from its slot's pointer on; that of a
    /// write that nobody wants is null.
    pub(crate) unsafe fn new(
        kernel: &'a Kernel,
        pass: PassFn,
        points: usize,
        operands: &'a [Slot],
        writes: &'a [Slot],
        scalars: &'a [Scalar],
        sizes: &'a [i64],
    ) -> Self {
        Self { kernel, pass, points, operands, writes, scalars, sizes }
    }
}

/// The index along each dimension of a point, counted in row-major order.
pub(crate) fn unravel(point: usize, sizes: &[usize]) -> Vec<usize> {
    let (mut index, mut rest) = (vec![0; sizes.len()], point);
    for dim in (0..sizes.len()).rev() {
        index[dim] = rest % sizes[dim].max(1);
        rest /= sizes[dim].max(1);
    }
    index
}

impl Elem {
    /// The element that this stands for in a kernel of element `generic`.
    pub(crate) fn dtype(self, generic: DType) -> DType {
        match self {
            Elem::Generic => generic,
            Elem::Fixed(dtype) => dtype,
            Elem::Compute => generic.compute(),
        }
    }
}
