//! The rate of fused multiply-adds, the limit of matrix products. Calls of functions that need a processor with
//! the instructions are unsafe.

use examples::measure::Spread;

/// The widest instructions of this processor, and their rate on so many threads in GFLOP/s.
#[cfg(target_arch = "x86_64")]
pub fn multiply_adds(threads: usize) -> Option<(&'static str, Spread)> {
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has the feature.
        Some(("avx512", wide::rate(threads, 16, |count| unsafe { wide::avx512(count) })))
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the features.
        Some(("avx2", wide::rate(threads, 8, |count| unsafe { wide::avx2(count) })))
    } else {
        None
    }
}

/// Not known for other processors.
#[cfg(not(target_arch = "x86_64"))]
pub fn multiply_adds(_threads: usize) -> Option<(&'static str, Spread)> {
    None
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        _mm256_add_ps, _mm256_cvtss_f32, _mm256_fmadd_ps, _mm256_set1_ps, _mm512_add_ps, _mm512_cvtss_f32,
        _mm512_fmadd_ps, _mm512_set1_ps,
    };
    use std::hint::black_box;
    use std::thread;
    use std::time::Instant;

    use examples::measure::Spread;

    /// Sums that do not wait for each other: more than two units times their latency of four cycles.
    const CHAINS: usize = 12;
    const STEPS: usize = 1 << 20;
    const SAMPLES: usize = 9;

    /// The rate of `CHAINS * lanes` multiply-adds a step.
    pub fn rate(threads: usize, lanes: usize, run: impl Fn(usize) -> f32 + Sync) -> Spread {
        let operations = 2 * threads * STEPS * CHAINS * lanes;
        let rates = (0..SAMPLES).map(|_| {
            let start = Instant::now();
            thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| black_box(run(black_box(STEPS))));
                }
            });
            operations as f64 / start.elapsed().as_nanos() as f64
        });
        Spread::over(rates)
    }

    macro_rules! multiply_adds {
        ($name:ident, $features:literal, $splat:ident, $fma:ident, $add:ident, $first:ident) => {
            #[target_feature(enable = $features)]
            pub fn $name(steps: usize) -> f32 {
                let (factor, term) = ($splat(black_box(0.999)), $splat(black_box(1e-4)));
                let mut sums = [$splat(1.0); CHAINS];
                for _ in 0..steps {
                    for sum in &mut sums {
                        *sum = $fma(*sum, factor, term);
                    }
                }
                $first(sums.into_iter().fold($splat(0.0), |all, sum| $add(all, sum)))
            }
        };
    }

    multiply_adds!(avx512, "avx512f", _mm512_set1_ps, _mm512_fmadd_ps, _mm512_add_ps, _mm512_cvtss_f32);
    multiply_adds!(avx2, "avx2,fma", _mm256_set1_ps, _mm256_fmadd_ps, _mm256_add_ps, _mm256_cvtss_f32);
}
