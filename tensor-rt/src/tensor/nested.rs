//! Nested data: what `Tensor::new` takes.

use crate::element::Element;
use crate::error::{Error, Origin, Result};

/// A scalar, or arrays, slices and vectors of nested data.
///
/// The rows of one depth must have one length; arrays have it by their type.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{T}` cannot be made from `{Self}`",
    label = "expected a `{T}`, or arrays, slices or vectors of it",
    note = "`Tensor::new` makes `f32`, and `Tensor::new_of::<T>` any other element"
)]
pub trait Nested<T: Element> {
    /// How deep the data are nested: the number of axes.
    const DEPTH: usize;

    /// Appends the elements in row-major order, and sets or checks the length of each depth from `depth` on.
    #[doc(hidden)]
    fn append(&self, depth: usize, lengths: &mut [Option<usize>], elements: &mut Vec<T>, origin: Origin) -> Result<()>;
}

impl<T: Element> Nested<T> for T {
    const DEPTH: usize = 0;

    fn append(
        &self,
        _depth: usize,
        _lengths: &mut [Option<usize>],
        elements: &mut Vec<T>,
        _origin: Origin,
    ) -> Result<()> {
        elements.push(*self);
        Ok(())
    }
}

impl<T: Element, N: Nested<T>> Nested<T> for [N] {
    const DEPTH: usize = N::DEPTH + 1;

    fn append(&self, depth: usize, lengths: &mut [Option<usize>], elements: &mut Vec<T>, origin: Origin) -> Result<()> {
        let expected = *lengths[depth].get_or_insert(self.len());
        if expected != self.len() {
            return Err(Error::RaggedData { op: origin.op, depth, expected, found: self.len(), at: origin.at });
        }
        self.iter().try_for_each(|row| row.append(depth + 1, lengths, elements, origin))
    }
}

impl<T: Element, N: Nested<T>, const LENGTH: usize> Nested<T> for [N; LENGTH] {
    const DEPTH: usize = N::DEPTH + 1;

    fn append(&self, depth: usize, lengths: &mut [Option<usize>], elements: &mut Vec<T>, origin: Origin) -> Result<()> {
        self.as_slice().append(depth, lengths, elements, origin)
    }
}

impl<T: Element, N: Nested<T>> Nested<T> for Vec<N> {
    const DEPTH: usize = N::DEPTH + 1;

    fn append(&self, depth: usize, lengths: &mut [Option<usize>], elements: &mut Vec<T>, origin: Origin) -> Result<()> {
        self.as_slice().append(depth, lengths, elements, origin)
    }
}

macro_rules! nested_references {
    ($(($($length:tt)*) $data:ty;)*) => {$(
        impl<T: Element, N: Nested<T>, $($length)*> Nested<T> for &$data {
            const DEPTH: usize = N::DEPTH + 1;

            fn append(&self, depth: usize, lengths: &mut [Option<usize>], elements: &mut Vec<T>, origin: Origin) -> Result<()> {
                self[..].append(depth, lengths, elements, origin)
            }
        }
    )*};
}

// Not for every `&N`: another crate could make that an element.
nested_references! {
    () [N];
    () Vec<N>;
    (const LENGTH: usize) [N; LENGTH];
}
