//! The statements of one pass at one point, or at some neighbors.
//!
//! A node is *bound* to a local if it is used more than once, has a name of the user, or is more than a little arithmetic;
//! else it stands where it is used.

use std::collections::{HashMap, HashSet};

use super::expr::Expr;
use super::kernel::{Writer, divides, reduced};
use super::ty;
use crate::emit::plan::{Eval, Index, Pass, WriteKind};
use crate::ir::{Binary, NodeId, Op, Reduction, Ty};

/// Operations that stand in one expression before a part of it gets a name.
const WEIGHT: usize = 9;

/// What a pass stores and checks, in order.
pub(super) fn roots(writer: &Writer<'_>, pass: &Pass) -> Vec<NodeId> {
    let kernel = writer.kernel;
    let bodies = pass.reductions.iter().map(|&reduction| writer.graph().args(kernel.reductions[reduction].0)[0]);
    let mut roots: Vec<NodeId> = bodies.collect();
    for &write in &pass.writes {
        let write = &kernel.writes[write];
        roots.push(write.value);
        if let WriteKind::Scatter { dynamic, guard, .. } = &write.kind {
            roots.extend(dynamic.iter().chain(guard));
        }
    }
    roots.extend(pass.checks.iter().map(|&check| kernel.checks[check].condition));
    roots
}

/// Where the pass is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At some neighbors; `i` counts them.
    Each,
    /// At a row.
    Single,
}

/// One pass while it is written.
pub(super) struct Body<'w, 'a> {
    writer: &'w mut Writer<'a>,
    pass: &'a Pass,
    place: Place,
    uses: HashMap<NodeId, usize>,
    /// Nodes that a derived product multiplies by themselves.
    repeated: HashSet<NodeId>,
    values: HashMap<NodeId, Expr>,
    /// The neighbors of each operand that is read at the point's own index.
    packs: HashMap<usize, String>,
    /// The neighbors of each write at the point's own index.
    stores: HashMap<usize, String>,
}

impl<'w, 'a> Body<'w, 'a> {
    /// The pass of a kernel without reductions.
    pub fn each(writer: &'w mut Writer<'a>, pass: &'a Pass) {
        Self::new(writer, pass, Place::Each).neighbors(&[]);
    }

    /// A pass over the elements of a row, which folds the bodies of its reductions into `terms`.
    pub fn elements(writer: &'w mut Writer<'a>, pass: &'a Pass, terms: &[String]) {
        Self::new(writer, pass, Place::Each).neighbors(terms);
    }

    /// A pass over rows.
    pub fn single(writer: &'w mut Writer<'a>, pass: &'a Pass) {
        let mut body = Self::new(writer, pass, Place::Single);
        body.evaluate();
        body.stores(&[]);
    }

    fn new(writer: &'w mut Writer<'a>, pass: &'a Pass, place: Place) -> Self {
        let graph = writer.graph();
        let mut uses: HashMap<NodeId, usize> = HashMap::new();
        let mut repeated = HashSet::new();
        for root in roots(writer, pass) {
            *uses.entry(root).or_default() += 1;
        }
        for &node in pass.nodes.keys() {
            for child in pass.children(graph, node) {
                *uses.entry(child).or_default() += 1;
            }
            if let Op::Product { powers } = graph.op(node) {
                let factors = graph.args(node).iter().zip(powers);
                repeated.extend(factors.filter(|(_, power)| power.unsigned_abs() > 1).map(|(&factor, _)| factor));
            }
        }
        Self {
            writer,
            pass,
            place,
            uses,
            repeated,
            values: HashMap::new(),
            packs: HashMap::new(),
            stores: HashMap::new(),
        }
    }

