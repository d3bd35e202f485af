//! The text of one kernel: its parameters, what is the same everywhere, its loops.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use super::body::Body;
use super::expr::Expr;
use super::names::Names;
use super::{operation, ty};
use crate::emit::DeviceText;
use crate::emit::plan::{Direction, Eval, Index, Kernel, Pass, WriteKind};
use crate::ir::{
    AxisId, Binary, ExtentId, Graph, Intent, Literal, NodeId, Op, Reduction, ScalarTy, Source, Target, Ty,
};
use crate::schedule::PassKind;

/// The text of a kernel; `comment` says what it computes.
pub(super) fn text(direction: &Direction<'_>, kernel: &Kernel<'_>, entry: String, comment: &str) -> DeviceText {
    let mut writer = Writer::new(direction, kernel);
    writer.hoist();
    match (writer.has_rows(), writer.product()) {
        (false, _) => writer.points(),
        (true, None) => writer.rows(),
        (true, Some(passes)) => {
            writer.text.push_str("#if PRODUCT\n");
            let outside = writer.names.clone();
            writer.tiles(passes);
            writer.names = outside;
            writer.text.push_str("#else\n");
            writer.rows();
            writer.text.push_str("#endif\n");
        }
    }
    let mut source = String::new();
    for line in comment.lines() {
        let _ = writeln!(source, "// {}", line.trim_end());
    }
    let _ = writeln!(source, "extern \"C\" __global__ void {entry}(");
    for parameter in writer.parameters() {
        let _ = writeln!(source, "    {parameter},");
    }
    source.push_str("    char *scratch,\n    ErrorRecord *record,\n    const unsigned launch\n) {\n");
    source.push_str(&writer.text);
    source.push_str("}\n");
    let scalars = writer.scalars.into_keys().collect();
    let extents = writer.extents.into_keys().map(|extent| extent.0).collect();
    DeviceText { entry, source, scalars, extents }
}

/// The text so far, and what everything is called.
pub(super) struct Writer<'a> {
    pub direction: &'a Direction<'a>,
    pub kernel: &'a Kernel<'a>,
    pub names: Names,
    pub text: String,
    pub depth: usize,
    /// The array of each operand.
    pub operands: Vec<String>,
    /// The array of each write.
    pub writes: Vec<String>,
    /// The steps of each axis whose index is a value, in the order of the parameters.
    pub axes: Vec<(AxisId, String)>,
    /// The parameter of each size that is a value.
    extents: BTreeMap<ExtentId, String>,
    /// The parameter of each scalar that is a value.
    scalars: BTreeMap<u32, String>,
    /// Values that are the same at every point.
    pub uniform: HashMap<NodeId, Expr>,
    /// Finished reductions.
    pub rows: HashMap<usize, Expr>,
}

impl<'a> Writer<'a> {
    fn new(direction: &'a Direction<'a>, kernel: &'a Kernel<'a>) -> Self {
        let mut names = Names::new();
        let mut writer = Self {
            direction,
            kernel,
            names: Names::new(),
            text: String::new(),
            depth: 1,
            operands: vec![],
            writes: vec![],
            axes: vec![],
            extents: BTreeMap::new(),
            scalars: BTreeMap::new(),
            uniform: HashMap::new(),
            rows: HashMap::new(),
        };
        let graph = writer.graph();
        writer.operands =
            kernel.operands.iter().map(|operand| names.local(&plural(&writer.source_name(operand.source)))).collect();
        writer.writes =
            kernel.writes.iter().map(|write| names.local(&plural(&writer.target_name(write.target)))).collect();
        for pass in &kernel.passes {
            for &axis in &pass.axes {
                if !writer.axes.iter().any(|(known, _)| *known == axis) {
                    let name = names.local(&format!("{}_steps", axis_name(graph, axis)));
                    writer.axes.push((axis, name));
                }
            }
            for (&node, eval) in &pass.nodes {
                match graph.op(node) {
                    Op::Size(extent) if *eval == Eval::Compute => {
                        let axis = graph.all_axes().find(|(_, axis)| axis.extent == *extent);
                        let axis = axis.map_or(String::new(), |(axis, _)| axis_name(graph, axis));
                        writer.extents.entry(*extent).or_insert_with(|| names.local(&format!("size_{axis}")));
                    }
                    Op::Scalar(scalar) if *eval == Eval::Compute => {
                        let declared = &direction.kernel.scalars[*scalar as usize];
                        // Others are of the type in which they are computed with.
                        let suffix = if declared.ty == ScalarTy::Float { "_double" } else { "" };
                        let wish = format!("{}{suffix}", declared.name);
                        writer.scalars.entry(*scalar).or_insert_with(|| names.local(&wish));
                    }
                    _ => {}
                }
            }
        }
        writer.names = names;
        writer
    }

