// What a kernel finds wrong: the first fault of each thread, and of those the one at the lowest position.

struct ErrorRecord {
    unsigned launch, kind, site, dim;
    long long value, bound, free, reduced;
};

enum FaultKind { NO_FAULT, GATHER, SCATTER, DIVISION_BY_ZERO, DIVISION_OVERFLOW, ASSERTION };

// Held by the thread that compares its fault with the recorded one.
__device__ unsigned fault_lock;

struct Found {
    unsigned kind = NO_FAULT, site, dim;
    long long value, bound, free, reduced;

    template <class At>
    DEVICE void set(const At &at, int i, unsigned kind, unsigned site, unsigned dim, long long value, long long bound) {
        const long long free = at.free(i), reduced = at.element(i);
        // An assertion says more than the index or divisor that it is about.
        const bool precedes = kind == ASSERTION && this->kind != ASSERTION && free == this->free && reduced == this->reduced;
        if (this->kind != NO_FAULT && !precedes) return;
        *this = Found{kind, site, dim, value, bound, free, reduced};
    }
    template <class At> DEVICE void assert_that(const At &at, int i, unsigned assertion, bool holds) {
        if (!holds) set(at, i, ASSERTION, assertion, 0, 0, 0);
    }
    // Rust's `/`; an error gives 0.
    template <class At, class V> DEVICE V divide(const At &at, int i, V x, V y) {
        return divisible(at, i, x, y) ? x / y : V(0);
    }
    template <class At, class V> DEVICE V remainder(const At &at, int i, V x, V y) {
        return divisible(at, i, x, y) ? x % y : V(0);
    }
    template <class At, class V> DEVICE bool divisible(const At &at, int i, V x, V y) {
        const V lowest = V(V(1) << (sizeof(V) * 8 - 1));
        const bool overflows = V(-1) < V(0) && y == V(-1) && x == lowest;
        if (y == V(0)) set(at, i, DIVISION_BY_ZERO, 0, 0, 0, 0);
        else if (overflows) set(at, i, DIVISION_OVERFLOW, 0, 0, 0, 0);
        return y != V(0) && !overflows;
    }

    // Records the fault, at the end of the kernel. A warp's threads take turns, so that none waits for one that it holds up.
    DEVICE void report(ErrorRecord *record, unsigned launch) const {
        if (!__any_sync(~0u, kind != NO_FAULT)) return;
        for (int lane = 0; lane < 32; ++lane) {
            if (kind != NO_FAULT && (threadIdx.x & 31) == lane) store(record, launch);
            __syncwarp();
        }
    }
    DEVICE void store(ErrorRecord *record, unsigned launch) const {
        // The recorded position only ever falls.
        if (atomicAdd(&record->launch, 0) == launch && recorded_free(record) < free) return;
        unsigned attempts = 1 << 20;
        while (atomicCAS(&fault_lock, 0, 1) != 0) {
            if (--attempts == 0) return;
        }
        __threadfence();
        const unsigned oldest = atomicAdd(&record->launch, 0);
        if (oldest == 0 || (oldest == launch && precedes(record))) {
            record->kind = kind;
            record->site = site;
            record->dim = dim;
            record->value = value;
            record->bound = bound;
            record->reduced = reduced;
            atomicExch((unsigned long long *)&record->free, (unsigned long long)free);
            __threadfence_system();
            atomicExch(&record->launch, launch);
        }
        __threadfence();
        atomicExch(&fault_lock, 0);
    }
    // Also read by threads that do not hold the lock.
    static DEVICE long long recorded_free(ErrorRecord *record) {
        return (long long)atomicAdd((unsigned long long *)&record->free, 0ull);
    }
    DEVICE bool precedes(ErrorRecord *record) const {
        const long long other = recorded_free(record);
        if (free != other) return free < other;
        if (reduced != record->reduced) return reduced < record->reduced;
        return kind == ASSERTION && record->kind != ASSERTION;
    }
};
