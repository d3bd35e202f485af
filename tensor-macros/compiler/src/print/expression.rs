//! Expressions as text, in the user's names.

use std::collections::{HashMap, HashSet};

use crate::ir::{AxisId, Binary, Elem, ExtentId, Graph, Kernel, Literal, NodeId, Op, Reduction, Source, Ty, Unary};

/// How tightly an expression binds; an operand that binds less tightly is put in parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Branch,
    Or,
    And,
    Compare,
    Add,
    Mul,
    Unary,
    Atom,
}

/// Writes expressions; what is used twice gets a name and a line of its own.
pub(super) struct Writer<'a> {
    kernel: &'a Kernel,
    names: HashMap<NodeId, String>,
    taken: HashSet<String>,
    shared: HashSet<NodeId>,
    /// The lines so far.
    pub lines: Vec<String>,
}

impl<'a> Writer<'a> {
    /// A writer of the expressions `roots`, of which it names those used twice; `known` ones will be named.
    pub fn new(kernel: &'a Kernel, roots: &[NodeId], known: &[NodeId]) -> Self {
        let graph = &kernel.graph;
        let mut uses: HashMap<NodeId, usize> = HashMap::new();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            let uses = uses.entry(id).or_default();
            *uses += 1;
            if *uses == 1 && !known.contains(&id) {
                stack.extend(graph.args(id));
            }
        }
        let shared =
            uses.into_iter().filter(|&(id, uses)| uses > 1 && !is_short(graph, id)).map(|(id, _)| id).collect();
        let mut taken: HashSet<String> = kernel.tensors.iter().map(|tensor| tensor.name.clone()).collect();
        taken.extend(kernel.scalars.iter().map(|scalar| scalar.name.clone()));
        Self { kernel, names: HashMap::new(), taken, shared, lines: vec![] }
    }

    /// Gives an expression a name, by which it is called from now on.
    pub fn name(&mut self, id: NodeId, name: &str) -> String {
        let mut name = name.to_owned();
        while !self.taken.insert(name.clone()) {
            name.push('\'');
        }
        self.names.insert(id, name.clone());
        name
    }

    /// Writes the definitions that the expressions need and that are not written yet.
    pub fn define(&mut self, roots: &[NodeId]) {
        let graph = &self.kernel.graph;
        for id in self.open(roots) {
            if self.shared.contains(&id) && !self.names.contains_key(&id) {
                let value = self.text(id);
                let name = match self.kernel.names.get(&id) {
                    Some(name) => name.clone(),
                    None => format!("v{}", self.names.len()),
                };
                let name = self.name(id, &name);
                let axes: Vec<AxisId> = graph.axes(id).iter().collect();
                self.lines.push(format!("{name}{} = {value}", self.axes(&axes)));
            }
        }
    }

    /// Every expression beneath `roots` that is not beneath a name.
    fn open(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut stack = roots.to_vec();
        let mut seen = HashSet::new();
        while let Some(id) = stack.pop() {
            if !self.names.contains_key(&id) && seen.insert(id) {
                stack.extend(self.kernel.graph.args(id));
            }
        }
        let mut found: Vec<NodeId> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Axes in brackets.
    pub fn axes(&self, axes: &[AxisId]) -> String {
        let names: Vec<&str> = axes.iter().map(|&axis| self.kernel.graph.axis(axis).name.as_str()).collect();
        format!("[{}]", names.join(", "))
    }

    /// The name of an array.
    pub fn source(&self, source: Source) -> String {
        match source {
            Source::Param(position) => self.kernel.tensors[position as usize].name.clone(),
            Source::Cotangent(_) if self.kernel.outputs.len() == 1 => "g".to_owned(),
            Source::Cotangent(position) => format!("g{position}"),
            Source::Saved(position) => format!("saved{position}"),
            Source::Temp(position) => format!("temp{position}"),
        }
    }

    /// An expression; named parts are called by their names.
    pub fn text(&self, id: NodeId) -> String {
        self.operand(id, Binding::Branch)
    }

    /// The body of a reduction with its operation, whatever its name.
    pub fn reduction(&self, id: NodeId) -> String {
        self.unnamed(id).0
    }

    fn operand(&self, id: NodeId, least: Binding) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let (text, binding) = self.unnamed(id);
        match binding < least {
            true => format!("({text})"),
            false => text,
        }
    }

    fn list(&self, ids: &[NodeId]) -> String {
        ids.iter().map(|&id| self.text(id)).collect::<Vec<_>>().join(", ")
    }

    fn unnamed(&self, id: NodeId) -> (String, Binding) {
        let graph = &self.kernel.graph;
        let args = graph.args(id);
        match graph.op(id) {
            Op::Const(literal) => constant(*literal),
            Op::Scalar(position) => (self.kernel.scalars[*position as usize].name.clone(), Binding::Atom),
            Op::Size(extent) => (format!("size({})", self.extent(*extent)), Binding::Atom),
            Op::Index(axis) => (graph.axis(*axis).name.clone(), Binding::Atom),
            Op::Load { source, guarded: false } => {
                (format!("{}[{}]", self.source(*source), self.list(args)), Binding::Atom)
            }
            Op::Load { source, guarded: true } => {
                let (guard, index) = args.split_last().expect("a guard");
                let load = format!("{}[{}]", self.source(*source), self.list(index));
                (format!("{load}.if({})", self.text(*guard)), Binding::Atom)
            }
            Op::Reduce { op, axes } => {
                (format!("{}{}({})", reduction(*op), self.axes(axes), self.text(args[0])), Binding::Atom)
            }
            Op::Unary(Unary::Neg) => (format!("-{}", self.operand(args[0], Binding::Unary)), Binding::Unary),
            Op::Unary(Unary::Not) => (format!("!{}", self.operand(args[0], Binding::Unary)), Binding::Unary),
            Op::Unary(unary) => (format!("{}({})", lower(unary), self.text(args[0])), Binding::Atom),
            Op::Binary(binary) => self.binary(*binary, args),
            Op::Fma => (format!("fma({})", self.list(args)), Binding::Atom),
            Op::Select => {
                let [condition, a, b] = [args[0], args[1], args[2]].map(|arg| self.text(arg));
                (format!("if {condition} {{ {a} }} else {{ {b} }}"), Binding::Branch)
            }
            Op::Cast(elem) => {
                (format!("{} as {}", self.operand(args[0], Binding::Unary), element(*elem)), Binding::Unary)
            }
            Op::Convert(ty) => (format!("{}({})", type_name(*ty), self.text(args[0])), Binding::Atom),
            Op::Sum { coefficients } => self.sum(coefficients, args),
            Op::Product { powers } => self.product(powers, args),
            Op::Stop => (format!("detach({})", self.text(args[0])), Binding::Atom),
            Op::Random { distribution, stream } => {
                let (seed, counter) = (self.text(args[0]), self.text(args[1]));
                (format!("{}{stream}({seed}, at {counter})", lower(distribution)), Binding::Atom)
            }
        }
    }

    /// The name of an axis of the extent.
    fn extent(&self, extent: ExtentId) -> &str {
        let mut axes = self.kernel.graph.all_axes();
        axes.find(|(_, axis)| axis.extent == extent).map_or("?", |(_, axis)| axis.name.as_str())
    }

    fn binary(&self, binary: Binary, args: &[NodeId]) -> (String, Binding) {
        let (symbol, binding) = match binary {
            Binary::Add => ("+", Binding::Add),
            Binary::Sub => ("-", Binding::Add),
            Binary::Mul => ("*", Binding::Mul),
            Binary::Div => ("/", Binding::Mul),
            Binary::Rem => ("%", Binding::Mul),
            Binary::Eq => ("==", Binding::Compare),
            Binary::Ne => ("!=", Binding::Compare),
            Binary::Lt => ("<", Binding::Compare),
            Binary::Le => ("<=", Binding::Compare),
            Binary::Gt => (">", Binding::Compare),
            Binary::Ge => (">=", Binding::Compare),
            Binary::And => ("&&", Binding::And),
            Binary::Or => ("||", Binding::Or),
            Binary::Powf | Binary::Powi | Binary::Atan2 | Binary::Xlogy | Binary::Max | Binary::Min => {
                return (format!("{}({})", lower(&binary), self.list(args)), Binding::Atom);
            }
        };
        // Operators associate to the left, so that the right operand has to bind more tightly.
        let tighter = match binding {
            Binding::Or => Binding::And,
            Binding::And => Binding::Compare,
            Binding::Compare => Binding::Add,
            Binding::Add => Binding::Mul,
            Binding::Mul | Binding::Branch | Binding::Unary | Binding::Atom => Binding::Unary,
        };
        let left = if binding == Binding::Compare { tighter } else { binding };
        let text = format!("{} {symbol} {}", self.operand(args[0], left), self.operand(args[1], tighter));
        match args.get(2) {
            Some(&guard) => (format!("({text}).if({})", self.text(guard)), Binding::Atom),
            None => (text, binding),
        }
    }

    fn sum(&self, coefficients: &[u64], args: &[NodeId]) -> (String, Binding) {
        let mut text = String::new();
        for (&bits, &arg) in coefficients.iter().zip(args) {
            let coefficient = f64::from_bits(bits);
            text += match (text.is_empty(), coefficient < 0.0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            match coefficient.abs() {
                1.0 => text += &self.operand(arg, Binding::Mul),
                size => text += &format!("{size:?} * {}", self.operand(arg, Binding::Unary)),
            }
        }
        match args {
            [] => ("0.0".to_owned(), Binding::Atom),
            _ => (text, Binding::Add),
        }
    }

    fn product(&self, powers: &[i32], args: &[NodeId]) -> (String, Binding) {
        let mut text = String::new();
        let above = powers.iter().zip(args).filter(|(power, _)| **power > 0);
        let below = powers.iter().zip(args).filter(|(power, _)| **power < 0);
        for (&power, &arg) in above {
            text += if text.is_empty() { "" } else { " * " };
            text += &self.power(arg, power);
        }
        if text.is_empty() {
            text += "1.0";
        }
        for (&power, &arg) in below {
            text += " / ";
            text += &self.power(arg, -power);
        }
        (text, Binding::Mul)
    }

    fn power(&self, arg: NodeId, power: i32) -> String {
        match power {
            1 => self.operand(arg, Binding::Unary),
            _ => format!("{}^{power}", self.operand(arg, Binding::Atom)),
        }
    }
}

