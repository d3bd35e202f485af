//! The IR and the schedule as text, for golden files and `source()`.
//!
//! Expressions are written as a user would write them, with every load's index: `exp(x[N, C] - max[C](x[N, C]))`. What
//! is used twice has a line of its own, `e[N, C] = ..`, under the user's name if there is one; the brackets list its
//! free axes. `g` is the cotangent of the output, `savedK` and `tempK` are arrays.
//!
//! Invariant: the text is a function of the graph alone, so that golden files do not depend on the machine.

mod expression;

use expression::{Writer, element, type_name};

use crate::ir::{Backward, Graph, Kernel, NodeId, Root, Source, Target, Write};
use crate::schedule::{Class, PassKind, Schedule, passes, traversals};

/// A checked kernel.
pub fn kernel(kernel: &Kernel) -> String {
    let mut text = format!("{}\n", signature(kernel));
    let roots: Vec<Root> = kernel.roots.iter().cloned().chain(kernel.assertion_roots()).collect();
    section(&mut text, kernel, &[], &roots);
    text
}

/// What differentiation added to a kernel.
pub fn backward(kernel: &Kernel, backward: &Backward) -> String {
    let mut text = format!("{} backward\n", kernel.name);
    let saved: Vec<NodeId> = backward.saved.iter().map(|saved| saved.node).collect();
    let mut writer = Writer::new(kernel, &saved, &[]);
    for (position, residual) in backward.saved.iter().enumerate() {
        writer.define(&[residual.node]);
        let output = residual.output.map_or(String::new(), |output| format!(" (output {output})"));
        let (axes, ty, value) = (writer.axes(&residual.axes), type_name(residual.ty), writer.text(residual.node));
        writer.lines.push(format!("saved{position}{axes}: {ty}{output} = {value}"));
    }
    push(&mut text, &writer);
    let temps: Vec<(String, NodeId)> = (backward.temps.iter().enumerate())
        .map(|(position, temp)| (format!("temp{position}{}", writer.axes(&temp.axes)), temp.node))
        .collect();
    section(&mut text, kernel, &temps, &backward.roots);
    for (param, reason) in &backward.blocked {
        text += &format!("  no gradient of `{}`: {reason}\n", kernel.tensors[*param as usize].name);
    }
    text
}

/// A schedule, headed by the number of kernels, passes and temps.
pub fn schedule(kernel: &Kernel, schedule: &Schedule, direction: &str) -> String {
    let graph = &kernel.graph;
    let passes: usize = schedule.kernels.iter().map(|each| traversals(graph, each)).sum();
    let counts = format!("{}/{passes} ({})", schedule.kernels.len(), schedule.temps.len());
    let mut text = format!("{} {direction}: {counts} kernels/passes (temps)\n", kernel.name);
    let plain = Writer::new(kernel, &[], &[]);
    for (position, temp) in schedule.temps.iter().enumerate() {
        text += &format!("  temp{position}{}: {}\n", plain.axes(&temp.axes), type_name(temp.ty));
    }
    for donation in &schedule.donations {
        let name = &kernel.tensors[donation.param as usize].name;
        text += &format!("  {} may take the storage of `{name}`\n", target(kernel, Target::Output(donation.output)));
    }
    for (position, each) in schedule.kernels.iter().enumerate() {
        text += &scheduled(kernel, position, each);
    }
    text
}

/// One kernel of a schedule, by its position there.
pub fn scheduled(kernel: &Kernel, position: usize, each: &crate::schedule::Kernel) -> String {
    let graph = &kernel.graph;
    let reductions: Vec<NodeId> = each.levels.concat();
    let bodies = reductions.iter().map(|&reduction| graph.args(reduction)[0]);
    let roots: Vec<NodeId> = bodies.chain(each.writes.iter().flat_map(values)).collect();
    let mut writer = Writer::new(kernel, &roots, &reductions);
    let axes = format!("free {}, reduced {}", writer.axes(&each.free), writer.axes(&each.reduced));
    let mut text = format!("  kernel {position}: {}, {axes}\n", class(each.class));
    if let Some(contraction) = &each.contraction {
        let (lhs, rhs) = (writer.text(contraction.lhs), writer.text(contraction.rhs));
        let [batch, m, n] = [&contraction.batch, &contraction.m, &contraction.n].map(|axes| writer.axes(axes));
        text += &format!("    lhs {lhs}, rhs {rhs}, batch {batch}, m {m}, n {n}\n");
    }
    let mut finished = 0;
    for pass in passes(graph, each) {
        writer.lines.push(match pass.kind {
            PassKind::Level(level) => format!("level {level}:"),
            PassKind::Inner => "inner:".to_owned(),
            PassKind::Outer => "outer:".to_owned(),
        });
        for &reduction in &pass.reductions {
            writer.define(graph.args(reduction));
            let value = writer.reduction(reduction);
            let name = writer.name(reduction, &format!("r{finished}"));
            finished += 1;
            writer.lines.push(format!("  {name} = {value}"));
        }
        for &write in &pass.writes {
            root(&mut writer, kernel, &each.writes[write], "  ");
        }
    }
    for line in &writer.lines {
        let indent = if line.starts_with("level ") || line.ends_with(':') { "    " } else { "      " };
        text += &format!("{indent}{}\n", line.trim_start());
    }
    text
}

