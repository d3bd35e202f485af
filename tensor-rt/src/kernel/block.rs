//! What a pass body sees of the world: one [`Block`] of consecutive points of the vector space.
//!
//! The engine puts every array that a pass touches into a *slot*: a pointer to `len` consecutive elements of one type,
//! either in the tensor's own memory (where it is contiguous over the block) or in a staging buffer. A body asks for its
//! slots as slices and is straight-line arithmetic over them.
//!
//! Invariants, on which the unsafe code rests and which `Block::new` demands: a readable slot holds `len` initialised
//! elements of its type that nothing writes while the block lives; a writable slot holds `len` elements that nothing else
//! reads or writes; the addresses a gather can form from its offsets and from indices within its dimensions are elements
//! of the array. In a block made of lines ([`super::lines`]), a readable slot that says so holds one element per line. Slots
//! that a pass does not use are vacant (null). Each writable slot is handed out once.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::element::{Compute, DType, Element, Integer};

/// Most points in a block.
pub const BLOCK: usize = 1024;

/// The array of one operand, reduction or write over the points of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// First element; null if the pass does not use it.
    pub pointer: *mut u8,
    /// Element type.
    pub dtype: DType,
    /// True if it holds one element per line.
    pub of_lines: bool,
}

impl Slot {
    /// A slot that the pass does not use.
    pub const VACANT: Slot = Slot::of_points(std::ptr::null_mut(), DType::Bool);

    /// A slot with an element per point.
    pub const fn of_points(pointer: *mut u8, dtype: DType) -> Self {
        Slot { pointer, dtype, of_lines: false }
    }
}

/// A dimension of a gather that the pass indexes itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicDim {
    /// Number of elements along it.
    pub size: i64,
    /// Distance of neighbors in bytes.
    pub stride: i64,
    /// Its declared position in the array, for messages.
    pub position: u16,
}

/// An operand of which some dimensions are indexed by the pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatherSlot<'a> {
    /// Element 0 of the array; null if the pass does not use it.
    pub base: *const u8,
    /// Element type.
    pub dtype: DType,
    /// For each point, the offset in bytes that the other dimensions make.
    pub offsets: *const i64,
    /// The dimensions that the pass indexes, in order.
    pub dims: &'a [DynamicDim],
}

/// A scalar argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Scalar {
    Float(f64),
    F32(f32),
    F64(f64),
    Int(i64),
    U64(u64),
    Bool(bool),
}

/// What a pass found wrong at a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Fault {
    /// The point, counted from the start of the block.
    pub point: u32,
    /// What it is.
    pub kind: FaultKind,
}

/// Kinds of [`Fault`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum FaultKind {
    /// An index outside its dimension, in operand `operand`.
    Gather { operand: u16, dim: u16, value: i64, bound: i64 },
    /// An index outside its dimension, in write `write`.
    Scatter { write: u16, dim: u16, value: i64, bound: i64 },
    /// An integer division by zero.
    DivisionByZero,
    /// An integer division whose result has no representation (`MIN / -1`).
    DivisionOverflow,
    /// An assertion of the program, by position, that does not hold.
    Assertion { assertion: u16 },
}

impl FaultKind {
    /// True if this is reported where both are found: an assertion says more than the index or divisor that it is about.
    fn precedes(self, other: FaultKind) -> bool {
        let asserted = |kind: FaultKind| matches!(kind, FaultKind::Assertion { .. });
        asserted(self) && !asserted(other)
    }
}

