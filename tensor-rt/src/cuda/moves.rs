//! Kernels of the runtime itself: strided copies, fills and conversions of elements.
//!
//! They stand in `moves.cu` and `cast.cu`, and are compiled when they are first needed.

use std::ffi::c_void;

use super::buffer::Buffer;
use super::launch::Geometry;
use super::stream::Stream;
use crate::element::DType;
use crate::error::{Origin, Result};

const MOVES: &str = include_str!("moves.cu");
const CAST: &str = include_str!("cast.cu");

/// Axes that one launch walks over.
const AXES: usize = 8;

/// Elements of a buffer: the first one's place in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'a> {
    pub buffer: &'a Buffer,
    pub start: usize,
}

/// One axis of a copy or fill: its size, and its strides in elements in target and source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub size: usize,
    pub target: isize,
    pub source: isize,
}

/// The axes, as the kernels declare them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Walks {
    size: [i64; AXES],
    target: [i64; AXES],
    source: [i64; AXES],
}

impl Elements<'_> {
    /// The address of the element at a distance from the first.
    fn address(self, elements: isize, size: usize) -> u64 {
        (self.buffer.address() + self.start as u64).wrapping_add_signed((elements * size as isize) as i64)
    }
}

/// Copies elements of `size` bytes along `walks`, outermost first.
///
/// # Safety
/// The walks stay within both buffers, and the elements of the target have addresses of their own; the source is another
/// buffer.
pub(crate) unsafe fn copy(
    stream: &'static Stream,
    size: usize,
    target: Elements<'_>,
    source: Elements<'_>,
    walks: &[Walk],
    origin: Origin,
) -> Result<()> {
    let entry = match size {
        1 => "copy_1",
        2 => "copy_2",
        4 => "copy_4",
        _ => "copy_8",
    };
    each_part(walks, &mut |to, from, inner| {
        let (mut to, mut from) = (target.address(to, size), source.address(from, size));
        let (reads, writes) = ([source.buffer], [target.buffer]);
        // SAFETY: the kernel takes these parameters and touches the elements of the walks (the caller's).
        unsafe { launch(stream, entry, &mut to, &mut from, inner, &reads, &writes, origin) }
    })
}

/// Writes the lowest `size` bytes of `value` to every element along `walks`, outermost first.
///
/// # Safety
/// The walks stay within the buffer.
pub(crate) unsafe fn fill(
    stream: &'static Stream,
    size: usize,
    target: Elements<'_>,
    value: u64,
    walks: &[Walk],
    origin: Origin,
) -> Result<()> {
    let entry = match size {
        1 => "fill_1",
        2 => "fill_2",
        4 => "fill_4",
        _ => "fill_8",
    };
    each_part(walks, &mut |to, _, inner| {
        let (mut to, mut value) = (target.address(to, size), value);
        // SAFETY: as in `copy`.
        unsafe { launch(stream, entry, &mut to, &mut value, inner, &[], &[target.buffer], origin) }
    })
}

/// Calls `part` for every index of the axes that one launch has no room for, with its distances in target and source.
fn each_part(walks: &[Walk], part: &mut impl FnMut(isize, isize, &[Walk]) -> Result<()>) -> Result<()> {
    let (outer, inner) = walks.split_at(walks.len().saturating_sub(AXES));
    let parts: usize = outer.iter().map(|walk| walk.size).product();
    for index in 0..parts {
        let (mut rest, mut target, mut source) = (index, 0, 0);
        for walk in outer.iter().rev() {
            let at = (rest % walk.size) as isize;
            rest /= walk.size;
            target += at * walk.target;
            source += at * walk.source;
        }
        part(target, source, inner)?;
    }
    Ok(())
}

/// # Safety
/// `second` is the second parameter of the kernel: an address, or a value; the walks stay within the buffers.
#[expect(clippy::too_many_arguments, reason = "what the two kernels have in common has no name")]
unsafe fn launch(
    stream: &'static Stream,
    entry: &str,
    target: &mut u64,
    second: &mut u64,
    walks: &[Walk],
    reads: &[&Buffer],
    writes: &[&Buffer],
    origin: Origin,
) -> Result<()> {
    let mut count: i64 = walks.iter().map(|walk| walk.size as i64).product();
    let mut rank = walks.len() as i32;
    let mut table = Walks::default();
    for (axis, walk) in walks.iter().enumerate() {
        table.size[axis] = walk.size as i64;
        table.target[axis] = walk.target as i64;
        table.source[axis] = walk.source as i64;
    }
    let mut parameters: [*mut c_void; 5] = [
        (&raw mut *target).cast(),
        (&raw mut *second).cast(),
        (&raw mut table).cast(),
        (&raw mut rank).cast(),
        (&raw mut count).cast(),
    ];
    let points = count as usize;
    // SAFETY: these are the parameters of the kernel, which reads and writes the elements of the walks (the caller's).
    unsafe { run(stream, MOVES, entry, points, &mut parameters, reads, writes, origin) }
}

/// Converts `count` elements that lie one after the other on both sides.
///
/// # Safety
/// Both buffers hold that many elements of their type, and are two.
pub(crate) unsafe fn cast(
    stream: &'static Stream,
    target: (Elements<'_>, DType),
    source: (Elements<'_>, DType),
    count: usize,
    origin: Origin,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let text = format!("{CAST}CAST({}, {})\n", name(source.1), name(target.1));
    let (mut to, mut from, mut length) = (target.0.address(0, 1), source.0.address(0, 1), count as i64);
    let mut parameters: [*mut c_void; 3] = [(&raw mut to).cast(), (&raw mut from).cast(), (&raw mut length).cast()];
    let (reads, writes) = ([source.0.buffer], [target.0.buffer]);
    // SAFETY: these are the parameters of the kernel, which reads and writes so many elements (the caller's).
    unsafe { run(stream, &text, "cast", count, &mut parameters, &reads, &writes, origin) }
}

/// What `cast.cu` calls an element.
fn name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "F32",
        DType::F64 => "F64",
        DType::F16 => "F16",
        DType::Bf16 => "Bf16",
        DType::I64 => "I64",
        DType::I32 => "I32",
        DType::U32 => "U32",
        DType::U8 => "U8",
        DType::Bool => "Bool",
    }
}

/// # Safety
/// As for [`Submission::launch`](super::stream::Submission::launch).
#[expect(clippy::too_many_arguments, reason = "a launch has these parts")]
unsafe fn run(
    stream: &'static Stream,
    source: &str,
    entry: &str,
    points: usize,
    parameters: &mut [*mut c_void],
    reads: &[&Buffer],
    writes: &[&Buffer],
    origin: Origin,
) -> Result<()> {
    if points == 0 {
        return Ok(());
    }
    let context = stream.context();
    let function = context.function(source, entry, 0, origin)?;
    let mut submission = stream.submit(origin)?;
    reads.iter().try_for_each(|buffer| submission.reads(buffer))?;
    writes.iter().try_for_each(|buffer| submission.writes(buffer))?;
    // SAFETY: the caller's, and the submission is after the uses of the buffers.
    unsafe { submission.launch(function, Geometry::of_points(points, context.limits()), parameters) }
        .map_err(|failure| submission.error(failure))?;
    submission.done(reads.iter().copied(), writes.iter().copied());
    Ok(())
}
