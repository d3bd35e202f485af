//! Streams and events: what runs when, what is ordered, and races where nothing is.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the simulator checks every address and handle that it is given"
)]

mod common;

use std::{
    ffi::c_void,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    time::Duration,
};

use common::{code, context, machine};
use cuda_sim::{Category, Code};
use cudarc::driver::{CudaStream, DriverError, result, sys};

/// A buffer of the stream, on a device that runs nothing early.
fn filled(stream: &Arc<CudaStream>, value: u8) -> u64 {
    let address = unsafe { result::malloc_async(stream.cu_stream(), 512) }.expect("enough memory");
    unsafe { result::memset_d8_async(address, value, 512, stream.cu_stream()) }.expect("in bounds");
    address
}

/// Puts a function at the end of a stream.
fn host_function<F: FnOnce() + Send + 'static>(stream: &CudaStream, function: F) -> Result<(), DriverError> {
    unsafe extern "C" fn run<F: FnOnce()>(data: *mut c_void) {
        let function = unsafe { Box::from_raw(data.cast::<F>()) };
        function();
    }
    let data = Box::into_raw(Box::new(function)).cast();
    unsafe { result::stream::launch_host_function(stream.cu_stream(), run::<F>, data) }
}

/// Pinned memory that is never freed, to be looked at while copies are in flight.
fn pinned() -> &'static mut [u8] {
    unsafe { std::slice::from_raw_parts_mut(result::malloc_host(512, 0).expect("host memory").cast(), 512) }
}

#[test]
fn eager_work_runs_at_once_and_lazy_work_when_it_is_waited_for() {
    let machine = machine();
    let stream = context(0).new_stream().expect("a stream");
    let target = pinned();
    let source = filled(&stream, 1);
    unsafe { result::memcpy_dtoh_async(target, source, stream.cu_stream()) }.expect("in bounds");
    assert_eq!((target[0], machine.simulator.pending()), (1, 0));
    machine.simulator.lazy();
    let source = filled(&stream, 2);
    unsafe { result::memcpy_dtoh_async(target, source, stream.cu_stream()) }.expect("in bounds");
    assert_eq!((target[0], machine.simulator.pending()), (1, 3), "the result is not there before the host waits");
    stream.synchronize().expect("nothing fails");
    assert_eq!((target[0], machine.simulator.pending()), (2, 0));
}

#[test]
fn a_pinned_source_changed_too_early_changes_what_arrives() {
    let machine = machine();
    machine.simulator.lazy();
    let stream = context(0).new_stream().expect("a stream");
    let source = pinned();
    source.fill(1);
    let target = filled(&stream, 0);
    unsafe { result::memcpy_htod_async(target, source, stream.cu_stream()) }.expect("in bounds");
    source.fill(2);
    let mut arrived = [0_u8; 512];
    unsafe { result::memcpy_dtoh_async(&mut arrived, target, stream.cu_stream()) }.expect("in bounds");
    assert_eq!(arrived, [2; 512]);
}

#[test]
fn a_pageable_source_is_read_by_the_call_and_a_pageable_target_is_written_by_it() {
    let machine = machine();
    machine.simulator.lazy();
    let stream = context(0).new_stream().expect("a stream");
    let target = filled(&stream, 0);
    let mut bytes = [5_u8; 512];
    unsafe { result::memcpy_htod_async(target, &bytes, stream.cu_stream()) }.expect("in bounds");
    bytes.fill(9);
    assert!(machine.simulator.pending() > 0);
    unsafe { result::memcpy_dtoh_async(&mut bytes, target, stream.cu_stream()) }.expect("in bounds");
    assert_eq!(bytes, [5; 512]);
}