    /// Loads, the loop over the neighbors, and stores.
    fn neighbors(mut self, terms: &[String]) {
        let kernel = self.writer.kernel;
        for &operand in &self.pass.operands {
            let read = &kernel.operands[operand];
            if read.index.contains(&Index::Dynamic) {
                continue;
            }
            let name = self.writer.names.local(&format!("{}_here", self.writer.source_name(read.source)));
            let array = &self.writer.operands[operand];
            let line = format!("const Pack<{}> {name} = {array}.load(at);", ty::memory(read.storage));
            self.writer.line(line);
            self.packs.insert(operand, name);
        }
        for &position in &self.pass.writes {
            let write = &kernel.writes[position];
            let WriteKind::Own { reads_old, .. } = write.kind else { continue };
            let name = self.writer.names.local(&format!("{}_new", self.writer.target_name(write.target)));
            let array = &self.writer.writes[position];
            let old = if reads_old { format!(" = {array}.load(at)") } else { String::new() };
            let line = format!("Pack<{}> {name}{old};", ty::memory(write.storage));
            self.writer.line(line);
            self.stores.insert(position, name);
        }
        let outside = self.writer.open("EACH(i) {");
        self.evaluate();
        self.stores(terms);
        self.writer.close(outside);
        for &position in &self.pass.writes {
            if let Some(name) = self.stores.get(&position) {
                let line = format!("{}.store(at, {name});", self.writer.writes[position]);
                self.writer.line(line);
            }
        }
    }

    /// The arguments that say where a function of the prelude is called.
    fn at(&self) -> Vec<Expr> {
        match self.place {
            Place::Each => vec![Expr::atom("at"), Expr::atom("i")],
            Place::Single => vec![Expr::atom("row"), Expr::atom("0")],
        }
    }

    /// Evaluates every node, operands first.
    fn evaluate(&mut self) {
        for (&node, eval) in &self.pass.nodes {
            if self.writer.uniform.contains_key(&node) {
                continue;
            }
            let value = self.value(node, eval);
            let value = match self.binds(node, eval, &value) {
                Some(wish) => {
                    let name = self.writer.names.local(&wish);
                    let ty = ty::value(self.writer.graph().ty(node));
                    self.writer.line(format!("const {ty} {name} = {};", value.text()));
                    Expr::atom(name)
                }
                None => value,
            };
            self.values.insert(node, value);
        }
    }

    fn known(&self, node: NodeId) -> Expr {
        self.values.get(&node).or_else(|| self.writer.uniform.get(&node)).expect("operands come before users").clone()
    }

    /// The name of a local for a node, if it gets one.
    fn binds(&self, node: NodeId, eval: &Eval, value: &Expr) -> Option<String> {
        let graph = self.writer.graph();
        let named = self.writer.direction.kernel.names.get(&node).cloned();
        match eval {
            Eval::Row(_) | Eval::Body(_) => None,
            Eval::Input { operand, .. } | Eval::Gather { operand, .. } => {
                let source = self.writer.kernel.operands[*operand].source;
                Some(named.unwrap_or_else(|| self.writer.source_name(source)))
            }
            Eval::Old { write, .. } => Some(self.writer.target_name(self.writer.kernel.writes[*write].target)),
            Eval::Compute => {
                if let Some(axis) = graph.as_index(node) {
                    return Some(super::kernel::axis_name(graph, axis));
                }
                let inline = matches!(graph.op(node), Op::Stop)
                    || named.is_none()
                        && self.uses.get(&node).is_none_or(|&uses| uses <= 1)
                        && !self.repeated.contains(&node)
                        && !divides(graph, node)
                        && value.weight <= WEIGHT;
                (!inline).then(|| named.unwrap_or_else(|| "value".to_owned()))
            }
        }
    }

