//! Allocation, its failures, leaks, and memory that is freed too early.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the simulator checks every address and handle that it is given"
)]

mod common;

use common::{DEFAULT, code, context, machine};
use cuda_sim::{Category, Code, Knob};
use cudarc::driver::{result, sys};

#[test]
fn the_nth_allocation_fails_and_the_next_works() {
    let machine = machine();
    let stream = context(0).default_stream();
    machine.simulator.fail_alloc(3);
    let codes = [(); 4].map(|()| stream.alloc_zeros::<f32>(10).map(drop).map_err(|error| error.0 as u32));
    assert_eq!(codes, [Ok(()), Ok(()), Err(2), Ok(())]);
}

#[test]
fn a_device_is_full_at_its_size_and_frees_count() {
    let machine = machine();
    machine.simulator.set(Knob::Memory, 1000);
    for lazy in [0, 1] {
        machine.simulator.set(Knob::Lazy, lazy);
        let context = context(0);
        let stream = context.default_stream();
        let big = stream.alloc_zeros::<u8>(700).expect("it fits");
        assert_eq!(code(stream.alloc_zeros::<u8>(301)), 2);
        assert_eq!(machine.simulator.used(0), 700);
        drop(big);
        assert!(stream.alloc_zeros::<u8>(1000).is_ok(), "the enqueued free makes room");
    }
}

#[test]
fn both_ways_of_allocation_share_the_device() {
    let machine = machine();
    machine.simulator.set(Knob::Memory, 1000);
    let context = context(0);
    let direct = unsafe { result::malloc_sync(600) }.expect("it fits");
    assert_eq!(code(unsafe { result::malloc_async(DEFAULT, 500) }), 2);
    unsafe { result::free_sync(direct) }.expect("live");
    let pooled = unsafe { result::malloc_async(DEFAULT, 500) }.expect("it fits now");
    unsafe { result::free_async(pooled, DEFAULT) }.expect("live");
    assert_eq!(context.mem_get_info().expect("current").0, 500, "the pool keeps it until the host waits");
    context.synchronize().expect("nothing fails");
    assert_eq!(context.mem_get_info().expect("current").0, 1000);
}

#[test]
fn a_pool_keeps_what_its_threshold_says() {
    let machine = machine();
    machine.simulator.set(Knob::Memory, 1000);
    let context = context(0);
    let mut pool = std::ptr::null_mut();
    let mut threshold = 300_u64;
    unsafe {
        assert_eq!(sys::cuDeviceGetDefaultMemPool(&mut pool, 0), common::SUCCESS);
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        assert_eq!(sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()), common::SUCCESS);
        let memory = result::malloc_async(DEFAULT, 500).expect("it fits");
        result::free_async(memory, DEFAULT).expect("live");
        context.synchronize().expect("nothing fails");
        assert_eq!(context.mem_get_info().expect("current").0, 700);
        assert_eq!(sys::cuMemPoolTrimTo(pool, 0), common::SUCCESS);
        assert_eq!(context.mem_get_info().expect("current").0, 1000);
    }
}

#[test]
fn without_pools_cudarc_allocates_directly() {
    let machine = machine();
    machine.simulator.set(Knob::Pools, 0);
    let stream = context(0).default_stream();
    drop(stream.alloc_zeros::<u8>(8).expect("enough memory"));
    assert_eq!([machine.simulator.calls_of("cuMemAlloc_v2"), machine.simulator.calls_of("cuMemAllocAsync")], [1, 0]);
    assert_eq!(code(unsafe { result::malloc_async(DEFAULT, 8) }), 801);
}

#[test]
fn what_a_context_still_holds_at_its_end_is_reported() {
    let machine = machine();
    let context = context(0);
    let stream = context.default_stream();
    let address = stream.alloc_zeros::<u8>(48).expect("enough memory").leak();
    machine.simulator.label(address, "weight of layer 3");
    assert_eq!(machine.simulator.live(), [("allocation #1 `weight of layer 3` (48 bytes)".to_owned(), 48)]);
    drop((stream, context));
    let leak = "context of device 0 ended with 48 bytes in 1 allocations: allocation #1 `weight of layer 3` (48 bytes)";
    assert_eq!(machine.simulator.reports_of(Category::Leak), [leak]);
    assert_eq!(machine.simulator.used(0), 0);
}

#[test]
fn a_context_that_holds_nothing_ends_in_silence() {
    let machine = machine();
    let context = context(0);
    let stream = context.new_stream().expect("a stream");
    drop(stream.clone_htod(&[1_u8; 8]).expect("enough memory"));
    drop((stream, context));
    machine.simulator.assert_clean();
}

#[test]
fn a_second_free_is_refused_and_reported() {
    for lazy in [0, 1] {
        let machine = machine();
        machine.simulator.set(Knob::Lazy, lazy);
        let _context = context(0);
        let address = unsafe { result::malloc_async(DEFAULT, 8) }.expect("enough memory");
        unsafe { result::free_async(address, DEFAULT) }.expect("live");
        assert_eq!(code(unsafe { result::free_async(address, DEFAULT) }), 1);
        assert_eq!(code(unsafe { result::free_sync(address + 4) }), 1);
        let reports = machine.simulator.reports_of(Category::Misuse);
        assert_eq!(reports.len(), 2, "{reports:?}");
        assert_eq!(reports[0], "free: allocation #1 (8 bytes) was freed before");
    }
}

