//! Timing: a case is warmed up, then sampled until its budget is spent; the median of the samples is its time.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Shortest time of a sample; faster cases are called several times in one.
const SAMPLE: Duration = Duration::from_micros(500);
/// Fewest samples of a case.
const SAMPLES: usize = 5;

/// What several measurements of one quantity gave.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The middle one.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// A single measurement.
    pub fn of(value: f64) -> Self {
        Self { median: value, min: value, max: value }
    }

    /// Of at least one measurement.
    pub fn over(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Self { median: values[values.len() / 2], min: values[0], max: values[values.len() - 1] }
    }

    /// The median of the medians of several rounds, and the extremes over all.
    pub fn over_rounds(rounds: &[Spread]) -> Self {
        Self {
            median: Self::over(rounds.iter().map(|round| round.median)).median,
            min: rounds.iter().map(|round| round.min).fold(f64::INFINITY, f64::min),
            max: rounds.iter().map(|round| round.max).fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// Times `call`, which does `operations` operations, for about `budget`. In nanoseconds for one operation.
///
/// # Errors
/// Fails where `call` does.
pub fn time<R, E>(budget: Duration, operations: usize, mut call: impl FnMut() -> Result<R, E>) -> Result<Spread, E> {
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
    Ok(Spread::over(samples))
}

/// Makes [`peak_memory`] count from now on, where the system can.
pub fn forget_peak_memory() {
    // A system that cannot goes on counting from the start of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The largest amount of memory that the process had in use, in KiB; 0 where the system does not tell.
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

    #[test]
    fn a_disturbed_round_does_not_move_the_median() {
        let rounds = [[2.0, 3.0, 4.0], [20.0, 30.0, 40.0], [1.0, 3.5, 9.0]].map(Spread::over);
        assert_eq!(Spread::over_rounds(&rounds), Spread { median: 3.5, min: 1.0, max: 40.0 });
    }
}
