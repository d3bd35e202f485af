//! Faults of kernels: what is reported, the code that every later call gives, and what survives.

mod common;

use common::{Kernel, Value, code, context, download, kernel, machine, upload};
use cuda_sim::{Category, Code, Knob};
use cudarc::driver::{CudaContext, result};

/// Launches, expects the launch itself to succeed, and gives the code of the wait and the one report.
fn outcome(
    kernel: Kernel,
    values: &[Value],
    context: &CudaContext,
    simulator: &cuda_sim::client::Simulator,
) -> (u32, String) {
    kernel.launch(values).expect("a launch does not see what its kernel does");
    let found = code(context.synchronize());
    let mut reports = simulator.reports_of(Category::Fault);
    assert_eq!(reports.len(), 1, "{reports:?}");
    (found, reports.remove(0))
}

#[track_caller]
fn assert_parts(report: &str, parts: &[&str]) {
    for part in parts {
        assert!(report.contains(part), "`{part}` is not in `{report}`");
    }
}

#[test]
fn an_index_past_the_end() {
    for lazy in [0, 1] {
        let machine = machine();
        machine.simulator.set(Knob::Lazy, lazy);
        let context = context(0);
        let out = upload(&[0.0_f32; 100]);
        machine.simulator.label(out, "output");
        let kernel = kernel("one_too_far").on(1, 128);
        let values = [Value::Pointer(out), Value::U32(100)];
        let (found, report) = outcome(kernel, &values, &context, &machine.simulator);
        assert_eq!(found, 700);
        assert_parts(&report, &["out of bounds: write of 4 bytes at offset 400", "`output` (400 bytes)"]);
        assert_parts(
            &report,
            &["parameter 0", "kernel `one_too_far`, block (0, 0, 0), thread (100, 0, 0)", "faults.cu:11"],
        );
        // Every later call that uses the context gives the same code.
        assert_eq!(code(kernel.launch(&values)), 700);
        assert_eq!(code(context.synchronize()), 700);
        // SAFETY: the simulator checks addresses and handles.
        unsafe {
            assert_eq!(code(result::malloc_sync(8)), 700);
            assert_eq!(code(result::free_async(out, common::DEFAULT)), 700);
            assert_eq!(code(result::memset_d8_async(out, 0, 4, common::DEFAULT)), 700);
        }
        assert_eq!(code(download::<f32, 1>(out)), 700);
        assert_eq!(code(context.new_stream()), 700);
        assert_eq!(code(common::load("")), 700);
        // Those that do not, work; so does the other device.
        assert_eq!(CudaContext::device_count(), Ok(2));
        assert_eq!(common::context(1).default_stream().clone_htod(&[1_u8]).map(drop), Ok(()));
    }
}

#[test]
fn a_device_assertion() {
    let machine = machine();
    let context = context(0);
    let input = upload(&[1_i32, 2, 30, 4]);
    let values = [Value::Pointer(input)];
    let (found, report) = outcome(kernel("asserts").on(1, 4), &values, &context, &machine.simulator);
    assert_eq!(found, 710);
    assert_parts(&report, &["in[threadIdx.x] < 10", "faults.cu:15", "void asserts(const int *)", "thread (2, 0, 0)"]);
}

#[test]
fn a_trap() {
    let machine = machine();
    let context = context(0);
    let (found, report) = outcome(kernel("traps").on(1, 32), &[], &context, &machine.simulator);
    assert_eq!(found, 719);
    assert_parts(&report, &["trap", "kernel `traps`", "thread (3, 0, 0)", "faults.cu:19"]);
}

#[test]
fn a_freed_buffer() {
    for lazy in [0, 1] {
        let machine = machine();
        machine.simulator.set(Knob::Lazy, lazy);
        let context = context(0);
        let [input, out] = [upload(&[0.0_f32; 8]), upload(&[0.0_f32; 8])];
        // SAFETY: the simulator checks the address.
        unsafe { result::free_async(input, common::DEFAULT) }.expect("live");
        let values = [Value::Pointer(out), Value::Pointer(input), Value::F32(1.0), Value::U32(8)];
        let (found, report) = outcome(kernel("scale").on(1, 32), &values, &context, &machine.simulator);
        assert_eq!(found, 700);
        assert_parts(&report, &["use after free: read of 4 bytes", "allocation #1 (32 bytes)", "parameter 1"]);
    }
}