#[test]
fn two_streams_without_an_event_race() {
    for lazy in [false, true] {
        let machine = machine();
        if lazy {
            machine.simulator.lazy();
        }
        let context = context(0);
        let [writer, reader] = [(); 2].map(|()| context.new_stream().expect("a stream"));
        let address = filled(&writer, 1);
        // So that the race is with the fill, not with the allocation.
        writer.synchronize().expect("nothing fails");
        unsafe { result::memset_d8_async(address, 2, 400, writer.cu_stream()) }.expect("in bounds");
        unsafe { result::memcpy_dtoh_async(pinned(), address, reader.cu_stream()) }.expect("in bounds");
        context.synchronize().expect("a race is no error");
        let later = "copy from the device to pinned memory (read) on stream 2, bytes 0..512";
        let earlier = "memset (write) on stream 1, bytes 0..400";
        let race = if lazy { [earlier, later] } else { [later, earlier] };
        let reports = machine.simulator.reports_of(Category::Race);
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(race.iter().all(|part| reports[0].contains(part)), "{reports:?}");
        assert!(reports[0].starts_with("allocation #1 (512 bytes)"), "{reports:?}");
    }
}

#[test]
fn an_event_between_two_streams_orders_them() {
    for lazy in [false, true] {
        let machine = machine();
        if lazy {
            machine.simulator.lazy();
        }
        let context = context(0);
        let [writer, reader] = [(); 2].map(|()| context.new_stream().expect("a stream"));
        let address = filled(&writer, 3);
        reader.join(&writer).expect("an event and a wait");
        let target = pinned();
        unsafe { result::memcpy_dtoh_async(target, address, reader.cu_stream()) }.expect("in bounds");
        reader.synchronize().expect("nothing fails");
        assert_eq!(target[511], 3);
        // The host has waited for the reader, which knew the writer.
        unsafe { result::free_sync(address) }.expect("live");
        machine.simulator.assert_clean();
    }
}

#[test]
fn the_event_tracking_of_cudarc_orders_its_own_streams() {
    let machine = machine();
    machine.simulator.lazy();
    let context = cudarc::driver::CudaContext::new(0).expect("device 0");
    let [writer, reader] = [(); 2].map(|()| context.new_stream().expect("a stream"));
    let buffer = writer.clone_htod(&[4_u8; 64]).expect("enough memory");
    assert_eq!(reader.clone_dtoh(&buffer).expect("copied"), [4; 64]);
    drop(buffer);
    context.synchronize().expect("nothing fails");
    machine.simulator.assert_clean();
}

#[test]
fn freeing_on_one_stream_races_with_use_on_another() {
    let machine = machine();
    let context = context(0);
    let [user, freer] = [(); 2].map(|()| context.new_stream().expect("a stream"));
    let address = filled(&user, 1);
    user.synchronize().expect("nothing fails");
    unsafe { result::memset_d8_async(address, 2, 512, user.cu_stream()) }.expect("in bounds");
    unsafe { result::free_async(address, freer.cu_stream()) }.expect("live");
    let reports = machine.simulator.reports_of(Category::Race);
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].contains("free (write) on stream 2"), "{reports:?}");
}

#[test]
fn fresh_memory_of_one_stream_is_not_ready_for_another() {
    let machine = machine();
    let context = context(0);
    let [owner, other] = [(); 2].map(|()| context.new_stream().expect("a stream"));
    let address = unsafe { result::malloc_async(owner.cu_stream(), 64) }.expect("enough memory");
    unsafe { result::memset_d8_async(address, 0, 64, other.cu_stream()) }.expect("in bounds");
    let reports = machine.simulator.reports_of(Category::Race);
    assert!(reports[0].contains("allocation (write) on stream 1"), "{reports:?}");
}

