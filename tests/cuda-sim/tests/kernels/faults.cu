// Kernels with one mistake each, and two without. `faults.ptx` is this file, compiled by NVRTC 12.9 for compute_80 with
// -lineinfo; the lines that tests name are those here.

extern "C" __global__ void scale(float *out, const float *in, float factor, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
}

extern "C" __global__ void one_too_far(float *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = 1.0f;
}

extern "C" __global__ void asserts(const int *in) {
    assert(in[threadIdx.x] < 10);
}

extern "C" __global__ void traps() {
    if (threadIdx.x == 3) __trap();
}

extern "C" __global__ void sums_without_atomics(float *sum, const float *in) {
    sum[0] += in[blockIdx.x];
}

extern "C" __global__ void reverses_without_barrier(float *out, const float *in) {
    __shared__ float tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void shuffles_in_a_branch(float *out) {
    float x = (float)threadIdx.x;
    if (threadIdx.x < 8) x = __shfl_sync(0xffffffffu, x, 0);
    else __syncthreads();
    out[threadIdx.x] = x;
}

extern "C" __global__ void misaligned(float *out) {
    *(float *)((char *)out + 2) = 1.0f;
}

__device__ int calls = 5;

extern "C" __global__ void counts() {
    atomicAdd(&calls, 1);
}

struct Shape { long long sizes[3]; unsigned char rank; };

extern "C" __global__ void takes_many(long long *out, unsigned char a, struct Shape shape, double b, short c) {
    out[0] = a; out[1] = shape.sizes[2]; out[2] = shape.rank; out[3] = (long long)b; out[4] = c;
}

extern "C" __global__ void dynamic_shared(unsigned *out) {
    extern __shared__ unsigned buffer[];
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
