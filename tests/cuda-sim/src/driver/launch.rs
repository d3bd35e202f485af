//! Launches: the checks of the call, and the run.

use std::ops::Range;

use super::{
    Driver,
    code::{Code, Result},
    config::Knob,
    device::{
        BLOCKS_PER_MULTIPROCESSOR, MAX_BLOCK, MAX_GRID, MAX_THREADS_PER_BLOCK, MULTIPROCESSORS,
        REGISTERS_PER_MULTIPROCESSOR, SHARED_PER_MULTIPROCESSOR, SHARED_RESERVED, THREADS_PER_MULTIPROCESSOR,
    },
    module::REGISTERS,
    operation::{Done, Outcome, Touch, Work},
    time,
};
use crate::{
    exec::{Checks, LaunchConfig, launch},
    fault::{Access, Fault, FaultKind},
    module::Function,
};

/// Threads of a warp.
const WARP: u32 = 32;

/// A launch on a stream.
pub(crate) struct Launch {
    pub(crate) function: Function,
    config: LaunchConfig,
    parameters: Vec<u8>,
}

/// The extent of a launch, as the call gives it.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(crate) shared: usize,
    /// Must all blocks be resident at once?
    pub(crate) cooperative: bool,
}

impl Launch {
    /// Does a parameter point into this range?
    pub(crate) fn mentions(&self, range: &Range<u64>) -> bool {
        let pointers = self.function.parameters().iter().flat_map(|parameter| {
            self.parameters[parameter.offset..parameter.offset + parameter.bytes].chunks_exact(size_of::<u64>())
        });
        pointers
            .map(|bytes| u64::from_le_bytes(bytes.try_into().expect("chunks of eight bytes")))
            .any(|pointer| range.contains(&pointer))
    }
}

impl Driver {
    /// The function to launch on a stream, after all checks that the call itself makes.
    pub(crate) fn check_launch(&mut self, handle: u64, extent: &Extent, stream: u64) -> Result<Function> {
        let (_, context) = self.stream(stream)?;
        let loaded = self.functions.get(handle)?;
        if loaded.context != context {
            return Err(Code::INVALID_HANDLE);
        }
        let Extent { grid, block, shared, cooperative } = *extent;
        let inside = |sizes: [u32; 3], limits: [u32; 3]| {
            sizes.iter().zip(&limits).all(|(size, limit)| (1..=*limit).contains(size))
        };
        let threads = block.iter().map(|size| u64::from(*size)).product::<u64>();
        if !inside(grid, MAX_GRID) || !inside(block, MAX_BLOCK) || threads > u64::from(MAX_THREADS_PER_BLOCK) {
            return Err(Code::INVALID_VALUE);
        }
        if threads > u64::from(loaded.function.max_threads()) {
            return Err(Code::LAUNCH_OUT_OF_RESOURCES);
        }
        if shared > loaded.dynamic_shared {
            return Err(Code::INVALID_VALUE);
        }
        let blocks = grid.iter().map(|size| u64::from(*size)).product::<u64>();
        let resident = blocks_per_multiprocessor(&loaded.function, threads as u32, shared) * MULTIPROCESSORS;
        if cooperative && blocks > u64::from(resident) {
            return Err(Code::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
        Ok(loaded.function.clone())
    }

    /// Puts a launch at the end of a stream.
    pub(crate) fn enqueue_launch(
        &mut self,
        function: Function,
        parameters: Vec<u8>,
        extent: &Extent,
        stream: u64,
    ) -> Result {
        let (stream, context) = self.stream(stream)?;
        let order = self.config.get(Knob::BlockOrder);
        let config = LaunchConfig {
            grid: extent.grid,
            block: extent.block,
            shared: extent.shared,
            device: self.working(context)?.device,
            seed: (order != 0).then_some(order as u64),
            checks: Checks {
                uninitialised: self.config.is(Knob::CheckUninitialised),
                races: self.config.is(Knob::CheckRaces),
            },
            ..LaunchConfig::default()
        };
        self.enqueue(stream, Work::Launch(Launch { function, config, parameters }), Vec::new())?;
        Ok(())
    }

    /// Runs a launch.
    pub(crate) fn run_launch(&mut self, this: Launch) -> Outcome {
        let touched = launch(&this.function, &this.config, &this.parameters, &mut self.memory)?;
        let cost = self.log.kernels.entry(this.function.name().to_owned()).or_default();
        cost.launches += 1;
        cost.warp_instructions += touched.counters.warp_instructions;
        cost.thread_instructions += touched.counters.thread_instructions;
        if !touched.output.is_empty() {
            print!("{}", touched.output);
        }
        let reads = touched.read.into_iter().map(|range| Touch { range, write: false });
        let writes = touched.written.into_iter().map(|range| Touch { range, write: true });
        let touches: Vec<Touch> = reads.chain(writes).collect();
        touches.iter().try_for_each(|touch| self.check_peer(touch, this.config.device))?;
        let blocks = this.config.grid.iter().map(|size| u64::from(*size)).product();
        Ok(Done { touches, duration: time::of_kernel(touched.counters.warp_instructions, blocks) })
    }

    /// Fails if kernels of `device` must not touch the memory.
    ///
    /// The memory knows which devices reach each other in any way. But peer access of a context opens only what is
    /// outside pools, and access to a pool only what is in it.
    fn check_peer(&self, touch: &Touch, device: u32) -> std::result::Result<(), Fault> {
        let Some(allocation) = self.memory.allocation(touch.range.start) else { return Ok(()) };
        let Some(held) = self.allocated.get(&allocation.start).filter(|held| held.device != device) else {
            return Ok(());
        };
        let open = match held.pool {
            Some(pool) => self.pools.get(pool).is_ok_and(|pool| pool.accessible.contains(&device)),
            None => self
                .contexts
                .iter()
                .any(|(_, context)| context.device == device && context.peers.contains(&held.context)),
        };
        if open {
            return Ok(());
        }
        let access = if touch.write { Access::Write } else { Access::Read };
        let (allocation, owner) = (allocation.name(), held.device);
        Err(FaultKind::WrongDevice { access, allocation, owner, device }.into())
    }
}

/// How many blocks of a function one multiprocessor holds at once.
pub(crate) fn blocks_per_multiprocessor(function: &Function, threads: u32, dynamic_shared: usize) -> u32 {
    if threads == 0 || threads > function.max_threads() {
        return 0;
    }
    let warps = threads.div_ceil(WARP);
    let by_threads = THREADS_PER_MULTIPROCESSOR / (warps * WARP);
    let by_registers = REGISTERS_PER_MULTIPROCESSOR / (warps * WARP * REGISTERS);
    let shared = function.shared_bytes() + dynamic_shared + SHARED_RESERVED;
    let by_shared = (SHARED_PER_MULTIPROCESSOR / shared) as u32;
    by_threads.min(by_registers).min(by_shared).min(BLOCKS_PER_MULTIPROCESSOR)
}

/// The block size with the most resident threads, and how many blocks fill the device with it.
///
/// `shared` gives the dynamic shared memory of a block of a size.
pub(crate) fn best_block(function: &Function, most: u32, shared: impl Fn(u32) -> usize) -> (u32, u32) {
    let most = if most == 0 { function.max_threads() } else { most.min(function.max_threads()) };
    let sizes = (1..=most.div_ceil(WARP)).map(|warps| (warps * WARP).min(most));
    let best = sizes.max_by_key(|size| blocks_per_multiprocessor(function, *size, shared(*size)) * size);
    let size = best.unwrap_or(0);
    (size, blocks_per_multiprocessor(function, size, shared(size)) * MULTIPROCESSORS)
}
