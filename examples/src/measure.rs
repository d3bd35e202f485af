//! Timing: a case is warmed up, then sampled until its budget is spent; the median of the samples is its time.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Shortest time of a sample; faster cases are called several times in one.
const SAMPLE: Duration = Duration::from_micros(500);
/// Fewest samples of a case.
const SAMPLES: usize = 5;

/// Times of a case, in nanoseconds for one operation.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The middle one of the samples.
    pub median: f64,
    /// The fastest sample.
    pub min: f64,
    /// The slowest sample.
    pub max: f64,
}

/// Times `call`, which does `operations` operations, for about `budget`.
///
/// # Errors
/// Fails where `call` does.
pub fn time<R, E>(budget: Duration, operations: usize, mut call: impl FnMut() -> Result<R, E>) -> Result<Times, E> {
    let start = Instant::now();
    let mut calls = 0;
    while calls < 2 || start.elapsed() < budget / 4 {
        black_box(call()?);
        calls += 1;
    }
    let one = start.elapsed().as_secs_f64() / f64::from(calls);
    let repeats = (SAMPLE.as_secs_f64() / one).ceil().clamp(1.0, 1e6) as usize;
    let mut samples = vec![];
    let start = Instant::now();
    while samples.len() < SAMPLES || start.elapsed() < budget {
        let sample = Instant::now();
        for _ in 0..repeats {
            black_box(call()?);
        }
        samples.push(sample.elapsed().as_secs_f64() * 1e9 / (repeats * operations) as f64);
    }
    samples.sort_by(f64::total_cmp);
    Ok(Times { median: samples[samples.len() / 2], min: samples[0], max: samples[samples.len() - 1] })
}

/// The largest amount of memory that the process had in use so far, in KiB; 0 where the system does not tell.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_ordered_and_of_one_operation() {
        let sleep = || {
            std::thread::sleep(Duration::from_millis(1));
            Ok::<_, ()>(())
        };
        let times = time(Duration::from_millis(10), 1000, sleep).unwrap();
        assert!(times.min <= times.median && times.median <= times.max);
        assert!(times.min >= 1000.0, "{times:?}");
    }
}
