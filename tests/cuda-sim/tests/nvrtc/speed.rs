//! How fast kernels run; a measurement, not a check.

use std::time::Instant;

use cuda_sim::exec::{Checks, LaunchConfig};

use crate::device::{Element, on_every_device};

/// Prints thread instructions a second of a few kernels. The figures of the documentation of `exec` come from here:
/// `cargo test -p cuda-sim --test nvrtc -- --ignored --nocapture speed`.
#[test]
#[ignore = "a measurement, which wants the machine for itself"]
fn speed_of_kernels() {
    let source = r#"
        extern "C" __global__ void add(float *out, const float *a, const float *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = a[i] + b[i];
        }
        extern "C" __global__ void gelu(float *out, const float *a, const float *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) { float x = a[i]; out[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); }
        }
        extern "C" __global__ void gelu64(double *out, const double *a, const double *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) { double x = a[i]; out[i] = 0.5 * x * (1.0 + tanh(0.79788456 * (x + 0.044715 * x * x * x))); }
        }
        extern "C" __global__ void sum(float *out, const float *a, const float *b, int n) {
            __shared__ float parts[8];
            float sum = 0.0f;
            for (int i = threadIdx.x; i < n / gridDim.x; i += blockDim.x) sum += a[i + blockIdx.x * (n / gridDim.x)];
            for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
            if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
            __syncthreads();
            if (threadIdx.x == 0) { for (int i = 1; i < 8; ++i) sum += parts[i]; out[blockIdx.x] = sum; }
        }
        extern "C" __global__ void collatz(int *out, const float *a, const float *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
            if (i >= n / 64) return;
            for (unsigned x = i + 1; x != 1; ++steps) x = x % 2 ? 3 * x + 1 : x / 2;
            out[i] = steps;
        }"#;
    let n = 1 << 20;
    on_every_device(source, |device| {
        let values: Vec<f64> = (0..n).map(|place| f64::from(place % 1000) * 0.01 - 5.0).collect();
        let singles: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let singles = device.upload(&singles);
        let doubles = device.upload(&values);
        let out = device.room::<f64>(n as usize);
        for (kernel, from) in
            [("add", singles), ("gelu", singles), ("gelu64", doubles), ("sum", singles), ("collatz", singles)]
        {
            for (checks, races) in [("bounds", false), ("all checks", true)] {
                let grid = if kernel == "sum" { 64 } else { n as u32 / 256 };
                let config = LaunchConfig {
                    grid: [grid, 1, 1],
                    block: [256, 1, 1],
                    checks: Checks { uninitialised: races, races },
                    ..LaunchConfig::default()
                };
                let parameters = [out.to_bytes(), from.to_bytes(), from.to_bytes(), n.to_bytes()];
                let mut best = f64::INFINITY;
                let mut threads = 0;
                for _ in 0..5 {
                    let start = Instant::now();
                    let touched = device.launch_with(kernel, &config, &parameters).expect("no fault");
                    best = best.min(start.elapsed().as_secs_f64());
                    threads = touched.counters.thread_instructions;
                }
                let rate = threads as f64 / best / 1e6;
                eprintln!("  {kernel:8} {checks:10} {:8.2} ms {rate:8.0} M thread instructions a second", best * 1e3);
            }
        }
    });
}
