//! Allocation of device memory and of pinned host memory, and what is known of an address.

use super::abi::{Any, Handle, Host, Out};
use crate::driver::{
    code::{Code, Result},
    session::{Session, call},
};

#[unsafe(no_mangle)]
extern "C" fn cuMemAlloc_v2(address: Out<u64>, bytes: usize) -> u32 {
    call("cuMemAlloc_v2", |session| address.set(session.allocate(bytes)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(address: u64) -> u32 {
    call("cuMemFree_v2", |session| session.free_now(address))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocAsync(address: Out<u64>, bytes: usize, stream: Handle) -> u32 {
    call("cuMemAllocAsync", |session| address.set(session.allocate_on(bytes, None, stream)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocFromPoolAsync(address: Out<u64>, bytes: usize, pool: Handle, stream: Handle) -> u32 {
    call("cuMemAllocFromPoolAsync", |session| address.set(session.allocate_on(bytes, Some(pool), stream)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeAsync(address: u64, stream: Handle) -> u32 {
    call("cuMemFreeAsync", |session| session.free_on(address, stream))
}

fn allocate_host(session: &mut Session, pointer: Out<*mut u8>, bytes: usize, flags: u32) -> Result {
    pointer.set(session.pin_new(bytes, flags)?)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostAlloc(pointer: Out<*mut u8>, bytes: usize, flags: u32) -> u32 {
    call("cuMemHostAlloc", |session| {
        // Portable, mapped, write-combined.
        if flags & !7 != 0 {
            return Err(Code::INVALID_VALUE);
        }
        allocate_host(session, pointer, bytes, flags)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocHost_v2(pointer: Out<*mut u8>, bytes: usize) -> u32 {
    call("cuMemAllocHost_v2", |session| allocate_host(session, pointer, bytes, 0))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(pointer: Host) -> u32 {
    call("cuMemFreeHost", |session| session.unpin_checked(pointer.number(), true))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostRegister_v2(pointer: Host, bytes: usize, flags: u32) -> u32 {
    call("cuMemHostRegister_v2", |session| {
        // SAFETY: the caller promises memory that stays until it is unregistered (see `abi`).
        unsafe { session.pin_registered(pointer.pointer(), bytes, flags) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostUnregister(pointer: Host) -> u32 {
    call("cuMemHostUnregister", |session| session.unpin_checked(pointer.number(), false))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostGetDevicePointer_v2(address: Out<u64>, pointer: Host, flags: u32) -> u32 {
    call("cuMemHostGetDevicePointer_v2", |session| {
        session.current_context()?;
        let found = session.pinned_address(pointer.number()).filter(|_| flags == 0);
        address.set(found.ok_or(Code::INVALID_VALUE)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostGetFlags(flags: Out<u32>, pointer: Host) -> u32 {
    call("cuMemHostGetFlags", |session| {
        session.current_context()?;
        let found = session.pinned_at(pointer.number()).map(|(_, pinned)| pinned.flags);
        flags.set(found.ok_or(Code::INVALID_VALUE)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemGetAddressRange_v2(start: Out<u64>, bytes: Out<usize>, address: u64) -> u32 {
    call("cuMemGetAddressRange_v2", |session| {
        session.current_context()?;
        let allocation = session.memory.allocation(address).filter(|allocation| !allocation.freed);
        let allocation = allocation.ok_or(Code::NOT_FOUND)?;
        let range = (allocation.start, allocation.len);
        start.set_if_wanted(range.0);
        bytes.set_if_wanted(range.1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuPointerGetAttribute(value: Any, attribute: u32, address: u64) -> u32 {
    call("cuPointerGetAttribute", |session| {
        let pinned = session.pinned_at(address).map(|(start, pinned)| (start, pinned.address, pinned.context));
        let device_address = pinned.map_or(address, |(start, window, _)| window + (address - start));
        let allocation = session.memory.allocation(device_address).filter(|allocation| !allocation.freed);
        let allocation = allocation.ok_or(Code::INVALID_VALUE)?;
        let held = session.allocated.get(&allocation.start);
        let context = pinned.map(|(.., context)| context).or(held.map(|held| held.context)).unwrap_or(0);
        match attribute {
            1 => value.set(context),
            // `CU_MEMORYTYPE_HOST`, `_DEVICE`.
            2 => value.set(if pinned.is_some() { 1_u32 } else { 2 }),
            3 => value.set(device_address),
            4 => value.set(if pinned.is_some() { address } else { return Err(Code::INVALID_VALUE) }),
            8 => value.set(0_u32), // managed
            9 => value.set(allocation.device as i32),
            11 => value.set(allocation.start),
            12 => value.set(allocation.len),
            13 => value.set(1_u32), // mapped
            17 => value.set(held.and_then(|held| held.pool).unwrap_or(0)),
            _ => Err(Code::NOT_SUPPORTED),
        }
    })
}
