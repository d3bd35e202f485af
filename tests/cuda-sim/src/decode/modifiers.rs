//! The modifiers of an instruction, taken one at a time.

use crate::numeric::round::Rounding;
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Type};

/// Modifiers that have not been read yet.
pub(super) struct Modifiers<'a> {
    instruction: &'a Instruction,
    rest: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    pub(super) fn new(instruction: &'a Instruction) -> Self {
        Self { instruction, rest: instruction.modifiers.iter().map(String::as_str).collect() }
    }

    /// Whether a modifier is there.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        self.one_of(&[name]).is_some()
    }

    /// The first modifier that is one of these.
    pub(super) fn one_of(&mut self, names: &[&str]) -> Option<&'a str> {
        let at = self.rest.iter().position(|modifier| names.contains(modifier))?;
        Some(self.rest.remove(at))
    }

    /// The first modifier, which must be one of these.
    pub(super) fn expect(&mut self, names: &[&str]) -> Result<&'a str, PtxError> {
        match self.rest.first() {
            Some(modifier) if names.contains(modifier) => Ok(self.rest.remove(0)),
            _ => Err(self.refuse(&format!("expected one of the modifiers {}", names.join(", ")))),
        }
    }

    /// The last modifier, which must be a type.
    pub(super) fn ty(&mut self) -> Result<Type, PtxError> {
        match self.rest.last().and_then(|modifier| Type::parse(modifier)) {
            Some(ty) => {
                self.rest.pop();
                Ok(ty)
            }
            None => Err(self.refuse("expected a type")),
        }
    }

    /// `.rn`, `.rz`, `.rm`, `.rp`
    pub(super) fn rounding(&mut self) -> Option<Rounding> {
        self.one_of(&["rn", "rz", "rm", "rp"]).map(|modifier| match modifier {
            "rz" => Rounding::Zero,
            "rm" => Rounding::Down,
            "rp" => Rounding::Up,
            _ => Rounding::Nearest,
        })
    }

    /// # Errors
    /// Fails if a modifier was not read.
    pub(super) fn end(self) -> Result<(), PtxError> {
        match self.rest.first() {
            None => Ok(()),
            Some(modifier) => {
                let spelled = self.instruction.spelled();
                let reason = format!("the modifier `.{modifier}` is not known here");
                Err(PtxError::new(self.instruction.line, spelled, reason))
            }
        }
    }

    pub(super) fn refuse(&self, reason: &str) -> PtxError {
        PtxError::new(self.instruction.line, self.instruction.spelled(), reason)
    }
}