/// True for expressions that are shorter than a name and its line.
fn is_short(graph: &Graph, id: NodeId) -> bool {
    match graph.op(id) {
        Op::Const(_) | Op::Scalar(_) | Op::Size(_) | Op::Index(_) => true,
        Op::Load { guarded, .. } => !guarded && graph.args(id).iter().all(|&arg| graph.as_index(arg).is_some()),
        Op::Convert(_) => is_short(graph, graph.args(id)[0]),
        _ => false,
    }
}

fn constant(literal: Literal) -> (String, Binding) {
    let text = match literal {
        Literal::Float(bits) => format!("{:?}", f64::from_bits(bits)),
        Literal::Int(value) => value.to_string(),
        Literal::Bool(value) => value.to_string(),
    };
    let binding = if text.starts_with('-') { Binding::Unary } else { Binding::Atom };
    (text, binding)
}

/// The name of a reduction in the language.
pub(super) fn reduction(op: Reduction) -> String {
    lower(&op)
}

/// The name of an operation in the language: that of its variant in lower case, words joined by underscores.
fn lower(variant: &impl std::fmt::Debug) -> String {
    let variant = format!("{variant:?}");
    match variant.as_str() {
        "IsNan" => "is_nan".to_owned(),
        "IsFinite" => "is_finite".to_owned(),
        "SquaredDeviation" => "squared_deviation".to_owned(),
        other => other.to_lowercase(),
    }
}

/// The name of an element.
pub(super) fn element(elem: Elem) -> String {
    match elem {
        Elem::Generic => "float".to_owned(),
        other => lower(&other),
    }
}

/// The name of a computing type.
pub(super) fn type_name(ty: Ty) -> String {
    lower(&ty)
}
