//! Matrix products.

use smallvec::SmallVec;

use super::broadcast::{common_shape, repeat, same};
use crate::device::Device;
use crate::element::Float;
use crate::error::{Error, Origin, Result};
use crate::mode::{GradMode, Join};
use crate::relation::{SameDevice, SameElement};
use crate::shape::Shape;
use crate::tensor::Tensor;
use crate::tensor_fn;

/// One matrix on the right for every matrix on the left.
mod shared {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn matmul(a: &Tensor[.., M, K], b: &Tensor[K, N]) -> Tensor[.., M, N] { sum[K](a * b) }
    }
}

mod batched {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn matmul(a: &Tensor[.., M, K], b: &Tensor[.., K, N]) -> Tensor[.., M, N] { sum[K](a * b) }
    }
}

impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
    /// Matrix product: `[.., M, K]` with `[.., K, N]` gives `[.., M, N]`; leading axes are broadcast together. A tensor
    /// with one axis is a row on the left and a column on the right, and that axis is missing in the result.
    ///
    /// # Errors
    /// Fails if a tensor has no axis, if the two sizes of `K` differ, if leading axes cannot be broadcast together, or if
    /// the device is out of memory.
    #[track_caller]
    pub fn matmul<E, H, U>(&self, other: &Tensor<E, H, U>) -> Result<Tensor<D, <G as Join<H>>::Out, T>>
    where
        G: Join<H>,
        E: SameDevice<D>,
        H: GradMode,
        U: SameElement<T>,
    {
        let Origin { op, at } = Origin::of("matmul");
        for (param, rank) in [("a", self.rank()), ("b", other.rank())] {
            if rank == 0 {
                return Err(Error::RankMismatch { op, param: Some(param), expected: 1, at_least: true, found: 0, at });
            }
        }
        let (row, column) = (self.rank() == 1, other.rank() == 1);
        let other: &Tensor<D, H, T> = same(other);
        let a = if row { self.unsqueeze(0)? } else { self.clone() };
        let b = if column { other.unsqueeze(1)? } else { other.clone() };
        let product = product(&a, &b)?;
        match (row, column) {
            (false, false) => Ok(product),
            (true, false) => product.squeeze(-2),
            (false, true) => product.squeeze(-1),
            (true, true) => product.squeeze(-1)?.squeeze(-1),
        }
    }
}

#[track_caller]
fn product<D, G, H, T>(a: &Tensor<D, G, T>, b: &Tensor<D, H, T>) -> Result<Tensor<D, <G as Join<H>>::Out, T>>
where
    D: Device,
    G: GradMode + Join<H>,
    H: GradMode,
    T: Float,
{
    if b.rank() == 2 {
        return shared::matmul(a, b);
    }
    let batch = |shape: &Shape| Shape::from(&shape[..shape.rank() - 2]);
    let common = common_shape(&batch(a.shape()), &batch(b.shape()), Origin::of("matmul"))?;
    let whole = |shape: &Shape| {
        let sizes: SmallVec<[usize; 6]> = common.iter().chain(&shape[shape.rank() - 2..]).copied().collect();
        Shape::from(&sizes[..])
    };
    batched::matmul(&repeat(a, &whole(a.shape()))?, &repeat(b, &whole(b.shape()))?)
}