#[test]
fn memory_that_nobody_wrote() {
    let machine = machine();
    let context = context(0);
    let out = upload(&[0.0_f32; 8]);
    // SAFETY: no bytes are touched.
    let fresh = unsafe { result::malloc_async(common::DEFAULT, 32) }.expect("enough memory");
    let values = [Value::Pointer(out), Value::Pointer(fresh), Value::F32(1.0), Value::U32(8)];
    let (found, report) = outcome(kernel("scale").on(1, 32), &values, &context, &machine.simulator);
    assert_eq!(found, 700);
    assert_parts(&report, &["uninitialised memory: read of 4 bytes at offset 0", "parameter 1"]);
}

#[test]
fn memory_that_nobody_wrote_passes_when_the_check_is_off() {
    let machine = machine();
    machine.simulator.set(Knob::CheckUninitialised, 0);
    let context = context(0);
    let out = upload(&[0.0_f32; 8]);
    // SAFETY: no bytes are touched.
    let fresh = unsafe { result::malloc_async(common::DEFAULT, 32) }.expect("enough memory");
    let values = [Value::Pointer(out), Value::Pointer(fresh), Value::F32(1.0), Value::U32(8)];
    kernel("scale").on(1, 32).launch(&values).expect("in the limits");
    context.synchronize().expect("nothing is checked");
    assert!(download::<f32, 1>(out).expect("written")[0].is_nan(), "fresh memory is filled with NaN");
}

#[test]
fn blocks_that_add_without_atomics() {
    let machine = machine();
    let context = context(0);
    let [sum, input] = [upload(&[0.0_f32]), upload(&[1.0_f32; 4])];
    let values = [Value::Pointer(sum), Value::Pointer(input)];
    let (found, report) = outcome(kernel("sums_without_atomics").on(4, 1), &values, &context, &machine.simulator);
    assert_eq!(found, 700);
    assert_parts(&report, &["race between blocks", "offset 0 of allocation #1 (4 bytes)", "block #0", "faults.cu:23"]);
}

#[test]
fn a_missing_barrier() {
    let machine = machine();
    let context = context(0);
    let [out, input] = [upload(&[0.0_f32; 64]), upload(&[1.0_f32; 64])];
    let values = [Value::Pointer(out), Value::Pointer(input)];
    let (found, report) = outcome(kernel("reverses_without_barrier").on(1, 64), &values, &context, &machine.simulator);
    assert_eq!(found, 700);
    assert_parts(&report, &["race between warps", "no barrier between", "kernel `reverses_without_barrier`"]);
}

#[test]
fn a_shuffle_that_not_all_lanes_reach() {
    let machine = machine();
    let context = context(0);
    let out = upload(&[0.0_f32; 32]);
    let kernel = kernel("shuffles_in_a_branch").on(1, 32);
    let (found, report) = outcome(kernel, &[Value::Pointer(out)], &context, &machine.simulator);
    assert_eq!(found, 719);
    assert_parts(&report, &["deadlock", "000000ff", "ffffff00"]);
}

#[test]
fn an_address_that_is_not_aligned() {
    let machine = machine();
    let context = context(0);
    let out = upload(&[0.0_f32; 2]);
    let (found, report) = outcome(kernel("misaligned"), &[Value::Pointer(out)], &context, &machine.simulator);
    assert_eq!(found, 716);
    assert_parts(&report, &["misaligned", "faults.cu:40"]);
}

#[test]
fn a_host_address_is_no_device_address() {
    let machine = machine();
    let context = context(0);
    let host = [0.0_f32; 8];
    let values = [Value::Pointer(host.as_ptr() as u64), Value::U32(4)];
    let (found, report) = outcome(kernel("one_too_far"), &values, &context, &machine.simulator);
    assert_eq!(found, 700);
    assert_parts(&report, &["no allocation"]);
}

