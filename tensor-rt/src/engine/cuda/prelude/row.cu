// Rows of reduced points. `LANES` threads share a row, a block has `ROWS` rows. Threads next to each other are on
// neighboring elements of one row, or if `VERTICAL` on the same element of neighboring rows.
//
// A long row may be cut into chunks, one per block: a launch of phase `PARTIAL` folds them into parts in scratch memory,
// and one of phase `FINISH` merges the parts of each row.

#define WHOLE 0
#define PARTIAL 1
#define FINISH 2
// Bytes of scratch memory for a part.
#define PART 32

// The place of what is known of a chunk of a row.
template <class F, class R> DEVICE F *part_of(const R &row, int reduction, Index chunk) {
    static_assert(sizeof(F) <= PART, "a part has a place");
    const long long place = ((long long)reduction * row.space.chunks + chunk) * row.space.rows + row.row;
    return (F *)(row.scratch + place * PART);
}

struct Row : Point {
    const Space &space;
    char *const scratch;
    long long first;
    Index row;
    int lane, own;
    bool live;

    DEVICE Row(const Space &space, char *scratch)
        : space(space), scratch(scratch), first((long long)blockIdx.x * ROWS),
          lane(VERTICAL ? threadIdx.x / ROWS : threadIdx.x % LANES),
          own(VERTICAL ? threadIdx.x % ROWS : threadIdx.x / LANES) {
        locate();
    }
    DEVICE void locate() {
        // Every thread of a block makes every step, so that it may meet the others there.
        live = own < ROWS && first + own < space.rows;
        row = live ? Index(first + own) : Index(0);
        Point::locate(space, 0, FREE, row);
        _Pragma("unroll") for (int dim = FREE; dim < DIMS; ++dim) at[dim] = 0;
    }
    DEVICE bool more() const { return first < space.rows; }
    DEVICE void next() {
        first += (long long)gridDim.x * ROWS;
        locate();
    }
    // True for the thread that writes the results of a row.
    DEVICE bool leads() const { return PHASE != PARTIAL && live && lane == 0; }
    DEVICE long long free(int) const { return position(space, 0, FREE); }
    DEVICE long long element(int) const { return 0; }
    // Until every thread of the row is here.
    DEVICE void wait() const {
        if (LANES > 32 || (VERTICAL && LANES > 1)) __syncthreads();
        else if (LANES > 1) __syncwarp();
    }

    // The result of a reduction whose bodies each thread has folded into `part`; the same for all threads of the row.
    template <class F> DEVICE auto finish(F part, int reduction) const -> decltype(part.result()) {
        if constexpr (PHASE == FINISH) {
            for (Index chunk = lane; chunk < space.chunks; chunk += LANES) part.merge(*part_of<F>(*this, reduction, chunk));
        }
        part = merged(part);
        if constexpr (PHASE == PARTIAL) {
            if (live && lane == 0) *part_of<F>(*this, reduction, Index(blockIdx.y)) = part;
        }
        return part.result();
    }
    // Merges the parts of a row's threads, in a fixed order.
    template <class F> DEVICE F merged(F part) const {
        if constexpr (LANES == 1) {
            return part;
        } else if constexpr (VERTICAL) {
            __shared__ __align__(16) char memory[LANES * ROWS * sizeof(F)];
            F *const parts = (F *)memory;
            __syncthreads();
            parts[lane * ROWS + own] = part;
            __syncthreads();
            part = parts[own];
            for (int other = 1; other < LANES; ++other) part.merge(parts[other * ROWS + own]);
            return part;
        } else {
            constexpr int WIDTH = LANES < 32 ? LANES : 32, WARPS = LANES / WIDTH;
            _Pragma("unroll") for (int delta = WIDTH / 2; delta > 0; delta /= 2) part.merge(part.after(delta, WIDTH));
            __shared__ __align__(16) char memory[ROWS * WARPS * sizeof(F)];
            F *const parts = (F *)memory + own * WARPS;
            if constexpr (WARPS > 1) __syncthreads();
            else __syncwarp();
            if (lane % WIDTH == 0) parts[lane / WIDTH] = part;
            if constexpr (WARPS > 1) __syncthreads();
            else __syncwarp();
            part = parts[0];
            for (int warp = 1; warp < WARPS; ++warp) part.merge(parts[warp]);
            return part;
        }
    }
};

// The loop over the elements of a row.
struct Elements : Point {
    static constexpr int LAST = REDUCED > 0 ? DIMS - 1 : -1;
    const Space &space;
    Index now, end;

    template <class R> DEVICE Elements(const R &row) : Point(row), space(row.space) {
        const Index start = PHASE == PARTIAL ? Index(blockIdx.y) * space.chunk : 0;
        end = PHASE == PARTIAL ? start + space.chunk : space.elements;
        if (end > space.elements) end = space.elements;
        if (PHASE == FINISH || !row.live) end = 0;
        now = start + row.lane * VECTOR;
        locate();
    }
    DEVICE void locate() { Point::locate(space, FREE, FREE + REDUCED, now); }
    DEVICE bool more() const { return now < end; }
    DEVICE void next() {
        now += LANES * VECTOR;
        locate();
    }
    DEVICE long long free(int) const { return position(space, 0, FREE); }
    DEVICE long long element(int i) const {
        return position(space, FREE, FREE + REDUCED) + (LAST < 0 ? 0 : (long long)i * space.weights[LAST < 0 ? 0 : LAST]);
    }
};
