// Elements in memory and their values in registers. Halves are computed with in `float`.

#define DEVICE __device__ __forceinline__
#define NOT_A_NUMBER __longlong_as_double(0x7ff8000000000000ll)
#define INFINITE __longlong_as_double(0x7ff0000000000000ll)

namespace tensor {

DEVICE float widen(Half x) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x.bits));
    return value;
}

DEVICE float widen(Brain x) { return __uint_as_float((unsigned)x.bits << 16); }
DEVICE float widen(float x) { return x; }
DEVICE double widen(double x) { return x; }

// A `float` that rounds to any half as the `double` does: toward zero, and odd where it is not exact.
DEVICE float to_odd(double x) {
    const float near = __double2float_rz(x);
    return near == x || x != x ? near : __uint_as_float(__float_as_uint(near) | 1);
}

template <class E> struct Narrow;
template <> struct Narrow<float> {
    static DEVICE float of(float x) { return x; }
};
template <> struct Narrow<double> {
    static DEVICE double of(double x) { return x; }
};
template <> struct Narrow<Half> {
    static DEVICE Half of(float x) {
        Half half;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(x));
        return half;
    }
    static DEVICE Half of(double x) { return of(to_odd(x)); }
};
template <> struct Narrow<Brain> {
    // To nearest even by integers: not every device converts by itself.
    static DEVICE Brain of(float x) {
        const unsigned bits = __float_as_uint(x);
        const unsigned rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
        return Brain{(unsigned short)(x != x ? (bits >> 16) | 0x40 : rounded)};
    }
    static DEVICE Brain of(double x) { return of(to_odd(x)); }
};

// The nearest element; ties go to even.
template <class E, class V> DEVICE E narrow(V x) { return Narrow<E>::of(x); }

// What an element is until an error that its kernel raised is seen: NaN, or 0.
template <class E> struct Poison {
    static DEVICE E value() { return E(0); }
};
template <> struct Poison<float> {
    static DEVICE float value() { return float(NOT_A_NUMBER); }
};
template <> struct Poison<double> {
    static DEVICE double value() { return NOT_A_NUMBER; }
};
template <> struct Poison<Half> {
    static DEVICE Half value() { return Half{0x7e00}; }
};
template <> struct Poison<Brain> {
    static DEVICE Brain value() { return Brain{0x7fc0}; }
};

// Rust's `as` from a float: toward zero, within the bounds of the integer; 0 for NaN.
template <class I> struct ToInteger;
template <> struct ToInteger<long long> {
    static DEVICE long long of(float x) { return __float2ll_rz(x); }
    static DEVICE long long of(double x) { return __double2ll_rz(x); }
};
template <> struct ToInteger<unsigned long long> {
    static DEVICE unsigned long long of(float x) { return x > 0 ? __float2ull_rz(x) : 0; }
    static DEVICE unsigned long long of(double x) { return x > 0 ? __double2ull_rz(x) : 0; }
};
template <> struct ToInteger<int> {
    static DEVICE int of(float x) { return __float2int_rz(x); }
    static DEVICE int of(double x) { return __double2int_rz(x); }
};
template <> struct ToInteger<unsigned> {
    static DEVICE unsigned of(float x) { return x > 0 ? __float2uint_rz(x) : 0; }
    static DEVICE unsigned of(double x) { return x > 0 ? __double2uint_rz(x) : 0; }
};
template <> struct ToInteger<unsigned char> {
    template <class F> static DEVICE unsigned char of(F x) { return x > 0 ? (x < 255 ? (int)x : 255) : 0; }
};
template <class I, class F> DEVICE I to_integer(F x) { return x != x ? I(0) : ToInteger<I>::of(x); }

}  // namespace tensor
