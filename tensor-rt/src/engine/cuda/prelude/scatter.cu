// Combining values into elements at computed indices, by atomic operations.

namespace tensor {

// The bits of an element.
DEVICE unsigned to_bits(float x) { return __float_as_uint(x); }
DEVICE unsigned long long to_bits(double x) { return (unsigned long long)__double_as_longlong(x); }
DEVICE unsigned to_bits(Half x) { return x.bits; }
DEVICE unsigned to_bits(Brain x) { return x.bits; }
DEVICE unsigned to_bits(int x) { return (unsigned)x; }
DEVICE unsigned to_bits(unsigned x) { return x; }
DEVICE unsigned to_bits(unsigned char x) { return x; }
DEVICE unsigned long long to_bits(long long x) { return (unsigned long long)x; }
DEVICE void from_bits(float &x, unsigned bits) { x = __uint_as_float(bits); }
DEVICE void from_bits(double &x, unsigned long long bits) { x = __longlong_as_double((long long)bits); }
DEVICE void from_bits(Half &x, unsigned bits) { x.bits = (unsigned short)bits; }
DEVICE void from_bits(Brain &x, unsigned bits) { x.bits = (unsigned short)bits; }
DEVICE void from_bits(int &x, unsigned bits) { x = (int)bits; }
DEVICE void from_bits(unsigned &x, unsigned bits) { x = bits; }
DEVICE void from_bits(unsigned char &x, unsigned bits) { x = (unsigned char)bits; }
DEVICE void from_bits(long long &x, unsigned long long bits) { x = (long long)bits; }

// Values in registers of elements that are no floats.
DEVICE int widen(int x) { return x; }
DEVICE unsigned widen(unsigned x) { return x; }
DEVICE unsigned char widen(unsigned char x) { return x; }
DEVICE long long widen(long long x) { return x; }
template <class I> struct NarrowInteger {
    static DEVICE I of(I x) { return x; }
};
template <> struct Narrow<int> : NarrowInteger<int> {};
template <> struct Narrow<unsigned> : NarrowInteger<unsigned> {};
template <> struct Narrow<unsigned char> : NarrowInteger<unsigned char> {};
template <> struct Narrow<long long> : NarrowInteger<long long> {};

struct Add {
    template <class V> static DEVICE V of(V old, V value) { return add(old, value); }
};
struct Larger {
    template <class V> static DEVICE V of(V old, V value) { return max(old, value); }
};
struct Smaller {
    template <class V> static DEVICE V of(V old, V value) { return min(old, value); }
};

// Replaces an element, within the word that holds it, until nobody came between.
template <class Op, class E, class V> DEVICE void combine(E *place, V value) {
    typedef decltype(to_bits(E())) Word;
    constexpr Word MASK = sizeof(E) >= sizeof(Word) ? ~Word(0) : Word((1ull << sizeof(E) % 8 * 8) - 1);
    const unsigned long long address = (unsigned long long)place;
    Word *const word = (Word *)(address & ~(unsigned long long)(sizeof(Word) - 1));
    const int shift = int(address & (sizeof(Word) - 1)) * 8;
    Word old = *(volatile Word *)word, seen;
    do {
        seen = old;
        E element;
        from_bits(element, (seen >> shift) & MASK);
        const Word bits = to_bits(narrow<E>(Op::of(widen(element), value)));
        const Word next = (seen & ~(MASK << shift)) | (bits << shift);
        if (next == seen) return;
        old = atomicCAS(word, seen, next);
    } while (old != seen);
}

// What the device does in one step.
template <> DEVICE void combine<Add>(float *place, float value) { atomicAdd(place, value); }
template <> DEVICE void combine<Add>(double *place, double value) { atomicAdd(place, value); }
template <> DEVICE void combine<Add>(int *place, int value) { atomicAdd(place, value); }
template <> DEVICE void combine<Add>(unsigned *place, unsigned value) { atomicAdd(place, value); }
template <> DEVICE void combine<Add>(long long *place, long long value) {
    atomicAdd((unsigned long long *)place, (unsigned long long)value);
}

}  // namespace tensor

// The element in which sums of elements are made.
template <class E> using Wide = decltype(tensor::widen(E()));

// A write of the kernel, the `N`-th, of which the kernel computes `K` indices.
template <class E, int N, int K> struct Scatter {
    // Null if nobody wants it.
    E *data;
    Index strides[DIMS];
    Dynamic dims[K > 0 ? K : 1];
    // The declared positions of those dimensions.
    unsigned char declared[(K + 8) / 8 * 8];

    template <class At, class V, class... I>
    DEVICE void add(const At &at, int i, Found &found, V value, I... index) const {
        combine<tensor::Add>(at, i, found, value, index...);
    }
    template <class At, class V, class... I>
    DEVICE void max(const At &at, int i, Found &found, V value, I... index) const {
        combine<tensor::Larger>(at, i, found, value, index...);
    }
    template <class At, class V, class... I>
    DEVICE void min(const At &at, int i, Found &found, V value, I... index) const {
        combine<tensor::Smaller>(at, i, found, value, index...);
    }

    // An index outside its dimension is the point's fault; the lowest integer only skips the point.
    template <class Op, class At, class V, class... I>
    DEVICE void combine(const At &at, int i, Found &found, V value, I... index) const {
        if (data == nullptr) return;
        const long long indices[K + 1] = {index..., 0};
        long long offset = at.offset(strides) + step(at, i, strides);
        for (int k = 0; k < K; ++k) {
            if ((unsigned long long)indices[k] >= (unsigned long long)dims[k].size) {
                if (indices[k] != -9223372036854775807ll - 1) {
                    found.set(at, i, SCATTER, N, declared[k], indices[k], dims[k].size);
                }
                return;
            }
            offset += indices[k] * dims[k].stride;
        }
        tensor::combine<Op>(data + offset, value);
    }
};
