// Arrays whose elements are found by computed indices.

// A dimension that the kernel indexes itself.
struct Dynamic {
    long long size, stride;
};

// An operand of the kernel, the `N`-th, of which the kernel computes `K` indices.
template <class E, int N, int K> struct Gather {
    const E *data;
    Index strides[DIMS];
    Dynamic dims[K];
    // The declared positions of those dimensions.
    unsigned char declared[(K + 7) / 8 * 8];

    // The element; an index outside its dimension is the point's fault.
    template <class At, class... I> DEVICE E get(const At &at, int i, Found &found, I... index) const {
        const long long indices[K] = {index...};
        long long offset = at.offset(strides) + step(at, i, strides);
        bool inside = true;
        _Pragma("unroll") for (int k = 0; k < K; ++k) {
            // A negative index is a huge unsigned one.
            if (inside && (unsigned long long)indices[k] >= (unsigned long long)dims[k].size) {
                found.set(at, i, GATHER, N, declared[k], indices[k], dims[k].size);
                inside = false;
            }
            offset += indices[k] * dims[k].stride;
        }
        E element = tensor::Poison<E>::value();
        if (inside) element = data[offset];
        return element;
    }
};