/// Everything that is the same for all blocks of one pass of a launch, and the slots of the current block.
#[derive(Clone, Copy)]
pub(crate) struct BlockParts<'a> {
    /// Number of points.
    pub len: usize,
    /// Number of points of a line, which divides `len`; 0 in a block that is not made of lines.
    pub line: usize,
    /// Operands, by position in the kernel; readable.
    pub operands: &'a [Slot],
    /// Axis indices, by position in the pass; readable `i64`.
    pub axes: &'a [Slot],
    /// Finished reductions, by position in the kernel; readable.
    pub rows: &'a [Slot],
    /// Bodies of reductions that an earlier pass evaluated, by position in the kernel; readable.
    pub bodies: &'a [Slot],
    /// Bodies of reductions, by position in the kernel; writable.
    pub values: &'a [Slot],
    /// Writes, by position in the kernel; writable.
    pub outputs: &'a [Slot],
    /// Indices of scatters: `indices[index_starts[write] + dynamic]`; writable `i64`.
    pub indices: &'a [Slot],
    /// Where the indices of each write begin.
    pub index_starts: &'a [u16],
    /// Gathers, by operand position in the kernel.
    pub gathers: &'a [GatherSlot<'a>],
    /// Scalar arguments.
    pub scalars: &'a [Scalar],
    /// Sizes of the extents.
    pub sizes: &'a [i64],
}

/// At most [`BLOCK`] consecutive points of the vector space, and the arrays of a pass over them.
pub struct Block<'a> {
    parts: &'a BlockParts<'a>,
    /// One bit per writable slot, set when it is handed out: values, then outputs, then indices.
    taken: Cell<u128>,
    fault: Cell<Option<Fault>>,
}

impl<'a> Block<'a> {
    /// A block over `parts`.
    ///
    /// # Safety
    /// The slots must satisfy the invariants of this module for as long as the block lives, and there must be at most
    /// 128 writable ones.
    pub(crate) unsafe fn new(parts: &'a BlockParts<'a>) -> Self {
        debug_assert!(parts.values.len() + parts.outputs.len() + parts.indices.len() <= 128);
        Self { parts, taken: Cell::new(0), fault: Cell::new(None) }
    }

    /// The fault at the lowest point, if any.
    pub(crate) fn into_fault(self) -> Option<Fault> {
        self.fault.get()
    }

    /// Number of points.
    #[inline(always)]
    #[expect(clippy::len_without_is_empty, reason = "a block is never empty")]
    pub fn len(&self) -> usize {
        self.parts.len
    }

    /// Number of points of a line; 0 if the block is not made of lines.
    #[inline(always)]
    pub(super) fn line_len(&self) -> usize {
        self.parts.line
    }

    /// Number of lines of a block that is made of lines.
    #[inline(always)]
    pub(super) fn line_values(&self) -> usize {
        self.parts.len / self.parts.line
    }

    #[inline(always)]
    pub(super) fn operand_slot(&self, operand: u16) -> Slot {
        self.parts.operands[operand as usize]
    }

    #[inline(always)]
    pub(super) fn row_slot(&self, reduction: u16) -> Slot {
        self.parts.rows[reduction as usize]
    }

    /// The elements of an operand.
    #[inline(always)]
    pub fn input<E: Element>(&self, operand: u16) -> &[E] {
        self.readable(self.operand_slot(operand))
    }

    /// The index along an axis, by position in the pass's axes.
    #[inline(always)]
    pub fn axis(&self, axis: u16) -> &[i64] {
        self.readable(self.parts.axes[axis as usize])
    }

    /// A finished reduction.
    #[inline(always)]
    pub fn row<V: Element>(&self, reduction: u16) -> &[V] {
        self.readable(self.row_slot(reduction))
    }

    /// The body of a reduction, as an earlier pass has filled it.
    #[inline(always)]
    pub fn body<V: Element>(&self, reduction: u16) -> &[V] {
        self.readable(self.parts.bodies[reduction as usize])
    }

    /// The body of a reduction, to be filled.
    #[inline(always)]
    pub fn values<V: Element>(&self, reduction: u16) -> &mut [V] {
        self.writable(self.parts.values[reduction as usize], reduction as usize)
    }

    /// The elements of a write, to be filled; they hold the old value if the write reads it. For a scatter, its values.
    #[inline(always)]
    pub fn output<E: Element>(&self, write: u16) -> &mut [E] {
        self.writable(self.parts.outputs[write as usize], self.parts.values.len() + write as usize)
    }

