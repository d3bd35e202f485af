//! Occupancy: how many blocks a multiprocessor holds.
//!
//! The answers follow from threads and shared memory; registers are taken to be the same for every function, since only
//! a device's compiler knows them.

use super::abi::{Handle, Out};
use crate::driver::{
    code::{Code, Result},
    device::{SHARED_PER_BLOCK_OPT_IN, SHARED_PER_MULTIPROCESSOR, SHARED_RESERVED},
    launch::{best_block, blocks_per_multiprocessor},
    session::{Session, call},
};

/// Gives the dynamic shared memory of a block of a size.
type SharedOfBlock = extern "C" fn(i32) -> usize;

fn most_blocks(session: &Session, function: Handle, threads: i32, shared: usize) -> Result<i32> {
    let function = &session.functions.get(function)?.function;
    let threads = u32::try_from(threads).map_err(|_| Code::INVALID_VALUE)?;
    Ok(blocks_per_multiprocessor(function, threads, shared) as i32)
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: Out<i32>,
    function: Handle,
    threads: i32,
    shared: usize,
) -> u32 {
    let name = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    call(name, |session| blocks.set(most_blocks(session, function, threads, shared)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: Out<i32>,
    function: Handle,
    threads: i32,
    shared: usize,
    _flags: u32,
) -> u32 {
    let name = "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags";
    call(name, |session| blocks.set(most_blocks(session, function, threads, shared)?))
}

fn best(
    session: &Session,
    [grid, block]: [Out<i32>; 2],
    function: Handle,
    shared_of_block: Option<SharedOfBlock>,
    shared: usize,
    most: i32,
) -> Result {
    let function = &session.functions.get(function)?.function;
    let most = u32::try_from(most).map_err(|_| Code::INVALID_VALUE)?;
    let shared_of = |size: u32| shared_of_block.map_or(shared, |shared_of_block| shared_of_block(size as i32));
    let (size, blocks) = best_block(function, most, shared_of);
    grid.set(blocks as i32)?;
    block.set(size as i32)
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxPotentialBlockSize(
    grid: Out<i32>,
    block: Out<i32>,
    function: Handle,
    shared_of_block: Option<SharedOfBlock>,
    shared: usize,
    most: i32,
) -> u32 {
    let name = "cuOccupancyMaxPotentialBlockSize";
    call(name, |session| best(session, [grid, block], function, shared_of_block, shared, most))
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    grid: Out<i32>,
    block: Out<i32>,
    function: Handle,
    shared_of_block: Option<SharedOfBlock>,
    shared: usize,
    most: i32,
    _flags: u32,
) -> u32 {
    let name = "cuOccupancyMaxPotentialBlockSizeWithFlags";
    call(name, |session| best(session, [grid, block], function, shared_of_block, shared, most))
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyAvailableDynamicSMemPerBlock(
    bytes: Out<usize>,
    function: Handle,
    blocks: i32,
    _threads: i32,
) -> u32 {
    call("cuOccupancyAvailableDynamicSMemPerBlock", |session| {
        let function = &session.functions.get(function)?.function;
        let blocks = usize::try_from(blocks).ok().filter(|blocks| *blocks > 0).ok_or(Code::INVALID_VALUE)?;
        let share = SHARED_PER_MULTIPROCESSOR / blocks;
        bytes.set(share.min(SHARED_PER_BLOCK_OPT_IN).saturating_sub(function.shared_bytes() + SHARED_RESERVED))
    })
}
