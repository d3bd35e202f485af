//! The dimensions of a launch and how its arrays lie over them.
//!
//! A *dimension* is a run-time axis of the traversal, free or reduced: named axes with `..` expanded, those of size 1
//! dropped, neighbors merged where every array and every index allows it. Strides are in elements.
//!
//! Invariant: a dimension of a fault's position keeps its weight, so that dimensions may stand in any order.

use smallvec::SmallVec;

use super::product::Product;
use super::scatter::Scattered;
use crate::element::DType;
use crate::engine::{ArrayRef, Launch};
use crate::kernel::program::{Index, PassKind, WriteKind};

/// One number per dimension.
pub(super) type Strides = SmallVec<[i64; 6]>;

/// A dimension of the traversal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dim {
    pub size: i64,
    /// Distance of neighbors in the row-major order of the kernel's own axes, among the free or the reduced ones.
    pub weight: i64,
}

/// A dimension of an array that its index may leave: the index is `(start + steps) / divisor`.
#[derive(Clone, Debug)]
pub(super) struct Clip {
    pub start: i64,
    pub steps: Strides,
    pub size: i64,
    pub stride: i64,
    pub divisor: i64,
}

/// A dimension of an array that the kernel indexes itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dynamic {
    pub size: i64,
    pub stride: i64,
    /// Its declared position, for messages.
    pub declared: u8,
}

/// Where an array begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// At an address of the device; 0 if nobody wants the array.
    Address(u64),
    /// So many bytes into the launch's scratch memory.
    Scratch(u64),
}

/// An operand or a write over the dimensions.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub place: Place,
    pub dtype: DType,
    pub strides: Strides,
    pub clips: SmallVec<[Clip; 2]>,
    pub dynamic: SmallVec<[Dynamic; 2]>,
    /// True for a write at computed indices.
    pub scatters: bool,
}

/// Everything over the dimensions of a launch.
#[derive(Clone, Default, Debug)]
pub(super) struct Geometry {
    /// Free dimensions, then reduced ones.
    pub dims: SmallVec<[Dim; 6]>,
    /// Number of free dimensions.
    pub free: usize,
    /// How many free dimensions those of a product of matrices are, in order: batch, `m`, `n`.
    pub groups: Option<[usize; 3]>,
    /// If points are visited in an order: how many follow each other that may combine into one element. Those that never do
    /// differ in an outer dimension.
    pub chunk: Option<i64>,
    /// Operands, then writes, by position in the kernel.
    pub arrays: SmallVec<[Placed; 6]>,
    /// The steps of each axis whose index is a value, in the order of the passes.
    pub axes: SmallVec<[Strides; 2]>,
}

/// The group of reduced dimensions; those of free ones are lower.
const REDUCED: usize = 3;

/// The dimensions that a named axis stands for: the axis, the first of them, their number.
type AxisDims = SmallVec<[(u16, usize, usize); 8]>;

impl Geometry {
    /// The geometry of a launch.
    pub fn new(launch: &Launch<'_>, scattered: &Scattered, product: Option<&Product>, ordered: bool) -> Self {
        let kernel = launch.kernel;
        let mut this = Self::default();
        let mut axis_dims = AxisDims::new();
        this.free = this.add_axes(launch, kernel.free, &mut axis_dims);
        this.add_axes(launch, kernel.reduced, &mut axis_dims);
        // The group of each dimension.
        let mut group: SmallVec<[usize; 8]> = SmallVec::from_elem(0, this.dims.len());
        group[this.free..].fill(REDUCED);
        for (place, axes) in product.iter().flat_map(|product| product.groups).enumerate() {
            for &axis in axes {
                let (start, count) = dims_of(&axis_dims, axis);
                group[start..start + count].fill(place);
            }
        }
        let rank = this.dims.len();
        for (operand, array) in kernel.operands.iter().zip(launch.operands) {
            this.arrays.push(Placed::new(launch, array, operand.index, &axis_dims, rank));
        }
        for (position, (write, array)) in kernel.writes.iter().zip(launch.writes).enumerate() {
            let wide = scattered.wide(position);
            let array = wide.map_or(*array, |wide| ArrayRef { strides: &wide.strides, ..*array });
            let mut placed = match write.kind {
                WriteKind::Own { axes, .. } => {
                    let index: SmallVec<[Index; 6]> = axes.iter().map(|&axis| Index::Axis(axis)).collect();
                    Placed::new(launch, &array, &index, &axis_dims, rank)
                }
                WriteKind::Scatter { index, .. } => Placed::new(launch, &array, index, &axis_dims, rank),
            };
            if let Some(wide) = wide {
                placed.move_to(wide.place, array.pointer as u64);
            }
            placed.scatters = matches!(write.kind, WriteKind::Scatter { .. });
            this.arrays.push(placed);
        }
        let mut known: SmallVec<[u16; 4]> = SmallVec::new();
        for &axis in kernel.passes.iter().flat_map(|pass| pass.axes) {
            if !known.contains(&axis) {
                known.push(axis);
                this.axes.push(row_major(&this.dims, &axis_dims, axis));
            }
        }
        if ordered {
            // Dimensions along which every scatter moves come first.
            let apart = scattered_apart(launch);
            for &axis in kernel.free {
                let (start, count) = dims_of(&axis_dims, axis);
                group[start..start + count].fill(usize::from(!apart.contains(&axis)));
            }
        }
        this.order(launch, &mut group);
        this.merge(&mut group);
        let count = |place| group.iter().filter(|&&group| group == place).count();
        this.groups = product.map(|_| [count(0), count(1), count(2)]);
        this.chunk = ordered.then(|| {
            let follow = this.dims.iter().zip(&group).filter(|(_, group)| **group == 1);
            follow.map(|(dim, _)| dim.size).product()
        });
        this
    }