    /// The indices of a scatter along its `dynamic`-th computed dimension, to be filled; `i64::MIN` skips the point.
    #[inline(always)]
    pub fn indices(&self, write: u16, dynamic: u16) -> &mut [i64] {
        let position = (self.parts.index_starts[write as usize] + dynamic) as usize;
        let bit = self.parts.values.len() + self.parts.outputs.len() + position;
        self.writable(self.parts.indices[position], bit)
    }

    /// An operand of which the pass computes some indices.
    #[inline(always)]
    pub fn gather<E: Element>(&self, operand: u16) -> Gather<'_, E> {
        let slot = self.parts.gathers[operand as usize];
        assert!(!slot.base.is_null() && slot.dtype == E::DTYPE, "bug in the engine: gather of another element type");
        // SAFETY: by `Block::new` a gather has `len` initialised offsets, which nothing writes while the block lives.
        let offsets = unsafe { std::slice::from_raw_parts(slot.offsets, self.parts.len) };
        Gather { base: slot.base, offsets, dims: slot.dims, operand, fault: &self.fault, element: PhantomData }
    }

    /// A `float` scalar, rounded once to the computing type.
    #[inline(always)]
    pub fn float<C: Compute>(&self, scalar: u16) -> C {
        match self.parts.scalars[scalar as usize] {
            Scalar::Float(value) => C::from_f64(value),
            other => wrong_scalar("float", other),
        }
    }

    /// An `f32` scalar.
    #[inline(always)]
    pub fn f32(&self, scalar: u16) -> f32 {
        match self.parts.scalars[scalar as usize] {
            Scalar::F32(value) => value,
            other => wrong_scalar("f32", other),
        }
    }

    /// An `f64` scalar.
    #[inline(always)]
    pub fn f64(&self, scalar: u16) -> f64 {
        match self.parts.scalars[scalar as usize] {
            Scalar::F64(value) => value,
            other => wrong_scalar("f64", other),
        }
    }

    /// An `i64` or `usize` scalar.
    #[inline(always)]
    pub fn int(&self, scalar: u16) -> i64 {
        match self.parts.scalars[scalar as usize] {
            Scalar::Int(value) => value,
            other => wrong_scalar("i64", other),
        }
    }

    /// A `u64` scalar.
    #[inline(always)]
    pub fn u64(&self, scalar: u16) -> u64 {
        match self.parts.scalars[scalar as usize] {
            Scalar::U64(value) => value,
            other => wrong_scalar("u64", other),
        }
    }

    /// A `bool` scalar.
    #[inline(always)]
    pub fn bool(&self, scalar: u16) -> bool {
        match self.parts.scalars[scalar as usize] {
            Scalar::Bool(value) => value,
            other => wrong_scalar("bool", other),
        }
    }

    /// The size of an extent.
    #[inline(always)]
    pub fn size(&self, extent: u16) -> i64 {
        self.parts.sizes[extent as usize]
    }

    /// Rust's `/`; an error is recorded for point `i` and gives 0.
    #[inline(always)]
    pub fn divide<V: Integer>(&self, i: usize, dividend: V, divisor: V) -> V {
        match dividend.divide(divisor) {
            Some(quotient) => quotient,
            None => self.division_fault(i, divisor),
        }
    }

    /// Rust's `%`; an error is recorded for point `i` and gives 0.
    #[inline(always)]
    pub fn remainder<V: Integer>(&self, i: usize, dividend: V, divisor: V) -> V {
        match dividend.remainder(divisor) {
            Some(remainder) => remainder,
            None => self.division_fault(i, divisor),
        }
    }

    /// Whether an assertion of the program holds at each point; an error is recorded for the first where it does not.
    #[inline]
    pub fn assert(&self, assertion: u16, holds: &[bool]) {
        if let Some(point) = holds.iter().position(|&holds| !holds) {
            record(&self.fault, point, FaultKind::Assertion { assertion });
        }
    }

    #[cold]
    fn division_fault<V: Integer>(&self, i: usize, divisor: V) -> V {
        let kind = if divisor == V::default() { FaultKind::DivisionByZero } else { FaultKind::DivisionOverflow };
        record(&self.fault, i, kind);
        V::default()
    }

    #[inline(always)]
    pub(super) fn readable<E: Element>(&self, slot: Slot) -> &[E] {
        check::<E>(slot, false);
        // SAFETY: by `Block::new` a readable slot that is not vacant holds `len` initialised elements of its type, which
        // nothing writes while the block lives; `check` compared the type.
        unsafe { std::slice::from_raw_parts(slot.pointer.cast::<E>(), self.parts.len) }
    }

    #[inline(always)]
    pub(super) fn readable_values<E: Element>(&self, slot: Slot) -> &[E] {
        check::<E>(slot, true);
        // SAFETY: as in `readable`; by `Block::new` this slot holds an element for each line, and `check` compared that it is
        // such a slot.
        unsafe { std::slice::from_raw_parts(slot.pointer.cast::<E>(), self.line_values()) }
    }

    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "each writable slot is handed out once")]
    fn writable<E: Element>(&self, slot: Slot, bit: usize) -> &mut [E] {
        check::<E>(slot, false);
        let taken = self.taken.get();
        assert!(taken & (1 << bit) == 0, "bug in a pass body: a writable slot was taken twice");
        self.taken.set(taken | (1 << bit));
        // SAFETY: by `Block::new` a writable slot that is not vacant holds `len` elements of its type, which nothing else
        // reads or writes while the block lives; `check` compared the type, and the bit says that this is the only
        // reference to it. The engine fills fresh slots with valid elements when it makes their memory.
        unsafe { std::slice::from_raw_parts_mut(slot.pointer.cast::<E>(), self.parts.len) }
    }
}

