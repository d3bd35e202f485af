//! What the kernels are made of.

use std::collections::BTreeMap;
use std::fmt;

use tensor_rt_compiler::ir::{Binary, NodeId, Op, Reduction, Unary};
use tensor_rt_compiler::schedule::Class;

use crate::layout::Layout;
use crate::reference::Reference;

/// How many kernels have each operation, class or layout.
#[derive(Default)]
pub struct Histogram(BTreeMap<String, usize>);

/// What must be there often enough for a mistake in it to show.
const EACH: usize = 10;

/// Every function of one operand.
const UNARY: [Unary; 33] = {
    use Unary::*;
    [
        Neg, Not, Exp, Exp2, Ln, Log2, Log10, Log1p, Expm1, Sqrt, Rsqrt, Cbrt, Sin, Cos, Tan, Asin, Acos, Atan, Sinh,
        Cosh, Tanh, Sigmoid, Softplus, Erf, Erfc, Abs, Sign, Floor, Ceil, Round, Trunc, IsNan, IsFinite,
    ]
};

/// Every function of two operands.
const BINARY: [Binary; 19] = {
    use Binary::*;
    [Add, Sub, Mul, Div, Rem, Powf, Powi, Atan2, Xlogy, Max, Min, Eq, Ne, Lt, Le, Gt, Ge, And, Or]
};

/// Every reduction.
const REDUCTIONS: [Reduction; 8] = {
    use Reduction::*;
    [Sum, Prod, Max, Min, ArgMax, ArgMin, Any, All]
};

/// Every class of kernels.
const CLASSES: [Class; 8] = {
    use Class::*;
    [Pointwise, Row, StridedRow, Column, Full, Contraction, Tiled, Scatter]
};

/// Everything else.
const OTHERS: [&str; 16] = [
    "constant",
    "scalar",
    "size",
    "index",
    "load",
    "guarded load",
    "gather",
    "fma",
    "select",
    "cast",
    "convert",
    "stop",
    "permuted",
    "flipped",
    "sliced",
    "broadcast",
];

impl Histogram {
    /// What one kernel is made of: its own expressions, and the classes of both schedules.
    pub fn of(reference: &Reference) -> Self {
        let mut names: Vec<String> = vec![];
        let kernel = reference.kernel();
        let roots: Vec<NodeId> = kernel.roots.iter().map(|root| root.value).collect();
        for id in kernel.graph.reachable(&roots) {
            let name = match kernel.graph.op(id) {
                Op::Const(_) => "constant".to_owned(),
                Op::Scalar(_) => "scalar".to_owned(),
                Op::Size(_) => "size".to_owned(),
                Op::Index(_) => "index".to_owned(),
                Op::Load { guarded, .. } => {
                    let args = kernel.graph.args(id);
                    let index = &args[..args.len() - usize::from(*guarded)];
                    if index.iter().any(|&arg| kernel.graph.as_index(arg).is_none()) {
                        names.push("gather".to_owned());
                    }
                    if *guarded { "guarded load".to_owned() } else { "load".to_owned() }
                }
                Op::Reduce { op, .. } => reduction(*op),
                Op::Unary(op) => format!("{op:?}"),
                Op::Binary(op) => format!("{op:?}"),
                Op::Fma => "fma".to_owned(),
                Op::Select => "select".to_owned(),
                Op::Cast(_) => "cast".to_owned(),
                Op::Convert(_) => "convert".to_owned(),
                Op::Stop => "stop".to_owned(),
                // Random numbers and derived code.
                Op::Random { .. } | Op::Sum { .. } | Op::Product { .. } => continue,
            };
            names.push(name);
        }
        names.extend(reference.schedules().flat_map(|schedule| &schedule.kernels).map(|kernel| class(kernel.class)));
        names.sort();
        names.dedup();
        Self(names.into_iter().map(|name| (name, 1)).collect())
    }

    /// The layouts of one call.
    pub fn layouts(&mut self, layouts: &[Layout]) {
        for layout in layouts {
            *self.0.entry(layout.name().to_owned()).or_default() += 1;
        }
    }

    /// Adds another one.
    pub fn add(&mut self, other: &Self) {
        for (name, count) in &other.0 {
            *self.0.entry(name.clone()).or_default() += count;
        }
    }

    /// Every operation, reduction, class and layout occurs often.
    pub fn assert_everything_is_there(&self) {
        let expected = (UNARY.iter().map(|op| format!("{op:?}")))
            .chain(BINARY.iter().map(|op| format!("{op:?}")))
            .chain(REDUCTIONS.iter().map(|&op| reduction(op)))
            .chain(CLASSES.iter().map(|&it| class(it)))
            .chain(OTHERS.iter().map(|name| (*name).to_owned()));
        let count = |name: &str| self.0.get(name).copied().unwrap_or(0);
        let rare: Vec<_> = expected.map(|name| (count(&name), name)).filter(|(count, _)| *count < EACH).collect();
        assert!(rare.is_empty(), "too rare: {rare:?}");
    }
}

/// `max` is a function of two operands and a reduction.
fn reduction(op: Reduction) -> String {
    format!("{op:?} over axes")
}

fn class(class: Class) -> String {
    format!("{class:?} kernel")
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (name, count)) in self.0.iter().enumerate() {
            write!(f, "{}{name} {count}", if position == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
