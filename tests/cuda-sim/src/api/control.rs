//! The functions that tests control the simulator with; [`client`](crate::client) calls them.
//!
//! They are exported as well, since a program that links this crate and loads its shared library has two copies of the
//! state, and the driver functions that matter are those of the shared library.

use std::ffi::c_void;

use super::abi::{Text, Visitor};
use crate::driver::{Driver, code::Code, config::Knob, session::Session};

type Visit = Option<unsafe extern "C" fn(*mut c_void, i64, *const u8, usize)>;

/// Makes a choice about the machine; gives 0, or 1 for a name that is none.
#[unsafe(no_mangle)]
extern "C" fn cudasimSet(name: Text, value: i64) -> u32 {
    let Some(knob) = name.get().ok().and_then(Knob::named) else { return 1 };
    let mut session = Session::open();
    session.config.set(knob, value);
    session.apply_config();
    if knob == Knob::Seed {
        session.streams.seed(value as u64);
    }
    if knob == Knob::Lazy && value == 0 {
        session.run_ready();
    }
    0
}

/// Gives the number that a choice is at.
#[unsafe(no_mangle)]
extern "C" fn cudasimGet(name: Text) -> i64 {
    name.get().ok().and_then(Knob::named).map_or(-1, |knob| Session::open().config.get(knob))
}

/// Finishes all work, then starts anew with a machine as the environment describes it. Handles stay dead.
#[unsafe(no_mangle)]
extern "C" fn cudasimReset() {
    let mut session = Session::open();
    let contexts: Vec<u64> = session.contexts.iter().map(|(handle, _)| handle).collect();
    for context in contexts {
        session.finish_context(context);
    }
    session.unpin_everything();
    *session = Driver::new();
}

/// Lets the `nth` call of a function, or of a group of them, from now fail.
#[unsafe(no_mangle)]
extern "C" fn cudasimFail(target: Text, nth: u64, code: u32) {
    if let Ok(target) = target.get() {
        Session::open().injections.add(target, nth, Code(code));
    }
}

/// Ends all contexts of a device with a code.
#[unsafe(no_mangle)]
extern "C" fn cudasimLoseDevice(device: u32, code: u32) {
    let mut session = Session::open();
    let lost: Vec<u64> =
        session.contexts.iter().filter(|(_, context)| context.device == device).map(|(handle, _)| handle).collect();
    lost.into_iter().for_each(|context| session.lose_context(context, Code(code)));
}

/// Names the allocation that an address belongs to.
#[unsafe(no_mangle)]
extern "C" fn cudasimLabel(address: u64, label: Text) {
    if let Ok(label) = label.get() {
        Session::open().memory.set_label(address, label);
    }
}

/// Visits the calls: how often, and the function's name.
#[unsafe(no_mangle)]
extern "C" fn cudasimCalls(visit: Visit, data: *mut c_void) {
    let visitor = Visitor { visit, data };
    let calls = Session::open().log.calls.clone();
    calls.iter().for_each(|(name, count)| visitor.visit(*count as i64, name));
}

/// Visits the kernels: how often launched, and `warp instructions, thread instructions, name`.
#[unsafe(no_mangle)]
extern "C" fn cudasimKernels(visit: Visit, data: *mut c_void) {
    let visitor = Visitor { visit, data };
    let kernels = Session::open().log.kernels.clone();
    for (name, cost) in &kernels {
        let text = format!("{},{},{name}", cost.warp_instructions, cost.thread_instructions);
        visitor.visit(cost.launches as i64, &text);
    }
}

/// Visits the reports: the category's number, and the text.
#[unsafe(no_mangle)]
extern "C" fn cudasimReports(visit: Visit, data: *mut c_void) {
    let visitor = Visitor { visit, data };
    let reports = Session::open().log.reports().to_vec();
    reports.iter().for_each(|(category, text)| visitor.visit(*category as i64, text));
}

/// Visits the live allocations: their bytes and names. Those that enqueued work frees are not among them.
#[unsafe(no_mangle)]
extern "C" fn cudasimLive(visit: Visit, data: *mut c_void) {
    let visitor = Visitor { visit, data };
    let session = Session::open();
    let live = session.allocated.iter().filter(|(_, held)| !held.freeing);
    let live: Vec<_> = live.map(|(address, held)| (held.bytes, session.allocation_name(*address))).collect();
    drop(session);
    live.iter().for_each(|(bytes, name)| visitor.visit(*bytes as i64, name));
}

/// Forgets reports and counts.
#[unsafe(no_mangle)]
extern "C" fn cudasimClear() {
    let mut session = Session::open();
    session.log.clear_reports();
    session.log.calls.clear();
    session.log.kernels.clear();
}

/// Operations that have not run.
#[unsafe(no_mangle)]
extern "C" fn cudasimPending() -> u64 {
    Session::open().streams.pending() as u64
}

/// Bytes of a device in allocations.
#[unsafe(no_mangle)]
extern "C" fn cudasimUsed(device: u32) -> u64 {
    Session::open().used_bytes(device)
}

/// Bytes of pinned memory.
#[unsafe(no_mangle)]
extern "C" fn cudasimPinned() -> u64 {
    Session::open().pinned_bytes()
}