#[test]
fn a_wait_outlives_its_event_and_a_later_recording() {
    let machine = machine();
    machine.simulator.lazy();
    let context = context(0);
    let [writer, reader] = [(); 2].map(|()| context.new_stream().expect("a stream"));
    let address = filled(&writer, 6);
    let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING).expect("an event");
    unsafe {
        result::event::record(event, writer.cu_stream()).expect("of the same context");
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        result::stream::wait_event(reader.cu_stream(), event, flags).expect("recorded");
        // Recorded anew behind the reader: if the wait followed it, this would be a circle.
        result::event::record(event, reader.cu_stream()).expect("of the same context");
        result::event::destroy(event).expect("live");
        assert_eq!(code(result::event::query(event)), 400, "its handle is dead");
    }
    let target = pinned();
    unsafe { result::memcpy_dtoh_async(target, address, reader.cu_stream()) }.expect("in bounds");
    reader.synchronize().expect("nothing fails");
    assert_eq!(target[0], 6);
    assert_eq!(machine.simulator.reports_of(Category::Race), [""; 0]);
}

#[test]
fn a_destroyed_stream_finishes_its_work() {
    let machine = machine();
    machine.simulator.lazy();
    let context = context(0);
    let target = pinned();
    let stream = context.new_stream().expect("a stream");
    let address = filled(&stream, 8);
    unsafe { result::memcpy_dtoh_async(target, address, stream.cu_stream()) }.expect("in bounds");
    drop(stream);
    context.synchronize().expect("nothing fails");
    assert_eq!(target[0], 8);
}

#[test]
fn polling_an_event_ends() {
    for seed in 0..4 {
        let machine = machine();
        machine.simulator.shuffled(seed);
        let context = context(0);
        let stream = context.new_stream().expect("a stream");
        filled(&stream, 1);
        let event = stream.record_event(None).expect("an event");
        let polls = (0..100).take_while(|_| !event.is_complete()).count();
        assert!(polls < 10, "seed {seed}: {polls} polls");
    }
    let machine = machine();
    machine.simulator.lazy();
    let stream = context(0).new_stream().expect("a stream");
    filled(&stream, 1);
    let event = stream.record_event(None).expect("an event");
    assert!(!event.is_complete(), "lazy work is not done at the first look");
    assert!(event.is_complete());
}

#[test]
fn the_default_stream_waits_for_blocking_streams_and_they_for_it() {
    let machine = machine();
    machine.simulator.lazy();
    let context = context(0);
    let blocking = result::stream::create(result::stream::StreamKind::Default).expect("a stream");
    let address = unsafe { result::malloc_async(blocking, 64) }.expect("enough memory");
    unsafe {
        result::memset_d8_async(address, 1, 64, blocking).expect("in bounds");
        result::memset_d8_async(address, 2, 64, common::DEFAULT).expect("in bounds");
        result::memset_d8_async(address, 3, 32, blocking).expect("in bounds");
    }
    let mut bytes = [0_u8; 64];
    unsafe { result::memcpy_dtoh_sync(&mut bytes, address) }.expect("in bounds");
    assert_eq!((bytes[0], bytes[63]), (3, 2));
    assert_eq!(machine.simulator.reports_of(Category::Race), [""; 0]);
    // A stream that does not block is not ordered with it.
    let free = context.new_stream().expect("a stream");
    unsafe { result::memset_d8_async(address, 4, 64, common::DEFAULT) }.expect("in bounds");
    unsafe { result::memset_d8_async(address, 5, 64, free.cu_stream()) }.expect("in bounds");
    context.synchronize().expect("a race is no error");
    assert_eq!(machine.simulator.reports_of(Category::Race).len(), 1);
}

#[test]
fn every_seed_gives_an_order_that_the_api_allows() {
    for seed in 0..32 {
        let machine = machine();
        machine.simulator.shuffled(seed);
        let context = context(0);
        let streams = [(); 3].map(|()| context.new_stream().expect("a stream"));
        let target = pinned();
        let address = filled(&streams[0], 0);
        // A chain through all streams, each of which sees what the one before wrote.
        for round in 1..20_u8 {
            let stream = &streams[usize::from(round) % 3];
            stream.join(&streams[usize::from(round - 1) % 3]).expect("an event and a wait");
            unsafe { result::memset_d8_async(address, round, usize::from(round), stream.cu_stream()) }
                .expect("in bounds");
        }
        let last = &streams[19 % 3];
        unsafe { result::memcpy_dtoh_async(target, address, last.cu_stream()) }.expect("in bounds");
        last.synchronize().expect("nothing fails");
        assert_eq!((target[0], target[18], target[19]), (19, 19, 0), "seed {seed}");
        machine.simulator.assert_clean();
    }
}

