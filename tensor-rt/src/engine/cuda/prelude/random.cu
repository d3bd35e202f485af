// Random numbers by counter, as `math::random` of the runtime describes them: Philox4x32-10 and the numbers made of its
// words. `uniform`, and `normal` in `float`, are the same bits as on the CPU.

namespace tensor {

struct Words {
    unsigned w[4];
};

DEVICE Words philox(unsigned long long seed, unsigned stream, unsigned long long counter) {
    unsigned a = (unsigned)counter, b = (unsigned)(counter >> 32), c = stream, d = 0;
    unsigned key0 = (unsigned)seed, key1 = (unsigned)(seed >> 32);
    _Pragma("unroll") for (int round = 0; round < 10; ++round) {
        const unsigned low0 = 0xd2511f53u * a, high0 = __umulhi(0xd2511f53u, a);
        const unsigned low1 = 0xcd9e8d57u * c, high1 = __umulhi(0xcd9e8d57u, c);
        a = high1 ^ b ^ key0;
        b = low1;
        c = high0 ^ d ^ key1;
        d = low0;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    return Words{{a, b, c, d}};
}

// The unit of two words, in [0, 1).
DEVICE float unit_single(unsigned high) { return (float)(int)(high >> 8) * 5.9604644775390625e-8f; }
DEVICE double unit_double(unsigned high, unsigned low) {
    return ((double)high * 2097152.0 + (double)(low >> 11)) * 1.1102230246251565e-16;
}

// ln(x) for 0 < x <= 1 that is normal, without a fused operation.
DEVICE float unfused_ln(float x) {
    const int bits = (int)(__float_as_uint(x) - 0x3f3504f3u);
    const float exponent = (float)(bits >> 23);
    const float f = __uint_as_float((bits & 0x007fffff) + 0x3f3504f3u) - 1.0f;
    const float series =
        (((((((0.06971612f * f + -0.11479734f) * f + 0.1168542f) * f + -0.12425687f) * f + 0.14249058f) * f +
           -0.16667803f) * f + 0.20000716f) * f + -0.24999997f) * f + 0.3333333f;
    const float square = f * f;
    const float tail = -0.5f * square + (f * square * series + exponent * 1.4286068e-6f);
    return exponent * 0.69314575f + (f + tail);
}

// cos(x) for 0 <= x < 8, without a fused operation.
DEVICE float unfused_cos(float x) {
    const double wide = x, product = wide * 0x1.45f306dp-1;
    const double shifted = product + 6755399441055744.0;
    const double rest = (product - (shifted - 6755399441055744.0)) + wide * 0x1.9391054a7f09dp-30;
    const unsigned long long quadrant = (unsigned long long)__double_as_longlong(shifted) + 1;
    const double square = rest * rest;
    const double sine =
        rest * (((((-3.531135795582593e-06 * square + 0.00016041080334438043) * square + -0.004681747842414747) * square +
                  0.07969262565662055) * square + -0.6459640974860401) * square + 1.5707963267947844);
    const double tail =
        ((((4.622239476281664e-07 * square + -2.51971813375938e-05) * square + 0.000919258950915228) * square +
          -0.020863480578143665) * square + 0.253669507888706) * square + -1.2337005501358613;
    const double cosine = tail * square + 0.9999999999999988;
    const double value = (quadrant & 1) == 0 ? sine : cosine;
    return (float)(quadrant & 2 ? -value : value);
}

template <class F> struct Random;
template <> struct Random<float> {
    static DEVICE float uniform(const Words &words) { return unit_single(words.w[0]); }
    static DEVICE float normal(const Words &words) {
        const float radius = sqrtf(-2.0f * unfused_ln(1.0f - unit_single(words.w[0])));
        return radius * unfused_cos(6.2831855f * unit_single(words.w[2]));
    }
};
template <> struct Random<double> {
    static DEVICE double uniform(const Words &words) { return unit_double(words.w[0], words.w[1]); }
    static DEVICE double normal(const Words &words) {
        const double radius = ::sqrt(-2.0 * ::log(1.0 - unit_double(words.w[0], words.w[1])));
        return radius * ::cos(6.283185307179586 * unit_double(words.w[2], words.w[3]));
    }
};

template <class F> DEVICE F uniform(unsigned long long seed, unsigned stream, unsigned long long counter) {
    return Random<F>::uniform(philox(seed, stream, counter));
}
template <class F> DEVICE F normal(unsigned long long seed, unsigned stream, unsigned long long counter) {
    return Random<F>::normal(philox(seed, stream, counter));
}

}  // namespace tensor
