//! Where the elements of a view lie in their storage.
//!
//! Element `[i, j, ..]` of a view is element `offset + i * strides[0] + j * strides[1] + ..` of the storage. A stride is
//! signed: a reversed view walks backwards from its offset. A *dense* layout is row-major without gaps.
//!
//! Invariants: every element of a layout made by these functions from one whose elements lie in a storage lies in that
//! storage too; a layout with no elements has offset 0 and never forms an address; only stride 0 makes elements share
//! an address.

use crate::error::{Error, Origin, Result};
use crate::shape::{PerAxis, Shape, Span};

/// Shape, strides in elements, and the offset of the first element.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    shape: Shape,
    strides: PerAxis<isize>,
    offset: usize,
}

impl Clone for Layout {
    fn clone(&self) -> Layout {
        // The vector's own `clone` goes element by element.
        Layout { shape: self.shape.clone(), strides: PerAxis::from_slice(&self.strides), offset: self.offset }
    }
}

impl Layout {
    /// The dense layout of a shape from offset 0.
    pub fn dense(shape: Shape) -> Layout {
        let strides = dense_strides(&shape);
        Layout { shape, strides, offset: 0 }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The number of elements; the shape of a layout that exists has been checked.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// True if the elements follow one another in row-major order.
    pub fn is_dense(&self) -> bool {
        let mut expected = 1isize;
        if self.elements() == 0 {
            return true;
        }
        for (size, stride) in self.shape.iter().zip(&self.strides).rev() {
            if *size != 1 && *stride != expected {
                return false;
            }
            expected *= *size as isize;
        }
        true
    }

    /// True if no two elements share an address.
    pub fn is_injective(&self) -> bool {
        self.elements() == 0 || self.shape.iter().zip(&self.strides).all(|(size, stride)| *size == 1 || *stride != 0)
    }

    /// The lowest and the highest element offset of the view; `None` if it has no elements.
    pub fn bounds(&self) -> Option<(usize, usize)> {
        if self.elements() == 0 {
            return None;
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (size, stride) in self.shape.iter().zip(&self.strides) {
            let reach = (*size as isize - 1) * stride;
            if reach < 0 { low += reach } else { high += reach }
        }
        Some((low as usize, high as usize))
    }

    pub fn permute(&self, axes: &[usize]) -> Layout {
        Layout {
            shape: axes.iter().map(|axis| self.shape[*axis]).collect(),
            strides: axes.iter().map(|axis| self.strides[*axis]).collect(),
            offset: self.offset,
        }
    }

    /// `span.length` elements of one axis; the span lies within it.
    pub fn slice(&self, axis: usize, span: Span) -> Layout {
        let mut layout = self.clone();
        layout.shape = self.shape.with(axis, span.length);
        layout.strides[axis] = self.strides[axis].wrapping_mul(span.step);
        layout.moved(axis, span.start, self)
    }

    /// The elements at `index` of one axis, without that axis; the index lies within it.
    pub fn select(&self, axis: usize, index: usize) -> Layout {
        let mut layout = self.clone();
        layout.shape = self.shape.without(axis);
        layout.strides.remove(axis);
        layout.moved(axis, index, self)
    }

    /// `self` starting at index `start` of `axis` of `base`. The start of an empty view may lie outside the storage.
    fn moved(mut self, axis: usize, start: usize, base: &Layout) -> Layout {
        self.offset =
            if self.elements() == 0 { 0 } else { base.offset.wrapping_add_signed(start as isize * base.strides[axis]) };
        self
    }

    /// The view with an axis of size 1 more.
    pub fn unsqueeze(&self, axis: usize) -> Layout {
        let mut layout = self.clone();
        layout.shape = self.shape.inserting(axis, 1);
        // Any stride would do; this one keeps a dense layout dense to a reader that looks at strides alone.
        let stride = self.strides.get(axis).map_or(1, |stride| stride.wrapping_mul(self.shape[axis] as isize));
        layout.strides.insert(axis, stride);
        layout
    }

    /// The view without an axis of size 1.
    pub fn squeeze(&self, axis: usize) -> Layout {
        let mut layout = self.clone();
        layout.shape = self.shape.without(axis);
        layout.strides.remove(axis);
        layout
    }

    /// The view with axes of size 1, and axes in front, repeated to `target`.
    pub fn broadcast_to(&self, target: &Shape, origin: Origin) -> Result<Layout> {
        target.elements(origin)?;
        let mismatch =
            || Error::Broadcast { op: origin.op, lhs: self.shape.sizes(), rhs: target.sizes(), at: origin.at };
        let in_front = target.rank().checked_sub(self.rank()).ok_or_else(mismatch)?;
        let mut strides = PerAxis::from_elem(0, in_front);
        for (axis, size) in target[in_front..].iter().enumerate() {
            strides.push(match self.shape[axis] {
                own if own == *size => self.strides[axis],
                1 => 0,
                _ => return Err(mismatch()),
            });
        }
        let offset = if target.contains(&0) { 0 } else { self.offset };
        Ok(Layout { shape: target.clone(), strides, offset })
    }

    /// The same elements in the same row-major order as another shape, if strides can say so; the number of elements is
    /// the same.
    pub fn reshape(&self, target: &Shape) -> Option<Layout> {
        if self.elements() == 0 {
            return Some(Layout::dense(target.clone()));
        }
        let groups = self.mergeable();
        let mut strides: PerAxis<isize> = PerAxis::from_elem(0, target.rank());
        let mut axis = target.rank();
        // Innermost first: each group of axes that walk memory evenly must be made up of whole target axes.
        for (size, stride) in groups.iter().rev() {
            let mut filled = 1;
            while filled < *size {
                axis = axis.checked_sub(1)?;
                strides[axis] = stride.wrapping_mul(filled as isize);
                filled = filled.checked_mul(target[axis])?;
            }
            if filled != *size {
                return None;
            }
        }
        // Only axes of size 1 are left, or axes that were passed while a group was already full.
        for axis in (0..axis).rev() {
            if target[axis] != 1 {
                return None;
            }
            strides[axis] = match strides.get(axis + 1) {
                Some(stride) => stride.wrapping_mul(target[axis + 1] as isize),
                None => 1,
            };
        }
        Some(Layout { shape: target.clone(), strides, offset: self.offset })
    }

    /// The axes with neighbours merged where one walk covers both, outermost first, as sizes and strides. Axes of size 1
    /// are left out. The layout has elements.
    fn mergeable(&self) -> PerAxis<(usize, isize)> {
        let mut groups: PerAxis<(usize, isize)> = PerAxis::new();
        for (size, stride) in self.shape.iter().zip(&self.strides) {
            if *size == 1 {
                continue;
            }
            match groups.last_mut() {
                Some((outer, outer_stride)) if *outer_stride == stride * *size as isize => {
                    *outer *= size;
                    *outer_stride = *stride;
                }
                _ => groups.push((*size, *stride)),
            }
        }
        groups
    }
}

/// Strides of a dense layout. Those of an empty shape are never multiplied by an index, so they may wrap.
fn dense_strides(shape: &[usize]) -> PerAxis<isize> {
    let mut strides: PerAxis<isize> = PerAxis::new();
    for _ in shape {
        strides.push(1);
    }
    for axis in (0..shape.len().saturating_sub(1)).rev() {
        strides[axis] = strides[axis + 1].wrapping_mul(shape[axis + 1].max(1) as isize);
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reshaped(layout: &Layout, target: impl Into<Shape>) -> Option<Vec<isize>> {
        layout.reshape(&target.into()).map(|layout| layout.strides.to_vec())
    }

    #[test]
    fn dense_layouts_reshape_to_anything() {
        let layout = Layout::dense([2, 3, 4].into());
        assert_eq!(reshaped(&layout, [24]), Some(vec![1]));
        assert_eq!(reshaped(&layout, [4, 6]), Some(vec![6, 1]));
        assert_eq!(reshaped(&layout, [1, 24, 1]), Some(vec![24, 1, 1]));
    }

    #[test]
    fn transposed_layouts_reshape_only_within_an_axis() {
        let layout = Layout::dense([4, 6].into()).permute(&[1, 0]);
        assert_eq!(reshaped(&layout, [24]), None);
        assert_eq!(reshaped(&layout, [2, 3, 4]), Some(vec![3, 1, 6]));
        assert_eq!(reshaped(&layout, [6, 2, 2]), Some(vec![1, 12, 6]));
        assert_eq!(reshaped(&layout, [12, 2]), None);
    }

    #[test]
    fn one_element_reshapes_to_any_number_of_axes() {
        assert!(Layout::dense([].into()).reshape(&[1, 1].into()).is_some());
        assert!(Layout::dense([1, 1].into()).reshape(&[].into()).is_some());
    }

    #[test]
    fn reversed_axes_merge() {
        let layout = Layout::dense([2, 3].into());
        let flipped =
            layout.slice(0, Span { start: 1, length: 2, step: -1 }).slice(1, Span { start: 2, length: 3, step: -1 });
        assert_eq!(reshaped(&flipped, [6]), Some(vec![-1]));
        assert_eq!(flipped.bounds(), Some((0, 5)));
    }
}