#[test]
fn a_copy_outside_or_after_a_free_is_refused() {
    for lazy in [0, 1] {
        let machine = machine();
        machine.simulator.set(Knob::Lazy, lazy);
        let _context = context(0);
        let address = unsafe { result::malloc_async(DEFAULT, 8) }.expect("enough memory");
        assert_eq!(code(unsafe { result::memcpy_htod_async(address + 4, &[0_u8; 5], DEFAULT) }), 1);
        unsafe { result::free_async(address, DEFAULT) }.expect("live");
        assert_eq!(code(unsafe { result::memcpy_htod_async(address, &[0_u8; 4], DEFAULT) }), 1);
        let reports = machine.simulator.reports_of(Category::Misuse);
        assert_eq!(reports[0], "out of bounds: write of 5 bytes at offset 4 of allocation #1 (8 bytes)");
        assert!(reports[1].starts_with("use after free"), "{reports:?}");
    }
}

#[test]
fn memory_of_the_pool_freed_at_once_must_be_waited_for() {
    for lazy in [0, 1] {
        let machine = machine();
        machine.simulator.set(Knob::Lazy, lazy);
        let context = context(0);
        let stream = context.new_stream().expect("a stream");
        let used = unsafe { result::malloc_async(stream.cu_stream(), 8) }.expect("enough memory");
        unsafe { result::memset_d8_async(used, 0, 8, stream.cu_stream()) }.expect("in bounds");
        unsafe { result::free_sync(used) }.expect("live");
        let reports = machine.simulator.reports_of(Category::InFlight);
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].contains("memset"), "{reports:?}");
        let waited = unsafe { result::malloc_async(stream.cu_stream(), 8) }.expect("enough memory");
        if lazy == 1 {
            // The memset above has met freed memory.
            assert_eq!(code(stream.synchronize()), 700);
            continue;
        }
        stream.synchronize().expect("nothing fails");
        unsafe { result::free_sync(waited) }.expect("live");
        assert_eq!(machine.simulator.reports_of(Category::InFlight).len(), 1);
    }
}

#[test]
fn a_pinned_buffer_freed_in_flight_is_reported() {
    for lazy in [0, 1] {
        let machine = machine();
        machine.simulator.set(Knob::Lazy, lazy);
        let context = context(0);
        let stream = context.new_stream().expect("a stream");
        let target = unsafe { result::malloc_async(stream.cu_stream(), 16) }.expect("enough memory");
        let free = |wait: bool| {
            let pinned = unsafe { result::malloc_host(16, 0) }.expect("host memory");
            let bytes = unsafe { std::slice::from_raw_parts_mut(pinned.cast::<u8>(), 16) };
            bytes.fill(1);
            unsafe { result::memcpy_htod_async(target, bytes, stream.cu_stream()) }.expect("in bounds");
            if wait {
                stream.synchronize().expect("nothing fails");
            }
            unsafe { result::free_host(pinned) }.expect("pinned");
            machine.simulator.reports_of(Category::InFlight).len()
        };
        assert_eq!(free(true), 0);
        assert_eq!(free(false), 1);
    }
}

#[test]
fn pinned_memory_has_a_device_address() {
    let machine = machine();
    let _context = context(0);
    unsafe {
        let pinned = result::malloc_host(8, sys::CU_MEMHOSTALLOC_DEVICEMAP).expect("host memory").cast::<u8>();
        let mut address = 0;
        assert_eq!(sys::cuMemHostGetDevicePointer_v2(&mut address, pinned.add(4).cast(), 0), common::SUCCESS);
        result::memset_d8_sync(address, 7, 2).expect("in bounds");
        assert_eq!([*pinned.add(4), *pinned.add(5)], [7, 7]);
        assert_eq!(code(result::memset_d8_sync(address, 7, 5)), 1, "past the end of the buffer");
        result::free_host(pinned.cast()).expect("pinned");
        assert_eq!(code(result::free_host(pinned.cast())), 1);
    }
    assert_eq!(machine.simulator.pinned(), 0);
}

#[test]
fn memory_of_the_program_can_be_registered_once() {
    let machine = machine();
    let _context = context(0);
    let mut bytes = vec![3_u8; 64];
    let pointer = bytes.as_mut_ptr().cast();
    unsafe {
        assert_eq!(sys::cuMemHostRegister_v2(pointer, 64, 0), common::SUCCESS);
        assert_eq!(sys::cuMemHostRegister_v2(pointer.byte_add(32), 64, 0) as u32, 712);
        assert_eq!(machine.simulator.pinned(), 64);
        assert_eq!(sys::cuMemHostUnregister(pointer), common::SUCCESS);
        assert_eq!(sys::cuMemHostUnregister(pointer) as u32, 713);
    }
    assert_eq!(bytes, [3; 64]);
}

#[test]
fn a_thread_without_a_context_cannot_use_the_default_stream() {
    let machine = machine();
    let context = context(0);
    let buffer = context.default_stream().alloc_zeros::<f32>(1000).expect("enough memory");
    // The thread never bound the context, so cudarc's drop cannot free.
    std::thread::spawn(move || drop(buffer)).join().expect("drops do not panic");
    assert_eq!(code(context.synchronize()), 201, "the error comes out of the next call");
    assert_eq!(machine.simulator.live(), [("allocation #1 (4000 bytes)".to_owned(), 4000)]);
}

#[test]
fn nothing_is_allocated_for_no_bytes() {
    let machine = machine();
    let _context = context(0);
    assert_eq!(code(unsafe { result::malloc_sync(0) }), 1);
    assert_eq!(code(unsafe { result::malloc_host(0, 0) }), 1);
    machine.simulator.fail("pinned allocation", 1, Code::OUT_OF_MEMORY);
    assert_eq!(code(unsafe { result::malloc_host(8, 0) }), 2);
}
