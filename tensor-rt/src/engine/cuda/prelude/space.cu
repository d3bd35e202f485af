// Where a thread is: points, rows, elements of a row; and arrays that are read and written there.
//
// A dimension is an axis of the traversal after neighbors were merged: `FREE` free ones, then `REDUCED` reduced ones. A
// thread visits `VECTOR` neighbors at once along the last dimension of its loop; `EACH(i)` counts them.

#define EACH(i) _Pragma("unroll") for (int i = 0; i < VECTOR; ++i)
#define DIMS (FREE + REDUCED > 0 ? FREE + REDUCED : 1)

#if WIDE_INDEX
typedef long long Index;
#else
typedef int Index;
#endif

// A size that indices are divided by.
struct Size {
    Index size;
#if !WIDE_INDEX
    unsigned magic, shift;
#endif

    // n / size and n % size.
    DEVICE Index divide(Index n, Index &rest) const {
#if WIDE_INDEX
        const Index quotient = n / size;
#else
        const Index quotient = (__umulhi(n, magic) + n) >> shift;
#endif
        rest = n - quotient * size;
        return quotient;
    }
};

// The traversal of a launch.
struct Space {
    Size sizes[DIMS];
    // Distance of neighbors in the row-major order of the kernel's own axes, the free or the reduced ones.
    Index weights[DIMS];
    // Free points, and the elements of a row.
    Index rows, elements;
    // Elements of a row that one block goes through, and how many such chunks there are.
    Index chunk, chunks;
    // Parts of the free points in a product of matrices.
    Index batches, m, n;
};

// An index along each dimension.
struct Point {
    // The dimension that a loop takes several neighbors of, if it does.
    static constexpr int LAST = -1;
    Index at[DIMS];

    // Sets the indices of dimensions `first..last` to those of a row-major position.
    DEVICE void locate(const Space &space, int first, int last, Index position) {
        _Pragma("unroll") for (int dim = last - 1; dim > first; --dim) {
            position = space.sizes[dim].divide(position, at[dim]);
        }
        if (last > first) at[first] = position;
    }

    DEVICE Index offset(const Index *strides) const {
        Index offset = 0;
        _Pragma("unroll") for (int dim = 0; dim < FREE + REDUCED; ++dim) offset += at[dim] * strides[dim];
        return offset;
    }

    // The row-major position among the free or the reduced points.
    DEVICE long long position(const Space &space, int first, int last) const {
        long long position = 0;
        _Pragma("unroll") for (int dim = first; dim < last; ++dim) position += (long long)at[dim] * space.weights[dim];
        return position;
    }
};

// The loop of a kernel without reductions.
struct Points : Point {
    static constexpr int LAST = FREE - 1;
    const Space &space;
    long long position;

    // What a thread visits is every so many points or, if `ORDERED`, a chunk of points one after the other.
    DEVICE Points(const Space &space) : space(space), position((long long)blockIdx.x * blockDim.x + threadIdx.x) {
        if (ORDERED) position *= space.chunk;
        locate();
    }
    DEVICE void locate() { Point::locate(space, 0, FREE, Index(position * VECTOR)); }
    DEVICE bool more() const { return position * VECTOR < space.rows; }
    DEVICE void next() {
        const long long threads = (long long)gridDim.x * blockDim.x;
        if (!ORDERED) position += threads;
        else if (++position % space.chunk == 0) position += (threads - 1) * space.chunk;
        locate();
    }
    DEVICE long long free(int i) const {
        return Point::position(space, 0, FREE) + (FREE > 0 ? (long long)i * space.weights[LAST] : 0);
    }
    DEVICE long long element(int) const { return 0; }
};

// Which neighbor `i` is of a point: along the last dimension of the loop.
template <class At> DEVICE Index step(const At &, int i, const Index *strides) {
    if constexpr (At::LAST < 0) return 0;
    else return i * strides[At::LAST];
}

// An element that may be written.
template <class E> struct Own { typedef E Type; };
template <class E> struct Own<const E> { typedef E Type; };

// Neighbors of one array. Up to 16 bytes are one access.
template <class E, int N = VECTOR> struct alignas(sizeof(E) * N < 16 ? sizeof(E) * N : 16) Pack {
    E neighbors[N];
    DEVICE E &operator[](int i) { return neighbors[i]; }
    DEVICE const E &operator[](int i) const { return neighbors[i]; }
};

// An array of the kernel, the `N`-th, at the point's own index.
template <class E, int N> struct Array {
    typedef typename Own<E>::Type Value;
    // Null if nobody wants what is written.
    E *data;
    Index strides[DIMS];

    static constexpr bool CONTIGUOUS = VECTOR > 1 && N < 64 && (CONTIGUOUS_ARRAYS >> N % 64 & 1);

    template <class At> DEVICE Pack<Value> load(const At &at) const {
        const E *from = data + at.offset(strides);
        if constexpr (CONTIGUOUS) {
            return *reinterpret_cast<const Pack<Value> *>(from);
        } else {
            Pack<Value> pack;
            EACH(i) pack[i] = from[step(at, i, strides)];
            return pack;
        }
    }
    template <class At> DEVICE void store(const At &at, const Pack<Value> &pack) const {
        if (data == nullptr) return;
        E *to = data + at.offset(strides);
        if constexpr (CONTIGUOUS) {
            *reinterpret_cast<Pack<Value> *>(to) = pack;
        } else {
            EACH(i) to[step(at, i, strides)] = pack[i];
        }
    }
    DEVICE Value get(const Point &at) const { return data[at.offset(strides)]; }
    DEVICE void set(const Point &at, Value value) const {
        if (data != nullptr) data[at.offset(strides)] = value;
    }
};

// A dimension of an array that an index may leave: it is `(start + steps) / divisor`.
struct Clip {
    Index start, steps[DIMS], size, stride, divisor;
};

// An array that is 0 where one of its clips is no whole number within its dimension.
template <class E, int CLIPS> struct Clipped {
    const E *data;
    Index strides[DIMS];
    Clip clips[CLIPS];

    template <class At> DEVICE E get(const At &at, int i = 0) const {
        Index offset = at.offset(strides) + step(at, i, strides);
        bool inside = true;
        _Pragma("unroll") for (int k = 0; k < CLIPS; ++k) {
            const Clip &clip = clips[k];
            const Index value = clip.start + at.offset(clip.steps) + step(at, i, clip.steps);
            const Index index = clip.divisor == 1 ? value : value / clip.divisor;
            inside = inside && index >= 0 && index < clip.size && index * clip.divisor == value;
            offset += index * clip.stride;
        }
        E element{};
        if (inside) element = data[offset];
        return element;
    }
    template <class At> DEVICE Pack<E> load(const At &at) const {
        Pack<E> pack;
        EACH(i) pack[i] = get(at, i);
        return pack;
    }
};

// The index along an axis, as a value.
struct Steps {
    Index strides[DIMS];
    template <class At> DEVICE long long index(const At &at, int i) const {
        return at.offset(strides) + step(at, i, strides);
    }
};