    /// The geometry of a copy between two arrays of one shape, or of a fill.
    pub fn of_arrays(shape: &[usize], arrays: impl IntoIterator<Item = (Place, DType, Strides)>) -> Self {
        let mut dims: SmallVec<[Dim; 6]> = shape.iter().map(|&size| Dim { size: size as i64, weight: 1 }).collect();
        set_weights(&mut dims);
        let placed = |(place, dtype, strides)| Placed {
            place,
            dtype,
            strides,
            clips: SmallVec::new(),
            dynamic: SmallVec::new(),
            scatters: false,
        };
        let free = dims.len();
        let arrays = arrays.into_iter().map(placed).collect();
        let mut this = Self { dims, free, arrays, ..Self::default() };
        let mut group: SmallVec<[usize; 8]> = SmallVec::from_elem(0, free);
        this.drop_ones(&mut group);
        this.merge(&mut group);
        this
    }

    /// Free points.
    pub fn rows(&self) -> i64 {
        self.dims[..self.free].iter().map(|dim| dim.size).product()
    }

    /// Points of the batch, `m` and `n` in a product of matrices.
    pub fn group_points(&self) -> [i64; 3] {
        let Some([batch, m, n]) = self.groups else { return [1; 3] };
        let points = |first: usize, count: usize| self.dims[first..first + count].iter().map(|dim| dim.size).product();
        [points(0, batch), points(batch, m), points(batch + m, n)]
    }

    /// Reduced points of a row.
    pub fn elements(&self) -> i64 {
        self.dims[self.free..].iter().map(|dim| dim.size).product()
    }

    /// True if some number that a kernel makes of an index needs 64 bits; `slack` is how far loops count beyond their ends.
    pub fn is_wide(&self, slack: i64) -> bool {
        let limit = i64::from(i32::MAX);
        let reach = |strides: &Strides| {
            let ends = self.dims.iter().zip(strides);
            ends.fold(0i64, |sum, (dim, &stride)| sum.saturating_add(stride.saturating_abs().saturating_mul(dim.size)))
        };
        let clip_reach = |clip: &Clip| {
            let value = reach(&clip.steps).saturating_add(clip.start.saturating_abs());
            value.saturating_mul(clip.stride.saturating_abs().max(1))
        };
        let array_reach = |array: &Placed| {
            let clips = array.clips.iter().map(clip_reach);
            clips.fold(reach(&array.strides), i64::saturating_add)
        };
        let weights = self.dims.iter().map(|dim| dim.weight).max().unwrap_or(0);
        self.rows().saturating_add(slack) >= limit
            || self.elements().saturating_add(slack) >= limit
            || weights >= limit
            || self.arrays.iter().any(|array| array_reach(array) >= limit)
            || self.axes.iter().any(|steps| reach(steps) >= limit)
    }

