//! The simulated devices and the attributes they answer.
//!
//! The figures are those of an A100 where a program could depend on them (limits of a launch, sizes of shared memory);
//! clocks and cache sizes are round numbers. Attributes not in the table are 0, as for features that a device lacks.

use super::{
    code::{Code, Result},
    config::{Config, Knob},
};

pub(crate) const MAX_THREADS_PER_BLOCK: u32 = 1024;
pub(crate) const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
pub(crate) const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// Shared memory of a block that needs no opt-in.
pub(crate) const SHARED_PER_BLOCK: usize = 48 << 10;
/// Shared memory of a block after `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
pub(crate) const SHARED_PER_BLOCK_OPT_IN: usize = 163 << 10;
pub(crate) const SHARED_PER_MULTIPROCESSOR: usize = 164 << 10;
/// What the system keeps of the shared memory of each block.
pub(crate) const SHARED_RESERVED: usize = 1 << 10;
pub(crate) const THREADS_PER_MULTIPROCESSOR: u32 = 2048;
pub(crate) const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;
pub(crate) const MULTIPROCESSORS: u32 = 108;
pub(crate) const REGISTERS_PER_MULTIPROCESSOR: u32 = 65_536;

/// The state of one device.
#[derive(Default)]
pub(crate) struct Device {
    /// Handle of the primary context, and how often it is retained.
    pub(crate) primary: Option<(u64, u32)>,
    /// Flags for the next primary context.
    pub(crate) primary_flags: u32,
    /// Bytes of allocations outside pools.
    pub(crate) direct: u64,
    pub(crate) default_pool: u64,
    /// The pool that `cuMemAllocAsync` takes from.
    pub(crate) current_pool: u64,
}

/// The value of a `CUdevice_attribute`.
pub(crate) fn attribute(config: &Config, device: u32, attribute: u32) -> Result<i32> {
    let value = match attribute {
        1 => MAX_THREADS_PER_BLOCK as i32,
        2..=4 => MAX_BLOCK[attribute as usize - 2] as i32,
        5..=7 => MAX_GRID[attribute as usize - 5] as i32,
        8 => SHARED_PER_BLOCK as i32,
        9 => 65_536,     // bytes of constant memory
        10 => 32,        // threads of a warp
        11 => i32::MAX,  // pitch
        12 => 65_536,    // registers of a block
        13 => 1_410_000, // kHz
        14 => 512,       // alignment of textures
        15 => 1,         // copies overlap kernels
        16 => MULTIPROCESSORS as i32,
        19 => 1,                 // maps host memory
        31 => 1,                 // concurrent kernels
        33 => device as i32 + 1, // PCI bus
        36 => 1_215_000,         // kHz of memory
        37 => 5120,              // bits of the memory bus
        38 => 40 << 20,          // bytes of L2
        39 => THREADS_PER_MULTIPROCESSOR as i32,
        40 => 3, // copy engines
        41 => 1, // unified addresses
        75 => config.get(Knob::Capability) as i32 / 10,
        76 => config.get(Knob::Capability) as i32 % 10,
        78 => 1,      // stream priorities
        79 | 80 => 1, // L1 for global and local memory
        81 => SHARED_PER_MULTIPROCESSOR as i32,
        82 => REGISTERS_PER_MULTIPROCESSOR as i32,
        87 => 2, // f32 against f64
        90 => 1, // preemption
        95 => 1, // cooperative launch
        97 => SHARED_PER_BLOCK_OPT_IN as i32,
        99 => 1, // registers host memory
        106 => BLOCKS_PER_MULTIPROCESSOR as i32,
        111 => SHARED_RESERVED as i32,
        115 => config.get(Knob::Pools) as i32,
        0 | 162.. => return Err(Code::INVALID_VALUE),
        _ => 0,
    };
    Ok(value)
}

/// The name of a device.
pub(crate) fn name(ordinal: u32) -> String {
    format!("Simulated CUDA device {ordinal}")
}
