//! A tensor without its types: what storage, graph and engines work on.
//!
//! A [`Raw`] is a handle: two pointers, to a *window* and to a place in the graph. A window is a layout of elements in a
//! storage. The window over a fresh storage holds it, so that a new tensor is one allocation beside its block; the windows
//! of views hold that one. An [`Exclusive`] is a raw tensor that may be written: the proof that no other handle sees the
//! writes.
//!
//! Invariants: every element of the layout lies in the storage, and the storage was made for elements of `dtype` on the device of `home`; every
//! element is initialised and valid for its type; `node` is set if and only if the tensor is tracked. A window whose memory
//! is another's knows one that owns its storage, so no chain is longer than two.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use super::view::Movement;
use super::{copy, on_device};
use crate::accounting;
use crate::atomic;
use crate::autograd::{self, Node};
use crate::cuda::buffer::Buffer;
use crate::element::{DType, Element};
use crate::error::{Error, Origin, Result};
use crate::home::Home;
use crate::layout::Layout;
use crate::shape::{Shape, Span};
use crate::storage::Storage;

/// A tensor whose device, element and mode are run-time values.
#[derive(Clone)]
pub struct Raw {
    window: Arc<Window>,
    node: Option<Arc<Node>>,
}

/// A layout of elements in a storage.
struct Window {
    memory: Memory,
    layout: Layout,
    dtype: DType,
    /// On the device of the storage.
    home: Home,
    /// What the layout says of itself: every call asks.
    is_dense: bool,
}

/// The storage of a window.
enum Memory {
    Owned(Storage),
    /// That of the window over the whole of it.
    Of(Arc<Window>),
}

impl Window {
    fn storage(&self) -> &Storage {
        match &self.memory {
            Memory::Owned(storage) => storage,
            Memory::Of(owner) => owner.storage(),
        }
    }
}

/// A raw tensor that may be written during `'a`.
///
/// Invariants: the elements of this view are those of a handle that is borrowed mutably for `'a`, and no other handle
/// sees them; no two of its elements share an address. `raw` itself never leaves this value.
pub struct Exclusive<'a> {
    raw: Raw,
    borrow: PhantomData<&'a mut Raw>,
}

impl Raw {
    /// A dense tensor of stale elements, which the caller writes before a user can read them.
    pub(crate) fn empty(home: Home, dtype: DType, shape: impl Into<Shape>, origin: Origin) -> Result<Raw> {
        let shape = shape.into();
        let storage = Storage::stale(home, shape.bytes(dtype.size(), origin)?, origin)?;
        let mut raw = Raw::in_storage(storage, home, dtype, shape);
        if dtype == DType::Bool && home.is_cpu() {
            // Of the bytes that may be there only 0 and 1 are a `bool`; the host may see it before it is written.
            raw.fresh().fill_zero(origin)?;
        }
        Ok(raw)
    }

    /// A dense tensor in a storage that was made for as many elements.
    pub(crate) fn in_storage(storage: Storage, home: Home, dtype: DType, shape: Shape) -> Raw {
        let (memory, layout) = (Memory::Owned(storage), Layout::dense(shape));
        Raw { window: Arc::new(Window { memory, layout, dtype, home, is_dense: true }), node: None }
    }

    /// A dense tensor of zeros (`false` for `bool`).
    pub(crate) fn zeros(home: Home, dtype: DType, shape: impl Into<Shape>, origin: Origin) -> Result<Raw> {
        let mut raw = Raw::empty(home, dtype, shape, origin)?;
        raw.fresh().fill_zero(origin)?;
        Ok(raw)
    }

    /// A dense tensor with one value everywhere.
    pub(crate) fn full<T: Element>(home: Home, shape: impl Into<Shape>, value: T, origin: Origin) -> Result<Raw> {
        let mut raw = Raw::empty(home, T::DTYPE, shape, origin)?;
        raw.fresh().fill(value, origin)?;
        Ok(raw)
    }