    /// Appends the dimensions of some axes; gives their number.
    fn add_axes(&mut self, launch: &Launch<'_>, axes: &[u16], axis_dims: &mut AxisDims) -> usize {
        let first = self.dims.len();
        for &axis in axes {
            let start = self.dims.len();
            self.dims.extend(launch.axis_sizes(axis).map(|size| Dim { size: size as i64, weight: 1 }));
            axis_dims.push((axis, start, self.dims.len() - start));
        }
        set_weights(&mut self.dims[first..]);
        self.dims.len() - first
    }

    /// Orders the dimensions of each group by memory: free ones by the first write, reduced ones by the widest operand.
    fn order(&mut self, launch: &Launch<'_>, group: &mut SmallVec<[usize; 8]>) {
        self.drop_ones(group);
        let operands = launch.kernel.operands.len();
        let own = self.arrays[operands..].iter().find(|array| array.is_plain() && array.place != Place::Address(0));
        let by = |array: Option<&Placed>, rank: usize| -> Strides {
            array.map_or_else(|| SmallVec::from_elem(0, rank), |array| array.strides.clone())
        };
        let (free, rank) = (self.free, self.dims.len());
        let (outer, inner) = (by(own, rank), by(self.widest(launch), rank));
        let mut order: SmallVec<[usize; 6]> = (0..rank).collect();
        order[..free].sort_by_key(|&dim| (group[dim], std::cmp::Reverse(outer[dim].unsigned_abs())));
        order[free..].sort_by_key(|&dim| std::cmp::Reverse(inner[dim].unsigned_abs()));
        *group = order.iter().map(|&dim| group[dim]).collect();
        self.dims = order.iter().map(|&dim| self.dims[dim]).collect();
        for strides in self.all_strides() {
            *strides = order.iter().map(|&dim| strides[dim]).collect();
        }
    }

    /// The operand of the passes over elements that varies over the most points.
    pub fn widest(&self, launch: &Launch<'_>) -> Option<&Placed> {
        let points = |array: &Placed| -> i64 {
            let moving = self.dims.iter().zip(&array.strides).filter(|(_, stride)| **stride != 0);
            moving.map(|(dim, _)| dim.size).fold(1, i64::saturating_mul)
        };
        let passes = launch.kernel.passes.iter().filter(|pass| pass.kind != PassKind::Outer);
        let operands = passes.flat_map(|pass| pass.operands).map(|&operand| &self.arrays[operand as usize]);
        // The first of equals.
        operands
            .filter(|array| array.dynamic.is_empty())
            .reduce(|widest, array| if points(array) > points(widest) { array } else { widest })
    }

    /// Merges neighbors of one group.
    fn merge(&mut self, group: &mut SmallVec<[usize; 8]>) {
        let mut dim = 1;
        while dim < self.dims.len() {
            let (outer, inner) = (self.dims[dim - 1], self.dims[dim]);
            let joins = group[dim - 1] == group[dim]
                && outer.weight == inner.weight * inner.size
                && self
                    .all_strides()
                    .into_iter()
                    .all(|strides| strides[dim - 1] == strides[dim].wrapping_mul(inner.size));
            if !joins {
                dim += 1;
                continue;
            }
            self.dims[dim].size = inner.size * outer.size;
            self.dims.remove(dim - 1);
            group.remove(dim - 1);
            for strides in self.all_strides() {
                strides.remove(dim - 1);
            }
            self.free -= usize::from(dim <= self.free);
        }
    }

    /// Drops dimensions of size 1.
    fn drop_ones(&mut self, group: &mut SmallVec<[usize; 8]>) {
        for dim in (0..self.dims.len()).rev() {
            if self.dims[dim].size == 1 {
                self.dims.remove(dim);
                group.remove(dim);
                for strides in self.all_strides() {
                    strides.remove(dim);
                }
                self.free -= usize::from(dim < self.free);
            }
        }
    }

    /// Everything that varies over the dimensions.
    fn all_strides(&mut self) -> SmallVec<[&mut Strides; 8]> {
        let arrays = self.arrays.iter_mut().flat_map(|array| {
            let clips = array.clips.iter_mut().map(|clip| &mut clip.steps);
            std::iter::once(&mut array.strides).chain(clips)
        });
        arrays.chain(&mut self.axes).collect()
    }
}

