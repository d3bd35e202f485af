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

/// Copies a box of elements of `size` bytes.
///
/// # Safety
/// `target` has room for the box at its strides. Every element of the array that exists is initialised, at `source` plus the
/// strides, less what a divisor takes away.
pub(super) unsafe fn copy_clipped(
    extent: &[usize],
    size: usize,
    target: *mut u8,
    target_strides: &[isize],
    source: *const u8,
    source_strides: &[isize],
    clips: &mut [Clip],
) {
    // A row costs more than an element, and neighbors in memory are read together.
    let worth = |&dim: &usize| (extent[dim].min(16), source_strides[dim].unsigned_abs() == size, extent[dim]);
    let Some(along) = (0..extent.len()).max_by_key(worth) else {
        // A box without dimensions is a row of one element.
        clips.iter_mut().for_each(|clip| clip.steps.push(0));
        // SAFETY: the caller's.
        return unsafe { copy_clipped(&[1], size, target, &[0], source, &[0], clips) };
    };
    let others: SmallVec<[usize; 6]> = (0..extent.len()).filter(|&dim| dim != along).collect();
    let copy = Copy { extent, target_strides, source_strides, along };
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => copy.dims::<u8>(&others, target, source, clips),
            2 => copy.dims::<u16>(&others, target, source, clips),
            4 => copy.dims::<u32>(&others, target, source, clips),
            8 => copy.dims::<u64>(&others, target, source, clips),
            _ => unreachable!("bug: element of {size} bytes"),
        }
    }
}

/// A copy of a box, row by row.
#[derive(Clone, Copy)]
struct Copy<'a> {
    extent: &'a [usize],
    target_strides: &'a [isize],
    source_strides: &'a [isize],
    /// The dimension of a row.
    along: usize,
}

/// The elements of a row that exist: every `period`-th one from `first`, before `end`.
#[derive(Clone, Copy)]
struct Places {
    first: usize,
    end: usize,
    period: usize,
}

