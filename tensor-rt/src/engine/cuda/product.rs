//! Which contractions are products of matrices.
//!
//! The condition is the CPU engine's: a float sum, operands of its type or halves of it, one level that writes nothing.
//! Other contractions, and products of a few lines, are traversed as rows.

use smallvec::SmallVec;

use crate::element::DType;
use crate::engine::Launch;
use crate::kernel::program::{Index, PassKind, ReduceOp};

/// Fewest lines of a matrix that are worth a tile.
const LINES: i64 = 16;
/// Most results that a tile of 64 x 64 serves better: a device is full of larger tiles then.
const SMALL: i64 = 1 << 21;

/// A contraction as a product of matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub lhs: usize,
    pub rhs: usize,
    /// The axes of batch, `m` and `n`.
    pub groups: [&'static [u16]; 3],
    /// Sums of a thread along each side of its tile.
    pub thread: i64,
    /// True if its guards may exclude points where the product is NaN.
    pub guarded: bool,
}

impl Product {
    /// The product that a launch is, if it is one.
    pub fn of(launch: &Launch<'_>) -> Option<Self> {
        let kernel = launch.kernel;
        let contraction = kernel.contraction?;
        let [reduction] = kernel.reductions else { return None };
        let dtype = launch.dtype(reduction.value);
        let fits = |operand: u16| {
            let plain = kernel.operands[operand as usize].index.iter().all(|index| !matches!(index, Index::Dynamic));
            let element = launch.operands[operand as usize].dtype;
            plain && (element == dtype || (dtype == DType::F32 && matches!(element, DType::F16 | DType::Bf16)))
        };
        let only_level = kernel.passes.iter().all(|pass| match pass.kind {
            PassKind::Level(_) => pass.writes.is_empty(),
            PassKind::Inner => false,
            PassKind::Outer => true,
        });
        let size = |axes: &[u16]| -> i64 {
            let sizes = axes.iter().flat_map(|&axis| launch.axis_sizes(axis)).map(|size| size as i64);
            sizes.fold(1, i64::saturating_mul)
        };
        let groups = [contraction.batch, contraction.m, contraction.n];
        let covered: SmallVec<[u16; 8]> = groups.concat().into_iter().collect();
        let is_product = matches!(dtype, DType::F32 | DType::F64)
            && reduction.op == ReduceOp::Sum
            && only_level
            && kernel.free.len() == covered.len()
            && kernel.free.iter().all(|axis| covered.contains(axis))
            && fits(contraction.lhs)
            && fits(contraction.rhs);
        let [batches, m, n] = groups.map(size);
        if !is_product || m.min(n) < LINES || size(kernel.reduced) < LINES {
            return None;
        }
        let large = dtype == DType::F32 && m.min(n) >= 128 && batches.saturating_mul(m).saturating_mul(n) >= SMALL;
        let (lhs, rhs) = (contraction.lhs as usize, contraction.rhs as usize);
        Some(Self { lhs, rhs, groups, thread: if large { 8 } else { 4 }, guarded: contraction.guarded })
    }
}
