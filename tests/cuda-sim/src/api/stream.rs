//! Streams and host functions in them.

use std::ffi::c_void;

use super::abi::{Handle, Out};
use crate::driver::{
    code::{Code, Result},
    host_function::HostFunction,
    session::{Session, call},
};

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;
/// The greatest priority, a small number, and the least.
const PRIORITIES: [i32; 2] = [-5, 0];

fn create(session: &mut Session, stream: Out<Handle>, flags: u32, priority: i32) -> Result {
    let context = session.current_context()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let [greatest, least] = PRIORITIES;
    stream.set(session.streams.create(context, flags & NON_BLOCKING == 0, priority.clamp(greatest, least)))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamCreate(stream: Out<Handle>, flags: u32) -> u32 {
    call("cuStreamCreate", |session| create(session, stream, flags, 0))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamCreateWithPriority(stream: Out<Handle>, flags: u32, priority: i32) -> u32 {
    call("cuStreamCreateWithPriority", |session| create(session, stream, flags, priority))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) -> u32 {
    call("cuCtxGetStreamPriorityRange", |session| {
        session.current_context()?;
        least.set_if_wanted(PRIORITIES[1]);
        greatest.set_if_wanted(PRIORITIES[0]);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamDestroy_v2(stream: Handle) -> u32 {
    call("cuStreamDestroy_v2", |session| {
        let context = session.streams.get(stream)?.context;
        session.streams.destroy(stream)?;
        session.working(context).map(|_| ())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamSynchronize(stream: Handle) -> u32 {
    call("cuStreamSynchronize", |session| {
        let (stream, context) = session.stream(stream)?;
        let tails = session.what_completes(stream)?;
        for tail in &tails {
            session.synchronize(tail);
        }
        session.working(context).map(|_| ())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamQuery(stream: Handle) -> u32 {
    call("cuStreamQuery", |session| {
        let (stream, _) = session.stream(stream)?;
        for tail in session.what_completes(stream)? {
            session.query(&tail)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: u32) -> u32 {
    call("cuStreamWaitEvent", |session| {
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        session.wait_event(stream, event)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamGetPriority(stream: Handle, priority: Out<i32>) -> u32 {
    call("cuStreamGetPriority", |session| {
        let (stream, _) = session.stream(stream)?;
        priority.set(session.streams.get(stream)?.priority)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamGetFlags(stream: Handle, flags: Out<u32>) -> u32 {
    call("cuStreamGetFlags", |session| {
        let (stream, _) = session.stream(stream)?;
        flags.set(if session.streams.get(stream)?.blocking { 0 } else { NON_BLOCKING })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamGetCtx(stream: Handle, context: Out<Handle>) -> u32 {
    call("cuStreamGetCtx", |session| context.set(session.stream(stream)?.1))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamGetId(stream: Handle, id: Out<u64>) -> u32 {
    call("cuStreamGetId", |session| {
        let (stream, _) = session.stream(stream)?;
        id.set(u64::from(session.streams.get(stream)?.index.0))
    })
}

/// No stream ever captures: graphs are not implemented.
#[unsafe(no_mangle)]
extern "C" fn cuStreamIsCapturing(stream: Handle, status: Out<u32>) -> u32 {
    call("cuStreamIsCapturing", |session| {
        session.stream(stream)?;
        status.set(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchHostFunc(stream: Handle, function: Option<HostFunction>, data: *mut c_void) -> u32 {
    call("cuLaunchHostFunc", |session| {
        let function = function.ok_or(Code::INVALID_VALUE)?;
        // SAFETY: the caller promises a function that may be called once with its data, on any thread.
        unsafe { session.enqueue_host_function(stream, function, data) }
    })
}