impl Copy<'_> {
    /// # Safety
    /// As [`copy_clipped`], of the dimensions `others` and that of a row.
    unsafe fn dims<E: std::marker::Copy + Default>(
        self,
        others: &[usize],
        target: *mut u8,
        source: *const u8,
        clips: &mut [Clip],
    ) {
        let Some((&dim, inner)) = others.split_first() else {
            // SAFETY: the caller's.
            return unsafe { self.row::<E>(target, source, clips) };
        };
        for i in 0..self.extent[dim] as isize {
            let target = target.wrapping_offset(i * self.target_strides[dim]);
            let source = source.wrapping_offset(i.wrapping_mul(self.source_strides[dim]));
            // SAFETY: `i` is within the dimension.
            unsafe { self.dims::<E>(inner, target, source, clips) };
            clips.iter_mut().for_each(|clip| clip.value = clip.value.wrapping_add(clip.steps[dim] as i64));
        }
        for clip in clips {
            clip.value = clip.value.wrapping_sub((clip.steps[dim] as i64).wrapping_mul(self.extent[dim] as i64));
        }
    }

    /// # Safety
    /// As [`copy_clipped`], of one row.
    unsafe fn row<E: std::marker::Copy + Default>(self, target: *mut u8, source: *const u8, clips: &[Clip]) {
        let len = self.extent[self.along];
        let place = |j: usize| target.wrapping_offset(j as isize * self.target_strides[self.along]).cast::<E>();
        let stride = self.source_strides[self.along];
        let Some(Places { first, end, period }) = self.places(clips) else {
            for j in 0..len {
                let from = self.element(source, clips, j);
                // SAFETY: the element exists, and `j` is within the row.
                unsafe { place(j).write(from.map_or(E::default(), |from| from.cast::<E>().read())) };
            }
            return;
        };
        // What does not move along the row may exclude all of it.
        let start = if first < end { self.element(source, clips, first) } else { None };
        if start.is_none() || first != 0 || end < len || period != 1 {
            for j in 0..len {
                // SAFETY: `j` is within the row.
                unsafe { place(j).write(E::default()) };
            }
        }
        let Some(start) = start else { return };
        // From one element that exists to the next: divisors take the same away from each step.
        let less = |clip: &Clip| {
            let step = (clip.steps[self.along] as i64).wrapping_mul(period as i64);
            ((step / clip.divisor).wrapping_sub(step) as isize).wrapping_mul(clip.stride)
        };
        let step = clips.iter().map(less).fold((period as isize).wrapping_mul(stride), isize::wrapping_add);
        let dense = period == 1
            && step == size_of::<E>() as isize
            && self.target_strides[self.along] == size_of::<E>() as isize;
        // SAFETY: the places up to `end` exist, and are within the row.
        unsafe {
            if dense {
                return std::ptr::copy_nonoverlapping(start.cast::<E>(), place(first), end - first);
            }
            let mut from = start;
            for j in (first..end).step_by(period) {
                place(j).write(from.cast::<E>().read());
                from = from.wrapping_offset(step);
            }
        }
    }

    /// Where the element at `j` of a row is, if it exists.
    fn element(self, source: *const u8, clips: &[Clip], j: usize) -> Option<*const u8> {
        let mut at = source.wrapping_offset((j as isize).wrapping_mul(self.source_strides[self.along]));
        for clip in clips {
            let value = clip.value.wrapping_add((clip.steps[self.along] as i64).wrapping_mul(j as i64));
            let index = if clip.divisor == 1 { value } else { value.wrapping_div(clip.divisor) };
            if index.wrapping_mul(clip.divisor) != value || !(0..clip.size).contains(&index) {
                return None;
            }
            at = at.wrapping_offset((index.wrapping_sub(value) as isize).wrapping_mul(clip.stride));
        }
        Some(at)
    }

    /// The elements of a row that exist, if one clip at most moves along it, by a small step.
    fn places(self, clips: &[Clip]) -> Option<Places> {
        const LARGE: i64 = 1 << 40;
        let len = self.extent[self.along];
        let mut places = Places { first: 0, end: len, period: 1 };
        let mut moves = clips.iter().filter(|clip| clip.steps[self.along] != 0);
        let (Some(clip), None) = (moves.next(), moves.next()) else {
            // Nothing moves, or too much.
            return clips.iter().all(|clip| clip.steps[self.along] == 0).then_some(places);
        };
        let &Clip { size, divisor, value, ref steps, .. } = clip;
        let step = steps[self.along] as i64;
        let small = [size, value, step, divisor, len as i64].iter().all(|number| number.abs() < LARGE);
        if !small || divisor < 1 || size.checked_mul(divisor).is_none_or(|all| all > LARGE) {
            return None;
        }
        if divisor != 1 {
            places.first = (0..len.min(divisor as usize)).find(|&j| (value + step * j as i64) % divisor == 0)?;
            places.period = (1..=divisor).find(|&period| step * period % divisor == 0)? as usize;
        }
        // 0 <= value + step j < size divisor
        let (low, high) = match step > 0 {
            true => (ceil(-value, step), ceil(size * divisor - value, step)),
            false => (ceil(value - size * divisor + 1, -step), ceil(value + 1, -step)),
        };
        let low = low.clamp(0, len as i64) as usize;
        places.first += low.saturating_sub(places.first).div_ceil(places.period) * places.period;
        places.end = high.clamp(0, len as i64) as usize;
        Some(places)
    }
}

/// The least whole number that is not less than `a / b`, for a positive `b`.
fn ceil(a: i64, b: i64) -> i64 {
    if b == 1 { a } else { -(-a).div_euclid(b) }
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
        unsafe {
            let dense = [extent[1] as isize * 4, 4];
            copy_clipped(&extent, 4, found.as_mut_ptr().cast(), &dense, source, &strides, &mut staged);
        }
        assert_eq!(found, expected, "{extent:?} {clips:?}");
        assert_eq!(staged[0].value, clips[0].1, "the clips are as they were");
    }

    #[test]
    fn elements_outside_are_zero() {
        for extent in [[1, 1], [7, 3], [3, 30], [6, 8], [20, 20]] {
            for outer in [
                (1, -1, 1),
                (1, 0, 1),
                (2, -3, 1),
                (-1, 6, 1),
                (0, 2, 1),
                (0, 9, 1),
                (1, -2, 2),
                (3, -4, 2),
                (-1, 9, 4),
            ] {
                for inner in [
                    (1, -3, 1),
                    (-1, 22, 1),
                    (0, 4, 1),
                    (0, -4, 1),
                    (3, -7, 1),
                    (1, -5, 3),
                    (-2, 31, 3),
                    (4, -6, 2),
                    (1, 100, 1),
                    (1, 0, -2),
                ] {
                    case(extent, [outer, inner]);
                }
            }
        }
    }
}
