//! The body of one pass: slices, what is the same for all points, and a straight-line loop over the points.
//!
//! Vocabulary: a *uniform* node has one value for all points (constants, scalars, sizes and arithmetic on them); it is
//! evaluated before the loop. A *line value* ([`lines`](super::lines)) is evaluated before the loop over a line; the pass
//! is written once for both ways of running it, with the arithmetic of line values once more for points that have their
//! own. A node is *bound* to a local if it is used more than once, has a name of the user, or is more than a little
//! arithmetic; else it stands where it is used.
//!
//! Invariants: every load of a point precedes its stores; only gathers and integer divisions are evaluated conditionally.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::expr::Expr;
use super::lines::Lines;
use super::names::Names;
use super::slice::{Slice, SliceKind};
use super::{operation, ty};
use crate::emit::plan::{Direction, Eval, Kernel, Pass, Storage, WriteKind};
use crate::ir::{self, Binary, Graph, NodeId, Op, Reduction, ScalarTy, Source, Target, Ty};

/// Arithmetic operations that stand in one expression before a part of it gets a name.
const WEIGHT: usize = 9;

/// The statements of `PassBody::run`, or of `LineBody::run` if the pass reads line values.
pub(super) fn statements(
    direction: &Direction<'_>,
    kernel: &Kernel<'_>,
    pass: &Pass,
    lines: Option<&Lines>,
) -> TokenStream {
    let mut body = Body {
        direction,
        kernel,
        pass,
        lines,
        names: Names::new(["block", "line", "number", "n", "i"]),
        uses: HashMap::new(),
        uniform: HashSet::new(),
        line_values: HashSet::new(),
        hoisted: HashSet::new(),
        roots: HashSet::new(),
        branches: HashSet::new(),
        anonymous: 0,
        values: HashMap::new(),
        constants: vec![],
        slices: vec![],
        gathers: TokenStream::new(),
        before: TokenStream::new(),
        of_line: TokenStream::new(),
        handed: vec![],
        inside: TokenStream::new(),
        reciprocals: HashMap::new(),
        operands: HashMap::new(),
        old: HashMap::new(),
    };
    body.count();
    body.slices();
    body.evaluate();
    let stores = body.stores();
    let (before_checks, checks, after) = body.checks();
    let Body { slices, gathers, constants, before, of_line, handed, inside, .. } = body;
    let constants = constants.into_iter().map(|(value, ty, name)| {
        let (value, ty) = (ty::float(f64::from_bits(value), ty).tokens(), ty::value(ty));
        quote!(let #name: #ty = #value;)
    });
    let declared = slices.iter().map(Slice::declaration);
    let beginning = quote! {
        let n = block.len();
        #(#declared)*
        #gathers
        #(#constants)*
        #before
    };
    if lines.is_none() {
        return quote! {
            #beginning
            #before_checks
            for i in 0..n {
                #inside
                #stores
                #checks
            }
            #after
        };
    }
    let of_each_line = slices.iter().map(Slice::of_line);
    let (of_point, of_line) = match &handed[..] {
        [] => (TokenStream::new(), TokenStream::new()),
        handed => {
            let values = match handed {
                [value] => quote!(#value),
                values => quote!((#(#values),*)),
            };
            let of_point = quote! {
                let #values = if L::SHARED { #values } else { #of_line #values };
            };
            (of_point, quote!(let i = 0; #of_line))
        }
    };
    quote! {
        #beginning
        for number in 0..block.lines::<L>() {
            let line = block.line::<L>(number);
            let n = line.len();
            #(#of_each_line)*
            #of_line
            for i in 0..n {
                #of_point
                #inside
                #stores
            }
        }
    }
}

/// Where the value of a node is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Line,
    Inside,
}

pub(super) struct Body<'a> {
    pub direction: &'a Direction<'a>,
    pub kernel: &'a Kernel<'a>,
    pub pass: &'a Pass,
    /// The lines of the kernel, if the pass reads values of them.
    lines: Option<&'a Lines>,
    pub names: Names,
    /// How often each node is an operand or a root.
    uses: HashMap<NodeId, usize>,
    uniform: HashSet<NodeId>,
    line_values: HashSet<NodeId>,
    /// Uniform nodes and line values that the loop uses.
    hoisted: HashSet<NodeId>,
    /// What the pass stores.
    roots: HashSet<NodeId>,
    /// Branches of selects; both are evaluated, so that the loop has no branches.
    branches: HashSet<NodeId>,
    /// Locals without a name of the user.
    anonymous: usize,
    pub values: HashMap<NodeId, Expr>,
    /// Constants of the generic computing type.
    constants: Vec<(u64, Ty, Ident)>,
    slices: Vec<Slice>,
    gathers: TokenStream,
    before: TokenStream,
    of_line: TokenStream,
    /// Locals of line values that the loop uses.
    handed: Vec<Ident>,
    inside: TokenStream,
    /// Of sizes.
    reciprocals: HashMap<NodeId, Expr>,
    /// The slice or gather of each operand, and the names of its elements.
    operands: HashMap<usize, Ident>,
    /// The slice of each own write.
    pub old: HashMap<usize, Ident>,
}

impl<'a> Body<'a> {
    pub fn graph(&self) -> &'a Graph {
        &self.direction.kernel.graph
    }

    /// What the pass stores and checks, in order.
    fn stored(&self) -> Vec<NodeId> {
        let bodies =
            self.pass.reductions.iter().map(|&reduction| self.graph().args(self.kernel.reductions[reduction].0)[0]);
        let mut roots: Vec<NodeId> = bodies.collect();
        for &write in &self.pass.writes {
            roots.extend(self.kernel.writes[write].nodes());
        }
        roots.extend(self.pass.checks.iter().map(|&check| self.kernel.checks[check].condition));
        roots
    }

    /// Counts uses and finds what is uniform.
    fn count(&mut self) {
        for root in self.stored() {
            *self.uses.entry(root).or_default() += 1;
            self.hoisted.insert(root);
            self.roots.insert(root);
        }
        for (&node, eval) in &self.pass.nodes {
            let children = self.pass.children(self.graph(), node);
            let pure = *eval == Eval::Compute
                && match self.graph().op(node) {
                    Op::Index(_) => false,
                    Op::Binary(Binary::Div | Binary::Rem) => self.graph().ty(node).is_float(),
                    _ => true,
                };
            if pure && children.iter().all(|child| self.uniform.contains(child)) {
                self.uniform.insert(node);
            } else {
                self.hoisted.extend(children.iter().filter(|child| self.uniform.contains(child)));
            }
            if let (Eval::Compute, Op::Select) = (eval, self.graph().op(node)) {
                self.branches.extend(&children[1..]);
            }
            for child in children {
                *self.uses.entry(child).or_default() += 1;
            }
        }
        if let Some(lines) = self.lines {
            self.line_values = lines.values(self.graph(), self.pass, &self.uniform);
        }
        let in_loop = self.pass.nodes.keys().filter(|&node| self.place(*node) == Place::Inside);
        let used: Vec<NodeId> = in_loop.flat_map(|&node| self.pass.children(self.graph(), node)).collect();
        self.hoisted.extend(used);
        let Self { uniform, line_values, hoisted, .. } = self;
        hoisted.retain(|node| uniform.contains(node) || line_values.contains(node));
    }

    fn place(&self, node: NodeId) -> Place {
        match (self.uniform.contains(&node), self.line_values.contains(&node)) {
            (true, _) => Place::Before,
            (false, true) => Place::Line,
            (false, false) => Place::Inside,
        }
    }

    /// Declares every slice of the pass.
    fn slices(&mut self) {
        let (kernel, pass) = (self.kernel, self.pass);
        for &operand in &pass.operands {
            let read = &kernel.operands[operand];
            let element = ty::memory(read.storage);
            let position = Literal::usize_unsuffixed(operand);
            let gather = read.index.contains(&crate::emit::plan::Index::Dynamic);
            let name = self.names.local(&plural(&self.source_name(read.source)));
            let of_line = self.lines.is_some_and(|lines| lines.operands.contains(&operand));
            match (gather, of_line) {
                (true, _) => self.gathers.extend(quote!(let #name = block.gather::<#element>(#position);)),
                (false, true) => {
                    self.slice(&name, SliceKind::OfLine, quote!(block.line_input::<#element, L>(#position)));
                }
                (false, false) => self.slice(&name, SliceKind::Read, quote!(block.input::<#element>(#position))),
            }
            self.operands.insert(operand, name);
        }
        for &write in &pass.writes {
            let WriteKind::Own { .. } = &kernel.writes[write].kind else { continue };
            let name = self.target_name(kernel.writes[write].target);
            let name = self.names.local(&name);
            let element = ty::memory(kernel.writes[write].storage);
            let position = Literal::usize_unsuffixed(write);
            self.written(&name, quote!(block.output::<#element>(#position)));
            self.old.insert(write, name);
        }
    }

    fn slice(&mut self, name: &Ident, kind: SliceKind, given: TokenStream) {
        self.slices.push(Slice { name: name.clone(), given, kind });
    }

    /// Declares a slice that the pass fills.
    pub fn written(&mut self, name: &Ident, given: TokenStream) {
        self.slice(name, SliceKind::Written, given);
    }

    /// What the elements of a source are called.
    fn source_name(&self, source: Source) -> String {
        let kernel = self.direction.kernel;
        match source {
            Source::Param(param) => kernel.tensors[param as usize].name.clone(),
            Source::Cotangent(_) if kernel.outputs.len() == 1 => "g".to_owned(),
            Source::Cotangent(output) => format!("g{output}"),
            Source::Saved(saved) => self.saved_name(saved),
            Source::Temp(temp) => format!("temp{temp}"),
        }
    }

    /// What a written array is called.
    pub fn target_name(&self, target: Target) -> String {
        let kernel = self.direction.kernel;
        match target {
            Target::Output(_) if kernel.outputs.len() == 1 => "out".to_owned(),
            Target::Output(output) => format!("out{output}"),
            Target::Edit(param) => plural(&kernel.tensors[param as usize].name),
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
    pub fn reduction_name(&self, reduction: usize) -> String {
        let node = self.kernel.reductions[reduction].0;
        match (self.direction.kernel.names.get(&node), self.graph().op(node)) {
            (Some(name), _) => name.clone(),
            (None, Op::Reduce { op, .. }) => format!("{}{reduction}", reduce_name(*op)),
            (None, op) => panic!("bug: {op:?} is not a reduction"),
        }
    }

    /// A float constant of the type, declared before the loop if it is generic.
    pub fn constant(&mut self, value: f64, ty: Ty) -> Expr {
        if ty != Ty::Float {
            return ty::float(value, ty);
        }
        let bits = value.to_bits();
        let found = self.constants.iter().find(|(other, other_ty, _)| (*other, *other_ty) == (bits, ty));
        let name = match found {
            Some((_, _, name)) => name.clone(),
            None => {
                let name = self.names.local(&format!("c{}", self.constants.len()));
                self.constants.push((bits, ty, name.clone()));
                name
            }
        };
        Expr::atom(name)
    }

    /// Evaluates every node, operands first.
    fn evaluate(&mut self) {
        for (&node, eval) in &self.pass.nodes {
            let value = self.value(node, eval);
            let place = self.place(node);
            let bound = match place {
                Place::Before => self.binds_uniform(node, &value),
                Place::Line if self.hoisted.contains(&node) => {
                    Some(self.binds(node, eval, &value).unwrap_or_else(|| self.local_name(node)))
                }
                Place::Line | Place::Inside => self.binds(node, eval, &value),
            };
            let value = match bound {
                Some(wish) => {
                    let name = self.names.local(&wish);
                    let value = value.tokens();
                    let statements = match place {
                        Place::Before => &mut self.before,
                        Place::Line => &mut self.of_line,
                        Place::Inside => &mut self.inside,
                    };
                    statements.extend(quote!(let #name = #value;));
                    if place == Place::Line && self.hoisted.contains(&node) {
                        self.handed.push(name.clone());
                    }
                    Expr::atom(name)
                }
                None => value,
            };
            self.values.insert(node, value);
        }
    }

    /// The name of a local for a uniform node, if it gets one.
    fn binds_uniform(&mut self, node: NodeId, value: &Expr) -> Option<String> {
        let kernel = self.direction.kernel;
        match self.graph().op(node) {
            Op::Const(_) | Op::Stop => None,
            Op::Scalar(position) => Some(kernel.scalars[*position as usize].name.clone()),
            Op::Size(extent) => {
                let axis = self.graph().all_axes().find(|(_, axis)| axis.extent == *extent);
                let name = axis.map_or(String::new(), |(_, axis)| axis.name.to_lowercase());
                Some(format!("size_{}", if name == ".." { "rest" } else { &name }))
            }
            _ => {
                let used = self.hoisted.contains(&node) || self.uses[&node] > 1 || value.weight > WEIGHT;
                used.then(|| self.local_name(node))
            }
        }
    }

    /// The name of a local for a node of the loop, if it gets one.
    fn binds(&mut self, node: NodeId, eval: &Eval, value: &Expr) -> Option<String> {
        match eval {
            Eval::Input { operand, .. } | Eval::Gather { operand, .. } => {
                let name = self.direction.kernel.names.get(&node);
                return Some(name.cloned().unwrap_or_else(|| self.source_name(self.kernel.operands[*operand].source)));
            }
            Eval::Old { write, .. } => {
                let Target::Edit(param) = self.kernel.writes[*write].target else {
                    panic!("bug: only an edited parameter has an old value");
                };
                return Some(self.direction.kernel.tensors[param as usize].name.clone());
            }
            Eval::Row(row) => return Some(self.reduction_name(*row)),
            Eval::Body(_) => return Some(self.local_name(node)),
            Eval::Compute => {}
        }
        if let Some(axis) = self.graph().as_index(node) {
            return Some(self.graph().axis(axis).name.clone());
        }
        let inline = self.uses[&node] == 1
            && !self.direction.kernel.names.contains_key(&node)
            && (value.weight <= WEIGHT || self.roots.contains(&node))
            && match self.graph().op(node) {
                Op::Select => false,
                Op::Binary(Binary::Div | Binary::Rem) => self.graph().ty(node).is_float(),
                _ => true,
            }
            || matches!(self.graph().op(node), Op::Stop);
        let inline = inline && !self.repeated(node) && (value.weight == 1 || !self.branches.contains(&node));
        (!inline).then(|| self.local_name(node))
    }

    /// True if a derived product multiplies the node by itself.
    fn repeated(&self, node: NodeId) -> bool {
        self.pass.nodes.keys().any(|&user| match self.graph().op(user) {
            Op::Product { powers } => {
                let args = self.graph().args(user);
                args.iter().zip(powers).any(|(&arg, power)| arg == node && power.unsigned_abs() > 1)
            }
            _ => false,
        })
    }

    fn local_name(&mut self, node: NodeId) -> String {
        match self.direction.kernel.names.get(&node) {
            Some(name) => name.clone(),
            None => {
                self.anonymous += 1;
                format!("v{}", self.anonymous - 1)
            }
        }
    }

    fn value(&mut self, node: NodeId, eval: &Eval) -> Expr {
        match eval {
            Eval::Compute => self.operation(node),
            Eval::Input { operand, guard } => {
                let slice = self.operands[operand].clone();
                let value = widen(Expr::atom(quote!(#slice[i])), self.kernel.operands[*operand].storage);
                self.guarded(value, *guard, self.graph().ty(node))
            }
            Eval::Gather { operand, index, guard } => {
                let gather = self.operands[operand].clone();
                let index = index.iter().map(|index| self.values[index].clone().tokens());
                let value = Expr::atom(quote!(#gather.get(i, [#(#index),*])));
                let value = widen(value, self.kernel.operands[*operand].storage);
                self.guarded(value, *guard, self.graph().ty(node))
            }
            Eval::Old { write, guard } => {
                let slice = self.old[write].clone();
                let value = widen(Expr::atom(quote!(#slice[i])), self.kernel.writes[*write].storage);
                self.guarded(value, *guard, self.graph().ty(node))
            }
            Eval::Body(reduction) => {
                let element = ty::value(self.graph().ty(node));
                let position = Literal::usize_unsuffixed(*reduction);
                let slice = self.names.local(&format!("{}_terms", self.reduction_name(*reduction)));
                self.slice(&slice, SliceKind::Read, quote!(block.body::<#element>(#position)));
                Expr::atom(quote!(#slice[i]))
            }
            Eval::Row(row) => {
                let element = ty::value(self.graph().ty(node));
                let position = Literal::usize_unsuffixed(*row);
                let slice = self.names.local(&plural(&self.reduction_name(*row)));
                match self.lines.is_some_and(Lines::has_rows) {
                    true => self.slice(&slice, SliceKind::OfLine, quote!(block.line_row::<#element, L>(#position))),
                    false => self.slice(&slice, SliceKind::Read, quote!(block.row::<#element>(#position))),
                }
                Expr::atom(quote!(#slice[i]))
            }
        }
    }

    /// `if guard { value } else { 0 }`
    fn guarded(&mut self, value: Expr, guard: Option<NodeId>, ty: Ty) -> Expr {
        match guard {
            Some(guard) => {
                let zero = match ty {
                    Ty::Float => self.constant(0.0, ty),
                    _ => ty::zero(ty),
                };
                Expr::select(self.values[&guard].clone(), value, zero)
            }
            None => value,
        }
    }

    fn operation(&mut self, node: NodeId) -> Expr {
        let graph = self.graph();
        let ty = graph.ty(node);
        let args = graph.args(node);
        let operand = |body: &Self, position: usize| body.values[&args[position]].clone();
        match graph.op(node) {
            Op::Const(ir::Literal::Float(bits)) => self.constant(f64::from_bits(*bits), ty),
            Op::Const(literal) => ty::literal(*literal, ty),
            Op::Scalar(position) => self.scalar(*position, ty),
            Op::Size(extent) => {
                let extent = Literal::u32_unsuffixed(extent.0);
                Expr::atom(quote!(block.size(#extent)))
            }
            Op::Index(axis) => {
                let position = self.pass.axes.iter().position(|other| other == axis).expect("a pass lists its axes");
                let position = Literal::usize_unsuffixed(position);
                let slice = self.names.local(&plural(graph.axis(*axis).name.trim_end_matches('\'')));
                self.slice(&slice, SliceKind::Read, quote!(block.axis(#position)));
                Expr::atom(quote!(#slice[i]))
            }
            Op::Unary(op) => operation::unary(*op, operand(self, 0), graph.ty(args[0])),
            Op::Binary(op @ (Binary::Div | Binary::Rem)) if ty.is_integer() => self.division(*op, args, ty),
            Op::Binary(op) => operation::binary(*op, operand(self, 0), operand(self, 1), graph.ty(args[0])),
            Op::Fma => operation::fma(operand(self, 0), operand(self, 1), operand(self, 2)),
            Op::Select => Expr::select(operand(self, 0), operand(self, 1), operand(self, 2)),
            Op::Cast(elem) => ty::cast(operand(self, 0), graph.ty(args[0]), *elem),
            Op::Convert(to) => ty::convert(operand(self, 0), graph.ty(args[0]), *to),
            Op::Sum { coefficients } => {
                let terms = coefficients.iter().zip(args);
                let terms = terms.map(|(&bits, arg)| (f64::from_bits(bits), self.values[arg].clone())).collect();
                operation::sum(terms, ty, |value| self.constant(value, ty))
            }
            Op::Product { powers } => {
                let factors = powers.iter().zip(args).map(|(&power, &arg)| match power < 0 && self.is_size(arg) {
                    true => (-power, self.reciprocal(arg, ty)),
                    false => (power, self.values[&arg].clone()),
                });
                let factors = factors.collect();
                operation::product(factors, ty, |value| self.constant(value, ty))
            }
            Op::Stop => operand(self, 0),
            Op::Random { distribution, stream } => {
                let counter = ty::convert(operand(self, 1), Ty::I64, Ty::U64);
                operation::random(*distribution, *stream, operand(self, 0), counter, ty)
            }
            Op::Load { .. } | Op::Reduce { .. } => panic!("bug: {node:?} is read, not computed"),
        }
    }

    /// True if a node is a size as a float: a whole number that is not 0 where there are points.
    fn is_size(&self, node: NodeId) -> bool {
        let graph = self.graph();
        let whole = |node: NodeId| matches!(graph.op(node), Op::Size(_));
        match graph.op(node) {
            Op::Cast(_) | Op::Convert(_) => graph.ty(node).is_float() && whole(graph.args(node)[0]),
            _ => false,
        }
    }

    /// The reciprocal of a size, once for all points: a product with it costs a fraction of a division, and derived
    /// arithmetic has no order of rounding to keep.
    fn reciprocal(&mut self, size: NodeId, ty: Ty) -> Expr {
        if let Some(known) = self.reciprocals.get(&size) {
            return known.clone();
        }
        let name = self.names.local("reciprocal");
        let value = operation::product(vec![(-1, self.values[&size].clone())], ty, |value| self.constant(value, ty));
        let value = value.tokens();
        self.before.extend(quote!(let #name = #value;));
        let reciprocal = Expr::atom(name);
        self.reciprocals.insert(size, reciprocal.clone());
        reciprocal
    }

    fn scalar(&self, position: u32, ty: Ty) -> Expr {
        let slot = Literal::u32_unsuffixed(position);
        Expr::atom(match self.direction.kernel.scalars[position as usize].ty {
            ScalarTy::Float => {
                let ty = ty::value(ty);
                quote!(block.float::<#ty>(#slot))
            }
            ScalarTy::F32 => quote!(block.f32(#slot)),
            ScalarTy::F64 => quote!(block.f64(#slot)),
            ScalarTy::I64 | ScalarTy::Usize => quote!(block.int(#slot)),
            ScalarTy::U64 => quote!(block.u64(#slot)),
            ScalarTy::Bool => quote!(block.bool(#slot)),
        })
    }

    /// An integer division, executed under its guard alone. One by a constant cannot fail.
    fn division(&mut self, op: Binary, args: &[NodeId], ty: Ty) -> Expr {
        let (x, y) = (self.values[&args[0]].clone(), self.values[&args[1]].clone());
        if let Op::Const(ir::Literal::Int(divisor)) = self.graph().op(args[1])
            && !matches!(divisor, 0 | -1)
        {
            return x.method(if op == Binary::Div { quote!(wrapping_div) } else { quote!(wrapping_rem) }, vec![y]);
        }
        let (x, y) = (x.tokens(), y.tokens());
        let value = Expr::atom(match op {
            Binary::Div => quote!(block.divide(i, #x, #y)),
            _ => quote!(block.remainder(i, #x, #y)),
        });
        self.guarded(value, args.get(2).copied(), ty)
    }
}

/// What a slice is called whose elements are called `name`.
fn plural(name: &str) -> String {
    match name {
        // `as` is a keyword.
        "a" | "A" => format!("{name}_slice"),
        name if name.ends_with('s') => format!("{name}_slice"),
        name => format!("{name}s"),
    }
}

/// The type of the body of a reduction as the runtime takes it: integer sums and products are `i64`.
pub(super) fn reduced(graph: &Graph, reduction: NodeId) -> Ty {
    let body = graph.ty(graph.args(reduction)[0]);
    match graph.op(reduction) {
        Op::Reduce { op: Reduction::Sum | Reduction::Prod, .. } if body.is_integer() => Ty::I64,
        _ => body,
    }
}

/// What the user calls a reduction.
pub(super) fn reduce_name(op: Reduction) -> &'static str {
    match op {
        Reduction::Sum => "sum",
        Reduction::Prod => "prod",
        Reduction::Max => "max",
        Reduction::Min => "min",
        Reduction::ArgMax => "argmax",
        Reduction::ArgMin => "argmin",
        Reduction::Any => "any",
        Reduction::All => "all",
        Reduction::SquaredDeviation => "deviation",
    }
}

fn widen(element: Expr, storage: Storage) -> Expr {
    match ty::widens(storage) {
        true => element.method(quote!(widen), vec![]),
        false => element,
    }
}
