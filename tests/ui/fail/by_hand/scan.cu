extern "C" __global__ void scan(const float* x, double a, float* y, long long N) {}

extern "C" __global__ void edit(float* y, const float* x) {}

extern "C" __global__ void twice(float* x, float* y) {}
