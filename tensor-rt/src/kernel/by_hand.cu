typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

// The half elements, under the names of CUDA's headers, which are not there. They are computed with as `float`.
#define ASSIGNMENTS(HALF)                                                                               \
    __device__ __forceinline__ HALF& operator+=(float other) { return *this = HALF((float)*this + other); } \
    __device__ __forceinline__ HALF& operator-=(float other) { return *this = HALF((float)*this - other); } \
    __device__ __forceinline__ HALF& operator*=(float other) { return *this = HALF((float)*this * other); } \
    __device__ __forceinline__ HALF& operator/=(float other) { return *this = HALF((float)*this / other); }

struct __half {
    unsigned short bits;
    ASSIGNMENTS(__half)
    __half() = default;
    __device__ __forceinline__ __half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
    __device__ __forceinline__ operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};

struct __nv_bfloat16 {
    unsigned short bits;
    ASSIGNMENTS(__nv_bfloat16)
    __nv_bfloat16() = default;
    __device__ __forceinline__ __nv_bfloat16(float value) {
        unsigned int wide = __float_as_uint(value);
        bits = value != value ? (unsigned short)(wide >> 16 | 0x40)
                              : (unsigned short)((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
    }
    __device__ __forceinline__ operator float() const { return __uint_as_float((unsigned int)bits << 16); }
};

typedef __half half;
typedef __nv_bfloat16 nv_bfloat16;
