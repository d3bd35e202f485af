//! Kernels: parameters, `let`s and results.

use std::fmt;

use crate::expr::{Axes, Expr, Kind};
use crate::generate::{self, Language};

/// The scalar parameters that a kernel may declare, with their types and the values that the tests pass.
pub const SCALARS: [(&str, &str, &str); 3] = [("t", "float", "0.75"), ("n", "usize", "2"), ("flag", "bool", "true")];

/// The element that the kernel of a seed is run with: most often the one in which differences show best.
pub fn element(seed: u64) -> &'static str {
    ["f64", "f64", "f64", "f64", "f64", "f64", "f32", "f32", "f16", "bf16", "f64"][seed as usize % 11]
}

/// A tensor parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its element as it is written; empty for the kernel's own.
    pub element: &'static str,
    /// One axis per dimension.
    pub axes: Vec<Axes>,
}

/// A kernel of one or two outputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// The tensor parameters.
    pub params: Vec<Param>,
    /// The values of the `let`s; each may read the ones before.
    pub lets: Vec<Expr>,
    /// The results; `true` if the output's axes are declared in reverse.
    pub results: Vec<(Expr, bool)>,
    /// True if `M` is written `..`.
    pub rest: bool,
}

impl Kernel {
    /// The kernel of a seed.
    pub fn random(seed: u64, language: Language) -> Self {
        generate::kernel(seed, language)
    }

    /// The same kernel made smaller in every possible way, the largest cuts first.
    pub fn smaller(&self) -> Vec<Self> {
        crate::shrink::smaller(self)
    }

    /// Writes a `let` out where it is read, and drops it.
    pub(crate) fn inline(&mut self, local: usize) {
        let value = self.lets.remove(local);
        for expr in self.exprs_mut() {
            expr.inline(local, &value);
        }
    }

    pub(crate) fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.lets.iter_mut().chain(self.results.iter_mut().map(|(result, _)| result))
    }

    /// Every expression.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.lets.iter().chain(self.results.iter().map(|(result, _)| result))
    }

    /// True if gradients and difference quotients agree almost everywhere.
    pub fn is_smooth(&self) -> bool {
        self.exprs().all(Expr::is_smooth)
    }
}

impl Param {
    /// All axes.
    pub fn axes(&self) -> Axes {
        self.axes.iter().fold(Axes::default(), |all, &axis| all.union(axis))
    }
}

/// Axes in an order, with commas.
pub(crate) fn list(axes: &[Axes]) -> String {
    axes.iter().map(Axes::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = |element: &str| if element.is_empty() { String::new() } else { format!("<{element}>") };
        let mut params: Vec<String> = (self.params.iter())
            .map(|param| format!("{}: &Tensor{}[{}]", param.name, element(param.element), list(&param.axes)))
            .collect();
        for (name, ty, _) in SCALARS {
            if self.exprs().any(|expr| expr.names(name)) {
                params.push(format!("{name}: {ty}"));
            }
        }
        let types: Vec<String> = (self.results.iter())
            .map(|(result, reversed)| {
                let mut axes: Vec<Axes> = result.axes(&self.lets).each().collect();
                if *reversed {
                    axes.reverse();
                }
                let elem = match result.kind {
                    Kind::Float => "",
                    Kind::Int => "i64",
                    Kind::Bool => "bool",
                };
                format!("Tensor{}[{}]", element(elem), list(&axes))
            })
            .collect();
        let lets: Vec<String> =
            self.lets.iter().enumerate().map(|(local, value)| format!("let v{local} = {value};")).collect();
        let values: Vec<String> = self.results.iter().map(|(result, _)| result.to_string()).collect();
        let join =
            |parts: Vec<String>| if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) };
        let body = lets.into_iter().chain([join(values)]).collect::<Vec<_>>().join(" ");
        let text = format!("fn kernel({}) -> {} {{ {body} }}", params.join(", "), join(types));
        f.write_str(&if self.rest { text.replace('M', "..") } else { text })
    }
}
