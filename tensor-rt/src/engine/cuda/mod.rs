//! The CUDA engine's preparation: from a launch to sources, arguments and grids.
//!
//! A launch's dimensions are merged as far as memory allows ([`geometry`]), then it is decided how threads go through them
//! ([`mapping`]). The text of the kernel, the [`prelude`] and macros for what was decided make a [`source`]; arrays,
//! strides, sizes and scalars are packed as the parameters that the text declares ([`arguments`]). Some launches become
//! several: a long row is folded in two steps, and what is scattered into starts from its identity ([`scatter`]).
//!
//! What is prepared, [`run`] gives to a stream. Pointers of arrays are device addresses that are never followed.
//!
//! Invariants: what decides the order in which numbers are combined depends on sizes and strides alone; the parameters of a
//! prepared kernel are those of its text, in order, size and alignment.

#[forbid(unsafe_code)]
mod arguments;
#[forbid(unsafe_code)]
pub(crate) mod fault;
#[forbid(unsafe_code)]
mod geometry;
#[forbid(unsafe_code)]
mod mapping;
#[forbid(unsafe_code)]
mod prelude;
#[forbid(unsafe_code)]
mod product;
pub(crate) mod run;
#[forbid(unsafe_code)]
mod scatter;
#[forbid(unsafe_code)]
mod source;

#[cfg(test)]
pub(crate) mod tests;

use std::sync::OnceLock;

use smallvec::SmallVec;

use self::arguments::Arguments;
use self::geometry::Geometry;
use self::mapping::Mapping;
use self::product::Product;
use self::scatter::Scattered;
use self::source::Source;
use super::Launch;
use crate::kernel::program::CudaText;

/// A launch as kernels of a device, to run one after the other.
pub(crate) struct Prepared {
    /// The kernels in order; none if there is nothing to do.
    pub kernels: SmallVec<[KernelLaunch; 2]>,
    /// Bytes of scratch memory that all of them share.
    pub scratch: usize,
}

/// One kernel with its arguments.
pub(crate) struct KernelLaunch {
    /// What is compiled.
    pub source: Source,
    /// The function's name.
    pub entry: &'static str,
    /// Its arguments; scratch memory, error record and number of the launch are still to be bound.
    pub arguments: Arguments,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of shared memory beside what the function declares.
    pub shared: u32,
}

/// The kernels of a launch. Sums of floats at computed addresses are made in any order, unless `TENSOR_DETERMINISTIC` asks
/// for one.
pub(crate) fn prepare(launch: &Launch<'_>) -> Prepared {
    static ASKED: OnceLock<bool> = OnceLock::new();
    let asked = || std::env::var_os("TENSOR_DETERMINISTIC").is_some_and(|value| !value.is_empty() && value != "0");
    prepare_in_order(launch, *ASKED.get_or_init(asked))
}

/// The kernels of a launch, whose sums of floats at computed addresses are made in one order if `deterministic`.
fn prepare_in_order(launch: &Launch<'_>, deterministic: bool) -> Prepared {
    let mut prepared = Prepared { kernels: SmallVec::new(), scratch: 0 };
    let scattered = Scattered::of(launch, &mut prepared);
    if !launch.kernel.free.iter().any(|&axis| launch.axis_sizes(axis).any(|size| size == 0)) {
        run(launch, &scattered, deterministic, &mut prepared);
    }
    scattered.finish(launch, &mut prepared);
    prepared
}

/// Adds the kernels of the launch itself.
fn run(launch: &Launch<'_>, scattered: &Scattered, deterministic: bool, prepared: &mut Prepared) {
    let ordered = deterministic && scatter::depends_on_order(launch);
    let product = if ordered { None } else { Product::of(launch) };
    let geometry = Geometry::new(launch, scattered, product.as_ref(), ordered);
    let mapping = Mapping::choose(launch, &geometry, product);
    let CudaText { entry, source, .. } = launch.kernel.cuda;
    let parts = prepared.reserve(mapping.part_bytes(launch, &geometry));
    for step in mapping.steps(&geometry) {
        prepared.kernels.push(KernelLaunch {
            source: Source::new(launch.generic, &geometry, &step, source),
            entry,
            arguments: Arguments::new(launch, &geometry, &step, parts),
            grid: step.grid,
            block: step.block,
            shared: 0,
        });
    }
}

impl Launch<'_> {
    /// True if the kernel visits points one by one, not rows of them.
    fn has_points(&self) -> bool {
        self.kernel.reduced.is_empty() && self.kernel.reductions.is_empty()
    }
}

impl Prepared {
    /// Bytes of scratch memory, by their first; aligned for every element.
    fn reserve(&mut self, bytes: usize) -> u64 {
        let first = self.scratch;
        self.scratch += bytes.next_multiple_of(256);
        first as u64
    }
}