/// The slot is in use and holds elements of type `E`, one per line or one per point.
#[inline(always)]
fn check<E: Element>(slot: Slot, of_lines: bool) {
    assert!(
        !slot.pointer.is_null() && slot.dtype == E::DTYPE && slot.of_lines == of_lines,
        "bug in the engine or in a pass body: slot of another element type"
    );
}

#[cold]
fn wrong_scalar(wanted: &str, found: Scalar) -> ! {
    panic!("bug in a pass body: scalar {found:?} read as {wanted}")
}

#[cold]
fn record(fault: &Cell<Option<Fault>>, point: usize, kind: FaultKind) {
    let point = point as u32;
    if fault.get().is_none_or(|found| point < found.point || point == found.point && kind.precedes(found.kind)) {
        fault.set(Some(Fault { point, kind }));
    }
}

/// An operand of which the pass computes some indices.
pub struct Gather<'a, E> {
    base: *const u8,
    offsets: &'a [i64],
    dims: &'a [DynamicDim],
    operand: u16,
    fault: &'a Cell<Option<Fault>>,
    element: PhantomData<E>,
}

impl<E: Element> Gather<'_, E> {
    /// The element at point `i` with `index` along the computed dimensions, in order. An index outside its dimension is
    /// recorded as the point's fault and gives [`Element::POISON`].
    #[inline(always)]
    pub fn get<const K: usize>(&self, i: usize, index: [i64; K]) -> E {
        assert!(self.dims.len() == K, "bug in a pass body: gather with another number of indices");
        let mut offset = self.offsets[i];
        for (k, &value) in index.iter().enumerate() {
            let dim = &self.dims[k];
            // A negative index is a huge unsigned one.
            if value as u64 >= dim.size as u64 {
                return self.out_of_range(i, dim, value);
            }
            offset += value * dim.stride;
        }
        // SAFETY: by `Block::new` an offset of the block plus indices within their dimensions is an element of the array,
        // and `Block::gather` compared the type.
        unsafe { self.base.offset(offset as isize).cast::<E>().read() }
    }

    #[cold]
    fn out_of_range(&self, i: usize, dim: &DynamicDim, value: i64) -> E {
        let kind = FaultKind::Gather { operand: self.operand, dim: dim.position, value, bound: dim.size };
        record(self.fault, i, kind);
        E::POISON
    }
}
