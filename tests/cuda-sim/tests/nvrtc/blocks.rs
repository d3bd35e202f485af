//! Kernels whose threads work together: shuffles, shared memory, barriers, votes, atomics.

use cuda_sim::exec::LaunchConfig;

use crate::device::{Element, all_agree, on_every_device};

#[test]
fn a_block_sums_with_shuffles_and_shared_memory() {
    let source = r#"
        extern "C" __global__ void sum_rows(float *out, const float *in, int columns) {
            __shared__ float parts[32];
            const float *row = in + (long long)blockIdx.x * columns;
            float sum = 0.0f;
            for (int column = threadIdx.x; column < columns; column += blockDim.x) sum += row[column];
            for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by);
            if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
            __syncthreads();
            if (threadIdx.x < 32) {
                sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f;
                for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, by);
                if (threadIdx.x == 0) out[blockIdx.x] = sum;
            }
        }"#;
    let (rows, columns) = (7, 1000);
    all_agree(source, |device| {
        let input: Vec<f32> = (0..rows * columns).map(|place| (place % 31) as f32 - 10.0).collect();
        let (from, to) = (device.upload(&input), device.room::<f32>(rows));
        let parameters = [to.to_bytes(), from.to_bytes(), (columns as i32).to_bytes()];
        device.launch("sum_rows", rows as u32, 256, &parameters);
        let expected: Vec<f32> = input.chunks(columns).map(|row| row.iter().sum()).collect();
        assert_eq!(device.download::<f32>(to, rows), expected);
        device.download::<f32>(to, rows)
    });
}

#[test]
fn a_tiled_product_of_matrices() {
    let source = r#"
        extern "C" __global__ void matmul(float *c, const float *a, const float *b, int m, int n, int k) {
            __shared__ float at[16][17], bt[16][17];
            int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
            float sum = 0.0f;
            for (int tile = 0; tile < k; tile += 16) {
                int p = tile + threadIdx.x, q = tile + threadIdx.y;
                at[threadIdx.y][threadIdx.x] = row < m && p < k ? a[row * k + p] : 0.0f;
                bt[threadIdx.y][threadIdx.x] = q < k && column < n ? b[q * n + column] : 0.0f;
                __syncthreads();
                #pragma unroll
                for (int i = 0; i < 16; ++i) sum += at[threadIdx.y][i] * bt[i][threadIdx.x];
                __syncthreads();
            }
            if (row < m && column < n) c[row * n + column] = sum;
        }"#;
    let (m, n, k) = (33, 20, 45);
    on_every_device(source, |device| {
        let a: Vec<f32> = (0..m * k).map(|place| (place % 7) as f32 - 3.0).collect();
        let b: Vec<f32> = (0..k * n).map(|place| (place % 5) as f32 - 2.0).collect();
        let addresses = [device.room::<f32>(m * n), device.upload(&a), device.upload(&b)];
        let sizes = [m, n, k].map(|size| (size as i32).to_bytes());
        let parameters: Vec<_> = addresses.iter().map(|address| address.to_bytes()).chain(sizes).collect();
        device.try_launch("matmul", [2, 3, 1], [16, 16, 1], &parameters).unwrap_or_else(|fault| panic!("{fault}"));
        let expected = |row: usize, column: usize| (0..k).map(|i| a[row * k + i] * b[i * n + column]).sum::<f32>();
        let expected: Vec<f32> = (0..m * n).map(|place| expected(place / n, place % n)).collect();
        assert_eq!(device.download::<f32>(addresses[0], m * n), expected);
    });
}

#[test]
fn atomics_of_every_kind() {
    let source = r#"
        extern "C" __global__ void f(int *i, unsigned *u, unsigned long long *l, float *f, double *d, int *old) {
            int t = blockIdx.x * blockDim.x + threadIdx.x;
            atomicAdd(&i[0], t); atomicMin(&i[1], -t); atomicMax(&i[2], t); atomicSub(&i[3], 1);
            atomicAnd(&u[0], ~(1u << t % 32)); atomicOr(&u[1], 1u << t % 32); atomicXor(&u[2], 1u << t % 32);
            atomicInc(&u[3], 6); atomicDec(&u[4], 6); atomicExch(&u[5], 7); atomicMax(&u[6], (unsigned)t);
            atomicAdd(&l[0], 1ull << 33); atomicMax(&l[1], (unsigned long long)t << 32);
            atomicAdd(f, 0.5f); atomicAdd(d, 0.25);
            old[t] = atomicAdd(&i[4], 1);
            int seen = i[5], assumed;
            do { assumed = seen; seen = atomicCAS(&i[5], assumed, assumed + 2); } while (seen != assumed);
        }"#;
    on_every_device(source, |device| {
        let i = device.upload(&[0, 0, 0, 0, 0, 0]);
        let u = device.upload(&[u32::MAX, 0, 0, 0, 0, 0, 0]);
        let l = device.upload(&[0_u64, 0]);
        let (f, d, old) = (device.upload(&[0.0_f32]), device.upload(&[0.0_f64]), device.room::<i32>(96));
        // Plain reads of a word that others change by atomics would be reported as a race.
        let config = LaunchConfig { grid: [2, 1, 1], block: [48, 1, 1], ..LaunchConfig::default() };
        let parameters = [i, u, l, f, d, old].map(|address| address.to_bytes());
        device.launch_with("f", &config, &parameters).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(device.download::<i32>(i, 6), [95 * 96 / 2, -95, 95, -96, 96, 192]);
        assert_eq!(device.download::<u32>(u, 7), [0, u32::MAX, u32::MAX, 5, 2, 7, 95]);
        assert_eq!(device.download::<u64>(l, 2), [96 << 33, 95 << 32]);
        assert_eq!((device.download::<f32>(f, 1)[0], device.download::<f64>(d, 1)[0]), (48.0, 24.0));
        let mut old = device.download::<i32>(old, 96);
        old.sort_unstable();
        assert!(old.into_iter().eq(0..96));
    });
}

