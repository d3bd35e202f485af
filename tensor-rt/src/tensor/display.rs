//! Printing a tensor's elements, as NumPy prints an array.
//!
//! All elements are printed in one format: columns line up, floats show as many digits as tell them apart, at most eight
//! after the point (or as many as `{:.3}` asks for), and all of them have an exponent if the largest has more digits than the
//! element keeps, the smallest is below 1e-4, or their ratio is above 1000. Above 1000 elements only three at each end
//! of every axis are shown, around `...`. Lines are wrapped at 75 columns. A tensor without axes prints like a number.

use std::fmt::{Display, Formatter};

use super::Tensor;
use super::cast::odd_from_f64;
use super::raw::Raw;
use crate::element::{DType, Element, bf16, f16};
use crate::mode::GradMode;
use crate::relation::HostReadable;

/// More elements than this are summarised.
const THRESHOLD: usize = 1000;
/// Elements at each end of a summarised axis.
const ENDS: usize = 3;
const LINE_WIDTH: usize = 75;
const PRECISION: usize = 8;

impl<D: HostReadable, G: GradMode, T: Element> Display for Tensor<D, G, T> {
    /// The elements, as NumPy prints an array.
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        if self.is_empty() {
            return out.write_str("[]");
        }
        let precision = out.precision().unwrap_or(PRECISION);
        if self.rank() == 0 {
            return out.write_str(&scalar(&value::<T>(&self.raw, &[])));
        }
        let listing = Listing::of::<T>(&self.raw, precision);
        out.write_str(&listing.axis(0, &mut listing.cells.iter(), " ", LINE_WIDTH))
    }
}

/// An element that is printed.
#[derive(Clone, PartialEq, Debug)]
enum Value {
    Float(f64, DType),
    /// Integers and `bool`, whose text has no format.
    Other(String),
}

fn value<T: Element>(raw: &Raw, index: &[usize]) -> Value {
    let element: T = raw.element(index);
    match T::DTYPE {
        DType::F32 | DType::F64 | DType::F16 | DType::Bf16 => Value::Float(wide(raw, index), T::DTYPE),
        DType::Bool => Value::Other(if element == T::ONE { "True" } else { "False" }.to_owned()),
        DType::I64 | DType::I32 | DType::U32 | DType::U8 => Value::Other(element.to_string()),
    }
}

fn wide(raw: &Raw, index: &[usize]) -> f64 {
    match raw.dtype() {
        DType::F32 => raw.element::<f32>(index).into(),
        DType::F64 => raw.element::<f64>(index),
        DType::F16 => raw.element::<f16>(index).into(),
        DType::Bf16 => raw.element::<bf16>(index).into(),
        DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => unreachable!("bug in tensor-rt: no float"),
    }
}

/// The texts of the shown elements in order, and how each axis is shown.
struct Listing {
    cells: Vec<String>,
    axes: Vec<AxisListing>,
}

/// How many elements of an axis are shown before and after `...`.
struct AxisListing {
    leading: usize,
    trailing: usize,
    summarized: bool,
}

impl Listing {
    fn of<T: Element>(raw: &Raw, precision: usize) -> Listing {
        let summarize = raw.elements() > THRESHOLD;
        let axes: Vec<AxisListing> = raw
            .shape()
            .iter()
            .map(|size| match summarize && *size > 2 * ENDS {
                true => AxisListing { leading: ENDS, trailing: ENDS, summarized: true },
                false => AxisListing { leading: 0, trailing: *size, summarized: false },
            })
            .collect();
        let mut values = Vec::new();
        collect::<T>(raw, &axes, &mut Vec::new(), &mut values);
        Listing { cells: texts(&values, precision), axes }
    }

    /// The text of the part of the tensor from `axis` on, whose elements come next in `cells`.
    ///
    /// `indent` is what a further line starts with, `width` how wide a line may be.
    fn axis(&self, axis: usize, cells: &mut std::slice::Iter<'_, String>, indent: &str, width: usize) -> String {
        let Some(AxisListing { leading, trailing, summarized }) = self.axes.get(axis) else {
            return cells.next().cloned().unwrap_or_default();
        };
        let shown = leading + trailing;
        let ellipsis = summarized.then_some(*leading);
        let mut words = Vec::new();
        for index in 0..shown {
            if ellipsis == Some(index) {
                words.push("...".to_owned());
            }
            words.push(self.axis(axis + 1, cells, &format!("{indent} "), width - 1));
        }
        let axes_left = self.axes.len() - axis;
        let text =
            if axes_left == 1 { wrapped(&words, indent, width) } else { words.join(&separator(axes_left, indent)) };
        format!("[{text}]")
    }
}