#[test]
fn memory_of_another_device() {
    let machine = machine();
    let [second, first] = [1, 0].map(context);
    second.bind_to_thread().expect("alive");
    // SAFETY: allocated outside pools; the simulator checks everything else.
    let there = unsafe { result::malloc_sync(32) }.expect("enough memory");
    first.bind_to_thread().expect("alive");
    let values = [Value::Pointer(there), Value::U32(4)];
    // SAFETY: a context of the test.
    let enabled = unsafe { cudarc::driver::sys::cuCtxEnablePeerAccess(second.cu_ctx(), 0) };
    assert_eq!(enabled, common::SUCCESS);
    kernel("one_too_far").on(1, 4).launch(&values).expect("in the limits");
    first.synchronize().expect("peer access is on");
    // SAFETY: as above.
    unsafe { cudarc::driver::sys::cuCtxDisablePeerAccess(second.cu_ctx()) };
    let (found, report) = outcome(kernel("one_too_far").on(1, 4), &values, &first, &machine.simulator);
    assert_eq!(found, 700);
    assert_parts(&report, &["wrong device", "belongs to device 1"]);
}

#[test]
fn peer_access_of_a_context_does_not_open_pools() {
    let machine = machine();
    let [second, first] = [1, 0].map(context);
    second.bind_to_thread().expect("alive");
    // SAFETY: the simulator checks everything.
    let there = unsafe { result::malloc_async(common::DEFAULT, 32) }.expect("enough memory");
    second.synchronize().expect("nothing fails");
    first.bind_to_thread().expect("alive");
    // SAFETY: a context of the test.
    assert_eq!(unsafe { cudarc::driver::sys::cuCtxEnablePeerAccess(second.cu_ctx(), 0) }, common::SUCCESS);
    let values = [Value::Pointer(there), Value::U32(4)];
    let (found, report) = outcome(kernel("one_too_far").on(1, 4), &values, &first, &machine.simulator);
    assert_eq!(found, 700);
    assert_parts(&report, &["wrong device"]);
}

#[test]
fn what_is_enqueued_behind_a_fault_is_dropped() {
    let machine = machine();
    machine.simulator.lazy();
    let context = context(0);
    let stream = context.new_stream().expect("a stream");
    // SAFETY: the memory stays until the process ends.
    let pinned = unsafe { std::slice::from_raw_parts_mut(result::malloc_host(4, 0).expect("memory").cast::<u8>(), 4) };
    let source = upload(&[7_u8; 4]);
    context.synchronize().expect("nothing fails yet");
    Kernel { stream: stream.cu_stream(), ..kernel("traps").on(1, 32) }.launch(&[]).expect("in the limits");
    pinned.fill(0);
    // SAFETY: the memory stays.
    unsafe { result::memcpy_dtoh_async(pinned, source, stream.cu_stream()) }.expect("the fault is not known yet");
    assert_eq!(code(stream.synchronize()), 719);
    assert_eq!(pinned, [0; 4]);
}

#[test]
fn a_lost_context_answers_with_its_cause_until_it_is_gone() {
    let machine = machine();
    let context = context(0);
    let buffer = context.default_stream().alloc_zeros::<u8>(8).expect("enough memory");
    machine.simulator.lose_context(0, Code::ECC_UNCORRECTABLE);
    assert_eq!(code(context.synchronize()), 214);
    drop(buffer);
    assert_eq!(code(context.check_err()), 214);
    assert_eq!(machine.simulator.reports_of(Category::Leak), [""; 0]);
}

#[test]
fn after_a_reset_everything_works_again() {
    let first = machine();
    let lost = context(0);
    first.simulator.lose_context(0, Code::LAUNCH_FAILED);
    assert_eq!(code(lost.synchronize()), 719);
    drop(first);
    let _again = machine();
    let context = context(0);
    assert_eq!(context.default_stream().clone_htod(&[1_u8]).map(drop), Ok(()));
    assert_eq!(code(lost.synchronize()), 201, "what was there before stays dead");
}
