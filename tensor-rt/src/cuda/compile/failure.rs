//! What a refused source shows: the compiler's sentences, and the lines of the source that they are about.

use std::fmt;

use crate::cuda::version::CudaVersion;

/// A source that NVRTC refused. Prints the compiler's log and the numbered lines around the first error.
#[derive(Clone, Debug)]
pub struct CompileFailure {
    /// The version of NVRTC.
    pub nvrtc: CudaVersion,
    /// What it compiled for: `sm_90`, `compute_80`.
    pub target: Box<str>,
    /// The name of the source, as the log has it.
    pub name: Box<str>,
    /// The source.
    pub source: Box<str>,
    /// What NVRTC said.
    pub log: Box<str>,
}

/// How many lines are shown on either side of an error.
const AROUND: usize = 3;

impl CompileFailure {
    /// The position in the source of the line that the first error is about, if the log names one.
    fn first_error(&self) -> Option<usize> {
        let (file, number) = self.log.lines().find_map(error_place)?;
        let mut here = (&*self.name, 1);
        for (position, line) in self.source.lines().enumerate() {
            if here == (file, number) {
                return Some(position);
            }
            here = match line_directive(line) {
                Some((number, file)) => (file.unwrap_or(here.0), number),
                None => (here.0, here.1 + 1),
            };
        }
        None
    }
}

/// The file and line of a sentence like `softmax.cu(12): error: ..`.
fn error_place(sentence: &str) -> Option<(&str, usize)> {
    let (place, message) = sentence.split_once("): ")?;
    let (file, number) = place.rsplit_once('(')?;
    message.contains("error").then_some((file, number.parse().ok()?))
}

/// The number of the next line, and its file, after `#line 7 "softmax.rs"`.
fn line_directive(line: &str) -> Option<(usize, Option<&str>)> {
    let rest = line.trim_start().strip_prefix("#line ")?.trim();
    let (number, file) = rest.split_once(' ').unwrap_or((rest, ""));
    let file = file.trim().strip_prefix('"').and_then(|file| file.strip_suffix('"'));
    Some((number.parse().ok()?, file))
}

impl fmt::Display for CompileFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.log)?;
        let Some(position) = self.first_error() else { return Ok(()) };
        write!(out, "\nlines of `{}`:", self.name)?;
        let first = position.saturating_sub(AROUND);
        for (place, line) in self.source.lines().enumerate().skip(first).take(position - first + AROUND + 1) {
            let mark = if place == position { '>' } else { ' ' };
            write!(out, "\n{mark}{:5} | {line}", place + 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(source: &str, log: &str) -> CompileFailure {
        CompileFailure {
            nvrtc: CudaVersion { major: 13, minor: 5 },
            target: "sm_90".into(),
            name: "scale.cu".into(),
            source: source.into(),
            log: log.into(),
        }
    }

    #[test]
    fn the_lines_around_the_first_error_are_shown() {
        let source = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine";
        let log =
            "scale.cu(2): warning #177-D: unused\n\nscale.cu(5): error: `five` is undefined\nscale.cu(9): error: more";
        let lines =
            "     2 | two\n     3 | three\n     4 | four\n>    5 | five\n     6 | six\n     7 | seven\n     8 | eight";
        assert_eq!(failure(source, log).to_string(), format!("{log}\nlines of `scale.cu`:\n{lines}"));
    }

    #[test]
    fn a_line_directive_renames_the_lines_after_it() {
        let source = "prelude\n#line 30 \"flash.cu\"\nthirty\nthirty one\n#line 7\nseven";
        let position = |log| failure(source, log).first_error();
        assert_eq!(position("flash.cu(31): error: here"), Some(3));
        assert_eq!(position("flash.cu(7): error: here"), Some(5));
        assert_eq!(position("scale.cu(1): catastrophic error: here"), Some(0));
        assert_eq!(position("other.cu(31): error: elsewhere"), None);
    }

    #[test]
    fn a_log_without_a_place_stands_alone() {
        assert_eq!(failure("one", "nvrtc: error: out of memory").to_string(), "nvrtc: error: out of memory");
        assert_eq!(failure("one", "").to_string(), "");
    }
}
