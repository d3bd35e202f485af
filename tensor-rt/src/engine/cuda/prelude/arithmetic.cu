// Arithmetic that C does otherwise than Rust, or not at all.

namespace tensor {

template <class V> struct IsFloat { static constexpr bool YES = false; };
template <> struct IsFloat<float> { static constexpr bool YES = true; };
template <> struct IsFloat<double> { static constexpr bool YES = true; };

// Integers wrap.
template <class V> DEVICE V add(V x, V y) {
    if constexpr (IsFloat<V>::YES) return x + y;
    else return V((unsigned long long)x + (unsigned long long)y);
}
template <class V> DEVICE V sub(V x, V y) { return V((unsigned long long)x - (unsigned long long)y); }
template <class V> DEVICE V mul(V x, V y) {
    if constexpr (IsFloat<V>::YES) return x * y;
    else return V((unsigned long long)x * (unsigned long long)y);
}
template <class V> DEVICE V neg(V x) { return sub(V(0), x); }

// The larger and the smaller; NaN if either is.
template <class V> DEVICE V max(V x, V y) { return x > y || x != x ? x : y; }
template <class V> DEVICE V min(V x, V y) { return x < y || x != x ? x : y; }

DEVICE float abs(float x) { return fabsf(x); }
DEVICE double abs(double x) { return fabs(x); }
template <class V> DEVICE V abs(V x) { return x < V(0) ? neg(x) : x; }

// -1, 0 or 1; a zero keeps its sign, NaN stays.
DEVICE float sign(float x) { return x == 0 || x != x ? x : copysignf(1, x); }
DEVICE double sign(double x) { return x == 0 || x != x ? x : copysign(1.0, x); }
template <class V> DEVICE V sign(V x) { return V(x > V(0)) - V(x < V(0)); }

// By squaring.
DEVICE double power(double x, unsigned long long exponent) {
    double power = 1;
    for (; exponent != 0; exponent >>= 1, x *= x) {
        if (exponent & 1) power *= x;
    }
    return power;
}
DEVICE double powi(double x, long long exponent) {
    const double value = power(x, exponent < 0 ? neg((unsigned long long)exponent) : exponent);
    return exponent < 0 ? 1 / value : value;
}
DEVICE float powi(float x, long long exponent) { return (float)powi((double)x, exponent); }
template <class V> DEVICE V powi(V x, long long exponent) {
    V power = 1;
    for (unsigned rest = (unsigned)exponent; rest != 0; rest >>= 1, x = mul(x, x)) {
        if (rest & 1) power = mul(power, x);
    }
    return power;
}

DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
DEVICE double fma(double a, double b, double c) { return ::fma(a, b, c); }
DEVICE bool is_nan(float x) { return x != x; }
DEVICE bool is_nan(double x) { return x != x; }
DEVICE bool is_finite(float x) { return fabsf(x) < INFINITE; }
DEVICE bool is_finite(double x) { return fabs(x) < INFINITE; }

}  // namespace tensor