    pub fn graph(&self) -> &'a Graph {
        &self.direction.kernel.graph
    }

    /// Appends a line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{:1$}{2}", "", 4 * self.depth, line.as_ref());
    }

    /// Appends a line and goes a level deeper; gives the names of the scope outside.
    pub fn open(&mut self, line: impl AsRef<str>) -> Names {
        self.line(line);
        self.depth += 1;
        self.names.clone()
    }

    /// Ends the scope that [`Writer::open`] began.
    pub fn close(&mut self, outside: Names) {
        self.depth -= 1;
        self.names = outside;
        self.line("}");
    }

    /// True if the kernel goes through rows of reduced points.
    fn has_rows(&self) -> bool {
        !(self.kernel.schedule.reduced.is_empty() && self.kernel.reductions.is_empty())
    }

    /// True if a point may have a fault.
    pub fn may_fail(&self) -> bool {
        let scatters = self.kernel.writes.iter().any(|write| matches!(write.kind, WriteKind::Scatter { .. }));
        let fails = |pass: &Pass| {
            !pass.checks.is_empty()
                || pass.nodes.iter().any(|(&node, eval)| match eval {
                    Eval::Gather { .. } => true,
                    Eval::Compute => divides(self.graph(), node),
                    Eval::Input { .. } | Eval::Old { .. } | Eval::Row(_) | Eval::Body(_) => false,
                })
        };
        scatters || self.kernel.passes.iter().any(fails)
    }

    /// True for an array that other launches may change meanwhile.
    fn is_atomic(&self, target: Target) -> bool {
        let tensors = &self.direction.kernel.tensors;
        matches!(target, Target::Edit(param) if tensors[param as usize].intent == Intent::Atomic)
    }

    /// The parameters that are the kernel's own.
    fn parameters(&self) -> Vec<String> {
        let kernel = self.kernel;
        let mut parameters = vec!["const Space space".to_owned()];
        for (position, (operand, name)) in kernel.operands.iter().zip(&self.operands).enumerate() {
            let element = ty::memory(operand.storage);
            let dynamic = operand.index.iter().filter(|index| **index == Index::Dynamic).count();
            let clips = operand.index.iter().filter(|index| matches!(index, Index::Clipped(_))).count();
            parameters.push(match (dynamic, clips) {
                (0, 0) => format!("const Array<const {element}, {position}> {name}"),
                (0, clips) => format!("const Clipped<{element}, {clips}> {name}"),
                (dynamic, _) => format!("const Gather<{element}, {position}, {dynamic}> {name}"),
            });
        }
        for (position, (write, name)) in kernel.writes.iter().zip(&self.writes).enumerate() {
            let element = ty::memory(write.storage);
            parameters.push(match &write.kind {
                WriteKind::Own { .. } => {
                    format!("const Array<{element}, {}> {name}", kernel.operands.len() + position)
                }
                WriteKind::Scatter { dynamic, .. } => {
                    // Sums into halves are made wider, unless others add to them meanwhile.
                    let summed = match self.is_atomic(write.target) {
                        true => element.to_owned(),
                        false => format!("Wide<{element}>"),
                    };
                    format!("const Scatter<{summed}, {position}, {}> {name}", dynamic.len())
                }
            });
        }
        parameters.extend(self.axes.iter().map(|(_, name)| format!("const Steps {name}")));
        parameters.extend(self.extents.values().map(|name| format!("const long long {name}")));
        parameters.extend(self.scalars.iter().map(|(&scalar, name)| {
            let ty = match self.direction.kernel.scalars[scalar as usize].ty {
                ScalarTy::Float | ScalarTy::F64 => "double",
                ScalarTy::F32 => "float",
                ScalarTy::I64 | ScalarTy::Usize => "long long",
                ScalarTy::U64 => "unsigned long long",
                ScalarTy::Bool => "bool",
            };
            format!("const {ty} {name}")
        }));
        parameters
    }

    /// Evaluates what is the same at every point, before the loops.
    fn hoist(&mut self) {
        let graph = self.graph();
        let mut nodes: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        let mut used: HashSet<NodeId> = HashSet::new();
        for pass in &self.kernel.passes {
            for (&node, eval) in &pass.nodes {
                let children = pass.children(graph, node);
                let pure = *eval == Eval::Compute
                    && match graph.op(node) {
                        Op::Index(_) => false,
                        Op::Binary(Binary::Div | Binary::Rem) => graph.ty(node).is_float(),
                        _ => true,
                    };
                if pure && children.iter().all(|child| nodes.contains_key(child)) {
                    nodes.insert(node, children);
                } else {
                    used.extend(children);
                }
            }
            used.extend(super::body::roots(self, pass));
        }
        let mut uses: HashMap<NodeId, usize> = HashMap::new();
        nodes.values().flatten().for_each(|child| *uses.entry(*child).or_default() += 1);
        for node in nodes.into_keys() {
            let value = self.constant(node);
            let named = match graph.op(node) {
                Op::Const(_) | Op::Stop | Op::Size(_) => None,
                Op::Scalar(scalar) => {
                    let declared = &self.direction.kernel.scalars[*scalar as usize];
                    (declared.ty == ScalarTy::Float).then(|| declared.name.clone())
                }
                _ => {
                    let name = self.direction.kernel.names.get(&node).cloned();
                    let bound = used.contains(&node) || uses.get(&node).is_some_and(|&uses| uses > 1);
                    bound.then(|| name.unwrap_or_else(|| "constant".to_owned()))
                }
            };
            let value = match named {
                Some(wish) => {
                    let name = self.names.local(&wish);
                    self.line(format!("const {} {name} = {};", ty::value(graph.ty(node)), value.text()));
                    Expr::atom(name)
                }
                None => value,
            };
            self.uniform.insert(node, value);
        }
    }

    /// The value of a node that is the same at every point, whose operands are known.
    fn constant(&self, node: NodeId) -> Expr {
        match self.graph().op(node) {
            Op::Size(extent) => Expr::atom(self.extents[extent].as_str()),
            Op::Scalar(scalar) => {
                let value = Expr::atom(self.scalars[scalar].as_str());
                match self.direction.kernel.scalars[*scalar as usize].ty {
                    ScalarTy::Float => value.prefix(&format!("({})", ty::value(self.graph().ty(node)))),
                    _ => value,
                }
            }
            _ => self.operation(node, &self.uniform),
        }
    }

    /// A node that is arithmetic of its operands.
    pub fn operation(&self, node: NodeId, values: &HashMap<NodeId, Expr>) -> Expr {
        let graph = self.graph();
        let (ty, args) = (graph.ty(node), graph.args(node));
        let operand = |position: usize| {
            let arg = &args[position];
            values.get(arg).or_else(|| self.uniform.get(arg)).expect("operands come before users").clone()
        };
        match graph.op(node) {
            Op::Const(literal) => ty::literal(*literal, ty),
            Op::Unary(op) => operation::unary(*op, operand(0), graph.ty(args[0])),
            Op::Binary(op @ (Binary::Div | Binary::Rem)) if ty.is_integer() => {
                // One by a constant: it cannot fail.
                let (operator, level) = (if *op == Binary::Div { "/" } else { "%" }, super::expr::Level::Product);
                operand(0).infix(operator, operand(1), level)
            }
            Op::Binary(op) => operation::binary(*op, operand(0), operand(1), graph.ty(args[0])),
            Op::Fma => operation::fma(operand(0), operand(1), operand(2)),
            Op::Select => Expr::select(operand(0), operand(1), operand(2)),
            Op::Cast(elem) => ty::cast(operand(0), graph.ty(args[0]), *elem),
            Op::Convert(to) => ty::convert(operand(0), graph.ty(args[0]), *to),
            Op::Sum { coefficients } => {
                let coefficients = coefficients.iter().map(|&bits| f64::from_bits(bits));
                operation::sum(coefficients.enumerate().map(|(term, c)| (c, operand(term))).collect(), ty)
            }
            Op::Product { powers } => {
                let powers = powers.iter().enumerate();
                operation::product(powers.map(|(factor, &power)| (power, operand(factor))).collect(), ty)
            }
            Op::Stop => operand(0),
            Op::Random { distribution, stream } => {
                let counter = ty::convert(operand(1), Ty::I64, Ty::U64);
                operation::random(*distribution, *stream, operand(0), counter, ty)
            }
            op @ (Op::Scalar(_) | Op::Size(_) | Op::Index(_) | Op::Load { .. } | Op::Reduce { .. }) => {
                panic!("bug: {op:?} is read, not computed")
            }
        }
    }

    /// The loop of a kernel without reductions.
    fn points(&mut self) {
        self.found();
        if let Some(pass) = self.kernel.passes.first() {
            let outside = self.open("for (Points at(space); at.more(); at.next()) {");
            Body::each(self, pass);
            self.close(outside);
        }
        self.report();
    }

    /// The loops of a kernel with rows.
    fn rows(&mut self) {
        self.found();
        let outside = self.open("for (Row row(space, scratch); row.more(); row.next()) {");
        let passes = &self.kernel.passes;
        for pass in passes {
            match pass.kind {
                PassKind::Outer => self.outer(pass),
                PassKind::Level(_) | PassKind::Inner => self.elements(pass),
            }
        }
        self.close(outside);
        self.report();
    }

    /// The level and the outer pass of a contraction that may be a product of matrices.
    fn product(&self) -> Option<(&'a Pass, Option<&'a Pass>)> {
        self.kernel.contraction?;
        let [(node, _)] = self.kernel.reductions[..] else { return None };
        let sum =
            matches!(self.graph().op(node), Op::Reduce { op: Reduction::Sum, .. }) && self.graph().ty(node).is_float();
        let plain = |level: &Pass| sum && level.writes.is_empty() && level.checks.is_empty();
        match &self.kernel.passes[..] {
            [level] if plain(level) => Some((level, None)),
            [level, outer] if plain(level) && outer.kind == PassKind::Outer => Some((level, Some(outer))),
            _ => None,
        }
    }

    /// The loops of a product of matrices: tiles, and the results of a tile.
    fn tiles(&mut self, (level, outer): (&'a Pass, Option<&'a Pass>)) {
        let Some(((lhs, rhs), contraction)) = self.kernel.contraction.zip(self.kernel.schedule.contraction.as_ref())
        else {
            panic!("bug: a product without operands");
        };
        let node = self.kernel.reductions[0].0;
        let ty = ty::value(self.graph().ty(node));
        self.found();
        let outside = self.open(format!("for (Tiles<{ty}> tile(space); tile.more(); tile.next()) {{"));
        self.line(format!("tile.multiply({}, {});", self.operands[lhs], self.operands[rhs]));
        let inside = self.open(format!("for (Result<{ty}> row(tile, scratch); row.more(); row.next()) {{"));
        let name = self.names.local(&self.reduction_name(0));
        if contraction.guarded {
            self.line(format!("{ty} {name} = row.finish(0);"));
            // Under a guard that fails one operand is 0 and the other may be infinite.
            let guarded = self.open(format!("if (tensor::is_nan({name})) {{"));
            let terms = self.names.local(&format!("{name}_terms"));
            self.line(format!("{} {terms};", fold(self.graph(), node)));
            let elements = self.open("for (Elements at(row); at.more(); at.next()) {");
            Body::elements(self, level, std::slice::from_ref(&terms));
            self.close(elements);
            self.line(format!("{name} = {terms}.result();"));
            self.close(guarded);
        } else {
            self.line(format!("const {ty} {name} = row.finish(0);"));
        }
        self.rows.insert(0, Expr::atom(name));
        if let Some(outer) = outer {
            self.outer(outer);
        }
        self.close(inside);
        self.close(outside);
        self.report();
    }

    /// What is written at a row.
    fn outer(&mut self, pass: &'a Pass) {
        if self.edits() {
            self.line("row.wait();");
        }
        let outside = self.open("if (row.leads()) {");
        Body::single(self, pass);
        self.close(outside);
    }

    /// A loop over the elements of a row, and the reductions that it finishes.
    fn elements(&mut self, pass: &'a Pass) {
        let mut terms = vec![];
        for &reduction in &pass.reductions {
            let (node, _) = self.kernel.reductions[reduction];
            let name = self.names.local(&format!("{}_terms", self.reduction_name(reduction)));
            self.line(format!("{} {name};", fold(self.graph(), node)));
            terms.push(name);
        }
        let outside = self.open("for (Elements at(row); at.more(); at.next()) {");
        Body::elements(self, pass, &terms);
        self.close(outside);
        for (&reduction, terms) in pass.reductions.iter().zip(terms) {
            let (node, _) = self.kernel.reductions[reduction];
            let name = self.names.local(&self.reduction_name(reduction));
            let ty = ty::value(self.graph().ty(node));
            self.line(format!("const {ty} {name} = row.finish({terms}, {reduction});"));
            self.rows.insert(reduction, Expr::atom(name));
        }
    }

    /// True if the kernel may write what it reads: an element is then read by every thread of its row before.
    fn edits(&self) -> bool {
        let tensors = &self.direction.kernel.tensors;
        tensors.iter().any(|tensor| matches!(tensor.intent, Intent::Edit | Intent::Donate))
    }

    fn found(&mut self) {
        if self.may_fail() {
            self.line("Found found;");
        }
    }

    fn report(&mut self) {
        if self.may_fail() {
            self.line("found.report(record, launch);");
        }
    }

    /// What the elements of a source are called.
    pub fn source_name(&self, source: Source) -> String {
        let kernel = self.direction.kernel;
        match source {
            Source::Param(param) => kernel.tensors[param as usize].name.clone(),
            Source::Cotangent(_) if kernel.outputs.len() == 1 => "g".to_owned(),
            Source::Cotangent(output) => format!("g{output}"),
            Source::Saved(saved) => self.saved_name(saved),
            Source::Temp(temp) => format!("temp{temp}"),
        }
    }

    /// What the elements of a written array are called.
    pub fn target_name(&self, target: Target) -> String {
        let kernel = self.direction.kernel;
        match target {
            Target::Output(_) if kernel.outputs.len() == 1 => "out".to_owned(),
            Target::Output(output) => format!("out{output}"),
            Target::Edit(param) => kernel.tensors[param as usize].name.clone(),
            Target::Gradient(param) => format!("d{}", kernel.tensors[param as usize].name),
            Target::Saved(saved) => format!("{}_out", self.saved_name(saved)),
            Target::Temp(temp) => format!("temp{temp}_out"),
            Target::Assertion(_) => panic!("bug: an assertion is not stored"),
        }
    }

    fn saved_name(&self, saved: u32) -> String {
        let name = self.direction.kernel.names.get(&self.direction.saved[saved as usize].node);
        name.cloned().unwrap_or_else(|| format!("saved{saved}"))
    }

    /// What a reduction is called: by the user, or after what it does.
    fn reduction_name(&self, reduction: usize) -> String {
        let node = self.kernel.reductions[reduction].0;
        match (self.direction.kernel.names.get(&node), self.graph().op(node)) {
            (Some(name), _) => name.clone(),
            (None, Op::Reduce { op, .. }) => format!("{op:?}{reduction}").to_lowercase(),
            (None, op) => panic!("bug: {op:?} is not a reduction"),
        }
    }
}

