extern "C" {

__global__ void cumsum(const float* x, double a, float* y) {}

__global__ void another_number(const float* x, float* y, long long N) {}

__global__ void another_order(double a, const float* x, float* y) {}

__global__ void another_name(const float* data, double a, float* y) {}

__global__ void read_of_mutable(const float* x, float* y) {}

__global__ void another_element(const double* x, double a, double* y) {}

__global__ void generic_element(const T* x, double a, T* y, long long N) {}

}
