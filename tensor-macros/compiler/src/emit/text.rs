//! The IR and the schedules in words, for `source()` and golden files.
//!
//! A node is printed as `name: type[axes] = operation`; the user's name stands where there is one, else its number.
//! Constants, scalars, sizes and bare indices stand where they are used. Everything is in the order of evaluation.

use std::fmt::{self, Write as _};

use super::rust::reduce_name;
use crate::ir::{
    self, AxisId, Binary, Elem, Extent, Graph, Kernel, Literal, NodeId, Op, Root, Source, Target, Ty, Unary,
};
use crate::schedule::{self, PassKind, Schedule};

/// The kernel and what differentiation added.
pub fn kernel(kernel: &Kernel, backward: Option<&ir::Backward>) -> String {
    let mut out = String::new();
    let text = Text { kernel };
    // Writing to a string cannot fail.
    let _ = text.forward(&mut out);
    if let Some(backward) = backward {
        let _ = text.backward(&mut out, backward);
    }
    out
}

/// Both schedules.
pub fn schedules(kernel: &Kernel, forward: &Schedule, backward: Option<(&[ir::Saved], &Schedule)>) -> String {
    let mut out = String::new();
    let text = Text { kernel };
    let _ = text.schedule(&mut out, "forward", forward);
    if let Some((saved, schedule)) = backward {
        for (position, saved) in saved.iter().enumerate() {
            let kept = match saved.output {
                Some(output) => format!("output {output}"),
                None => "kept".to_owned(),
            };
            let _ = writeln!(out, "saved {position}: {}{} {kept}", ty_name(saved.ty), text.axes(&saved.axes));
        }
        let _ = text.schedule(&mut out, "backward", schedule);
    }
    out
}

struct Text<'a> {
    kernel: &'a Kernel,
}

