//! Staging of boxes that leave their array: the elements outside are 0.
//!
//! A *clip* is a dimension of the array that is indexed by `value / divisor`, where the value moves by a step along each
//! dimension of the box. An element exists where every quotient is a whole number within its dimension.
//!
//! Invariant: only elements that exist are read. Addresses and strides are those that the values would make if they were the
//! indices, so they may lie anywhere, and are only followed where an element exists.

use smallvec::SmallVec;

use super::stage::Strides;

/// A dimension of an array that a box may leave.
#[derive(Clone, Debug)]
pub(super) struct Clip {
    /// Elements along it.
    pub size: i64,
    /// Distance of neighbors in bytes.
    pub stride: isize,
    /// What the value is divided by; not 0.
    pub divisor: i64,
    /// The value at the first point of the box.
    pub value: i64,
    /// How it moves along each dimension of the box.
    pub steps: Strides,
}

/// The clips of an array.
pub(super) type Clips = SmallVec<[Clip; 2]>;

/// Rows of fewer elements are looked at one by one.
const SHORT: usize = 8;

/// Copies a box of elements of `size` bytes to a dense one.
///
/// # Safety
/// `target` has room for the box. Every element of the array that exists is initialised, at `source` plus the strides, less
/// what a divisor takes away.
pub(super) unsafe fn copy_clipped(
    extent: &[usize],
    size: usize,
    target: *mut u8,
    source: *const u8,
    strides: &[isize],
    clips: &mut [Clip],
) {
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => copy_dims::<u8>(extent, target.cast(), source, strides, 0, clips),
            2 => copy_dims::<u16>(extent, target.cast(), source, strides, 0, clips),
            4 => copy_dims::<u32>(extent, target.cast(), source, strides, 0, clips),
            8 => copy_dims::<u64>(extent, target.cast(), source, strides, 0, clips),
            _ => unreachable!("bug: element of {size} bytes"),
        }
    }
}

/// # Safety
/// As [`copy_clipped`], of the dimensions from `dim` on.
unsafe fn copy_dims<E: Copy + Default>(
    extent: &[usize],
    target: *mut E,
    mut source: *const u8,
    strides: &[isize],
    dim: usize,
    clips: &mut [Clip],
) {
    if dim + 1 >= extent.len() {
        let len = extent.get(dim).copied().unwrap_or(1);
        // SAFETY: the caller's.
        unsafe {
            let row = std::slice::from_raw_parts_mut(target.cast::<std::mem::MaybeUninit<E>>(), len);
            return copy_row(row, source, strides.get(dim).copied().unwrap_or(0), dim, clips);
        }
    }
    let inner: usize = extent[dim + 1..].iter().product();
    for i in 0..extent[dim] {
        // SAFETY: `i` is within the dimension, so this is the next part of the target.
        unsafe { copy_dims(extent, target.add(i * inner), source, strides, dim + 1, clips) };
        source = source.wrapping_offset(strides[dim]);
        clips.iter_mut().for_each(|clip| clip.value = clip.value.wrapping_add(clip.steps[dim] as i64));
    }
    let back = |clip: &mut Clip| {
        clip.value = clip.value.wrapping_sub((clip.steps[dim] as i64).wrapping_mul(extent[dim] as i64));
    };
    clips.iter_mut().for_each(back);
}

