//! Launches: the limits that the call checks, occupancy, and what is counted.

mod common;

use common::{Kernel, Value, code, context, download, kernel, machine, upload};
use cuda_sim::{Code, Knob};
use cudarc::driver::{result, sys};

/// A kernel that can be launched with any extent: it writes nothing for `n` = 0.
fn scale() -> impl Fn([u32; 3], [u32; 3], u32) -> Result<(), u32> {
    let kernel = kernel("scale");
    move |grid, block, shared| {
        let values = [Value::Pointer(0), Value::Pointer(0), Value::F32(2.0), Value::U32(0)];
        Kernel { grid, block, shared, ..kernel }.launch(&values).map_err(|error| error.0 as u32)
    }
}

#[test]
fn extents_must_be_inside_the_limits() {
    let _machine = machine();
    let context = context(0);
    let launch = scale();
    for (grid, block, shared, outcome) in [
        ([1, 1, 1], [1024, 1, 1], 0, Ok(())),
        ([1, 1, 1], [32, 32, 1], 48 << 10, Ok(())),
        ([1, 65_535, 1], [1, 1, 1], 0, Ok(())),
        ([0, 1, 1], [1, 1, 1], 0, Err(1)),
        ([1, 1, 0], [1, 1, 1], 0, Err(1)),
        ([1, 1, 1], [0, 1, 1], 0, Err(1)),
        ([1, 65_536, 1], [1, 1, 1], 0, Err(1)),
        ([1, 1, 65_536], [1, 1, 1], 0, Err(1)),
        ([1 << 31, 1, 1], [1, 1, 1], 0, Err(1)),
        ([1, 1, 1], [1025, 1, 1], 0, Err(1)),
        ([1, 1, 1], [1, 1, 65], 0, Err(1)),
        ([1, 1, 1], [64, 32, 1], 0, Err(1)),
        ([1, 1, 1], [1, 1, 1], (48 << 10) + 1, Err(1)),
    ] {
        assert_eq!(launch(grid, block, shared), outcome, "grid {grid:?}, block {block:?}, {shared} shared bytes");
    }
    context.synchronize().expect("a refused launch leaves the context alone");
}

#[test]
fn more_shared_memory_needs_to_be_asked_for() {
    let _machine = machine();
    let _context = context(0);
    let kernel = kernel("dynamic_shared").on(1, 1024);
    let out = upload(&[0_u32; 1024]);
    let launch = |shared| Kernel { shared, ..kernel }.launch(&[Value::Pointer(out)]);
    assert_eq!(code(launch(100 << 10)), 1);
    let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // SAFETY: the simulator checks the handle.
    let set = |bytes| unsafe { result::function::set_function_attribute(kernel.function, attribute, bytes) };
    assert_eq!(code(set(164 << 10)), 1);
    set(100 << 10).expect("less than the device has");
    launch(100 << 10).expect("as much as was asked for");
    assert_eq!(download::<u32, 2>(out), Ok([1023, 1022]));
}

#[test]
fn a_kernel_computes() {
    let machine = machine();
    let _context = context(0);
    let [input, output] = [upload(&[1.0_f32, 2.0, 3.0]), upload(&[0.0_f32; 3])];
    let values = [Value::Pointer(output), Value::Pointer(input), Value::F32(0.5), Value::U32(3)];
    kernel("scale").on(2, 32).launch(&values).expect("inside the limits");
    assert_eq!(download::<f32, 3>(output), Ok([0.5, 1.0, 1.5]));
    let cost = machine.simulator.kernels()["scale"];
    assert_eq!(cost.launches, 1);
    assert!(cost.warp_instructions > 10 && cost.thread_instructions > 300, "{cost:?}");
    machine.simulator.assert_clean();
}

#[test]
fn arguments_can_be_packed_in_one_buffer() {
    let _machine = machine();
    let _context = context(0);
    let [input, output] = [upload(&[1.0_f32, 2.0]), upload(&[0.0_f32; 2])];
    let mut packed = [output.to_le_bytes(), input.to_le_bytes(), [0; 8]].concat();
    packed[16..20].copy_from_slice(&3.0_f32.to_le_bytes());
    packed[20..24].copy_from_slice(&2_u32.to_le_bytes());
    let function = kernel("scale").function;
    let launch = |mut bytes: usize| {
        let marks = [1_usize, packed.as_ptr() as usize, 2, &raw mut bytes as usize, 0];
        let mut extra = marks.map(|mark| mark as *mut std::ffi::c_void);
        let no_values = std::ptr::null_mut();
        // SAFETY: the marks announce a buffer and its size, and end.
        unsafe {
            sys::cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, common::DEFAULT, no_values, extra.as_mut_ptr()) as u32
        }
    };
    assert_eq!(launch(16), 1, "the buffer is too short for the parameters");
    assert_eq!(launch(24), 0);
    assert_eq!(download::<f32, 2>(output), Ok([3.0, 6.0]));
}