    /// A dense tensor of the elements of a slice, in row-major order.
    pub(crate) fn from_slice<T: Element>(
        home: Home,
        shape: impl Into<Shape>,
        data: &[T],
        origin: Origin,
    ) -> Result<Raw> {
        let shape = shape.into();
        let expected = shape.elements(origin)?;
        if expected != data.len() {
            let (op, at) = (origin.op, origin.at);
            return Err(Error::DataLength { op, shape: shape.sizes(), expected, found: data.len(), at });
        }
        let mut raw = Raw::empty(home, T::DTYPE, shape, origin)?;
        if let Some(stream) = home.stream() {
            accounting::copy(origin.at, size_of_val(data));
            on_device::upload(stream, &raw.fresh(), bytes_of(data), origin)?;
            return Ok(raw);
        }
        // SAFETY: the new storage holds `data.len()` elements of `T`, is aligned for any of them, and overlaps nothing.
        unsafe { copy::row(raw.window.storage().pointer().as_ptr().cast::<T>(), data.as_ptr(), data.len()) };
        Ok(raw)
    }

    /// A dense tensor whose elements `write` writes, in row-major order.
    pub(crate) fn written<T: Element>(
        home: Home,
        shape: impl Into<Shape>,
        origin: Origin,
        write: impl FnOnce(&mut [T]),
    ) -> Result<Raw> {
        let mut raw = Raw::empty(Home::CPU, T::DTYPE, shape, origin)?;
        write(raw.fresh().as_mut_slice().expect("bug in tensor-rt: a new tensor is no slice"));
        if home.is_cpu() { Ok(raw) } else { Movement::Transfer(home).apply(&raw, origin) }
    }

    pub(crate) fn shape(&self) -> &Shape {
        self.window.layout.shape()
    }

    /// In elements.
    pub(crate) fn strides(&self) -> &[isize] {
        self.window.layout.strides()
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.window.layout
    }

    pub(crate) fn dtype(&self) -> DType {
        self.window.dtype
    }

    /// Where it is at home.
    pub(crate) fn home(&self) -> Home {
        self.window.home
    }

    /// The same value at another home on its device.
    pub(crate) fn at(mut self, home: Home) -> Raw {
        if home == self.home() {
            return self;
        }
        assert!(
            home.device() == self.home().device(),
            "bug in tensor-rt: a tensor moves to another device without a copy"
        );
        if let Some(window) = Arc::get_mut(&mut self.window) {
            window.home = home;
            return self;
        }
        let layout = self.layout().clone();
        Raw { window: self.window_over(layout, home), node: self.node }
    }

