//! Loops with the widest instructions of the processor. With `arithmetic`, the only unsafe code here: calls of functions
//! that need a processor with the instructions.

/// Calls `run` where the compiler may use them; `run` and what it calls must be inlined for that.
#[inline]
pub fn call<R>(run: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has the feature.
            return unsafe { avx512(run) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the feature.
            return unsafe { avx2(run) };
        }
    }
    run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512<R>(run: impl FnOnce() -> R) -> R {
    run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<R>(run: impl FnOnce() -> R) -> R {
    run()
}
