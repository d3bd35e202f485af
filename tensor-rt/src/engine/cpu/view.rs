//! A thread's view of the streams over the blocks of one space.
//!
//! A view turns streams into slots: for the current block it lends memory where the stream is contiguous and copies
//! through a buffer of its own where it is not. A buffer that already holds what the block needs is not filled again, so
//! broadcast operands are staged once.
//!
//! A view whose blocks are made of lines has the lines' dimensions last. A stream with one element per line is seen over the
//! dimensions before them alone; its *rank* says over how many.
//!
//! Invariant: `cached` of a stream names the content of its buffer, or nothing.

use smallvec::SmallVec;

use super::clip::{Clip, Clips, copy_clipped};
use super::plan::{ClipStream, Content, Plan, Stream};
use super::scratch::Scratch;
use super::space::{Sizes, Space, distance};
use super::stage::{Class, Strides, classify, copy_box, dense_strides, fill_affine, splat};
use crate::kernel::block::BLOCK;

/// What a stream's buffer holds: the address (or affine base) of a block's first element, and how much of it.
type Cached = Option<(usize, Filled)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    /// The first element again and again, as often as there is room.
    Splat,
    /// A whole tile.
    Tile,
}

/// The blocks of a space and all streams over it.
#[derive(Default)]
pub(super) struct View {
    /// The space.
    pub space: Space,
    /// First index of the current block.
    pub start: Sizes,
    /// Extent of the current block.
    pub extent: Sizes,
    /// Points of the current block.
    pub len: usize,
    /// Trailing dimensions that a line runs along, if blocks are made of lines.
    line_dims: Option<usize>,
    whole: bool,
    streams: SmallVec<[StreamView; 8]>,
}

struct StreamView {
    strides: Strides,
    /// Number of dimensions that it is seen over.
    rank: usize,
    /// Its class over a whole tile.
    class: Class,
    /// Address at index 0 of the view, or base of an affine stream.
    base: usize,
    buffer: *mut u8,
    cached: Cached,
}

impl View {
    /// Sets the space; `dims` names the plan's dimension of each of its dimensions, of which lines run along the last
    /// `line_dims`, if blocks are made of lines.
    pub fn set_space(&mut self, plan: &Plan<'_>, space: Space, dims: &[usize], line_dims: Option<usize>) {
        self.line_dims = line_dims;
        let streams = plan.streams.iter().chain(&plan.finished);
        for (position, stream) in streams.enumerate() {
            let strides: Strides = dims.iter().map(|&dim| stream.strides[dim]).collect();
            self.set_strides(position, strides, stream, &space.tile);
        }
        self.start = SmallVec::from_elem(0, space.sizes.len());
        self.extent = SmallVec::from_elem(1, space.sizes.len());
        self.space = space;
    }

    /// Sets the strides of one stream; those after the plan's are the executor's own.
    pub fn set_strides(&mut self, position: usize, strides: Strides, source: &Stream, tile: &[usize]) {
        let rank = tile.len() - self.line_dims.filter(|_| source.of_lines).unwrap_or(0);
        let class = class_of(&tile[..rank], &strides, source);
        match self.streams.get_mut(position) {
            Some(stream) => {
                stream.strides = strides;
                stream.rank = rank;
                stream.class = class;
                stream.cached = None;
            }
            None => {
                debug_assert_eq!(position, self.streams.len());
                let (base, buffer) = (0, std::ptr::null_mut());
                self.streams.push(StreamView { strides, rank, class, base, buffer, cached: None });
            }
        }
    }

    /// Moves a stream.
    pub fn set_base(&mut self, position: usize, base: usize) {
        self.streams[position].base = base;
    }

    /// Forgets what a stream's buffer holds: its memory changed.
    pub fn forget(&mut self, position: usize) {
        self.streams[position].cached = None;
    }

    /// Makes a block the current one.
    #[inline]
    pub fn locate(&mut self, block: usize) {
        self.whole = self.space.locate(block, &mut self.start, &mut self.extent);
        self.len = self.extent.iter().product();
    }

    /// Points of each line of the current block; 0 if it is not made of lines.
    #[inline]
    pub fn line_len(&self) -> usize {
        self.line_dims.map_or(0, |dims| self.extent[self.extent.len() - dims..].iter().product())
    }

    /// The address (or affine base) of the current block in a stream.
    #[inline]
    pub fn address(&self, position: usize) -> usize {
        let stream = &self.streams[position];
        stream.base.wrapping_add_signed(distance(&self.start, &stream.strides))
    }

    /// The class of a stream over the current block.
    #[inline]
    fn class(&self, position: usize, source: &Stream) -> Class {
        let stream = &self.streams[position];
        match self.whole {
            true => stream.class,
            false => class_of(&self.extent[..stream.rank], &stream.strides, source),
        }
    }