/// True for a division of integers that may fail.
pub(super) fn divides(graph: &Graph, node: NodeId) -> bool {
    let by_constant =
        |divisor: NodeId| matches!(graph.op(divisor), Op::Const(Literal::Int(value)) if !matches!(value, 0 | -1));
    matches!(graph.op(node), Op::Binary(Binary::Div | Binary::Rem))
        && graph.ty(node).is_integer()
        && !by_constant(graph.args(node)[1])
}

/// The name of an axis, as part of another one.
pub(super) fn axis_name(graph: &Graph, axis: AxisId) -> String {
    let axis = graph.axis(axis);
    if axis.rest { "rest".to_owned() } else { axis.name.trim_end_matches('\'').to_lowercase() }
}

/// What an array is called whose elements are called `name`.
fn plural(name: &str) -> String {
    if name.ends_with('s') { format!("{name}_array") } else { format!("{name}s") }
}

/// The type in the prelude of what a reduction knows of some elements.
fn fold(graph: &Graph, reduction: NodeId) -> String {
    let Op::Reduce { op, .. } = graph.op(reduction) else { panic!("bug: {reduction:?} is not a reduction") };
    let value = ty::value(reduced(graph, reduction));
    let name = match op {
        Reduction::Sum => "Sum",
        Reduction::Prod => "Prod",
        Reduction::Max => "Max",
        Reduction::Min => "Min",
        Reduction::ArgMax => "ArgMax",
        Reduction::ArgMin => "ArgMin",
        Reduction::Any => return "Any".to_owned(),
        Reduction::All => return "All".to_owned(),
        Reduction::SquaredDeviation => "SquaredDeviation",
    };
    format!("{name}<{value}>")
}

/// The type of the body of a reduction: integer sums and products are `i64`.
pub(super) fn reduced(graph: &Graph, reduction: NodeId) -> Ty {
    let body = graph.ty(graph.args(reduction)[0]);
    match graph.op(reduction) {
        Op::Reduce { op: Reduction::Sum | Reduction::Prod, .. } if body.is_integer() => Ty::I64,
        _ => body,
    }
}