    fn value(&mut self, node: NodeId, eval: &Eval) -> Expr {
        let kernel = self.writer.kernel;
        let ty = self.writer.graph().ty(node);
        match eval {
            Eval::Compute => self.operation(node),
            Eval::Input { operand, guard } => {
                let element = match self.packs.get(operand) {
                    Some(pack) => Expr::atom(format!("{pack}[i]")),
                    None => Expr::atom(format!("{}.get(row)", self.writer.operands[*operand])),
                };
                self.guarded(ty::widen(element, kernel.operands[*operand].storage), *guard, ty)
            }
            Eval::Gather { operand, index, guard } => {
                let gather = format!("{}.get", self.writer.operands[*operand]);
                let index = index.iter().map(|&index| self.known(index));
                let arguments = self.at().into_iter().chain([Expr::atom("found")]).chain(index);
                let element = Expr::call(&gather, arguments);
                self.guarded(ty::widen(element, kernel.operands[*operand].storage), *guard, ty)
            }
            Eval::Old { write, guard } => {
                let element = match self.stores.get(write) {
                    Some(pack) => Expr::atom(format!("{pack}[i]")),
                    None => Expr::atom(format!("{}.get(row)", self.writer.writes[*write])),
                };
                self.guarded(ty::widen(element, kernel.writes[*write].storage), *guard, ty)
            }
            Eval::Row(row) => self.writer.rows[row].clone(),
            Eval::Body(_) => panic!("bug: a device keeps no bodies"),
        }
    }

    /// `guard ? value : 0`
    fn guarded(&self, value: Expr, guard: Option<NodeId>, ty: Ty) -> Expr {
        match guard {
            Some(guard) => Expr::select(self.known(guard), value, ty::zero(ty)),
            None => value,
        }
    }

    fn operation(&self, node: NodeId) -> Expr {
        let graph = self.writer.graph();
        match graph.op(node) {
            Op::Index(axis) => {
                let steps = self.writer.axes.iter().find(|(known, _)| known == axis).expect("a pass lists its axes");
                Expr::call(&format!("{}.index", steps.1), self.at())
            }
            Op::Binary(op) if divides(graph, node) => {
                let args = graph.args(node);
                let name = if *op == Binary::Div { "found.divide" } else { "found.remainder" };
                let operands = [self.known(args[0]), self.known(args[1])];
                let value = Expr::call(name, self.at().into_iter().chain(operands));
                self.guarded(value, args.get(2).copied(), graph.ty(node))
            }
            _ => self.writer.operation(node, &self.values),
        }
    }

    /// Folds the bodies of reductions, and stores and checks.
    fn stores(&mut self, terms: &[String]) {
        let (kernel, graph) = (self.writer.kernel, self.writer.graph());
        for (&reduction, terms) in self.pass.reductions.iter().zip(terms) {
            let node = kernel.reductions[reduction].0;
            let body = graph.args(node)[0];
            let value = ty::convert(self.known(body), graph.ty(body), reduced(graph, node));
            let positional = matches!(graph.op(node), Op::Reduce { op: Reduction::ArgMax | Reduction::ArgMin, .. });
            let position = positional.then(|| Expr::atom("at.element(i)"));
            let fold = Expr::call(&format!("{terms}.fold"), [value].into_iter().chain(position));
            self.writer.line(format!("{};", fold.text()));
        }
        for &position in &self.pass.writes {
            let write = &kernel.writes[position];
            let value = self.known(write.value);
            let array = self.writer.writes[position].clone();
            match &write.kind {
                WriteKind::Own { .. } => {
                    let value = ty::narrow(value, write.storage);
                    let line = match self.stores.get(&position) {
                        Some(pack) => format!("{pack}[i] = {};", value.text()),
                        None => format!("{array}.set(row, {});", value.text()),
                    };
                    self.writer.line(line);
                }
                WriteKind::Scatter { dynamic, guard, op, .. } => {
                    let combine = match op {
                        Reduction::Max => "max",
                        Reduction::Min => "min",
                        _ => "add",
                    };
                    let index = dynamic.iter().map(|&index| self.known(index));
                    let arguments = self.at().into_iter().chain([Expr::atom("found"), value]).chain(index);
                    let combine = Expr::call(&format!("{array}.{combine}"), arguments);
                    let guard = guard.map_or(String::new(), |guard| format!("if ({}) ", self.known(guard).text()));
                    self.writer.line(format!("{guard}{};", combine.text()));
                }
            }
        }
        for &position in &self.pass.checks {
            let check = &kernel.checks[position];
            let assertion = [Expr::atom(check.assertion.to_string()), self.known(check.condition)];
            let check = Expr::call("found.assert_that", self.at().into_iter().chain(assertion));
            self.writer.line(format!("{};", check.text()));
        }
    }
}
