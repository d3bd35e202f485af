//! The confusion matrix of a classifier.

use std::fmt;

/// How often each class was taken for each class: rows are the true classes, columns the predicted ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    counts: Vec<usize>,
}

impl Confusion {
    /// Counts pairs of a true and a predicted class.
    ///
    /// # Panics
    /// Panics if a class is negative or not below `classes`.
    pub fn new(classes: usize, truth: &[i64], predicted: &[i64]) -> Confusion {
        let mut counts = vec![0; classes * classes];
        let inside = |class: i64| {
            usize::try_from(class).ok().filter(|&class| class < classes).unwrap_or_else(|| {
                panic!("class {class} is not one of {classes} classes");
            })
        };
        for (&truth, &predicted) in truth.iter().zip(predicted) {
            counts[inside(truth) * classes + inside(predicted)] += 1;
        }
        Confusion { classes, counts }
    }

    /// Samples on the diagonal.
    pub fn correct(&self) -> usize {
        (0..self.classes).map(|class| self.counts[class * self.classes + class]).sum()
    }

    /// All samples.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The share of samples on the diagonal; 0 without samples.
    pub fn accuracy(&self) -> f64 {
        self.correct() as f64 / self.total().max(1) as f64
    }
}

impl fmt::Display for Confusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "true \\ predicted")?;
        (0..self.classes).try_for_each(|class| write!(f, "{class:>5}"))?;
        writeln!(f, "   recall")?;
        for (class, row) in self.counts.chunks_exact(self.classes).enumerate() {
            write!(f, "{class:>16}")?;
            row.iter().try_for_each(
                |&count| {
                    if count == 0 { write!(f, "{:>5}", ".") } else { write!(f, "{count:>5}") }
                },
            )?;
            let all = row.iter().sum::<usize>().max(1);
            writeln!(f, "  {:>6.1}%", 100.0 * row[class] as f64 / all as f64)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_pairs() {
        let confusion = Confusion::new(3, &[0, 1, 2, 2], &[0, 2, 2, 2]);
        assert_eq!((confusion.correct(), confusion.total(), confusion.accuracy()), (3, 4, 0.75));
        let text = confusion.to_string();
        assert_eq!(text.lines().nth(2), Some("               1    .    .    1     0.0%"));
        assert_eq!(text.lines().nth(3), Some("               2    .    .    2   100.0%"));
    }

    #[test]
    fn nothing_counted_is_no_accuracy() {
        assert_eq!(Confusion::new(2, &[], &[]).accuracy(), 0.0);
    }

    #[test]
    #[should_panic(expected = "class 3 is not one of 3 classes")]
    fn a_class_out_of_range_panics() {
        Confusion::new(3, &[0], &[3]);
    }
}