#[test]
fn the_nth_launch_fails_and_the_next_works() {
    let machine = machine();
    let context = context(0);
    let launch = scale();
    machine.simulator.fail_launch(2);
    assert_eq!([(); 3].map(|()| launch([1; 3], [1; 3], 0)), [Ok(()), Err(701), Ok(())]);
    context.synchronize().expect("the context stays");
}

#[test]
fn the_nth_copy_fails_and_the_next_works() {
    let machine = machine();
    let stream = context(0).default_stream();
    machine.simulator.fail_copy(2);
    let copies = [(); 3].map(|()| stream.clone_htod(&[1_u8]).map(drop).map_err(|error| error.0 as u32));
    assert_eq!(copies, [Ok(()), Err(1), Ok(())]);
}

#[test]
fn an_injected_failure_of_the_device_loses_the_context() {
    let machine = machine();
    let context = context(0);
    let launch = scale();
    machine.simulator.fail("cuLaunchKernel", 1, Code::LAUNCH_FAILED);
    assert_eq!([(); 2].map(|()| launch([1; 3], [1; 3], 0)), [Err(719), Err(719)]);
    assert_eq!(code(context.synchronize()), 719);
}

#[test]
fn a_function_runs_only_on_streams_of_its_context() {
    let _machine = machine();
    let [_first, second] = [0, 1].map(context);
    let other = second.new_stream().expect("a stream");
    context(0).bind_to_thread().expect("alive");
    let kernel = kernel("traps");
    assert_eq!(code(Kernel { stream: other.cu_stream(), ..kernel }.launch(&[])), 400);
}

#[test]
fn occupancy_follows_threads_and_shared_memory() {
    let _machine = machine();
    let _context = context(0);
    let function = kernel("scale").function;
    let blocks = |threads, shared| {
        // SAFETY: the simulator checks the handle.
        unsafe { result::occupancy::max_active_block_per_multiprocessor(function, threads, shared) }.expect("an answer")
    };
    assert_eq!([blocks(1024, 0), blocks(256, 0), blocks(32, 0), blocks(32, 40 << 10)], [2, 8, 32, 4]);
}

#[test]
fn a_cooperative_launch_must_fit_the_device() {
    let _machine = machine();
    let _context = context(0);
    let kernel = kernel("counts");
    // SAFETY: the kernel has no parameters.
    let launch = |blocks| unsafe {
        let (grid, block) = ((blocks, 1, 1), (1024, 1, 1));
        result::launch_cooperative_kernel(kernel.function, grid, block, 0, common::DEFAULT, &mut [])
    };
    launch(216).expect("two blocks on each of 108 multiprocessors");
    assert_eq!(code(launch(217)), 720);
}

#[test]
fn the_order_of_blocks_can_be_shuffled() {
    let machine = machine();
    let _context = context(0);
    // Which block came last decides; with atomics or without, the simulator sees no order between them.
    machine.simulator.set(Knob::CheckRaces, 0);
    let [input, sum] = [upload(&[1.0e8_f32, 1.0, -1.0e8, 1.0, 3.0, -4.0]), upload(&[0.0_f32])];
    let mut sums = Vec::new();
    for order in 0..8 {
        machine.simulator.set(Knob::BlockOrder, order);
        // SAFETY: in bounds.
        unsafe { result::memset_d8_async(sum, 0, 4, common::DEFAULT) }.expect("in bounds");
        kernel("sums_without_atomics").on(6, 1).launch(&[Value::Pointer(sum), Value::Pointer(input)]).expect("runs");
        sums.push(download::<f32, 1>(sum).expect("runs")[0]);
    }
    assert_eq!(sums[0], ((((1.0e8_f32 + 1.0) - 1.0e8) + 1.0) + 3.0) - 4.0, "rising without a seed");
    assert!(sums.iter().any(|other| *other != sums[0]), "{sums:?}");
}