impl Text<'_> {
    fn graph(&self) -> &Graph {
        &self.kernel.graph
    }

    fn forward(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "kernel {}", self.kernel.name)?;
        for tensor in &self.kernel.tensors {
            let intent = match tensor.intent {
                ir::Intent::Read => "&",
                ir::Intent::Edit => "&mut ",
                ir::Intent::Atomic => "&atomic ",
                ir::Intent::Donate => "",
            };
            writeln!(out, "  {}: {intent}{}{}", tensor.name, elem_name(tensor.elem), self.axes(&tensor.axes))?;
        }
        for scalar in &self.kernel.scalars {
            let ty = match scalar.ty {
                ir::ScalarTy::Float => "float",
                ir::ScalarTy::F32 => "f32",
                ir::ScalarTy::F64 => "f64",
                ir::ScalarTy::I64 => "i64",
                ir::ScalarTy::Usize => "usize",
                ir::ScalarTy::U64 => "u64",
                ir::ScalarTy::Bool => "bool",
            };
            writeln!(out, "  {}: {ty}", scalar.name)?;
        }
        for (position, output) in self.kernel.outputs.iter().enumerate() {
            writeln!(out, "  output {position}: {}{}", elem_name(output.elem), self.axes(&output.axes))?;
        }
        for (extent, source) in self.graph().all_extents() {
            if let Extent::Computed(node) = source {
                let axes = self.graph().all_axes().filter(|(_, axis)| axis.extent == extent);
                let names: Vec<&str> = axes.map(|(_, axis)| &axis.name[..]).collect();
                writeln!(out, "  size {} = {}", names.join(", "), self.inline(node))?;
            }
        }
        writeln!(out, "forward")?;
        self.roots(out, &self.kernel.roots)
    }

    fn backward(&self, out: &mut String, backward: &ir::Backward) -> fmt::Result {
        for (position, saved) in backward.saved.iter().enumerate() {
            writeln!(out, "saved {position}{} = {}", self.axes(&saved.axes), self.name(saved.node))?;
        }
        for (param, reason) in &backward.blocked {
            writeln!(out, "no gradient of {}: {reason}", self.kernel.tensors[*param as usize].name)?;
        }
        for (position, temp) in backward.temps.iter().enumerate() {
            writeln!(out, "backward temp {position}")?;
            self.nodes(out, &[temp.node], "  ")?;
            writeln!(out, "  temp{position}{} = {}", self.axes(&temp.axes), self.name(temp.node))?;
        }
        writeln!(out, "backward")?;
        self.roots(out, &backward.roots)
    }

    fn roots(&self, out: &mut String, roots: &[Root]) -> fmt::Result {
        let mut values = vec![];
        for root in roots {
            values.push(root.value);
            if let ir::Write::Scatter { index, guard, .. } = &root.write {
                values.extend(index.iter().chain(guard));
            }
        }
        self.nodes(out, &values, "  ")?;
        roots.iter().try_for_each(|root| writeln!(out, "  {}", self.root(root)))
    }

    /// Every node below `roots` that does not stand where it is used.
    fn nodes(&self, out: &mut String, roots: &[NodeId], indent: &str) -> fmt::Result {
        for node in self.graph().reachable(roots) {
            if !stands_inline(self.graph().op(node)) {
                let axes: Vec<AxisId> = self.graph().axes(node).iter().collect();
                let ty = ty_name(self.graph().ty(node));
                writeln!(out, "{indent}{}: {ty}{} = {}", self.name(node), self.axes(&axes), self.operation(node))?;
            }
        }
        Ok(())
    }

    fn schedule(&self, out: &mut String, direction: &str, schedule: &Schedule) -> fmt::Result {
        writeln!(out, "{direction}")?;
        for (position, temp) in schedule.temps.iter().enumerate() {
            writeln!(out, "  temp{position}: {}{}", ty_name(temp.ty), self.axes(&temp.axes))?;
        }
        for (position, kernel) in schedule.kernels.iter().enumerate() {
            let (free, reduced) = (self.axes(&kernel.free), self.axes(&kernel.reduced));
            writeln!(out, "  kernel {position}: {:?} over {free}, reducing {reduced}", kernel.class)?;
            if let Some(it) = &kernel.contraction {
                let [batch, m, n] = [&it.batch, &it.m, &it.n].map(|axes| self.axes(axes));
                let (lhs, rhs) = (self.operation(it.lhs), self.operation(it.rhs));
                writeln!(out, "    contraction of {lhs} and {rhs}: batch {batch}, m {m}, n {n}")?;
            }
            for pass in schedule::passes(self.graph(), kernel) {
                self.pass(out, kernel, &pass)?;
            }
        }
        Ok(())
    }

    fn pass(&self, out: &mut String, kernel: &schedule::Kernel, pass: &schedule::Pass) -> fmt::Result {
        match pass.kind {
            PassKind::Level(level) => writeln!(out, "    level {level}")?,
            PassKind::Inner => writeln!(out, "    inner")?,
            PassKind::Outer => writeln!(out, "    outer")?,
        }
        for &reduction in &pass.reductions {
            self.own(out, &[self.graph().args(reduction)[0]])?;
            writeln!(out, "      {} = {}", self.name(reduction), self.operation(reduction))?;
        }
        for &write in &pass.writes {
            let root = &kernel.writes[write];
            let mut values = vec![root.value];
            if let ir::Write::Scatter { index, guard, .. } = &root.write {
                values.extend(index.iter().chain(guard));
            }
            self.own(out, &values)?;
            writeln!(out, "      {}", self.root(root))?;
        }
        Ok(())
    }

    /// The nodes that a pass evaluates for `roots`: those above finished reductions.
    fn own(&self, out: &mut String, roots: &[NodeId]) -> fmt::Result {
        let mut found = std::collections::BTreeSet::new();
        let mut stack = roots.to_vec();
        while let Some(node) = stack.pop() {
            let op = self.graph().op(node);
            if !stands_inline(op) && !matches!(op, Op::Reduce { .. }) && found.insert(node) {
                stack.extend(self.graph().args(node));
            }
        }
        for node in found {
            writeln!(out, "      {} = {}", self.name(node), self.operation(node))?;
        }
        Ok(())
    }

    fn root(&self, root: &Root) -> String {
        let tensors = &self.kernel.tensors;
        let target = match root.target {
            Target::Output(output) => format!("output {output}"),
            Target::Edit(param) => tensors[param as usize].name.clone(),
            Target::Gradient(param) => format!("gradient of {}", tensors[param as usize].name),
            Target::Saved(saved) => format!("saved {saved}"),
            Target::Temp(temp) => format!("temp{temp}"),
        };
        let value = self.name(root.value);
        match &root.write {
            ir::Write::Dense { axes } => format!("{target}{} = {value}", self.axes(axes)),
            ir::Write::Scatter { index, over, op, guard } => {
                let index: Vec<String> = index.iter().map(|&index| self.inline(index)).collect();
                let guard = guard.map(|guard| format!(" if {}", self.name(guard))).unwrap_or_default();
                let (op, over) = (reduce_name(*op), self.axes(over));
                format!("{target}[{}] {op}= {value} over {over}{guard}", index.join(", "))
            }
        }
    }

    fn axes(&self, axes: &[AxisId]) -> String {
        let names: Vec<&str> = axes.iter().map(|&axis| &self.graph().axis(axis).name[..]).collect();
        format!("[{}]", names.join(", "))
    }

    /// How a node is referred to.
    fn name(&self, node: NodeId) -> String {
        match (self.kernel.names.get(&node), self.graph().op(node)) {
            (_, op) if stands_inline(op) => self.operation(node),
            // A shadowed name is told apart by its number.
            (Some(name), _) if self.kernel.names.values().filter(|other| *other == name).count() == 1 => name.clone(),
            (Some(name), _) => format!("{name}.{}", node.0),
            (None, _) => format!("%{}", node.0),
        }
    }

    /// A node written out.
    fn inline(&self, node: NodeId) -> String {
        match self.graph().op(node) {
            Op::Load { .. } | Op::Reduce { .. } => self.name(node),
            _ => self.with(node, Self::inline),
        }
    }

    /// A node's operation on named operands.
    fn operation(&self, node: NodeId) -> String {
        self.with(node, Self::name)
    }

    /// A node's operation on operands that `operand` prints.
    fn with(&self, node: NodeId, operand: impl Fn(&Self, NodeId) -> String) -> String {
        let graph = self.graph();
        let args: Vec<String> = graph.args(node).iter().map(|&arg| operand(self, arg)).collect();
        match graph.op(node) {
            Op::Const(Literal::Float(bits)) => format!("{:?}", f64::from_bits(*bits)),
            Op::Const(Literal::Int(value)) => value.to_string(),
            Op::Const(Literal::Bool(value)) => value.to_string(),
            Op::Scalar(position) => self.kernel.scalars[*position as usize].name.clone(),
            Op::Size(extent) => match graph.all_axes().find(|(_, axis)| axis.extent == *extent) {
                Some((_, axis)) => format!("size({})", axis.name),
                None => format!("size(#{})", extent.0),
            },
            Op::Index(axis) => graph.axis(*axis).name.clone(),
            Op::Load { source, guarded } => {
                let source = match source {
                    Source::Param(param) => self.kernel.tensors[*param as usize].name.clone(),
                    Source::Cotangent(output) => format!("g{output}"),
                    Source::Saved(saved) => format!("saved{saved}"),
                    Source::Temp(temp) => format!("temp{temp}"),
                };
                match (guarded, args.split_last()) {
                    (true, Some((guard, index))) => format!("if {guard} {{ {source}[{}] }}", index.join(", ")),
                    _ => format!("{source}[{}]", args.join(", ")),
                }
            }
            Op::Reduce { op, axes } => format!("{}{}({})", reduce_name(*op), self.axes(axes), args[0]),
            Op::Unary(Unary::Neg) => format!("-{}", args[0]),
            Op::Unary(Unary::Not) => format!("!{}", args[0]),
            Op::Unary(op) => format!("{}({})", format!("{op:?}").to_lowercase(), args[0]),
            Op::Binary(op) => match (infix(*op), args.get(2)) {
                (Some(sign), None) => format!("{} {sign} {}", args[0], args[1]),
                (Some(sign), Some(guard)) => format!("if {guard} {{ {} {sign} {} }}", args[0], args[1]),
                (None, _) => format!("{}({}, {})", format!("{op:?}").to_lowercase(), args[0], args[1]),
            },
            Op::Fma => format!("fma({})", args.join(", ")),
            Op::Select => format!("if {} {{ {} }} else {{ {} }}", args[0], args[1], args[2]),
            Op::Cast(elem) => format!("{} as {}", args[0], elem_name(*elem)),
            Op::Convert(ty) => format!("{} to {}", args[0], ty_name(*ty)),
            Op::Sum { coefficients } => {
                let terms = coefficients.iter().zip(&args).map(|(&bits, arg)| match f64::from_bits(bits) {
                    1.0 => arg.clone(),
                    -1.0 => format!("-{arg}"),
                    coefficient => format!("{coefficient}*{arg}"),
                });
                format!("sum({})", terms.collect::<Vec<_>>().join(", "))
            }
            Op::Product { powers } => {
                let factors = powers.iter().zip(&args).map(|(&power, arg)| match power {
                    1 => arg.clone(),
                    power => format!("{arg}^{power}"),
                });
                format!("product({})", factors.collect::<Vec<_>>().join(", "))
            }
            Op::Stop => format!("stop({})", args[0]),
        }
    }
}

