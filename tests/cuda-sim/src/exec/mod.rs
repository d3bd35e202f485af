//! Execution of kernels, one warp at a time.
//!
//! Blocks run one after the other, in an order that a seed chooses; the warps of a block in turn, each until it ends or
//! waits; the instructions of a warp for its 32 lanes at once (`registers`). Memory is sequentially consistent: a
//! missing fence is found only by the check of races.
//!
//! Speed, in million thread instructions a second, on one core of a machine that was busy otherwise: add 130, GELU 220
//! to 350 in f32 and 270 in f64, a row sum 340 to 440, a divergent loop 220; with the checks of races and of
//! initialisation 40 to 130. `speed_of_kernels` of the tests measures it.

mod block;
pub(crate) mod lanes;
pub(crate) mod memory_step;
mod race;
pub(crate) mod registers;
pub(crate) mod spaces;
mod specials;
mod syscalls;
mod warp;

use std::ops::Range;

use race::{BlockRaces, WarpRaces};
use spaces::{Local, Spaces};
use warp::{Run, WarpFault};

use crate::fault::{Fault, Place};
use crate::memory::{Memory, window};
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
    config: &LaunchConfig,
    params: &[u8],
    memory: &mut Memory,
) -> Result<Touched, Fault> {
    assert_eq!(params.len(), function.parameter_bytes(), "bytes of the parameters of `{}`", function.name());
    let program = function.program();
    let mut spaces = Spaces {
        memory,
        device: config.device,
        params: params.to_vec(),
        shared: vec![0; program.shared_bytes + config.shared],
        local: Local::default(),
        warp: 0,
        check_initialised: config.checks.uninitialised,
        block_races: config.checks.races.then(BlockRaces::default),
        warp_races: config.checks.races.then(WarpRaces::default),
        touched: Vec::new(),
    };
    let mut run = Run {
        program,
        config,
        spare: program.functions.iter().map(|_| Vec::new()).collect(),
        spare_local: Vec::new(),
        warp_instructions: 0,
        thread_instructions: 0,
        output: String::new(),
        block: [0; 3],
    };
    for block in block_order(config) {
        let [x, y, _] = config.grid.map(u64::from);
        run.block = [block % x, block / x % y, block / x / y].map(|index| index as u32);
        // What the block before left there is as good as noise.
        spaces.shared.fill(FRESH_SHARED);
        if let Some(races) = &mut spaces.block_races {
            races.begin_block(block as u32);
        }
        if let Some(races) = &mut spaces.warp_races {
            races.next_epoch();
        }
        block::run(&mut run, &mut spaces).map_err(|fault| placed(fault, function, &run, &spaces))?;
    }
    let ranges = |range: fn(&spaces::TouchedAllocation) -> Range<u64>| {
        spaces.touched.iter().map(range).filter(|range| !range.is_empty()).collect()
    };
    Ok(Touched {
        read: ranges(|touched| touched.read.clone()),
        written: ranges(|touched| touched.written.clone()),
        counters: Counters { warp_instructions: run.warp_instructions, thread_instructions: run.thread_instructions },
        output: run.output,
    })
}

/// What shared memory holds when a block begins: as a float it is NaN.
const FRESH_SHARED: u8 = 0xff;

/// The blocks in the order in which they run.
fn block_order(config: &LaunchConfig) -> Vec<u64> {
    let mut blocks: Vec<u64> = (0..config.grid.iter().copied().map(u64::from).product()).collect();
    let Some(mut state) = config.seed else { return blocks };
    for last in (1..blocks.len()).rev() {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        blocks.swap(last, (bits % (last as u64 + 1)) as usize);
    }
    blocks
}

/// Adds to a fault where it happened.
fn placed(fault: WarpFault, function: &Function, run: &Run<'_>, spaces: &Spaces<'_>) -> Fault {
    let WarpFault { fault, function: code, pc } = fault;
    let thread = spaces.warp * 32 + fault.lane;
    let [x, y, _] = run.config.block;
    let line = run.code(code).lines[pc as usize];
    let source = line.source.map(|(file, line)| {
        let name = run.program.files.iter().find(|known| known.0 == file);
        (name.map_or_else(|| format!("file {file}"), |known| known.1.clone()), line)
    });
    let place = Place {
        kernel: function.name().to_owned(),
        block: run.block,
        thread: [thread % x, thread / x % y, thread / x / y],
        ptx_line: line.ptx,
        source,
        parameter: fault.address.and_then(|address| pointing_parameter(function, &spaces.params, address)),
    };
    Fault { place: Some(Box::new(place)), ..fault.fault }
}

/// The parameter that holds a pointer into the window of an address.
fn pointing_parameter(function: &Function, params: &[u8], address: u64) -> Option<usize> {
    function.parameters().iter().position(|parameter| {
        let bytes = params.get(parameter.offset..parameter.offset + parameter.bytes);
        let pointer = bytes.and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
        pointer.is_some_and(|pointer| window(pointer) == window(address))
    })
}
