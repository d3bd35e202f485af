//! Events.

use super::abi::{Handle, Out};
use crate::driver::session::call;

#[unsafe(no_mangle)]
extern "C" fn cuEventCreate(event: Out<Handle>, flags: u32) -> u32 {
    call("cuEventCreate", |session| event.set(session.create_event(flags)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecord(event: Handle, stream: Handle) -> u32 {
    call("cuEventRecord", |session| session.record(event, stream))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventQuery(event: Handle) -> u32 {
    call("cuEventQuery", |session| match session.event_moment(event)? {
        Some(moment) => session.query(&moment),
        None => Ok(()),
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventSynchronize(event: Handle) -> u32 {
    call("cuEventSynchronize", |session| session.synchronize_event(event))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle) -> u32 {
    call("cuEventElapsedTime", |session| milliseconds.set(session.elapsed(start, end)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: Handle, end: Handle) -> u32 {
    call("cuEventElapsedTime_v2", |session| milliseconds.set(session.elapsed(start, end)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventDestroy_v2(event: Handle) -> u32 {
    call("cuEventDestroy_v2", |session| session.destroy_event(event))
}
