// What a reduction knows of some elements. Parts merge in an order that depends on the launch alone.

template <class V> struct Lowest;
template <class V> struct Highest;
#define BOUNDS(V, low, high)                                      \
    template <> struct Lowest<V> { static DEVICE V of() { return low; } }; \
    template <> struct Highest<V> { static DEVICE V of() { return high; } };
BOUNDS(float, -float(INFINITE), float(INFINITE))
BOUNDS(double, -INFINITE, INFINITE)
BOUNDS(long long, -9223372036854775807ll - 1, 9223372036854775807ll)
BOUNDS(int, -2147483647 - 1, 2147483647)
BOUNDS(unsigned, 0u, 4294967295u)
BOUNDS(unsigned char, 0, 255)
BOUNDS(bool, false, true)
#undef BOUNDS

// The value of another thread of the warp, within groups of `width`.
template <class V> DEVICE V shifted(V value, int delta, int width) { return __shfl_down_sync(~0u, value, delta, width); }
DEVICE unsigned char shifted(unsigned char value, int delta, int width) {
    return (unsigned char)__shfl_down_sync(~0u, (unsigned)value, delta, width);
}
DEVICE bool shifted(bool value, int delta, int width) { return __shfl_down_sync(~0u, (unsigned)value, delta, width) != 0; }

#define MONOID(Name, identity, combination)                                      \
    template <class V> struct alignas(sizeof(V) < 4 ? 4 : sizeof(V)) Name {      \
        V value = identity;                                                      \
        DEVICE void fold(V body) { value = combination; }                        \
        DEVICE void merge(const Name &later) { fold(later.value); }              \
        DEVICE Name after(int delta, int width) const { return Name{shifted(value, delta, width)}; } \
        DEVICE V result() const { return value; }                                \
    };
MONOID(Sum, V(0), tensor::add(value, body))
MONOID(Prod, V(1), tensor::mul(value, body))
MONOID(Max, Lowest<V>::of(), tensor::max(value, body))
MONOID(Min, Highest<V>::of(), tensor::min(value, body))
MONOID(AnyOf, V(false), value || body)
MONOID(AllOf, V(true), value && body)
#undef MONOID
typedef AnyOf<bool> Any;
typedef AllOf<bool> All;

// The first position of the extreme value; NaN is the most extreme.
#define EXTREME(Name, identity, beats)                                                              \
    template <class V> struct Name {                                                                \
        V value = identity;                                                                         \
        long long position = -1;                                                                    \
        DEVICE void fold(V body, long long at) {                                                    \
            const bool nan = value != value, more = (body beats value && !nan) || (body != body && !nan); \
            const bool equal = body == value || (body != body && nan);                              \
            if (position < 0 || more || (equal && at < position)) { value = body; position = at; }  \
        }                                                                                           \
        DEVICE void merge(const Name &later) {                                                      \
            if (later.position >= 0) fold(later.value, later.position);                             \
        }                                                                                           \
        DEVICE Name after(int delta, int width) const {                                             \
            return Name{shifted(value, delta, width), shifted(position, delta, width)};             \
        }                                                                                           \
        DEVICE long long result() const { return position; }                                        \
    };
EXTREME(ArgMax, Lowest<V>::of(), >)
EXTREME(ArgMin, Highest<V>::of(), <)
#undef EXTREME

// Squared deviations from the mean: number of elements, a shift near them, and the sums of their differences from it and of
// the squares of these. Parts merge by Chan's rule, in `double`.
template <class V> struct SquaredDeviation {
    double count = 0;
    V square = 0, shift = 0, off = 0;

    DEVICE void fold(V body) {
        if (count == 0) shift = body;
        const V apart = body - shift;
        off += apart;
        square += apart * apart;
        count += 1;
    }
    DEVICE void merge(const SquaredDeviation &later) {
        if (later.count == 0) return;
        if (count == 0) {
            *this = later;
            return;
        }
        const double few = count, more = later.count, total = few + more;
        const double own = off / few, other = later.off / more;
        const double near = shift + own, apart = later.shift + other - near;
        const double mean = near + apart * (more / total);
        const double both = (square - own * own * few) + (later.square - other * other * more);
        shift = V(mean);
        const double rest = mean - shift;
        off = V(rest * total);
        square = V(both + apart * apart * (few * more / total) + rest * rest * total);
        count = total;
    }
    DEVICE SquaredDeviation after(int delta, int width) const {
        return SquaredDeviation{shifted(count, delta, width), shifted(square, delta, width), shifted(shift, delta, width),
                                shifted(off, delta, width)};
    }
    DEVICE V result() const {
        if (count == 0) return square;
        const V corrected = square - off * off / V(count);
        // Rounding may go below 0; NaN stays.
        return corrected < V(0) ? V(0) : corrected;
    }
};
