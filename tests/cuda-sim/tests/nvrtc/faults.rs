//! What a device would do silently, or to the whole context, is reported with its place.

use cuda_sim::exec::LaunchConfig;
use cuda_sim::fault::{Access, FaultKind};
use cuda_sim::memory::Kind;

use crate::device::{Element, on_every_device};

const COPY: &str = r#"
extern "C" __global__ void copy(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = in[i];
}"#;

#[test]
fn an_index_too_large_is_out_of_bounds() {
    on_every_device(COPY, |device| {
        let (from, to) = (device.upload(&[1.0_f32; 100]), device.room::<f32>(101));
        let fault =
            device.try_launch("copy", [1, 1, 1], [128, 1, 1], &[to.to_bytes(), from.to_bytes(), 100.to_bytes()]);
        let fault = fault.expect_err("one element too many");
        let FaultKind::OutOfBounds { access, bytes, offset, ref allocation } = *fault.kind else { panic!("{fault}") };
        assert_eq!((access, bytes, offset, allocation.bytes), (Access::Read, 4, 400, 400));
        let place = fault.place.as_ref().expect("a kernel did it");
        assert_eq!((place.block, place.thread, place.parameter), ([0, 0, 0], [100, 0, 0], Some(1)));
        let (file, line) = place.source.as_ref().expect("compiled with lines");
        assert!(file.ends_with("kernel.cu") && *line == 5, "{file}:{line}");
        let message = fault.to_string();
        let expected = "out of bounds: read of 4 bytes at offset 400 of allocation #1 (400 bytes) | parameter 1 | \
                        kernel `copy`, block (0, 0, 0), thread (100, 0, 0) | PTX line ";
        assert!(message.starts_with(expected), "{message}");
    });
}

#[test]
fn memory_that_is_not_there() {
    on_every_device(COPY, |device| {
        let (from, to) = (device.upload(&[1.0_f32; 8]), device.room::<f32>(8));
        let mut fault = |to: u64, from: u64| {
            let parameters = [to.to_bytes(), from.to_bytes(), 7.to_bytes()];
            *device.try_launch("copy", [1, 1, 1], [8, 1, 1], &parameters).expect_err("wrong memory").kind
        };
        assert!(matches!(fault(0, from), FaultKind::NotAnAddress { access: Access::Write, address: 0, .. }));
        assert!(matches!(fault(to, to), FaultKind::Uninitialised { offset: 0, bytes: 4, .. }));
        assert!(matches!(fault(to + 2, from), FaultKind::Misaligned { access: Access::Write, .. }));
        assert!(matches!(fault(to, from - 4), FaultKind::OutOfBounds { offset: -4, .. }));
        device.memory.free(from).expect("live");
        let parameters = [to.to_bytes(), from.to_bytes(), 7.to_bytes()];
        let fault = device.try_launch("copy", [1, 1, 1], [8, 1, 1], &parameters).expect_err("freed");
        assert!(matches!(*fault.kind, FaultKind::UseAfterFree { offset: 0, .. }), "{fault}");
    });
}

#[test]
fn memory_of_another_device_needs_peer_access() {
    on_every_device(COPY, |device| {
        let to = device.room::<f32>(8);
        let from = device.memory.allocate(32, 1, Kind::Device);
        device.memory.bytes_mut(from, 32).expect("inside").fill(0);
        let parameters = [to.to_bytes(), from.to_bytes(), 7.to_bytes()];
        let fault = device.try_launch("copy", [1, 1, 1], [8, 1, 1], &parameters).expect_err("another device");
        assert!(matches!(*fault.kind, FaultKind::WrongDevice { owner: 1, device: 0, .. }), "{fault}");
        device.memory.allow_peer(0, 1);
        device.launch("copy", 1, 8, &parameters);
    });
}

#[test]
fn blocks_that_write_one_word_race() {
    let source = r#"extern "C" __global__ void f(float *sum, const float *in) { *sum += in[blockIdx.x]; }"#;
    on_every_device(source, |device| {
        let (sum, input) = (device.upload(&[0.0_f32]), device.upload(&[1.0_f32; 4]));
        let fault = device.try_launch("f", [4, 1, 1], [1, 1, 1], &[sum.to_bytes(), input.to_bytes()]);
        let fault = fault.expect_err("a race");
        let FaultKind::BlockRace { access, before, offset, other, .. } = *fault.kind else { panic!("{fault}") };
        assert_eq!((access, before, offset, other), (Access::Read, Access::Write, 0, 0));
    });
}

