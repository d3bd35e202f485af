//! Giving kernels to streams.

use std::ffi::c_void;

use super::context::Limits;
use super::driver::{self, Failure};
use super::module::Function;
use super::stream::Submission;

/// How many threads run a kernel, and what they share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Geometry {
    /// Blocks along each dimension.
    pub grid: [u32; 3],
    /// Threads of a block along each dimension.
    pub block: [u32; 3],
    /// Bytes of shared memory of each block, beside what the kernel declares.
    pub shared_bytes: u32,
}

impl Geometry {
    /// One thread for each of `points`, as far as that makes sense: a kernel that is launched so steps by their number.
    pub fn of_points(points: usize, limits: Limits) -> Geometry {
        const THREADS: usize = 256;
        // Enough to fill the device several times; more blocks would only be started one after the other.
        let most = 32 * limits.multiprocessors.max(1) as usize;
        let blocks = points.div_ceil(THREADS).clamp(1, most);
        Geometry { grid: [blocks as u32, 1, 1], block: [THREADS as u32, 1, 1], shared_bytes: 0 }
    }

    /// The first value that the device does not have, with its name and its bound.
    pub fn check(self, limits: Limits) -> Result<(), (&'static str, u64, u64)> {
        let names = ["grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z"];
        let sizes = self.grid.into_iter().chain(self.block);
        let bounds = limits.grid.into_iter().chain(limits.block);
        for ((name, size), bound) in names.into_iter().zip(sizes).zip(bounds) {
            if size == 0 || size > bound {
                return Err((name, size.into(), bound.into()));
            }
        }
        let threads = self.block.iter().map(|&size| u64::from(size)).product();
        if threads > limits.threads.into() {
            return Err(("threads of a block", threads, limits.threads.into()));
        }
        if self.shared_bytes > limits.shared {
            return Err(("bytes of shared memory", self.shared_bytes.into(), limits.shared.into()));
        }
        Ok(())
    }
}

impl Submission {
    /// Starts a kernel.
    ///
    /// # Safety
    /// `parameters` are the addresses of the values of the kernel's parameters, in order and of their types. With these
    /// values the kernel reads and writes only memory that this submission is after the uses of, and that stays until it is
    /// done: buffers that the submission is told of, and the stream's record.
    pub unsafe fn launch(
        &self,
        function: Function,
        geometry: Geometry,
        parameters: &mut [*mut c_void],
    ) -> Result<(), Failure> {
        let Geometry { grid, block, shared_bytes } = geometry;
        // SAFETY: the function belongs to a module of this context, which is bound, and is never unloaded; the rest is the
        // caller's promise.
        unsafe {
            driver::launch(
                function.raw,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared_bytes,
                self.raw(),
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }
}