    /// The number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.window.layout.elements()
    }

    pub(crate) fn node(&self) -> Option<&Arc<Node>> {
        self.node.as_ref()
    }

    /// The same value with another place in the graph.
    pub(crate) fn with_node(mut self, node: Option<Arc<Node>>) -> Raw {
        self.node = node;
        self
    }

    /// The same value outside the graph.
    pub(crate) fn detached(&self) -> Raw {
        Raw { window: self.window.clone(), node: None }
    }

    /// True if the elements lie one after the other in row-major order.
    pub(crate) fn is_dense(&self) -> bool {
        self.window.is_dense
    }

    /// True if both are handles on one storage.
    pub(crate) fn shares_storage(&self, other: &Raw) -> bool {
        std::ptr::eq(self.window.storage(), other.window.storage())
    }

    /// The first element of the view; of a view without elements, an aligned address.
    pub(crate) fn pointer(&self) -> *const u8 {
        self.address().cast_const()
    }

    /// The buffer of a tensor on a CUDA device.
    pub(crate) fn buffer(&self) -> Option<&Buffer> {
        self.window.storage().buffer()
    }

    /// The elements of a dense tensor of the host, as bytes.
    pub(crate) fn host_bytes(&self) -> Option<&[u8]> {
        if !self.is_dense() || !self.home().is_cpu() {
            return None;
        }
        // SAFETY: as in `as_slice`, and elements have no padding.
        Some(unsafe { std::slice::from_raw_parts(self.address(), self.elements() * self.dtype().size()) })
    }

    /// The elements in row-major order, if they lie so, on the host, and are of type `T`.
    pub(crate) fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if T::DTYPE != self.dtype() || !self.is_dense() || !self.home().is_cpu() {
            return None;
        }
        // SAFETY: a dense layout in the storage is `elements` initialised elements of `T`, one after the other. Nobody
        // writes them while `self` is borrowed: a writer has made its storage its own, or borrows the handle mutably.
        Some(unsafe { std::slice::from_raw_parts(self.address().cast::<T>(), self.elements()) })
    }

    /// The element at an index that lies within the shape.
    pub(crate) fn element<T: Element>(&self, index: &[usize]) -> T {
        let is_such = T::DTYPE == self.dtype() && self.home().is_cpu();
        assert!(is_such, "bug in tensor-rt: an element is read with another type, or from another device");
        let element = self.offset_of(index);
        // SAFETY: the index is within the shape (checked in `offset_of`), so the element lies in the storage and is
        // initialised.
        unsafe { *self.address().cast::<T>().offset(element) }
    }

    /// The result of a view, a cast or a move, with its place in the graph.
    pub(crate) fn moved(&self, movement: Movement, origin: Origin) -> Result<Raw> {
        let result = movement.apply(self, origin)?;
        let node = self.node.as_ref().map(|_| autograd::of_movement(self, movement, origin));
        Ok(result.with_node(node))
    }

    /// Another view of the same storage, outside the graph. The layout was derived from this one.
    pub(crate) fn with_layout(&self, layout: Layout) -> Raw {
        let bytes = layout.bounds().map_or(0, |(_, high)| (high + 1) * self.dtype().size());
        assert!(bytes <= self.window.storage().bytes(), "bug in tensor-rt: a view reaches past its storage");
        Raw { window: self.window_over(layout, self.home()), node: None }
    }

    /// A window of the same memory over a layout that lies in it.
    fn window_over(&self, layout: Layout, home: Home) -> Arc<Window> {
        let owner = match &self.window.memory {
            Memory::Owned(_) => &self.window,
            Memory::Of(owner) => owner,
        };
        let (memory, dtype, is_dense) = (Memory::Of(owner.clone()), self.dtype(), layout.is_dense());
        Arc::new(Window { memory, layout, dtype, home, is_dense })
    }

    /// The same elements, dense, outside the graph; a counted copy unless they already are.
    pub(crate) fn dense(&self, origin: Origin) -> Result<Raw> {
        if self.is_dense() { Ok(self.detached()) } else { self.copied(origin) }
    }

    /// A dense copy in a storage of its own, outside the graph; counted.
    pub(crate) fn copied(&self, origin: Origin) -> Result<Raw> {
        accounting::copy(origin.at, self.elements() * self.dtype().size());
        self.gathered(origin)
    }

    /// [`Raw::copied`] as a step of an operation that the caller asked for by name, which is not counted.
    pub(crate) fn gathered(&self, origin: Origin) -> Result<Raw> {
        let mut copy = Raw::empty(self.home(), self.dtype(), self.shape(), origin)?;
        copy.fresh().copy_from(self, origin)?;
        Ok(copy)
    }

    /// A copy of a dense tensor that other threads may be accumulating into; counted.
    pub(crate) fn loaded(&self, origin: Origin) -> Result<Raw> {
        assert!(self.is_dense(), "bug in tensor-rt: a strided tensor is accumulated into");
        accounting::copy(origin.at, self.elements() * self.dtype().size());
        let mut copy = Raw::empty(self.home(), self.dtype(), self.shape(), origin)?;
        if self.home().stream().is_some() {
            // The device moves whole words.
            copy.fresh().copy_from(self, origin)?;
            return Ok(copy);
        }
        // SAFETY: both are dense and hold `elements` elements of this type; the copy is new, and the elements of an
        // `AtomicTensor`, whose tensor alone is loaded, are accessed atomically only.
        unsafe { atomic::load(self.dtype().size(), copy.fresh().pointer(), self.address(), self.elements()) };
        Ok(copy)
    }

    /// True if this is the only handle on its storage, and every element has an address of its own: an edit would copy
    /// nothing.
    pub(crate) fn is_alone(&mut self) -> bool {
        let Some(window) = Arc::get_mut(&mut self.window) else { return false };
        let is_alone = match &mut window.memory {
            Memory::Owned(_) => true,
            Memory::Of(owner) => Arc::get_mut(owner).is_some(),
        };
        is_alone && window.layout.is_injective()
    }

    /// Makes this handle the only one on its storage, and dense if asked; a counted copy unless it already is.
    pub(crate) fn make_unique(&mut self, dense: bool, origin: Origin) -> Result<()> {
        if !self.is_alone() || (dense && !self.is_dense()) {
            *self = self.copied(origin)?;
        }
        Ok(())
    }

    /// Copy on write: this tensor, once it may be written.
    pub(crate) fn exclusive(&mut self, dense: bool, origin: Origin) -> Result<Exclusive<'_>> {
        self.make_unique(dense, origin)?;
        Ok(Exclusive { raw: self.detached(), borrow: PhantomData })
    }

    /// A tensor that was just made by [`Raw::empty`].
    pub(crate) fn fresh(&mut self) -> Exclusive<'_> {
        assert!(self.is_alone(), "bug in tensor-rt: a fresh tensor is shared");
        Exclusive { raw: self.detached(), borrow: PhantomData }
    }

    fn address(&self) -> *mut u8 {
        // By the invariant the first element lies in the storage; a view without elements has offset 0. An address of a device
        // is no pointer of the host, which may only be moved with its wrapping arithmetic.
        self.window.storage().pointer().as_ptr().wrapping_add(self.layout().offset() * self.dtype().size())
    }

    fn offset_of(&self, index: &[usize]) -> isize {
        let within =
            index.len() == self.layout().rank() && index.iter().zip(self.shape().iter()).all(|(i, size)| i < size);
        assert!(within, "bug in tensor-rt: index {index:?} of a tensor of shape {:?}", self.shape());
        index.iter().zip(self.strides()).map(|(i, stride)| *i as isize * stride).sum()
    }
}

