// Products of matrices, a tile of the result per block. The free dimensions are those of the batch, then those of the left
// operand (`m`), then those of the right one (`n`); the reduced dimensions are summed over.
//
// Both operands of a tile pass through shared memory, `TILE_K` summed points at a time, while the next ones are on their way.
// Each of 16 x 16 threads has `THREAD` x `THREAD` sums. They go through shared memory as well, so that neighboring threads
// get neighboring results.

#if PRODUCT

#define TILE (16 * THREAD)
#define TILE_K 16

// The tiles of a block, with the sums of one of them.
template <class V> struct Tiles {
    static constexpr int PADDED = TILE + 4;
    static constexpr int SLOTS = TILE * TILE_K / 256;

    const Space &space;
    V *memory;
    Index tile, batch, first_m, first_n;
    V sums[THREAD][THREAD];

    DEVICE Tiles(const Space &space) : space(space), tile(blockIdx.x) {
        constexpr int OPERANDS = 2 * TILE_K * PADDED, RESULTS = 64 * TILE;
        __shared__ __align__(16) V shared[OPERANDS > RESULTS ? OPERANDS : RESULTS];
        memory = shared;
        locate();
    }
    DEVICE bool more() const { return batch < space.batches; }
    DEVICE void next() {
        tile += gridDim.x;
        locate();
    }
    DEVICE void locate() {
        const Index columns = (space.n - 1) / TILE + 1, rows = (space.m - 1) / TILE + 1;
        batch = tile / columns / rows;
        first_m = tile / columns % rows * TILE;
        first_n = tile % columns * TILE;
    }

    // Which element of a tile of an operand a thread reads: neighbors along memory.
    template <bool ALONG_K> static DEVICE int own(int slot) {
        return ALONG_K ? threadIdx.x / TILE_K + slot * (256 / TILE_K) : threadIdx.x % TILE;
    }
    template <bool ALONG_K> static DEVICE int summed(int slot) {
        return ALONG_K ? threadIdx.x % TILE_K : threadIdx.x / TILE + slot * (256 / TILE);
    }

    // Reads a thread's elements of an operand: 0 beyond its ends.
    template <bool ALONG_K, class A>
    DEVICE void read(V (&values)[SLOTS], const A &array, Index first, Index size, int dims, int group, Index k, Index end) const {
        _Pragma("unroll") for (int slot = 0; slot < SLOTS; ++slot) {
            const Index at_own = first + own<ALONG_K>(slot), at_k = k + summed<ALONG_K>(slot);
            V value = V(0);
            if (at_own < size && at_k < end) {
                Point at;
                _Pragma("unroll") for (int dim = 0; dim < DIMS; ++dim) at.at[dim] = 0;
                at.locate(space, 0, BATCH_DIMS, batch);
                at.locate(space, group, group + dims, at_own);
                at.locate(space, FREE, FREE + REDUCED, at_k);
                value = V(tensor::widen(array.get(at)));
            }
            values[slot] = value;
        }
    }
    template <bool ALONG_K> DEVICE void keep(const V (&values)[SLOTS], V *part) const {
        _Pragma("unroll") for (int slot = 0; slot < SLOTS; ++slot) {
            part[summed<ALONG_K>(slot) * PADDED + own<ALONG_K>(slot)] = values[slot];
        }
    }

    // The sums of the tile over a chunk of the summed points, in their order.
    template <class L, class R> DEVICE void multiply(const L &lhs, const R &rhs) {
        const Index start = PHASE == PARTIAL ? Index(blockIdx.y) * space.chunk : 0;
        Index end = PHASE == PARTIAL ? start + space.chunk : space.elements;
        if (end > space.elements) end = space.elements;
        V *const left = memory, *const right = memory + TILE_K * PADDED;
        const int row = threadIdx.x / 16 * 4, column = threadIdx.x % 16 * 4;
        _Pragma("unroll") for (int m = 0; m < THREAD; ++m) {
            _Pragma("unroll") for (int n = 0; n < THREAD; ++n) sums[m][n] = V(0);
        }
        V lefts[SLOTS], rights[SLOTS];
        read<LHS_ALONG_K>(lefts, lhs, first_m, space.m, M_DIMS, BATCH_DIMS, start, end);
        read<RHS_ALONG_K>(rights, rhs, first_n, space.n, N_DIMS, BATCH_DIMS + M_DIMS, start, end);
        for (Index k = start; k < end; k += TILE_K) {
            __syncthreads();
            keep<LHS_ALONG_K>(lefts, left);
            keep<RHS_ALONG_K>(rights, right);
            __syncthreads();
            if (k + TILE_K < end) {
                read<LHS_ALONG_K>(lefts, lhs, first_m, space.m, M_DIMS, BATCH_DIMS, k + TILE_K, end);
                read<RHS_ALONG_K>(rights, rhs, first_n, space.n, N_DIMS, BATCH_DIMS + M_DIMS, k + TILE_K, end);
            }
            _Pragma("unroll 4") for (int at = 0; at < TILE_K; ++at) {
                V a[THREAD], b[THREAD];
                _Pragma("unroll") for (int four = 0; four < THREAD / 4; ++four) {
                    const Pack<V, 4> as = *(const Pack<V, 4> *)(left + at * PADDED + four * 64 + row);
                    const Pack<V, 4> bs = *(const Pack<V, 4> *)(right + at * PADDED + four * 64 + column);
                    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
                        a[four * 4 + i] = as[i];
                        b[four * 4 + i] = bs[i];
                    }
                }
                _Pragma("unroll") for (int m = 0; m < THREAD; ++m) {
                    _Pragma("unroll") for (int n = 0; n < THREAD; ++n) sums[m][n] = tensor::fma(a[m], b[n], sums[m][n]);
                }
            }
        }
    }
};