#[test]
fn long_chains_between_two_streams_run() {
    let machine = machine();
    machine.simulator.lazy();
    let context = context(0);
    let streams = [(); 2].map(|()| context.new_stream().expect("a stream"));
    for round in 0..20_000 {
        streams[round % 2].join(&streams[(round + 1) % 2]).expect("an event and a wait");
    }
    context.synchronize().expect("nothing fails");
    machine.simulator.assert_clean();
}

#[test]
fn a_host_function_runs_after_the_work_before_and_before_the_work_after() {
    for lazy in [false, true] {
        let machine = machine();
        if lazy {
            machine.simulator.lazy();
        }
        let context = context(0);
        let stream = context.new_stream().expect("a stream");
        let target = pinned();
        let address = filled(&stream, 7);
        unsafe { result::memcpy_dtoh_async(target, address, stream.cu_stream()) }.expect("in bounds");
        let (sender, receiver) = mpsc::channel();
        let seen = target.as_ptr() as usize;
        let look = move || sender.send(unsafe { *(seen as *const u8) }).expect("the test waits");
        host_function(&stream, look).expect("enqueued");
        unsafe { result::memset_d8_async(address, 9, 512, stream.cu_stream()) }.expect("in bounds");
        unsafe { result::memcpy_dtoh_async(target, address, stream.cu_stream()) }.expect("in bounds");
        // Nobody calls the API meanwhile.
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(7));
        stream.synchronize().expect("nothing fails");
        assert_eq!(target[0], 9);
    }
}

#[test]
fn a_lost_context_runs_no_host_function() {
    let machine = machine();
    machine.simulator.lazy();
    let context = context(0);
    let stream = context.new_stream().expect("a stream");
    let ran = Arc::new(AtomicU32::new(0));
    machine.simulator.lose_context(0, Code::LAUNCH_FAILED);
    let counter = ran.clone();
    let count = move || counter.store(1, Ordering::Relaxed);
    assert_eq!(code(host_function(&stream, count)), 719);
    assert_eq!(code(stream.synchronize()), 719);
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

#[test]
fn priorities_are_clamped() {
    let machine = machine();
    let _context = context(0);
    let (least, greatest) = result::stream::get_priority_range().expect("current");
    assert!(greatest < least);
    let kind = result::stream::StreamKind::NonBlocking;
    let stream = result::stream::create_with_priority(kind, -100).expect("a stream");
    let mut priority = 0;
    unsafe {
        assert_eq!(sys::cuStreamGetPriority(stream, &mut priority), common::SUCCESS);
        result::stream::destroy(stream).expect("live");
        assert_eq!(code(result::stream::synchronize(stream)), 400);
    }
    assert_eq!(priority, greatest);
    assert_eq!(machine.simulator.reports_of(Category::Misuse).len(), 1, "a real driver may crash");
}

#[test]
fn times_need_two_reached_events_that_take_them() {
    let machine = machine();
    machine.simulator.lazy();
    let context = context(0);
    let stream = context.new_stream().expect("a stream");
    let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
    let start = stream.record_event(flags).expect("an event");
    filled(&stream, 1);
    let end = stream.record_event(flags).expect("an event");
    assert_eq!(code(unsafe { result::event::elapsed(start.cu_event(), end.cu_event()) }), 600);
    assert!(start.elapsed_ms(&end).expect("both are reached") >= 0.0);
    let untimed = stream.record_event(None).expect("an event");
    assert_eq!(code(start.elapsed_ms(&untimed)), 400);
}
