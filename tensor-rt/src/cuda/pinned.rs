//! Pinned memory that is owned, and returns to its pool when its owner is gone.

use std::ptr::NonNull;

use super::context::Context;
use super::host::HostBlock;
use super::stream::Point;
use crate::error::{Origin, Result};

/// Pinned memory of the host.
///
/// Invariant: `block` is there until the drop; `last` is the point of the last copy that uses it, if there was one.
#[derive(Debug)]
pub(crate) struct PinnedBlock {
    block: Option<HostBlock>,
    last: Option<Point>,
}

impl PinnedBlock {
    /// Memory of at least `bytes` bytes, initialised with whatever was in it.
    pub fn stale(context: &'static Context, bytes: usize, origin: Origin) -> Result<PinnedBlock> {
        context.check(origin)?;
        let block = context.host_pool().take(context, bytes).map_err(|failure| context.error(failure, origin))?;
        Ok(PinnedBlock { block: Some(block), last: None })
    }

    pub fn block(&self) -> &HostBlock {
        self.block.as_ref().expect("bug in tensor-rt: a pinned block is used after its drop")
    }

    pub fn pointer(&self) -> NonNull<u8> {
        self.block().pointer()
    }

    pub fn bytes(&self) -> usize {
        self.block().bytes()
    }

    /// Notes the copy that uses the block: the memory is not handed out again before it is done.
    pub fn used_until(&mut self, point: Point) {
        self.last = Some(point);
    }
}

impl Drop for PinnedBlock {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            block.context().host_pool().put(block, self.last);
        }
    }
}