/// Rows of an inner axis stand on lines of their own, with an empty line more for every further axis.
fn separator(axes_left: usize, indent: &str) -> String {
    format!("{}{indent}", "\n".repeat(axes_left - 1))
}

/// The words of the innermost axis, a space between two, wrapped before the line gets longer than `width`, of which the
/// closing bracket takes one.
fn wrapped(words: &[String], indent: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = indent.to_owned();
    for (index, word) in words.iter().enumerate() {
        if line.len() + word.len() > width - 1 && line.len() > indent.len() {
            text.push_str(line.trim_end());
            text.push('\n');
            line = indent.to_owned();
        }
        line.push_str(word);
        if index + 1 < words.len() {
            line.push(' ');
        }
    }
    text.push_str(&line);
    // The first line starts at the opening bracket.
    text.split_off(indent.len())
}

fn collect<T: Element>(raw: &Raw, axes: &[AxisListing], index: &mut Vec<usize>, values: &mut Vec<Value>) {
    let Some(AxisListing { leading, trailing, .. }) = axes.get(index.len()) else {
        return values.push(value::<T>(raw, index));
    };
    let size = raw.shape()[index.len()];
    for position in (0..*leading).chain(size - trailing..size) {
        index.push(position);
        collect::<T>(raw, axes, index, values);
        index.pop();
    }
}

/// The texts of elements in their common format.
fn texts(values: &[Value], precision: usize) -> Vec<String> {
    let format = FloatFormat::of(values, precision);
    let texts: Vec<String> = values
        .iter()
        .map(|value| match value {
            Value::Float(number, dtype) => format.text(*number, *dtype),
            Value::Other(text) => text.clone(),
        })
        .collect();
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    // `True` is as wide as `False` even where there is none.
    let width = if texts.iter().any(|text| text == "True") { width.max("False".len()) } else { width };
    texts.into_iter().map(|text| format!("{text:>width$}")).collect()
}

/// The common format of floats.
struct FloatFormat {
    /// `Some` is the number of digits of the exponent.
    exponent: Option<usize>,
    /// Digits after the point: at most so many, and with an exponent exactly so many.
    precision: usize,
    /// Characters before and after the point.
    before: usize,
    after: usize,
}

impl FloatFormat {
    fn of(values: &[Value], precision: usize) -> FloatFormat {
        let finite: Vec<(f64, DType)> = values
            .iter()
            .filter_map(|value| match value {
                Value::Float(number, dtype) if number.is_finite() => Some((*number, *dtype)),
                Value::Float(..) | Value::Other(_) => None,
            })
            .collect();
        if needs_exponent(&finite) {
            let parts: Vec<Scientific> =
                finite.iter().map(|(x, dtype)| Scientific::of(*x, *dtype, precision)).collect();
            let longest = |length: fn(&Scientific) -> usize| parts.iter().map(length).max().unwrap_or(0);
            let digits = longest(|part| part.exponent_digits().len());
            let precision = longest(|part| part.fraction.len());
            let before = longest(|part| part.integer.len());
            return FloatFormat { exponent: Some(digits), precision, before, after: digits + 2 + precision };
        }
        let parts: Vec<(String, String)> = finite.iter().map(|(x, dtype)| positional(*x, *dtype, precision)).collect();
        let before = parts.iter().map(|(integer, _)| integer.len()).max().unwrap_or(0);
        let after = parts.iter().map(|(_, fraction)| fraction.len()).max().unwrap_or(0);
        FloatFormat { exponent: None, precision, before, after }
    }

    fn text(&self, number: f64, dtype: DType) -> String {
        let FloatFormat { before, after, precision, .. } = *self;
        match self.exponent {
            _ if number.is_nan() => "nan".to_owned(),
            _ if number.is_infinite() => if number < 0.0 { "-inf" } else { "inf" }.to_owned(),
            Some(digits) => {
                // Where the shortest text is shorter than the others, the digits that follow are the number's own.
                let parts = Scientific::parse(&format!("{number:.precision$e}"));
                let sign = if parts.exponent < 0 { '-' } else { '+' };
                let (integer, fraction, exponent) = (&parts.integer, &parts.fraction, parts.exponent_digits());
                format!("{integer:>before$}.{fraction}e{sign}{exponent:0>digits$}")
            }
            None => {
                let (integer, fraction) = positional(number, dtype, precision);
                format!("{integer:>before$}.{fraction:<after$}")
            }
        }
    }
}