/// Temps and roots with what they share.
fn section(text: &mut String, kernel: &Kernel, temps: &[(String, NodeId)], roots: &[Root]) {
    let all: Vec<NodeId> = temps.iter().map(|&(_, value)| value).chain(roots.iter().flat_map(values)).collect();
    let mut writer = Writer::new(kernel, &all, &[]);
    for (name, value) in temps {
        writer.define(&[*value]);
        let value = writer.text(*value);
        writer.lines.push(format!("{name} = {value}"));
    }
    for each in roots {
        root(&mut writer, kernel, each, "");
    }
    push(text, &writer);
}

fn push(text: &mut String, writer: &Writer<'_>) {
    for line in &writer.lines {
        *text += &format!("  {line}\n");
    }
}

/// One root.
fn root(writer: &mut Writer<'_>, kernel: &Kernel, root: &Root, indent: &str) {
    writer.define(&values(root));
    let name = target(kernel, root.target);
    let value = writer.text(root.value);
    let line = match &root.write {
        Write::Dense { axes } => format!("{name}{} = {value}", writer.axes(axes)),
        Write::Scatter { index, over, op, guard } => {
            let index: Vec<String> = index.iter().map(|&index| writer.text(index)).collect();
            let guard = guard.map_or(String::new(), |guard| format!(" if {}", writer.text(guard)));
            let place = format!("{name}[{}]", index.join(", "));
            format!("for {}{guard}: {place} {}= {value}", writer.axes(over), expression::reduction(*op))
        }
    };
    writer.lines.push(format!("{indent}{line}"));
}

fn values(root: &Root) -> Vec<NodeId> {
    let mut values = vec![root.value];
    if let Write::Scatter { index, guard, .. } = &root.write {
        values.extend(index.iter().chain(guard));
    }
    values
}

/// The name of a written array.
fn target(kernel: &Kernel, target: Target) -> String {
    match target {
        Target::Output(_) if kernel.outputs.len() == 1 => "output".to_owned(),
        Target::Output(position) => format!("output{position}"),
        Target::Edit(param) => kernel.tensors[param as usize].name.clone(),
        Target::Gradient(param) => format!("d{}", kernel.tensors[param as usize].name),
        Target::Saved(position) => format!("saved{position}"),
        Target::Temp(position) => format!("temp{position}"),
        Target::Assertion(position) => format!("assert {:?}", kernel.assertions[position as usize].text),
    }
}

/// Name, parameters and outputs.
fn signature(kernel: &Kernel) -> String {
    let writer = Writer::new(kernel, &[], &[]);
    let mut params: Vec<String> = Vec::new();
    for (position, tensor) in kernel.tensors.iter().enumerate() {
        let name = writer.source(Source::Param(position as u32));
        let intent = format!("{:?}", tensor.intent).to_lowercase();
        params.push(format!("{name}: {intent} {}{}", element(tensor.elem), writer.axes(&tensor.axes)));
    }
    params.extend(kernel.scalars.iter().map(|scalar| format!("{}: {:?}", scalar.name, scalar.ty).to_lowercase()));
    let outputs: Vec<String> =
        kernel.outputs.iter().map(|output| format!("{}{}", element(output.elem), writer.axes(&output.axes))).collect();
    format!("{}({}) -> ({}){}", kernel.name, params.join(", "), outputs.join(", "), extents(&kernel.graph, &writer))
}

/// The sizes that are computed.
fn extents(graph: &Graph, writer: &Writer<'_>) -> String {
    let mut text = String::new();
    for (id, extent) in graph.all_extents() {
        let axes: Vec<_> = graph.all_axes().filter(|(_, axis)| axis.extent == id).map(|(axis, _)| axis).collect();
        match extent {
            crate::ir::Extent::Declared => {}
            crate::ir::Extent::Literal(size) => text += &format!(", {} = {size}", writer.axes(&axes)),
            crate::ir::Extent::Computed(node) => text += &format!(", {} = {}", writer.axes(&axes), writer.text(node)),
        }
    }
    text
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Pointwise => "pointwise",
        Class::Row => "row",
        Class::StridedRow => "strided row",
        Class::Column => "column",
        Class::Full => "full",
        Class::Contraction => "contraction",
        Class::Tiled => "tiled",
        Class::Scatter => "scatter",
    }
}