impl Placed {
    fn new(launch: &Launch<'_>, array: &ArrayRef<'_>, index: &[Index], axis_dims: &AxisDims, rank: usize) -> Self {
        let mut this = Self {
            place: Place::Address(array.pointer as u64),
            dtype: array.dtype,
            strides: SmallVec::from_elem(0, rank),
            clips: SmallVec::new(),
            dynamic: SmallVec::new(),
            scatters: false,
        };
        let unwanted = array.pointer.is_null();
        let (mut offset, mut cursor) = (0i64, 0);
        for (position, index) in index.iter().enumerate() {
            // An array that nobody wants has no dimensions, but its text has.
            let stride = |cursor: usize| if unwanted { 0 } else { array.strides[cursor] as i64 };
            let size = |cursor: usize| if unwanted { 0 } else { array.shape[cursor] as i64 };
            match *index {
                Index::Axis(axis) => {
                    let (start, count) = dims_of(axis_dims, axis);
                    for dim in start..start + count {
                        this.strides[dim] += stride(cursor);
                        cursor += 1;
                    }
                }
                Index::Affine { terms, offset: ref constant } => {
                    // The coefficient of an axis of size 1 may be anything.
                    for (axis, coefficient) in terms {
                        let along = &mut this.strides[dims_of(axis_dims, *axis).0];
                        *along = along.wrapping_add(launch.size(coefficient).wrapping_mul(stride(cursor)));
                    }
                    offset = offset.wrapping_add(launch.size(constant).wrapping_mul(stride(cursor)));
                    cursor += 1;
                }
                Index::Clipped { terms, offset: ref constant, ref divisor } => {
                    let mut steps: Strides = SmallVec::from_elem(0, rank);
                    for (axis, coefficient) in terms {
                        let along = &mut steps[dims_of(axis_dims, *axis).0];
                        *along = along.wrapping_add(launch.size(coefficient));
                    }
                    let (start, divisor) = (launch.size(constant), launch.size(divisor));
                    this.clips.push(Clip { start, steps, size: size(cursor), stride: stride(cursor), divisor });
                    cursor += 1;
                }
                Index::Dynamic => {
                    let declared = position as u8;
                    this.dynamic.push(Dynamic { size: size(cursor), stride: stride(cursor), declared });
                    cursor += 1;
                }
            }
        }
        if let Place::Address(address) = &mut this.place
            && !unwanted
        {
            *address = address.wrapping_add_signed(offset.wrapping_mul(array.dtype.size() as i64));
        }
        this
    }

    /// True if it is read or written at the point's own index, without a look at its bounds.
    pub fn is_plain(&self) -> bool {
        !self.scatters && self.clips.is_empty() && self.dynamic.is_empty()
    }

    /// Puts the array that begins at `base` into scratch memory, as `f32`.
    fn move_to(&mut self, scratch: u64, base: u64) {
        let Place::Address(address) = self.place else { return };
        let elements = address.wrapping_sub(base) / self.dtype.size() as u64;
        self.place = Place::Scratch(scratch + elements * DType::F32.size() as u64);
        self.dtype = DType::F32;
    }
}

/// The free axes whose points never combine into one element: every scatter of the launch is indexed by them.
fn scattered_apart(launch: &Launch<'_>) -> SmallVec<[u16; 4]> {
    let kernel = launch.kernel;
    let apart = |axis: &u16| {
        kernel.writes.iter().all(|write| match write.kind {
            WriteKind::Own { .. } => true,
            WriteKind::Scatter { index, .. } => {
                index.iter().any(|index| matches!(index, Index::Axis(own) if own == axis))
            }
        })
    };
    kernel.free.iter().copied().filter(apart).collect()
}

/// Sets the weights of dimensions in row-major order.
fn set_weights(dims: &mut [Dim]) {
    let mut weight = 1i64;
    for dim in dims.iter_mut().rev() {
        dim.weight = weight;
        weight = weight.saturating_mul(dim.size.max(1));
    }
}

/// The steps of the index along an axis; along `..`, of the row-major position.
fn row_major(dims: &[Dim], axis_dims: &AxisDims, axis: u16) -> Strides {
    let mut steps: Strides = SmallVec::from_elem(0, dims.len());
    let (start, count) = dims_of(axis_dims, axis);
    let mut step = 1;
    for dim in (start..start + count).rev() {
        steps[dim] = step;
        step *= dims[dim].size;
    }
    steps
}

fn dims_of(axis_dims: &AxisDims, axis: u16) -> (usize, usize) {
    let found = axis_dims.iter().find(|dims| dims.0 == axis).expect("bug in a program: axis outside the kernel");
    (found.1, found.2)
}
