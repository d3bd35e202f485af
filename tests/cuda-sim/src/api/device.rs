//! Initialization, versions and devices.

use std::ffi::c_char;

use super::abi::{Buffer, Out};
use crate::driver::{
    code::Code,
    config::Knob,
    device::{attribute, name},
    session::call,
};

#[unsafe(no_mangle)]
extern "C" fn cuInit(flags: u32) -> u32 {
    call("cuInit", |session| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if session.config.get(Knob::Devices) == 0 {
            return Err(Code::NO_DEVICE);
        }
        session.initialized = true;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDriverGetVersion(version: Out<i32>) -> u32 {
    call("cuDriverGetVersion", |session| version.set(session.config.get(Knob::DriverVersion) as i32))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGet(device: Out<i32>, ordinal: i32) -> u32 {
    call("cuDeviceGet", |session| device.set(session.device(ordinal)? as i32))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetCount(count: Out<i32>) -> u32 {
    call("cuDeviceGetCount", |session| {
        if !session.initialized {
            return Err(Code::NOT_INITIALIZED);
        }
        count.set(session.config.get(Knob::Devices) as i32)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetName(buffer: Buffer, length: i32, device: i32) -> u32 {
    call("cuDeviceGetName", |session| {
        let device = session.device(device)?;
        buffer.set(usize::try_from(length).map_err(|_| Code::INVALID_VALUE)?, &name(device))
    })
}

/// Sixteen bytes that differ between devices.
fn uuid(device: u32) -> [c_char; 16] {
    std::array::from_fn(|index| if index == 15 { device as c_char } else { b"cuda-sim-device-"[index] as c_char })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetUuid(bytes: Out<[c_char; 16]>, device: i32) -> u32 {
    call("cuDeviceGetUuid", |session| bytes.set(uuid(session.device(device)?)))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetUuid_v2(bytes: Out<[c_char; 16]>, device: i32) -> u32 {
    call("cuDeviceGetUuid_v2", |session| bytes.set(uuid(session.device(device)?)))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32) -> u32 {
    call("cuDeviceTotalMem_v2", |session| {
        session.device(device)?;
        bytes.set(session.config.get(Knob::Memory) as usize)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetAttribute(value: Out<i32>, which: u32, device: i32) -> u32 {
    call("cuDeviceGetAttribute", |session| value.set(attribute(&session.config, session.device(device)?, which)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceCanAccessPeer(answer: Out<i32>, device: i32, peer: i32) -> u32 {
    call("cuDeviceCanAccessPeer", |session| {
        answer.set(session.can_access_peer(session.device(device)?, session.device(peer)?) as i32)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) -> u32 {
    call("cuMemGetInfo_v2", |session| {
        let device = session.current_device()?;
        free.set(session.free_bytes(device) as usize)?;
        total.set(session.config.get(Knob::Memory) as usize)
    })
}
