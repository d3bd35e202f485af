//! A simulated CUDA driver, so that device code and the runtime around it are tested without a device.
//!
//! A program that would run on a device is compiled by the real NVRTC to PTX; this crate executes that text one warp
//! at a time, and reports what a device would do silently: an access outside its allocation, a use after free, a read
//! of memory nobody wrote, a race, a deadlock, each with kernel, thread, PTX line and source line.
//!
//! # Use
//!
//! A test depends on the crate by path and calls [`client::install`] before its first use of CUDA. Cargo has built the
//! crate's shared library beside the test binary; it is loaded by its path, and since it is named `libcuda.so` inside,
//! whoever opens that name later in the process (cudarc does) gets the simulator. Nothing else on the machine changes.
//! The [`client::Simulator`] chooses the machine ([`Knob`]), injects failures, counts calls, and hands out reports.
//!
//! The crate exists twice in such a process: as the library that the test links, for [`client`] alone, and as the shared
//! library, which has the state. It is never linked into anything that is shipped, as it would export `cu*` functions.
//!
//! # What is modeled
//!
//! - Devices (two by default), contexts and the stack of current contexts of a thread, primary contexts with their count.
//! - Device memory, directly and from stream-ordered pools with release thresholds; the size of a device; pinned and
//!   registered host memory with device addresses of its own; copies of all kinds, also between devices; fills.
//! - Streams (blocking, non-blocking, default, per thread), events, host functions. *Eager* execution runs work when it
//!   is enqueued, *lazy* execution as late as the API allows, *shuffled* execution at moments and in orders in between,
//!   chosen by a seed. Events may be destroyed or recorded anew while waits on them are pending.
//! - Races between streams: clocks of all streams and of the host tell whether two accesses of the same bytes are
//!   ordered, whatever order they happened to run in. Allocating and freeing on a stream count as writes.
//! - Modules from PTX text, with the checks of version and target; functions, their parameters, attributes and limits.
//! - Launches: the checks of the call, then the run, with the checks of [`exec`].
//! - Loss of a context: after a fault, work behind it is dropped and every later call that uses the context gives the
//!   same code: 700 for bad addresses, 710 for assertions, 716 for alignment, 719 for traps and deadlocks, 702 for
//!   kernels without end. Unordered accesses within a launch and reads of unwritten memory, which a device would let
//!   pass, end as 700.
//! - Leaks at the end of a context, memory freed while work on it has not been waited for, dead handles.
//!
//! Functions that are not simulated exist, give `CUDA_ERROR_NOT_SUPPORTED` (801), and are reported: graphs, managed
//! and external memory, virtual memory, clusters, linking.
//!
//! # What rests on documentation alone
//!
//! The following has not been compared with a real driver. Where the documentation leaves room, the stricter reading
//! was taken, so that what passes here should pass there.
//!
//! | behavior | taken to be |
//! | --- | --- |
//! | calls that need a current context | all that allocate, copy, fill, load, create or use the default stream; `cuMemFreeAsync` and the like on a stream of their own do not |
//! | calls on a lost context | all give its code, those that destroy included, though they do destroy; other devices go on; the primary context is lost until its last release |
//! | `cuMemcpyHtoD` from pageable memory | waits for the stream, not for the copy: a stream that does not block may not use the data yet |
//! | asynchronous copies to pageable memory | return when the data is there |
//! | fills and copies within a device, called without a stream | the host does not wait |
//! | `cuMemFree` of memory outside pools | waits for the whole context |
//! | `cuMemFree` of memory of a pool, `cuMemFreeHost` | do not wait; unfinished work is reported |
//! | allocations of no bytes | `CUDA_ERROR_INVALID_VALUE`, also `cuMemAllocAsync` |
//! | a launch with more threads than the function allows | 701; every other excess is 1 |
//! | PTX for a newer device | 209 |
//! | a copy outside its allocation | refused by the call, with 1 |
//! | peer access of a context | does not open memory of pools, whose access is set for each pool |
//! | a pool's memory in `cuMemGetInfo` | counts as used until a trim or a wait of the host |
//!
//! # What it cannot tell
//!
//! - Time. Times between events are virtual: the same on every run, with streams that overlap, but with sizes that say
//!   little, since kernels are charged by instructions and not by the memory that they touch. Nothing here is as fast
//!   as a device.
//! - Weak memory. All threads see one order of stores; a missing fence is found only where the race check sees it. Warps
//!   of a block take turns in a fixed way, which hides some of what independent scheduling can do.
//! - Registers and machine code. A CUBIN is refused (209 by default) and never run; occupancy takes every function to
//!   use as many registers; a launch never fails for lack of them.
//! - The last bits of approximate functions (`ex2.approx` and the like are computed better than devices do), the order of
//!   floating-point atomics, the rounding inside tensor cores.
//! - The host's own use of pinned memory: reading it before a copy has come gives old values under lazy execution, as on
//!   a device, but no report. A host thread is taken to know what any other has waited for.
//! - Host functions run on one thread, in the order in which they were enqueued. A program that spins on mapped memory
//!   sees nothing happen under lazy execution, since only calls make work go on.
//!
//! # How it is checked
//!
//! Each behavior above has a test that goes through cudarc. cudarc's own tests run against it as well
//! (`tests/cudarc_suite.rs`): of the 51 that it runs by default, 39 pass with eager and with lazy execution. Ten fail:
//! six need managed memory and three need graphs, which are not simulated, and one includes a header of CUDA. Two are
//! left out, which measure how long real copies take. The five for two devices, or for a process of their own, pass.

mod api;
pub mod client;
mod code;
mod decode;
mod driver;
pub mod exec;
pub mod fault;
mod library;
pub mod memory;
pub mod module;
mod numeric;
mod ptx;

pub use driver::{
    code::Code,
    config::Knob,
    report::{Category, KernelCost},
};
