//! Bandwidth of the memory. Bytes are counted as they are written in the program: the line that a store fetches first is
//! not counted.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use examples::measure::Spread;

use super::widest;

/// 256 MiB an array, more than the caches hold.
const LEN: usize = 1 << 26;
const SAMPLES: usize = 7;

/// Three arrays in memory.
pub struct Arrays {
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
}

impl Arrays {
    /// Arrays whose pages exist: the system makes a page when it is first written.
    pub fn new() -> Self {
        Self { a: vec![1.0; LEN], b: vec![2.0; LEN], c: vec![3.0; LEN] }
    }

    /// `c = a`, in GB/s.
    pub fn copy(&mut self, threads: usize) -> Spread {
        let part = LEN.div_ceil(threads);
        gigabytes(8 * LEN, || {
            thread::scope(|scope| {
                for (c, a) in self.c.chunks_mut(part).zip(self.a.chunks(part)) {
                    scope.spawn(move || c.copy_from_slice(a));
                }
            });
        })
    }

    /// `c = a + 3 b`, in GB/s.
    pub fn triad(&mut self, threads: usize) -> Spread {
        let part = LEN.div_ceil(threads);
        gigabytes(12 * LEN, || {
            thread::scope(|scope| {
                for ((c, a), b) in self.c.chunks_mut(part).zip(self.a.chunks(part)).zip(self.b.chunks(part)) {
                    scope.spawn(move || widest::call(|| add_scaled(c, a, b)));
                }
            });
        })
    }

    /// The sum of `a`, in GB/s.
    pub fn read(&self, threads: usize) -> Spread {
        let part = LEN.div_ceil(threads);
        gigabytes(4 * LEN, || {
            thread::scope(|scope| {
                for a in self.a.chunks(part) {
                    scope.spawn(move || black_box(widest::call(|| sum(a))));
                }
            });
        })
    }
}

#[inline(always)]
fn add_scaled(c: &mut [f32], a: &[f32], b: &[f32]) {
    for ((c, a), b) in c.iter_mut().zip(a).zip(b) {
        *c = a + 3.0 * b;
    }
}

/// The sum of a long slice, in sums that do not wait for each other.
#[inline(always)]
fn sum(x: &[f32]) -> f32 {
    let mut sums = [0.0; 128];
    for chunk in x.as_chunks::<128>().0 {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x;
        }
    }
    sums.iter().sum()
}

fn gigabytes(bytes: usize, mut traverse: impl FnMut()) -> Spread {
    let rates = (0..SAMPLES).map(|_| {
        let start = Instant::now();
        traverse();
        bytes as f64 / start.elapsed().as_nanos() as f64
    });
    Spread::over(rates)
}
