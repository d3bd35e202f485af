// Conversions between elements, with the meaning of Rust's `as`.
//
// Each source is widened without loss to one of three types, and each target is made from any of them with one rounding.
// Floats saturate to integers and NaN becomes 0; integers wrap; `bool` is `x != 0`. The runtime puts one `CAST(..)` behind.

typedef unsigned short Half;

__device__ __forceinline__ float half_to_float(Half bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

__device__ __forceinline__ Half float_to_half(float value) {
    Half bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

__device__ __forceinline__ Half float_to_bfloat(float value) {
    unsigned int bits = __float_as_uint(value);
    // A NaN keeps its upper bits, and stays one if those are lost.
    if (value != value) return (Half)(bits >> 16 | 0x40);
    return (Half)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// A float rounded to odd: its last bit remembers that something was lost, so that rounding it again rounds once.
// `order` is below 0 if the exact number is below `nearest`, above 0 if it is above.
__device__ __forceinline__ float to_odd(float nearest, int order) {
    unsigned int bits = __float_as_uint(nearest);
    if (order == 0 || (bits & 1)) return nearest;
    // The neighbor away from zero has the next larger bits.
    bool away = (order > 0) == !(bits >> 31);
    if (bits << 1 == 0) return __uint_as_float(order > 0 ? 1u : 0x80000001u);
    return __uint_as_float(away ? bits + 1 : bits - 1);
}

__device__ __forceinline__ float odd(float value) { return value; }

__device__ __forceinline__ float odd(double value) {
    float nearest = (float)value;
    double back = nearest;
    return to_odd(nearest, (value > back) - (value < back));
}

__device__ __forceinline__ float odd(long long value) {
    float nearest = (float)value;
    // 2^63 is the one float here that is no `long long`, and it is above them all.
    if (nearest == 9223372036854775808.0f) return to_odd(nearest, -1);
    long long back = (long long)nearest;
    return to_odd(nearest, (value > back) - (value < back));
}

template <typename To, typename From>
__device__ __forceinline__ To saturated(From value, From low, From above, To least, To most) {
    if (value != value) return 0;
    if (value < low) return least;
    if (value >= above) return most;
    return (To)value;
}

#define INTEGER(NAME, TYPE, LOW, ABOVE, LEAST, MOST)                                                             \
    struct NAME {                                                                                                \
        typedef TYPE Bits;                                                                                       \
        static __device__ __forceinline__ long long wide(Bits bits) { return bits; }                             \
        static __device__ __forceinline__ Bits narrow(long long value) { return (Bits)value; }                   \
        static __device__ __forceinline__ Bits narrow(float value) {                                             \
            return saturated<Bits, float>(value, LOW, ABOVE, LEAST, MOST);                                       \
        }                                                                                                        \
        static __device__ __forceinline__ Bits narrow(double value) {                                            \
            return saturated<Bits, double>(value, LOW, ABOVE, LEAST, MOST);                                      \
        }                                                                                                        \
    };

INTEGER(I64, long long, -9223372036854775808.0, 9223372036854775808.0, -9223372036854775807LL - 1, 9223372036854775807LL)
INTEGER(I32, int, -2147483648.0, 2147483648.0, -2147483647 - 1, 2147483647)
INTEGER(U32, unsigned int, 0.0, 4294967296.0, 0u, 4294967295u)
INTEGER(U8, unsigned char, 0.0, 256.0, 0, 255)

struct Bool {
    typedef unsigned char Bits;
    static __device__ __forceinline__ long long wide(Bits bits) { return bits; }
    template <typename From> static __device__ __forceinline__ Bits narrow(From value) { return value != 0; }
};

struct F32 {
    typedef float Bits;
    static __device__ __forceinline__ float wide(Bits bits) { return bits; }
    template <typename From> static __device__ __forceinline__ Bits narrow(From value) { return (float)value; }
};

struct F64 {
    typedef double Bits;
    static __device__ __forceinline__ double wide(Bits bits) { return bits; }
    template <typename From> static __device__ __forceinline__ Bits narrow(From value) { return (double)value; }
};

struct F16 {
    typedef Half Bits;
    static __device__ __forceinline__ float wide(Bits bits) { return half_to_float(bits); }
    template <typename From> static __device__ __forceinline__ Bits narrow(From value) { return float_to_half(odd(value)); }
};

struct Bf16 {
    typedef Half Bits;
    static __device__ __forceinline__ float wide(Bits bits) { return __uint_as_float((unsigned int)bits << 16); }
    template <typename From> static __device__ __forceinline__ Bits narrow(From value) { return float_to_bfloat(odd(value)); }
};

#define CAST(FROM, TO)                                                                                           \
    extern "C" __global__ void cast(TO::Bits* target, const FROM::Bits* source, long long count) {               \
        long long step = (long long)gridDim.x * blockDim.x;                                                      \
        for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)               \
            target[i] = TO::narrow(FROM::wide(source[i]));                                                       \
    }

