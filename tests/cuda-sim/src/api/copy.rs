//! Copies and fills.

use super::abi::{Handle, Host};
use crate::driver::{
    code::Result,
    copy::Address,
    session::{Session, call},
};

/// Copies on a stream; see [`Session::copy`] for who waits.
fn copy(session: &mut Session, [to, from]: [Address; 2], bytes: usize, stream: Handle, synchronous: bool) -> Result {
    // SAFETY: the caller promises host memory as the documentation of its function asks (see `abi`).
    unsafe { session.copy(to, from, bytes, stream, synchronous) }
}

/// The default stream, which the functions without a stream use.
const DEFAULT: Handle = 0;

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyHtoD_v2(to: u64, from: Host, bytes: usize) -> u32 {
    call("cuMemcpyHtoD_v2", |session| copy(session, [Address::Device(to), from.address()], bytes, DEFAULT, true))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoH_v2(to: Host, from: u64, bytes: usize) -> u32 {
    call("cuMemcpyDtoH_v2", |session| copy(session, [to.address(), Address::Device(from)], bytes, DEFAULT, true))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> u32 {
    call("cuMemcpyDtoD_v2", |session| copy(session, [to, from].map(Address::Device), bytes, DEFAULT, true))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: Host, bytes: usize, stream: Handle) -> u32 {
    let call_name = "cuMemcpyHtoDAsync_v2";
    call(call_name, |session| copy(session, [Address::Device(to), from.address()], bytes, stream, false))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoHAsync_v2(to: Host, from: u64, bytes: usize, stream: Handle) -> u32 {
    let call_name = "cuMemcpyDtoHAsync_v2";
    call(call_name, |session| copy(session, [to.address(), Address::Device(from)], bytes, stream, false))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) -> u32 {
    call("cuMemcpyDtoDAsync_v2", |session| copy(session, [to, from].map(Address::Device), bytes, stream, false))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpy(to: u64, from: u64, bytes: usize) -> u32 {
    call("cuMemcpy", |session| {
        let ends = [to, from].map(|address| session.unified(address));
        copy(session, ends, bytes, DEFAULT, true)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Handle) -> u32 {
    call("cuMemcpyAsync", |session| {
        let ends = [to, from].map(|address| session.unified(address));
        copy(session, ends, bytes, stream, false)
    })
}

/// A copy between two contexts, both of which must work.
fn peer(session: &mut Session, ends: [(u64, Handle); 2], bytes: usize, stream: Handle, synchronous: bool) -> Result {
    for (_, context) in ends {
        session.working(context)?;
    }
    copy(session, ends.map(|(address, _)| Address::Device(address)), bytes, stream, synchronous)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyPeer(to: u64, to_context: Handle, from: u64, from_context: Handle, bytes: usize) -> u32 {
    call("cuMemcpyPeer", |session| peer(session, [(to, to_context), (from, from_context)], bytes, DEFAULT, true))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyPeerAsync(
    to: u64,
    to_context: Handle,
    from: u64,
    from_context: Handle,
    bytes: usize,
    stream: Handle,
) -> u32 {
    call("cuMemcpyPeerAsync", |session| peer(session, [(to, to_context), (from, from_context)], bytes, stream, false))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8_v2(address: u64, value: u8, count: usize) -> u32 {
    call("cuMemsetD8_v2", |session| session.fill(address, &[value], count, DEFAULT))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8Async(address: u64, value: u8, count: usize, stream: Handle) -> u32 {
    call("cuMemsetD8Async", |session| session.fill(address, &[value], count, stream))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD16_v2(address: u64, value: u16, count: usize) -> u32 {
    call("cuMemsetD16_v2", |session| session.fill(address, &value.to_le_bytes(), count, DEFAULT))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD16Async(address: u64, value: u16, count: usize, stream: Handle) -> u32 {
    call("cuMemsetD16Async", |session| session.fill(address, &value.to_le_bytes(), count, stream))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD32_v2(address: u64, value: u32, count: usize) -> u32 {
    call("cuMemsetD32_v2", |session| session.fill(address, &value.to_le_bytes(), count, DEFAULT))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: Handle) -> u32 {
    call("cuMemsetD32Async", |session| session.fill(address, &value.to_le_bytes(), count, stream))
}