/// The bounds are rounded to the element, as its numbers are.
fn needs_exponent(finite: &[(f64, DType)]) -> bool {
    let nonzero = || finite.iter().filter(|(number, _)| *number != 0.0);
    let Some((_, dtype)) = nonzero().next() else {
        return false;
    };
    let (largest, smallest) = nonzero().fold((0.0f64, f64::INFINITY), |(largest, smallest), (number, _)| {
        (largest.max(number.abs()), smallest.min(number.abs()))
    });
    largest >= large(*dtype) || smallest < rounded(1e-4, *dtype) || rounded(largest / smallest, *dtype) > 1000.0
}

/// What is written with an exponent: numbers with more digits before the point than the element keeps, or than eight.
fn large(dtype: DType) -> f64 {
    match dtype {
        DType::Bf16 => 1e2,
        DType::F16 => 1e3,
        DType::F32 => 1e6,
        DType::F64 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => 1e8,
    }
}

/// The nearest number of the element.
fn rounded(number: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F32 => f64::from(number as f32),
        DType::F16 => f16::narrow(odd_from_f64(number)).into(),
        DType::Bf16 => bf16::narrow(odd_from_f64(number)).into(),
        DType::F64 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => number,
    }
}

/// Integer and fraction of the number, with as many digits as the shortest text that reads back as it, or `precision` of
/// them after the point, if that is less.
fn positional(number: f64, dtype: DType, precision: usize) -> (String, String) {
    let (fraction, exponent) = shortest(number, dtype);
    let digits = usize::try_from(fraction as i64 - i64::from(exponent)).unwrap_or(0).min(precision);
    let text = format!("{number:.digits$}");
    let (integer, fraction) = text.split_once('.').unwrap_or((&text, ""));
    (integer.to_owned(), fraction.trim_end_matches('0').to_owned())
}

/// How many digits after the point, and which power of ten, the shortest text in the form `1.5e3` has that reads back as the
/// number.
fn shortest(number: f64, dtype: DType) -> (usize, i32) {
    let text = match dtype {
        DType::F32 => format!("{:e}", number as f32),
        DType::F16 | DType::Bf16 => (0..17)
            .map(|digits| format!("{number:.digits$e}"))
            .find(|text| text.parse().is_ok_and(|read: f64| rounded(read, dtype) == number))
            .unwrap_or_else(|| format!("{number:e}")),
        DType::F64 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => format!("{number:e}"),
    };
    let Scientific { fraction, exponent, .. } = Scientific::parse(&text);
    (fraction.len(), exponent)
}

/// A number as `integer.fraction` times a power of ten, with one digit before the point.
struct Scientific {
    integer: String,
    fraction: String,
    exponent: i32,
}

impl Scientific {
    /// As many digits as the shortest text that reads back as the number, or `precision` of them after the point, if that
    /// is less.
    fn of(number: f64, dtype: DType, precision: usize) -> Scientific {
        let digits = shortest(number, dtype).0.min(precision);
        let mut parts = Scientific::parse(&format!("{number:.digits$e}"));
        parts.fraction.truncate(parts.fraction.trim_end_matches('0').len());
        parts
    }

    fn parse(text: &str) -> Scientific {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let exponent = exponent.parse().unwrap_or(0);
        Scientific { integer: integer.to_owned(), fraction: fraction.to_owned(), exponent }
    }

    /// At least two.
    fn exponent_digits(&self) -> String {
        format!("{:02}", self.exponent.unsigned_abs())
    }
}

/// A number by itself.
fn scalar(value: &Value) -> String {
    let (number, dtype) = match value {
        Value::Float(number, dtype) => (*number, *dtype),
        Value::Other(text) => return text.clone(),
    };
    if !number.is_finite() {
        return FloatFormat::of(&[], PRECISION).text(number, dtype);
    }
    let large = if dtype == DType::F64 { 1e16 } else { large(dtype) };
    if number == 0.0 || (1e-4..large).contains(&number.abs()) {
        let (integer, fraction) = positional(number, dtype, usize::MAX);
        return format!("{integer}.{}", if fraction.is_empty() { "0" } else { &fraction });
    }
    let parts = Scientific::of(number, dtype, usize::MAX);
    let point = if parts.fraction.is_empty() { "" } else { "." };
    let sign = if parts.exponent < 0 { '-' } else { '+' };
    format!("{}{point}{}e{sign}{}", parts.integer, parts.fraction, parts.exponent_digits())
}

#[cfg(test)]
mod tests;
