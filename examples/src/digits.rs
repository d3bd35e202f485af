//! The handwritten digits of the UCI set, embedded in the program.
//!
//! A *sample* is an 8 by 8 image, 64 pixels from 0 to 16 row by row, and the digit it shows. Invariant: every pixel and
//! every digit of a [`Digits`] is in range, whatever text it was parsed from.

/// Pixels of one image.
pub const PIXELS: usize = 64;
/// Digits that an image can show.
pub const CLASSES: usize = 10;
/// The largest value of a pixel.
const BRIGHTEST: u8 = 16;

/// Images and the digits they show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digits {
    pixels: Vec<u8>,
    labels: Vec<u8>,
}

/// A data file that cannot be used; `line` counts from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A line has too many or too few values.
    #[error("digits: line {line} has {found} values, expected {expected}")]
    Length {
        /// Where.
        line: usize,
        /// 64 pixels and a digit.
        expected: usize,
        /// Values in the line.
        found: usize,
    },
    /// A value is not a whole number from 0 to 255.
    #[error("digits: line {line}, value {column}: `{text}` is not a number")]
    Number {
        /// Where.
        line: usize,
        /// Which value of the line, from 1.
        column: usize,
        /// What stands there.
        text: String,
        /// Why it is not a number.
        source: std::num::ParseIntError,
    },
    /// A pixel is brighter than 16, or a digit is above 9.
    #[error("digits: line {line}, value {column} is {found}, expected at most {largest}")]
    Range {
        /// Where.
        line: usize,
        /// Which value of the line, from 1.
        column: usize,
        /// The largest value that may stand there.
        largest: u8,
        /// The value.
        found: u8,
    },
    /// The file has no lines.
    #[error("digits: the file is empty")]
    Empty,
}

impl Digits {
    /// The 1,797 samples of `examples/data/digits.csv`.
    ///
    /// # Errors
    /// Fails if the file in the program was damaged before it was built.
    pub fn embedded() -> Result<Digits, Error> {
        Digits::parse(include_str!("../data/digits.csv"))
    }

    /// Reads lines of 64 pixels and a digit, separated by commas.
    ///
    /// # Errors
    /// Fails on the first value that cannot stand where it does.
    pub fn parse(text: &str) -> Result<Digits, Error> {
        let mut digits = Digits::default();
        for (line, content) in (1..).zip(text.lines()) {
            let found = content.split(',').count();
            if found != PIXELS + 1 {
                return Err(Error::Length { line, expected: PIXELS + 1, found });
            }
            for (column, value) in (1..).zip(content.split(',')) {
                let label = column == PIXELS + 1;
                let largest = if label { CLASSES as u8 - 1 } else { BRIGHTEST };
                let number = value.trim().parse::<u8>().map_err(|source| Error::Number {
                    line,
                    column,
                    text: value.to_owned(),
                    source,
                })?;
                if number > largest {
                    return Err(Error::Range { line, column, largest, found: number });
                }
                if label { &mut digits.labels } else { &mut digits.pixels }.push(number);
            }
        }
        if digits.labels.is_empty() { Err(Error::Empty) } else { Ok(digits) }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// There are no samples.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Training and held-out samples: every fifth sample is held out.
    pub fn split(&self) -> (Digits, Digits) {
        let (held_out, training): (Vec<usize>, Vec<usize>) = (0..self.len()).partition(|sample| sample % 5 == 4);
        (self.select(&training), self.select(&held_out))
    }

    /// The pixels of all samples, one image after the other, from 0 to 1.
    pub fn images(&self) -> Vec<f32> {
        self.pixels.iter().map(|&pixel| f32::from(pixel) / f32::from(BRIGHTEST)).collect()
    }

    /// The digits, as class numbers.
    pub fn classes(&self) -> Vec<i64> {
        self.labels.iter().map(|&label| i64::from(label)).collect()
    }

    fn select(&self, samples: &[usize]) -> Digits {
        Digits {
            pixels: samples.iter().flat_map(|&s| &self.pixels[s * PIXELS..(s + 1) * PIXELS]).copied().collect(),
            labels: samples.iter().map(|&sample| self.labels[sample]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pixel: &str, label: &str) -> String {
        format!("{}{label}", format!("{pixel},").repeat(PIXELS))
    }

    #[test]
    fn embedded_file_has_1797_samples_of_ten_digits() {
        let digits = Digits::embedded().unwrap();
        assert_eq!(digits.len(), 1797);
        let mut counts = [0; CLASSES];
        for class in digits.classes() {
            counts[class as usize] += 1;
        }
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert_eq!(digits.images().iter().map(|&pixel| f64::from(pixel) * 16.0).sum::<f64>(), 561_718.0);
        assert_eq!(digits.images()[2], 5.0 / 16.0);
    }

    #[test]
    fn every_fifth_sample_is_held_out() {
        let digits = Digits::embedded().unwrap();
        let (training, held_out) = digits.split();
        assert_eq!((training.len(), held_out.len()), (1438, 359));
        assert_eq!(held_out.classes()[0], digits.classes()[4]);
        assert_eq!(training.classes()[4], digits.classes()[5]);
        assert_eq!(held_out.images()[PIXELS..2 * PIXELS], digits.images()[9 * PIXELS..10 * PIXELS]);
    }

    #[test]
    fn a_short_line_is_an_error() {
        let text = format!("{}\n1,2,3\n", line("0", "1"));
        assert_eq!(Digits::parse(&text), Err(Error::Length { line: 2, expected: 65, found: 3 }));
    }

    #[test]
    fn a_word_is_an_error_that_names_its_place() {
        let error = Digits::parse(&line("0", "nine")).unwrap_err();
        assert_eq!(error.to_string(), "digits: line 1, value 65: `nine` is not a number");
        assert!(std::error::Error::source(&error).is_some());
    }

    #[test]
    fn a_bright_pixel_and_a_large_digit_are_errors() {
        let found = Digits::parse(&line("17", "0"));
        assert_eq!(found, Err(Error::Range { line: 1, column: 1, largest: 16, found: 17 }));
        let found = Digits::parse(&line("16", "10"));
        assert_eq!(found, Err(Error::Range { line: 1, column: 65, largest: 9, found: 10 }));
    }

    #[test]
    fn an_empty_file_is_an_error() {
        assert_eq!(Digits::parse(""), Err(Error::Empty));
    }
}