/// True for what has no line of its own.
fn stands_inline(op: &Op) -> bool {
    match op {
        Op::Const(_) | Op::Scalar(_) | Op::Size(_) | Op::Index(_) => true,
        Op::Load { .. }
        | Op::Reduce { .. }
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Fma
        | Op::Select
        | Op::Cast(_)
        | Op::Convert(_)
        | Op::Sum { .. }
        | Op::Product { .. }
        | Op::Stop => false,
    }
}

fn infix(op: Binary) -> Option<&'static str> {
    Some(match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Powf | Binary::Powi | Binary::Atan2 | Binary::Xlogy | Binary::Max | Binary::Min => return None,
    })
}

fn elem_name(elem: Elem) -> &'static str {
    match elem {
        Elem::Generic => "float",
        Elem::F32 => "f32",
        Elem::F64 => "f64",
        Elem::F16 => "f16",
        Elem::Bf16 => "bf16",
        Elem::I64 => "i64",
        Elem::I32 => "i32",
        Elem::U32 => "u32",
        Elem::U8 => "u8",
        Elem::Bool => "bool",
    }
}

fn ty_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Float => "float",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        Ty::I64 => "i64",
        Ty::I32 => "i32",
        Ty::U32 => "u32",
        Ty::U8 => "u8",
        Ty::U64 => "u64",
        Ty::Bool => "bool",
    }
}