// The results of a tile that a thread writes, one after the other; each is a row.
template <class V> struct Result : Point {
    // Lines of a tile that go through shared memory at once, and how often a thread takes one of their results.
    static constexpr int LINES = 64, STEPS = LINES * TILE / 256;
    const Tiles<V> &tile;
    const Space &space;
    char *const scratch;
    int count = 0;
    Index row;
    bool live;
    V sum;
    static constexpr int lane = 0;

    DEVICE Result(const Tiles<V> &tile, char *scratch) : tile(tile), space(tile.space), scratch(scratch) { locate(); }
    // Every thread of a block makes every step.
    DEVICE bool more() const { return count < TILE / LINES * STEPS; }
    DEVICE void next() {
        ++count;
        locate();
    }
    DEVICE void locate() {
        if (!more()) return;
        if (count % STEPS == 0) share();
        const int place = count % STEPS * 256 + threadIdx.x;
        const Index m = tile.first_m + count / STEPS * LINES + place / TILE, n = tile.first_n + place % TILE;
        live = m < space.m && n < space.n;
        sum = tile.memory[place];
        row = (tile.batch * space.m + m) * space.n + n;
        Point::locate(space, 0, BATCH_DIMS, tile.batch);
        Point::locate(space, BATCH_DIMS, BATCH_DIMS + M_DIMS, m);
        Point::locate(space, BATCH_DIMS + M_DIMS, FREE, n);
        _Pragma("unroll") for (int dim = FREE; dim < DIMS; ++dim) at[dim] = 0;
    }
    // Puts the next lines of the tile into shared memory.
    DEVICE void share() const {
        const int line = threadIdx.x / 16 * 4, column = threadIdx.x % 16 * 4;
        __syncthreads();
        _Pragma("unroll") for (int m = 0; m < 4; ++m) {
            _Pragma("unroll") for (int n = 0; n < THREAD; ++n) {
                // A register has no index that is computed.
                V sum = tile.sums[m][n];
                if (THREAD > 4 && count >= STEPS) sum = tile.sums[THREAD - 4 + m][n];
                tile.memory[(line + m) * TILE + n / 4 * 64 + column + n % 4] = sum;
            }
        }
        __syncthreads();
    }
    DEVICE V finish(int reduction) const {
        if (PHASE == PARTIAL && live) *part_of<Sum<V>>(*this, reduction, Index(blockIdx.y)) = Sum<V>{sum};
        return sum;
    }
    DEVICE bool leads() const { return PHASE != PARTIAL && live; }
    DEVICE void wait() const {}
    DEVICE long long free(int) const { return position(space, 0, FREE); }
    DEVICE long long element(int) const { return 0; }
};

#endif