/// # Safety
/// As [`copy_clipped`], of the row along `dim`.
unsafe fn copy_row<E: Copy + Default>(
    row: &mut [std::mem::MaybeUninit<E>],
    source: *const u8,
    stride: isize,
    dim: usize,
    clips: &[Clip],
) {
    let step = |clip: &Clip| clip.steps.get(dim).map_or(0, |&step| step as i64);
    let even = clips.iter().all(|clip| clip.divisor == 1 && (-1..=1).contains(&step(clip)));
    if row.len() < SHORT || !even {
        for (j, place) in row.iter_mut().enumerate() {
            let mut at = source.wrapping_offset((j as isize).wrapping_mul(stride));
            let mut exists = true;
            for clip in clips {
                let value = clip.value.wrapping_add(step(clip).wrapping_mul(j as i64));
                let index = if clip.divisor == 1 { value } else { value.wrapping_div(clip.divisor) };
                exists &= index.wrapping_mul(clip.divisor) == value && (0..clip.size).contains(&index);
                at = at.wrapping_offset((index.wrapping_sub(value) as isize).wrapping_mul(clip.stride));
            }
            // SAFETY: the element exists.
            place.write(if exists { unsafe { at.cast::<E>().read() } } else { E::default() });
        }
        return;
    }
    let (mut low, mut high) = (0i128, row.len() as i128);
    for clip in clips {
        let (value, size) = (clip.value as i128, clip.size as i128);
        let (first, end) = match step(clip) {
            1 => (-value, size - value),
            -1 => (value - size + 1, value + 1),
            _ if (0..size).contains(&value) => (low, high),
            _ => (high, high),
        };
        (low, high) = (low.max(first), high.min(end));
    }
    let low = low.min(row.len() as i128) as usize;
    let high = high.max(low as i128) as usize;
    row[..low].fill(std::mem::MaybeUninit::new(E::default()));
    row[high..].fill(std::mem::MaybeUninit::new(E::default()));
    let source = source.wrapping_offset((low as isize).wrapping_mul(stride));
    let inside = &mut row[low..high];
    // SAFETY: the elements from `low` to `high` exist.
    unsafe {
        if stride == size_of::<E>() as isize {
            std::ptr::copy_nonoverlapping(source.cast::<E>(), inside.as_mut_ptr().cast(), inside.len());
        } else {
            for (j, place) in inside.iter_mut().enumerate() {
                place.write(source.wrapping_offset(j as isize * stride).cast::<E>().read());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x[p, q]` at `(step0 p + start0) / divisor0, (step1 q + start1) / divisor1`, or 0.
    fn case(extent: [usize; 2], clips: [(i64, i64, i64); 2]) {
        const SIZES: [i64; 2] = [5, 20];
        let x: Vec<u32> = (1..=100).collect();
        let mut expected = vec![];
        for (p, q) in (0..extent[0]).flat_map(|p| (0..extent[1]).map(move |q| [p, q])).map(|[p, q]| (p, q)) {
            let index = |dim: usize, i: usize| {
                let (step, start, divisor) = clips[dim];
                let value = step * i as i64 + start;
                (value % divisor == 0).then_some(value / divisor).filter(|index| (0..SIZES[dim]).contains(index))
            };
            let at = index(0, p).zip(index(1, q)).map(|(i, j)| (i * 20 + j) as usize);
            expected.push(at.map_or(0, |at| x[at]));
        }
        let bytes = [80isize, 4];
        let mut staged: Clips = SmallVec::new();
        let (mut strides, mut source) = ([0; 2], x.as_ptr().cast::<u8>());
        for (dim, &(step, value, divisor)) in clips.iter().enumerate() {
            let mut steps: Strides = SmallVec::from_elem(0, 2);
            steps[dim] = step as isize;
            strides[dim] = step as isize * bytes[dim];
            source = source.wrapping_offset(value as isize * bytes[dim]);
            staged.push(Clip { size: SIZES[dim], stride: bytes[dim], divisor, value, steps });
        }
        let mut found = vec![7u32; extent[0] * extent[1]];
        // SAFETY: the target has the size of the box; the clips have the sizes and strides of `x`.
        unsafe { copy_clipped(&extent, 4, found.as_mut_ptr().cast(), source, &strides, &mut staged) };
        assert_eq!(found, expected, "{extent:?} {clips:?}");
        assert_eq!(staged[0].value, clips[0].1, "the clips are as they were");
    }

    #[test]
    fn elements_outside_are_zero() {
        for extent in [[1, 1], [7, 3], [3, 30], [6, 8]] {
            for outer in [(1, -1, 1), (1, 0, 1), (2, -3, 1), (-1, 6, 1), (0, 2, 1), (0, 9, 1), (1, -2, 2)] {
                for inner in [(1, -3, 1), (-1, 22, 1), (0, 4, 1), (0, -4, 1), (3, -7, 1), (1, -5, 3), (1, 100, 1)] {
                    case(extent, [outer, inner]);
                }
            }
        }
    }
}