/// Elements as bytes.
fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: elements have no padding, so all their bytes are initialised.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

impl Debug for Raw {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}{:?} on {}", self.dtype(), self.shape(), self.home().device())
    }
}

impl<'a> Exclusive<'a> {
    /// The tensor, to look at while this is borrowed. A clone of it would see later writes.
    pub(crate) fn raw(&self) -> &Raw {
        &self.raw
    }

    /// The same place for a shorter time.
    pub(crate) fn reborrow(&mut self) -> Exclusive<'_> {
        Exclusive { raw: self.raw.clone(), borrow: PhantomData }
    }

    /// A part of this place; the layout was derived from its own and has addresses for every element.
    pub(crate) fn part(&mut self, layout: Layout) -> Exclusive<'_> {
        assert!(layout.is_injective(), "bug in tensor-rt: a place with shared addresses");
        Exclusive { raw: self.raw.with_layout(layout), borrow: PhantomData }
    }

    /// The elements before and from index `at` of an axis, which lies within it or at its end.
    pub(crate) fn halves(&mut self, axis: usize, at: usize) -> (Exclusive<'_>, Exclusive<'_>) {
        let layout = self.raw.layout();
        let low = layout.slice(axis, Span { start: 0, length: at, step: 1 });
        let high = layout.slice(axis, Span { start: at, length: self.raw.shape()[axis] - at, step: 1 });
        // The two ranges of the axis share no index, and by the invariant no two indices share an address.
        let half = |layout| Exclusive { raw: self.raw.with_layout(layout), borrow: PhantomData };
        (half(low), half(high))
    }

    /// The first element of the view; the elements of the view may be written through it.
    pub(crate) fn pointer(&mut self) -> *mut u8 {
        self.raw.address()
    }

    /// The elements in row-major order, if they lie so and are of type `T`.
    pub(crate) fn as_mut_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        if T::DTYPE != self.raw.dtype() || !self.raw.is_dense() || !self.raw.home().is_cpu() {
            return None;
        }
        // SAFETY: as in `Raw::as_slice`, and by the invariant nobody else sees these elements.
        Some(unsafe { std::slice::from_raw_parts_mut(self.pointer().cast::<T>(), self.raw.elements()) })
    }

    /// As [`Raw::host_bytes`], for writing bytes that are elements.
    pub(crate) fn host_bytes_mut(&mut self) -> Option<&mut [u8]> {
        let length = self.raw.host_bytes()?.len();
        // SAFETY: as in `host_bytes`, and by the invariant nobody else sees these elements.
        Some(unsafe { std::slice::from_raw_parts_mut(self.pointer(), length) })
    }

    /// [`Exclusive::as_mut_slice`] for as long as the handle is borrowed.
    pub(crate) fn into_mut_slice<T: Element>(mut self) -> Option<&'a mut [T]> {
        let slice = self.as_mut_slice::<T>()?;
        // SAFETY: the slice belongs to the storage, which the borrowed handle keeps for `'a`, and this value, the only one
        // that gives access to it during `'a`, ends here.
        Some(unsafe { std::slice::from_raw_parts_mut(slice.as_mut_ptr(), slice.len()) })
    }

    /// Writes every element of a tensor with the same shape and element type.
    pub(crate) fn copy_from(&mut self, source: &Raw, origin: Origin) -> Result<()> {
        assert!(
            source.shape() == self.raw.shape()
                && source.dtype() == self.raw.dtype()
                && source.home().device() == self.raw.home().device()
                && !source.shares_storage(&self.raw),
            "bug in tensor-rt: a copy between tensors that do not match"
        );
        if let Some(stream) = self.raw.home().stream() {
            return on_device::copy_from(stream, self, source, origin);
        }
        let (shape, size) = (self.raw.shape().clone(), self.raw.dtype().size());
        let (target, strides) = (self.raw.address(), self.raw.strides());
        // SAFETY: both layouts have this shape, their elements lie in their storages, those of the target have addresses
        // of their own (invariant), and the storages are two.
        unsafe { copy::strided(&shape, size, target, strides, source.pointer(), source.strides()) };
        Ok(())
    }

    /// Writes one value to every element.
    pub(crate) fn fill<T: Element>(&mut self, value: T, origin: Origin) -> Result<()> {
        assert!(T::DTYPE == self.raw.dtype(), "bug in tensor-rt: a tensor is filled with another element");
        let mut bits = [0; 8];
        bits[..size_of::<T>()].copy_from_slice(bytes_of(&[value]));
        self.fill_bits(u64::from_ne_bytes(bits), origin)
    }

    /// Writes the zero of the element type to every element.
    pub(crate) fn fill_zero(&mut self, origin: Origin) -> Result<()> {
        // Zero bytes are the zero of every element type.
        self.fill_bits(0, origin)
    }

    /// Writes the element whose bytes are the first of `bits` to every element.
    fn fill_bits(&mut self, bits: u64, origin: Origin) -> Result<()> {
        if let Some(stream) = self.raw.home().stream() {
            return on_device::fill(stream, self, bits, origin);
        }
        let (shape, size) = (self.raw.shape().clone(), self.raw.dtype().size());
        let nowhere = smallvec::SmallVec::<[isize; 6]>::from_elem(0, shape.rank());
        let value = (&raw const bits).cast();
        // SAFETY: as in `copy_from`; the source is one element that is read again and again.
        unsafe { copy::strided(&shape, size, self.raw.address(), self.raw.strides(), value, &nowhere) };
        Ok(())
    }

    /// Writes one element, at an index that lies within the shape.
    pub(crate) fn set<T: Element>(&mut self, index: &[usize], value: T) {
        let is_such = T::DTYPE == self.raw.dtype() && self.raw.home().is_cpu();
        assert!(is_such, "bug in tensor-rt: an element is written with another type, or on another device");
        let element = self.raw.offset_of(index);
        // SAFETY: the index is within the shape (checked in `offset_of`), and nobody else sees the element.
        unsafe { *self.raw.address().cast::<T>().offset(element) = value }
    }
}
