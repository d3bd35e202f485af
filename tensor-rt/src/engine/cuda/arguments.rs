//! The parameters of a kernel as bytes.
//!
//! Each value lies as the types of the prelude declare it: an `Index` has 4 or 8 bytes, a struct is padded to the alignment
//! of its widest member.

use smallvec::SmallVec;

use super::geometry::{Geometry, Place, Placed, Strides};
use super::mapping::Step;
use crate::engine::Launch;
use crate::kernel::block::Scalar;

/// The arguments of a kernel, in the order of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    /// Every value at its own alignment.
    bytes: SmallVec<[u8; 512]>,
    /// Where each value begins.
    starts: SmallVec<[u32; 16]>,
    /// Where addresses stand that count from the scratch memory.
    scratch: SmallVec<[u32; 2]>,
    /// Bytes of an index.
    index: usize,
}

impl Arguments {
    /// The arguments of one step of a launch; `parts` is where the parts of its rows begin in the scratch memory.
    pub(super) fn new(launch: &Launch<'_>, geometry: &Geometry, step: &Step, parts: u64) -> Self {
        let mut this = Self::of_arrays(geometry, step);
        for steps in &geometry.axes {
            this.start(this.index);
            this.indices(steps, geometry.dims.len());
        }
        let text = &launch.kernel.cuda;
        for &extent in text.extents {
            this.value(&launch.sizes[extent as usize].to_ne_bytes());
        }
        for &scalar in text.scalars {
            match launch.scalars[scalar as usize] {
                Scalar::Float(value) | Scalar::F64(value) => this.value(&value.to_ne_bytes()),
                Scalar::F32(value) => this.value(&value.to_ne_bytes()),
                Scalar::Int(value) => this.value(&value.to_ne_bytes()),
                Scalar::U64(value) => this.value(&value.to_ne_bytes()),
                Scalar::Bool(value) => this.value(&[u8::from(value)]),
            }
        }
        this.finish(parts)
    }

    /// The space and the arrays.
    pub(super) fn of_arrays(geometry: &Geometry, step: &Step) -> Self {
        let wide = step.is_wide(geometry);
        let mut this = Self {
            bytes: SmallVec::new(),
            starts: SmallVec::new(),
            scratch: SmallVec::new(),
            index: if wide { 8 } else { 4 },
        };
        this.space(geometry, step);
        for array in &geometry.arrays {
            this.array(array, geometry.dims.len());
        }
        this
    }

    /// Adds a value of a scalar type.
    pub(super) fn value(&mut self, bytes: &[u8]) {
        self.start(bytes.len());
        self.push(bytes);
    }

    /// Adds what every kernel has.
    pub(super) fn finish(mut self, parts: u64) -> Self {
        self.start(8);
        self.address(Place::Scratch(parts));
        self.value(&0u64.to_ne_bytes());
        self.value(&0u32.to_ne_bytes());
        self
    }

    /// Says where the scratch memory and the stream's error record are, and the number of the launch on its stream.
    pub(crate) fn bind(&mut self, scratch: u64, record: u64, launch: u32) {
        for position in std::mem::take(&mut self.scratch) {
            let place = &mut self.bytes[position as usize..][..8];
            let offset = u64::from_ne_bytes((&*place).try_into().expect("an address has 8 bytes"));
            place.copy_from_slice(&(scratch + offset).to_ne_bytes());
        }
        let [.., record_start, launch_start] = self.starts[..] else { unreachable!("every kernel has both") };
        self.bytes[record_start as usize..][..8].copy_from_slice(&record.to_ne_bytes());
        self.bytes[launch_start as usize..][..4].copy_from_slice(&launch.to_ne_bytes());
    }

    /// The parameters one after the other, each at its own alignment.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where each parameter begins.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    fn space(&mut self, geometry: &Geometry, step: &Step) {
        self.start(self.index);
        // A kernel without dimensions has one that is never used.
        let rank = geometry.dims.len().max(1);
        for dim in 0..rank {
            let size = geometry.dims.get(dim).map_or(1, |dim| dim.size);
            self.number(size);
            if self.index == 4 {
                let (magic, shift) = divider(size as u32);
                self.push(&magic.to_ne_bytes());
                self.push(&shift.to_ne_bytes());
            }
        }
        let weights: Strides = geometry.dims.iter().map(|dim| dim.weight).collect();
        self.indices(&weights, geometry.dims.len());
        let [batches, m, n] = geometry.group_points();
        for number in [geometry.rows(), geometry.elements(), step.chunk, step.chunks, batches, m, n] {
            self.number(number);
        }
    }

    fn array(&mut self, array: &Placed, rank: usize) {
        self.start(8);
        self.address(array.place);
        self.indices(&array.strides, rank);
        for clip in &array.clips {
            self.number(clip.start);
            self.indices(&clip.steps, rank);
            for number in [clip.size, clip.stride, clip.divisor] {
                self.number(number);
            }
        }
        self.align(8);
        if !array.scatters && array.dynamic.is_empty() {
            return;
        }
        for dynamic in &array.dynamic {
            self.push(&dynamic.size.to_ne_bytes());
            self.push(&dynamic.stride.to_ne_bytes());
        }
        if array.dynamic.is_empty() {
            // A scatter without computed indices.
            self.push(&[0; 16]);
        }
        for dynamic in &array.dynamic {
            self.push(&[dynamic.declared]);
        }
        // A scatter has room for one more, as it may have none.
        let count = array.dynamic.len();
        let room = (count + usize::from(array.scatters)).next_multiple_of(8);
        self.bytes.resize(self.bytes.len() + room - count, 0);
    }

    fn address(&mut self, place: Place) {
        let value = match place {
            Place::Address(address) => address,
            Place::Scratch(offset) => {
                self.scratch.push(self.bytes.len() as u32);
                offset
            }
        };
        self.push(&value.to_ne_bytes());
    }

    fn indices(&mut self, strides: &Strides, rank: usize) {
        for dim in 0..rank.max(1) {
            self.number(strides.get(dim).copied().unwrap_or(0));
        }
    }

    fn number(&mut self, number: i64) {
        if self.index == 4 {
            self.push(&(number as i32).to_ne_bytes());
        } else {
            self.push(&number.to_ne_bytes());
        }
    }

    fn start(&mut self, align: usize) {
        self.align(align);
        self.starts.push(self.bytes.len() as u32);
    }

    fn align(&mut self, align: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(align), 0);
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// The multiplier and the shift that divide numbers below 2^31 by `size`, as `prelude/space.cu` does it (Granlund and
/// Montgomery, "Division by invariant integers using multiplication", 1994).
fn divider(size: u32) -> (u32, u32) {
    let size = u64::from(size.max(1));
    let shift = size.next_power_of_two().trailing_zeros();
    let magic = ((1u64 << 32) * ((1u64 << shift) - size)) / size + 1;
    (magic as u32, shift)
}

#[cfg(test)]
mod tests {
    use super::divider;

    #[test]
    fn multiplication_divides() {
        let numbers = [0, 1, 2, 3, 6, 7, 999, 1000, 65_535, 65_536, (1 << 31) - 2, (1 << 31) - 1];
        for size in [1, 2, 3, 5, 7, 10, 127, 128, 641, 1000, 65_537, (1 << 31) - 1] {
            let (magic, shift) = divider(size);
            for number in numbers.into_iter().flat_map(|n: u32| [n, n / size * size, (n / size * size).max(1) - 1]) {
                let high = (u64::from(magic) * u64::from(number)) >> 32;
                assert_eq!((high as u32 + number) >> shift, number / size, "{number} / {size}");
            }
        }
    }
}
