//! Expressions as trees of templates.

use std::fmt;

/// The names of the axes, by bit.
const NAMES: [&str; 4] = ["N", "C", "K", "M"];

/// A set of axes, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Axes(u8);

impl Axes {
    /// The axis `M`, which may stand for `..`.
    pub const LAST: Axes = Axes(8);

    /// The axes of a text such as `NC`.
    pub const fn of(text: &str) -> Self {
        let (mut bits, mut place) = (0, 0);
        while place < text.len() {
            bits |= match text.as_bytes()[place] {
                b'N' => 1,
                b'C' => 2,
                b'K' => 4,
                _ => 8,
            };
            place += 1;
        }
        Self(bits)
    }

    /// Members of either.
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Members of both.
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Members of this set alone.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// True if there is no member.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if every member is in `other`.
    pub fn is_within(self, other: Self) -> bool {
        self.without(other).is_empty()
    }

    /// Each member by itself.
    pub fn each(self) -> impl Iterator<Item = Self> {
        (0..NAMES.len()).map(|bit| Self(1 << bit)).filter(move |axis| axis.is_within(self))
    }
}

impl fmt::Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, axis) in self.each().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{}", NAMES[axis.0.trailing_zeros() as usize])?;
        }
        Ok(())
    }
}

/// What an expression gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A float of the kernel's own element.
    Float,
    /// An `i64`.
    Int,
    /// A condition.
    Bool,
}

/// An expression: a template, in which `{0}`, `{1}`, ... stand for the operands.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it gives.
    pub kind: Kind,
    /// The text around the operands.
    pub template: String,
    /// The operands.
    pub args: Vec<Expr>,
    /// Axes that the template names as indices or through a parameter.
    pub own: Axes,
    /// Axes that the template reduces.
    pub bound: Axes,
    /// The `let` that it reads.
    pub local: Option<usize>,
    /// True if a gradient and a difference quotient need not agree.
    pub rough: bool,
}

impl Expr {
    /// A smooth expression over the axes of its operands.
    pub fn new(kind: Kind, template: impl Into<String>, args: Vec<Expr>) -> Self {
        let (own, bound) = (Axes::default(), Axes::default());
        Self { kind, template: template.into(), args, own, bound, local: None, rough: false }
    }

    /// The same over more axes.
    pub fn over(self, own: Axes) -> Self {
        Self { own, ..self }
    }

    /// The same with axes reduced.
    pub fn reducing(self, bound: Axes) -> Self {
        Self { bound, ..self }
    }

    /// The same, of which difference quotients say nothing.
    pub fn rough(self) -> Self {
        Self { rough: true, ..self }
    }

    /// The free axes; `lets` are the values of the `let`s.
    pub fn axes(&self, lets: &[Expr]) -> Axes {
        let local = self.local.map_or(Axes::default(), |local| lets[local].axes(&lets[..local]));
        self.args.iter().fold(self.own.union(local), |axes, arg| axes.union(arg.axes(lets))).without(self.bound)
    }

    /// True if no part of it is rough.
    pub fn is_smooth(&self) -> bool {
        !self.rough && self.args.iter().all(Expr::is_smooth)
    }

    /// True if a part of it is `text` itself.
    pub fn names(&self, text: &str) -> bool {
        self.template == text || self.args.iter().any(|arg| arg.names(text))
    }

    /// Writes a `let` out, and counts the later ones down.
    pub(crate) fn inline(&mut self, local: usize, value: &Expr) {
        match self.local {
            Some(read) if read == local => *self = value.clone(),
            Some(read) if read > local => {
                self.local = Some(read - 1);
                self.template = format!("v{}", read - 1);
            }
            _ => self.args.iter_mut().for_each(|arg| arg.inline(local, value)),
        }
    }

    /// True if a part of it reads the `let`.
    pub fn reads(&self, local: usize) -> bool {
        self.local == Some(local) || self.args.iter().any(|arg| arg.reads(local))
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.template.as_str();
        while let Some(place) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(place);
            f.write_str(before)?;
            // A brace of the language is doubled.
            if brace.starts_with("{{") || brace.starts_with("}}") {
                f.write_str(&brace[..1])?;
                rest = &brace[2..];
                continue;
            }
            let (position, after) = brace[1..].split_once('}').expect("a template closes its places");
            write!(f, "{}", self.args[position.parse::<usize>().expect("a place is a number")])?;
            rest = after;
        }
        f.write_str(rest)
    }
}
