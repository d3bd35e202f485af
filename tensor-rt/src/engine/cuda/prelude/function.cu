// Elementary functions.

namespace tensor {

DEVICE float exp(float x) { return expf(x); }
DEVICE double exp(double x) { return ::exp(x); }
DEVICE float exp2(float x) { return exp2f(x); }
DEVICE double exp2(double x) { return ::exp2(x); }
DEVICE float ln(float x) { return logf(x); }
DEVICE double ln(double x) { return ::log(x); }
DEVICE float log2(float x) { return log2f(x); }
DEVICE double log2(double x) { return ::log2(x); }
DEVICE float log10(float x) { return log10f(x); }
DEVICE double log10(double x) { return ::log10(x); }
DEVICE float log1p(float x) { return log1pf(x); }
DEVICE double log1p(double x) { return ::log1p(x); }
DEVICE float expm1(float x) { return expm1f(x); }
DEVICE double expm1(double x) { return ::expm1(x); }
DEVICE float sqrt(float x) { return sqrtf(x); }
DEVICE double sqrt(double x) { return ::sqrt(x); }
DEVICE float cbrt(float x) { return cbrtf(x); }
DEVICE double cbrt(double x) { return ::cbrt(x); }
DEVICE float sin(float x) { return sinf(x); }
DEVICE double sin(double x) { return ::sin(x); }
DEVICE float cos(float x) { return cosf(x); }
DEVICE double cos(double x) { return ::cos(x); }
DEVICE float tan(float x) { return tanf(x); }
DEVICE double tan(double x) { return ::tan(x); }
DEVICE float asin(float x) { return asinf(x); }
DEVICE double asin(double x) { return ::asin(x); }
DEVICE float acos(float x) { return acosf(x); }
DEVICE double acos(double x) { return ::acos(x); }
DEVICE float atan(float x) { return atanf(x); }
DEVICE double atan(double x) { return ::atan(x); }
DEVICE float sinh(float x) { return sinhf(x); }
DEVICE double sinh(double x) { return ::sinh(x); }
DEVICE float cosh(float x) { return coshf(x); }
DEVICE double cosh(double x) { return ::cosh(x); }
DEVICE float tanh(float x) { return tanhf(x); }
DEVICE double tanh(double x) { return ::tanh(x); }
DEVICE float erf(float x) { return erff(x); }
DEVICE double erf(double x) { return ::erf(x); }
DEVICE float erfc(float x) { return erfcf(x); }
DEVICE double erfc(double x) { return ::erfc(x); }
DEVICE float floor(float x) { return floorf(x); }
DEVICE double floor(double x) { return ::floor(x); }
DEVICE float ceil(float x) { return ceilf(x); }
DEVICE double ceil(double x) { return ::ceil(x); }
DEVICE float trunc(float x) { return truncf(x); }
DEVICE double trunc(double x) { return ::trunc(x); }
// Half away from zero.
DEVICE float round(float x) { return roundf(x); }
DEVICE double round(double x) { return ::round(x); }
DEVICE float powf(float x, float y) { return ::powf(x, y); }
DEVICE double powf(double x, double y) { return ::pow(x, y); }
DEVICE float atan2(float y, float x) { return atan2f(y, x); }
DEVICE double atan2(double y, double x) { return ::atan2(y, x); }
DEVICE float rem(float x, float y) { return fmodf(x, y); }
DEVICE double rem(double x, double y) { return fmod(x, y); }

template <class F> DEVICE F rsqrt(F x) { return F(1) / sqrt(x); }
template <class F> DEVICE F sigmoid(F x) {
    const F exponential = exp(-abs(x));
    const F value = F(1) / (F(1) + exponential);
    return x < F(0) ? exponential * value : value;
}
// Without overflow; NaN stays.
template <class F> DEVICE F softplus(F x) { return (x > F(0) ? x : F(0)) + log1p(exp(-abs(x))); }
// 0 where `x` is 0 and `y` is not NaN.
template <class F> DEVICE F xlogy(F x, F y) { return x == F(0) && y == y ? F(0) : x * ln(y); }

}  // namespace tensor