#[test]
fn warps_without_a_barrier_race() {
    let source = |barrier: &str| {
        format!(
            r#"extern "C" __global__ void f(int *out) {{
                __shared__ int shared[64];
                shared[threadIdx.x] = threadIdx.x;
                {barrier}
                out[threadIdx.x] = shared[63 - threadIdx.x];
            }}"#
        )
    };
    on_every_device(&source(""), |device| {
        let out = device.room::<i32>(64);
        let fault = device.try_launch("f", [1, 1, 1], [64, 1, 1], &[out.to_bytes()]).expect_err("no barrier");
        let FaultKind::WarpRace { access, before, other, .. } = *fault.kind else { panic!("{fault}") };
        assert_eq!((access, before, other), (Access::Write, Access::Read, 0));
    });
    on_every_device(&source("__syncthreads();"), |device| {
        let out = device.room::<i32>(64);
        device.launch("f", 1, 64, &[out.to_bytes()]);
        assert!(device.download::<i32>(out, 64).into_iter().eq((0..64).rev()));
    });
}

#[test]
fn lanes_that_wait_for_one_another_in_vain() {
    let source = r#"
        extern "C" __global__ void f(int *out) {
            if (threadIdx.x < 8) out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);
            __syncthreads();
            out[threadIdx.x] = 1;
        }"#;
    on_every_device(source, |device| {
        let out = device.room::<i32>(32);
        let fault = device.try_launch("f", [1, 1, 1], [32, 1, 1], &[out.to_bytes()]).expect_err("a deadlock");
        let message = fault.to_string();
        assert!(matches!(*fault.kind, FaultKind::Deadlock { .. }), "{message}");
        assert!(message.contains("warp 0: lanes 000000ff wait for a shuffle (PTX line "), "{message}");
        assert!(message.contains("lanes ffffff00 wait for a barrier of the block"), "{message}");
    });
}

#[test]
fn asserts_and_traps_stop_the_kernel() {
    let source = r#"
        extern "C" __global__ void f(int n) { assert(threadIdx.x < n); }
        extern "C" __global__ void g(int n) { if (threadIdx.x == n) __trap(); }"#;
    on_every_device(source, |device| {
        let fault = device.try_launch("f", [1, 1, 1], [32, 1, 1], &[20.to_bytes()]).expect_err("an assertion");
        let FaultKind::Assert { message, file, line, function } = &*fault.kind else { panic!("{fault}") };
        assert_eq!((message.as_str(), file.as_str(), *line), ("threadIdx.x < n", "kernel.cu", 2));
        assert!(function.contains('f'), "{function}");
        assert_eq!(fault.place.as_ref().map(|place| place.thread), Some([20, 0, 0]));
        let fault = device.try_launch("g", [1, 1, 1], [32, 1, 1], &[7.to_bytes()]).expect_err("a trap");
        assert_eq!((&*fault.kind, fault.place.as_ref().map(|place| place.thread)), (&FaultKind::Trap, Some([7, 0, 0])));
    });
}

#[test]
fn endless_loops_and_recursions_end() {
    let source = r#"
        __device__ __noinline__ int deeper(int *p, int n) { return n == 0 ? *p : deeper(p, n - 1) + deeper(p, n - 2); }
        extern "C" __global__ void f(volatile int *p) { while (*p == 0) { } }
        extern "C" __global__ void g(int *p) { *p = deeper(p, 1000); }"#;
    on_every_device(source, |device| {
        let p = device.upload(&[0]);
        let config = LaunchConfig { block: [32, 1, 1], max_instructions: 1 << 20, ..LaunchConfig::default() };
        let fault = device.launch_with("f", &config, &[p.to_bytes()]).expect_err("an endless loop");
        assert!(matches!(*fault.kind, FaultKind::Timeout { .. }), "{fault}");
        let fault = device.launch_with("g", &config, &[p.to_bytes()]).expect_err("a deep recursion");
        assert!(matches!(*fault.kind, FaultKind::StackOverflow { .. }), "{fault}");
    });
}

#[test]
fn shared_memory_has_bounds() {
    let source = r#"
        extern "C" __global__ void f(int *out, int i) {
            extern __shared__ int words[];
            words[threadIdx.x] = threadIdx.x;
            __syncthreads();
            out[threadIdx.x] = words[i - (int)threadIdx.x];
        }"#;
    on_every_device(source, |device| {
        let out = device.room::<i32>(32);
        let config = LaunchConfig { block: [32, 1, 1], shared: 128, ..LaunchConfig::default() };
        let mut run = |i: i32| device.launch_with("f", &config, &[out.to_bytes(), i.to_bytes()]);
        run(31).expect("inside");
        let fault = run(32).expect_err("one word too many");
        assert_eq!(
            fault.to_string().split(" | ").next(),
            Some("out of bounds: read of 4 bytes at offset 128 of 128 bytes of shared memory")
        );
        let fault = run(30).expect_err("a negative index");
        assert!(matches!(*fault.kind, FaultKind::OutOfSpace { .. }), "{fault}");
    });
}
