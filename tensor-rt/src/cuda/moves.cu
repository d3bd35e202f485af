// Copies and fills of elements by their bits, whatever they mean.

typedef unsigned char Bits1;
typedef unsigned short Bits2;
typedef unsigned int Bits4;
typedef unsigned long long Bits8;

// One entry for each axis, outermost first; strides in elements.
struct Walks {
    long long size[8];
    long long target[8];
    long long source[8];
};

#define MOVES(BITS, BYTES)                                                                                    \
    extern "C" __global__ void copy_##BYTES(                                                                  \
        BITS* target, const BITS* source, Walks walks, int rank, long long count) {                           \
        long long step = (long long)gridDim.x * blockDim.x;                                                   \
        for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {          \
            long long rest = i, to = 0, from = 0;                                                             \
            for (int axis = rank - 1; axis >= 0; --axis) {                                                    \
                long long index = rest % walks.size[axis];                                                    \
                rest /= walks.size[axis];                                                                     \
                to += index * walks.target[axis];                                                             \
                from += index * walks.source[axis];                                                           \
            }                                                                                                 \
            target[to] = source[from];                                                                        \
        }                                                                                                     \
    }                                                                                                         \
                                                                                                              \
    extern "C" __global__ void fill_##BYTES(BITS* target, Bits8 value, Walks walks, int rank, long long count) { \
        long long step = (long long)gridDim.x * blockDim.x;                                                   \
        for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {          \
            long long rest = i, to = 0;                                                                       \
            for (int axis = rank - 1; axis >= 0; --axis) {                                                    \
                to += rest % walks.size[axis] * walks.target[axis];                                           \
                rest /= walks.size[axis];                                                                     \
            }                                                                                                 \
            target[to] = (BITS)value;                                                                         \
        }                                                                                                     \
    }

MOVES(Bits1, 1)
MOVES(Bits2, 2)
MOVES(Bits4, 4)
MOVES(Bits8, 8)