    /// The elements of a stream in memory over the current block.
    ///
    /// # Safety
    /// The stream is in memory, and `source` describes it.
    pub unsafe fn read(&mut self, scratch: &mut Scratch, position: usize, source: &Stream) -> *mut u8 {
        if !source.clips.is_empty() {
            // SAFETY: the caller's.
            return unsafe { self.read_clipped(scratch, position, source) };
        }
        let address = self.address(position);
        let class = self.class(position, source);
        let stream = &mut self.streams[position];
        let extent = &self.extent[..stream.rank];
        let size = source.dtype.size();
        let pointer = source.base.with_addr(address);
        match class {
            Class::Direct => return pointer,
            Class::Constant => {
                if stream.cached == Some((address, Filled::Splat)) {
                    return stream.buffer;
                }
                stream.reserve(scratch);
                // Filled whole, so that a longer block finds it too.
                // SAFETY: the block's first element is an initialised element of the array; buffers hold `BLOCK`.
                unsafe { splat(size, stream.buffer, pointer, BLOCK) };
                stream.cached = Some((address, Filled::Splat));
            }
            Class::Staged => {
                if self.whole && stream.cached == Some((address, Filled::Tile)) {
                    return stream.buffer;
                }
                stream.reserve(scratch);
                // SAFETY: the block's box is within the array (its space is made of the array's sizes), and buffers hold
                // `BLOCK` elements.
                unsafe {
                    let dense = dense_strides(extent, size);
                    copy_box(extent, size, stream.buffer, &dense, pointer, &stream.strides);
                }
                stream.cached = self.whole.then_some((address, Filled::Tile));
            }
        }
        stream.buffer
    }

    /// As [`View::read`], for a stream that may leave its array.
    ///
    /// # Safety
    /// As [`View::read`].
    unsafe fn read_clipped(&mut self, scratch: &mut Scratch, position: usize, source: &Stream) -> *mut u8 {
        let pointer = source.base.with_addr(self.address(position));
        let clip = |&ClipStream { stream, size, stride, divisor }: &ClipStream| {
            let (value, steps) = (self.address(stream) as i64, self.streams[stream].strides.clone());
            Clip { size, stride, divisor, value, steps }
        };
        let mut clips: Clips = source.clips.iter().map(clip).collect();
        let stream = &mut self.streams[position];
        stream.reserve(scratch);
        // SAFETY: buffers hold `BLOCK` elements; the clips are the dimensions that the block may leave, of an array whose
        // elements are initialised.
        unsafe {
            let size = source.dtype.size();
            let dense = dense_strides(&self.extent, size);
            copy_clipped(&self.extent, size, stream.buffer, &dense, pointer, &stream.strides, &mut clips);
        }
        stream.buffer
    }

    /// The integers of an affine stream over the current block.
    pub fn affine(&mut self, scratch: &mut Scratch, position: usize) -> *mut u8 {
        let base = self.address(position);
        let stream = &mut self.streams[position];
        if self.whole && stream.cached == Some((base, Filled::Tile)) {
            return stream.buffer;
        }
        stream.reserve(scratch);
        // SAFETY: buffers hold `BLOCK` elements of 8 bytes, and nothing else refers to this one now.
        let buffer = unsafe { std::slice::from_raw_parts_mut(stream.buffer.cast::<i64>(), self.len) };
        fill_affine(buffer, base as i64, &self.extent, &stream.strides);
        stream.cached = self.whole.then_some((base, Filled::Tile));
        stream.buffer
    }

    /// Where a pass writes the elements of a stream over the current block: memory, or a buffer that
    /// [`View::put`] copies out.
    ///
    /// # Safety
    /// As [`View::read`]; with `reads_old` the elements are initialised.
    pub unsafe fn open(&mut self, scratch: &mut Scratch, position: usize, target: &Stream, reads_old: bool) -> *mut u8 {
        if target.content == Content::Nothing {
            let stream = &mut self.streams[position];
            stream.reserve(scratch);
            return stream.buffer;
        }
        let size = target.dtype.size();
        let pointer = target.base.with_addr(self.address(position));
        if self.class(position, target) == Class::Direct {
            return pointer;
        }
        let stream = &mut self.streams[position];
        stream.reserve(scratch);
        if reads_old {
            let dense = dense_strides(&self.extent, size);
            // SAFETY: as in `read`.
            unsafe { copy_box(&self.extent, size, stream.buffer, &dense, pointer, &stream.strides) };
        }
        stream.buffer
    }

    /// Copies what a pass wrote into a buffer to its place.
    ///
    /// # Safety
    /// As [`View::open`], after it, for the same block.
    pub unsafe fn put(&mut self, position: usize, target: &Stream) {
        if target.content == Content::Nothing {
            return;
        }
        if self.class(position, target) == Class::Direct {
            return;
        }
        let stream = &self.streams[position];
        let size = target.dtype.size();
        let dense = dense_strides(&self.extent, size);
        let pointer = target.base.with_addr(self.address(position));
        // SAFETY: as in `read`; the elements of a write are distinct.
        unsafe { copy_box(&self.extent, size, pointer, &stream.strides, stream.buffer, &dense) };
    }
}

impl StreamView {
    fn reserve(&mut self, scratch: &mut Scratch) {
        if self.buffer.is_null() {
            self.buffer = scratch.take(BLOCK * 8);
        }
    }
}

fn class_of(extent: &[usize], strides: &[isize], stream: &Stream) -> Class {
    match classify(extent, strides, stream.dtype.size()) {
        Class::Direct if stream.copied => Class::Staged,
        class => class,
    }
}