#[test]
fn votes_matches_and_reductions_of_a_warp() {
    let source = r#"
        extern "C" __global__ void f(unsigned *out) {
            unsigned t = threadIdx.x, all = 0xffffffffu;
            out[t] = __ballot_sync(all, t % 3 == 0);
            out[32 + t] = __any_sync(all, t == 5) + 2 * __all_sync(all, t < 32) + 4 * __all_sync(all, t < 31);
            out[64 + t] = __match_any_sync(all, t % 4);
            if (t < 8) out[96 + t] = __shfl_sync(0xffu, t * t, (t + 1) % 8, 8);
            else out[96 + t] = __shfl_up_sync(0xffffff00u, t, 3);
            out[128 + t] = __reduce_add_sync(all, t) + __reduce_max_sync(all, t);
            out[160 + t] = __activemask();
        }"#;
    on_every_device(source, |device| {
        let out = device.room::<u32>(192);
        device.launch("f", 1, 32, &[out.to_bytes()]);
        let found = device.download::<u32>(out, 192);
        let lanes =
            |holds: &dyn Fn(u32) -> bool| (0..32).filter(|&lane| holds(lane)).fold(0, |mask, lane| mask | 1 << lane);
        for lane in 0..32_u32 {
            let at = |row: usize| found[32 * row + lane as usize];
            assert_eq!(at(0), lanes(&|other| other % 3 == 0));
            assert_eq!(at(1), 3);
            assert_eq!(at(2), lanes(&|other| other % 4 == lane % 4));
            assert_eq!(at(4), 31 * 32 / 2 + 31);
            assert_eq!(at(5), u32::MAX);
            match lane {
                0..8 => assert_eq!(at(3), ((lane + 1) % 8).pow(2)),
                // From below the first member nothing comes that is defined.
                8..11 => {}
                _ => assert_eq!(at(3), lane - 3),
            }
        }
    });
}

#[test]
fn barriers_count_and_combine() {
    let source = r#"
        extern "C" __global__ void f(int *out) {
            int t = threadIdx.x;
            out[t] = __syncthreads_count(t % 2) + 1000 * __syncthreads_and(t >= 0) + 10000 * __syncthreads_or(t == 70);
        }"#;
    on_every_device(source, |device| {
        let out = device.room::<i32>(80);
        device.launch("f", 1, 80, &[out.to_bytes()]);
        assert_eq!(device.download::<i32>(out, 80), [11040; 80]);
    });
}

/// The last block to finish adds what the others left: their writes come before by a fence and an atomic.
#[test]
fn the_last_block_sees_what_the_others_wrote() {
    let source = r#"
        __device__ unsigned finished;
        extern "C" __global__ void f(float *parts, float *out) {
            __shared__ bool last;
            if (threadIdx.x == 0) {
                parts[blockIdx.x] = blockIdx.x + 1.0f;
                __threadfence();
                last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
            }
            __syncthreads();
            if (last && threadIdx.x == 0) {
                float sum = 0.0f;
                for (int block = 0; block < gridDim.x; ++block) sum += parts[block];
                *out = sum;
            }
        }"#;
    on_every_device(source, |device| {
        let (parts, out) = (device.room::<f32>(10), device.room::<f32>(1));
        for _ in 0..2 {
            device.launch("f", 10, 64, &[parts.to_bytes(), out.to_bytes()]);
            assert_eq!(device.download::<f32>(out, 1), [55.0]);
        }
        let (finished, bytes) = device.module.global("finished").expect("a variable of the module");
        assert_eq!((device.download::<u32>(finished, 1)[0], bytes), (0, 4));
    });
}

#[test]
fn the_order_of_blocks_follows_the_seed() {
    let source = r#"
        extern "C" __global__ void f(int *next, int *order) { order[atomicAdd(next, 1)] = blockIdx.x; }"#;
    on_every_device(source, |device| {
        let mut order = |seed| {
            let (next, order) = (device.upload(&[0]), device.room::<i32>(50));
            let config = LaunchConfig { grid: [50, 1, 1], seed, ..LaunchConfig::default() };
            let parameters = [next.to_bytes(), order.to_bytes()];
            device.launch_with("f", &config, &parameters).unwrap_or_else(|fault| panic!("{fault}"));
            device.download::<i32>(order, 50)
        };
        let sorted: Vec<i32> = (0..50).collect();
        let mut shuffled = order(Some(1));
        assert_eq!(order(None), sorted);
        assert_eq!(order(Some(1)), shuffled);
        assert_ne!(order(Some(2)), shuffled);
        shuffled.sort_unstable();
        assert_eq!(shuffled, sorted);
    });
}

/// The lane that holds the lock is further on than those that wait for it.
#[test]
fn a_lock_between_lanes_does_not_starve() {
    let source = r#"
        extern "C" __global__ void f(int *lock, int *count) {
            while (atomicCAS(lock, 0, 1) != 0) { }
            *(volatile int *)count += 1;
            __threadfence();
            atomicExch(lock, 0);
        }"#;
    on_every_device(source, |device| {
        let (lock, count) = (device.upload(&[0]), device.upload(&[0]));
        let config = LaunchConfig { block: [64, 1, 1], max_instructions: 1 << 26, ..LaunchConfig::default() };
        let launched = device.launch_with("f", &config, &[lock.to_bytes(), count.to_bytes()]);
        launched.unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(device.download::<i32>(count, 1), [64]);
    });
}
