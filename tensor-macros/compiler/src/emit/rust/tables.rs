//! The program tables of a kernel as constants of the runtime's types.
//!
//! Invariant: positions are those of the IR (axes, extents, parameters, outputs, residuals) and of the plan (operands,
//! reductions, writes).

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::cost;
use super::lines::{Along, Lines};
use super::pass::{reduce_name, reduced};
use crate::emit::plan::{Check, Direction, Eval, Index, Kernel, Operand, Pass, Plan, Storage, Write, WriteKind};
use crate::emit::{DeviceText, DeviceTexts};
use crate::ir::{
    self, Affine, AxisId, Binary, Clip, Elem, Extent, ExtentId, Graph, NodeId, Op, Reduction, Source, Target, Ty,
    Unary, Uniform,
};
use crate::schedule::{Class, PassKind};
use crate::syntax::ast::{Function, ParamKind};

/// The static `PROGRAM` and the constants it is made of.
pub(super) fn program(
    forward: (&Direction<'_>, &Plan<'_>),
    backward: Option<(&Direction<'_>, &Plan<'_>)>,
    device: &DeviceTexts,
    blocked: &[(u32, String)],
) -> TokenStream {
    let kernel = forward.0.kernel;
    let graph = &kernel.graph;
    let name = &kernel.name;
    let declared = graph.all_axes().map(|(_, axis)| {
        let (name, extent, rest) = (&axis.name, position(axis.extent.0), axis.rest);
        quote!(Axis { name: #name, extent: #extent, rest: #rest })
    });
    let extents = graph.all_extents().map(|(_, extent)| match extent {
        Extent::Declared => quote!(Extent::Declared),
        Extent::Literal(size) => {
            let size = Literal::u64_unsuffixed(size);
            quote!(Extent::Literal(#size))
        }
        Extent::Computed(node) => {
            let size = size(graph, node);
            quote!(Extent::Computed(#size))
        }
    });
    let tensors = kernel.tensors.iter().enumerate().map(|(param, tensor)| {
        let reason = blocked.iter().find(|(other, _)| *other as usize == param).map(|(_, reason)| reason);
        let donations = forward.0.schedule.donations.iter().filter(|donation| donation.param as usize == param);
        let takers = positions(donations.map(|donation| donation.output as usize));
        tensor_param(tensor, &takers, reason)
    });
    let scalars = kernel.scalars.iter().map(|scalar| {
        let name = &scalar.name;
        quote!(ScalarParam { name: #name })
    });
    let outputs = kernel.outputs.iter().map(|output| array_decl(Storage::Element(output.elem), &output.axes));
    let assertions = kernel.assertions.iter().enumerate().map(|(number, assertion)| {
        let (place, check) = checked(forward.1, number as u32);
        let (text, place, axes) = (&assertion.text, position(place as u32), axes(&check.axes));
        quote!(Assertion { text: #text, kernel: #place, axes: #axes })
    });
    let saved = forward.0.saved.iter().map(|saved| {
        let array = array_decl(Storage::Computed(saved.ty), &saved.axes);
        let output = option(saved.output.map(|output| {
            let output = position(output);
            quote!(#output)
        }));
        quote!(Saved { array: #array, output: #output })
    });
    let (forward_constants, forward) = schedule("FORWARD", forward, &device.forward);
    let (backward_constants, backward) = match backward {
        Some(backward) => {
            let (constants, schedule) = schedule("BACKWARD", backward, &device.backward);
            (constants, quote!(::core::option::Option::Some(#schedule)))
        }
        None => (TokenStream::new(), quote!(::core::option::Option::None)),
    };
    quote! {
        pub(super) static PROGRAM: Program = Program {
            name: #name,
            axes: &[#(#declared),*],
            extents: &[#(#extents),*],
            tensors: &[#(#tensors),*],
            scalars: &[#(#scalars),*],
            outputs: &[#(#outputs),*],
            assertions: &[#(#assertions),*],
            saved: &[#(#saved),*],
            forward: #forward,
            backward: #backward,
        };
        #forward_constants
        #backward_constants
    }
}

/// The kernel that checks an assertion, and how.
fn checked<'a>(plan: &'a Plan<'_>, assertion: u32) -> (usize, &'a Check) {
    let mut checks = plan
        .kernels
        .iter()
        .enumerate()
        .flat_map(|(place, kernel)| kernel.checks.iter().map(move |check| (place, check)));
    checks.find(|(_, check)| check.assertion == assertion).expect("a schedule checks every assertion")
}

fn schedule(
    direction: &str,
    (of, plan): (&Direction<'_>, &Plan<'_>),
    texts: &[DeviceText],
) -> (TokenStream, TokenStream) {
    let temps = of.schedule.temps.iter().map(|temp| array_decl(Storage::Computed(temp.ty), &temp.axes));
    let names = kernel_names(direction, plan.kernels.len());
    let kernels = plan.kernels.iter().zip(texts).map(|(plan, text)| kernel(of, plan, text));
    let constants = quote!(#(const #names: Kernel = #kernels;)*);
    let elementwise = is_elementwise(of.kernel, plan);
    let writes = plan.kernels.iter().flat_map(|kernel| &kernel.writes);
    let passed_on = writes.filter_map(|write| passed_on(&of.kernel.graph, write)).map(|(param, output)| {
        let (param, output) = (position(param), position(output));
        quote!((#param, #output))
    });
    let schedule = quote! {
        Schedule {
            temps: &[#(#temps),*],
            kernels: &[#(#names),*],
            elementwise: #elementwise,
            passed_on: &[#(#passed_on),*],
        }
    };
    (constants, schedule)
}

/// The parameter and the output, if the gradient of the one is the cotangent of the other as it stands.
fn passed_on(graph: &Graph, write: &Write) -> Option<(u32, u32)> {
    let (Target::Gradient(param), WriteKind::Own { axes, .. }) = (write.target, &write.kind) else { return None };
    let Op::Load { source: Source::Cotangent(output), guarded: false } = *graph.op(write.value) else { return None };
    let index = graph.args(write.value).iter().map(|&index| graph.as_index(index));
    index.eq(axes.iter().map(|&axis| Some(axis))).then_some((param, output))
}

/// True if one kernel does all, and its point is a position among the elements of every array: there is one axis in all.
fn is_elementwise(of: &ir::Kernel, plan: &Plan<'_>) -> bool {
    let [kernel] = &plan.kernels[..] else { return false };
    let ([pass], [axis]) = (&kernel.passes[..], &kernel.schedule.free[..]) else { return false };
    let by_position = |read: &Operand| matches!(&read.index[..], [Index::Axis(index)] if index == axis);
    let in_position = |write: &Write| matches!(&write.kind, WriteKind::Own { axes, .. } if axes[..] == [*axis]);
    kernel.schedule.class == Class::Pointwise
        && pass.axes.is_empty()
        && kernel.checks.is_empty()
        && kernel.operands.iter().all(by_position)
        && kernel.writes.iter().all(in_position)
        && of.tensors.iter().all(|tensor| tensor.axes[..] == [*axis])
        && of.graph.all_axes().count() == 1
        && of.graph.all_extents().all(|(_, extent)| matches!(extent, Extent::Declared))
}

/// The constants of a schedule's kernels.
fn kernel_names(direction: &str, count: usize) -> Vec<Ident> {
    (0..count).map(|kernel| format_ident!("{direction}_{kernel}")).collect()
}

/// The texts of all kernels, out of their tables.
pub(super) fn device_sources(device: &DeviceTexts) -> TokenStream {
    let names = [("FORWARD", &device.forward), ("BACKWARD", &device.backward)];
    let names: Vec<Ident> =
        names.into_iter().flat_map(|(direction, texts)| kernel_names(direction, texts.len())).collect();
    quote!(&[#(#names.cuda.source),*])
}

fn device_text(text: &DeviceText) -> TokenStream {
    let DeviceText { entry, source, scalars, extents } = text;
    let [scalars, extents] = [scalars, extents].map(|list| positions(list.iter().map(|&place| place as usize)));
    quote!(CudaText { entry: #entry, source: #source, scalars: #scalars, extents: #extents })
}

fn kernel(direction: &Direction<'_>, kernel: &Kernel<'_>, text: &DeviceText) -> TokenStream {
    let graph = &direction.kernel.graph;
    let class = match kernel.schedule.class {
        Class::Pointwise => quote!(Class::Pointwise),
        Class::Row => quote!(Class::Row),
        Class::StridedRow => quote!(Class::StridedRow),
        Class::Column => quote!(Class::Column),
        Class::Full => quote!(Class::Full),
        Class::Contraction => quote!(Class::Contraction),
        Class::Tiled => quote!(Class::Tiled),
        Class::Scatter => quote!(Class::Scatter),
    };
    let (free, reduced) = (axes(&kernel.schedule.free), axes(&kernel.schedule.reduced));
    let operands = kernel.operands.iter().map(|read| operand(graph, read));
    let reductions = kernel.reductions.iter().map(|&(node, level)| reduction(graph, kernel, node, level));
    let writes = kernel.writes.iter().map(|root| write(graph, root));
    let passes = kernel.passes.iter().map(|it| pass(graph, it));
    let lines = option(Lines::of(graph, kernel).map(|Lines { along, operands }| {
        let along = match along {
            Along::Reduced => quote!(Along::Reduced),
            Along::Free => quote!(Along::Free),
        };
        let operands = positions(operands.into_iter());
        quote!(Lines { along: #along, operands: #operands })
    }));
    let bare = is_bare(graph, kernel);
    let contraction = option(kernel.contraction.zip(kernel.schedule.contraction.as_ref()).map(|((lhs, rhs), it)| {
        let (lhs, rhs) = (position(lhs), position(rhs));
        let (batch, m, n) = (axes(&it.batch), axes(&it.m), axes(&it.n));
        let guarded = it.guarded;
        quote!(Contraction { lhs: #lhs, rhs: #rhs, batch: #batch, m: #m, n: #n, guarded: #guarded, bare: #bare })
    }));
    let cuda = device_text(text);
    quote! {
        Kernel {
            class: #class,
            free: #free,
            reduced: #reduced,
            operands: &[#(#operands),*],
            reductions: &[#(#reductions),*],
            writes: &[#(#writes),*],
            passes: &[#(#passes),*],
            lines: #lines,
            contraction: #contraction,
            cuda: #cuda,
        }
    }
}

/// True if the kernel only stores its reduction.
fn is_bare(graph: &Graph, kernel: &Kernel<'_>) -> bool {
    let ([write], [(reduction, _)], []) = (&kernel.writes[..], &kernel.reductions[..], &kernel.checks[..]) else {
        return false;
    };
    let value = match graph.op(write.value) {
        Op::Stop => graph.args(write.value)[0],
        _ => write.value,
    };
    value == *reduction && matches!(write.kind, WriteKind::Own { reads_old: false, .. })
}

fn operand(graph: &Graph, operand: &Operand) -> TokenStream {
    let array = match operand.source {
        Source::Param(param) => array("Param", param),
        Source::Cotangent(output) => array("Cotangent", output),
        Source::Saved(saved) => array("Saved", saved),
        Source::Temp(temp) => array("Temp", temp),
    };
    let (elem, index) = (elem(operand.storage), indices(graph, &operand.index));
    quote!(Operand { array: #array, elem: #elem, index: #index })
}

fn reduction(graph: &Graph, kernel: &Kernel<'_>, node: NodeId, level: usize) -> TokenStream {
    let Op::Reduce { op, axes } = graph.op(node) else {
        panic!("bug in the schedule: {node:?} is not a reduction");
    };
    let level = Literal::usize_unsuffixed(level);
    let value = elem(Storage::Computed(reduced(graph, node)));
    let axes: Vec<&str> = axes.iter().map(|&axis| graph.axis(axis).name.trim_end_matches('\'')).collect();
    let name = format!("{}[{}]", reduce_name(*op), axes.join(", "));
    let op = reduce_op(*op);
    let operand = option(reduced_operand(graph, kernel, node).map(|operand| {
        let operand = position(operand);
        quote!(#operand)
    }));
    quote!(Reduction { level: #level, op: #op, value: #value, operand: #operand, name: #name })
}

/// The operand that the body of a reduction is, as it stands in memory. Not in a pass that also checks something: it has to
/// run.
fn reduced_operand(graph: &Graph, kernel: &Kernel<'_>, reduction: NodeId) -> Option<usize> {
    let body = graph.args(reduction)[0];
    let body = if *graph.op(body) == Op::Stop { graph.args(body)[0] } else { body };
    let evaluates = |pass: &&Pass| pass.reductions.iter().any(|&own| kernel.reductions[own].0 == reduction);
    let pass = kernel.passes.iter().find(evaluates).filter(|pass| pass.checks.is_empty())?;
    match pass.nodes.get(&body)? {
        Eval::Input { operand, guard: None } => Some(*operand),
        _ => None,
    }
}

fn write(graph: &Graph, write: &Write) -> TokenStream {
    let array = match write.target {
        Target::Output(output) => array("Output", output),
        Target::Edit(param) => array("Param", param),
        Target::Gradient(param) => array("Gradient", param),
        Target::Saved(saved) => array("Saved", saved),
        Target::Temp(temp) => array("Temp", temp),
        Target::Assertion(_) => panic!("bug: an assertion is not stored"),
    };
    let elem = elem(write.storage);
    let kind = match &write.kind {
        WriteKind::Own { axes: own, reads_old } => {
            let own = axes(own);
            quote!(WriteKind::Own { axes: #own, reads_old: #reads_old })
        }
        WriteKind::Scatter { index, op, zeroed, .. } => {
            let (index, op) = (indices(graph, index), reduce_op(*op));
            quote!(WriteKind::Scatter { index: #index, op: #op, zeroed: #zeroed })
        }
    };
    quote!(Write { array: #array, elem: #elem, kind: #kind })
}

fn pass(graph: &Graph, pass: &Pass) -> TokenStream {
    let kind = match pass.kind {
        PassKind::Level(level) => {
            let level = Literal::usize_unsuffixed(level);
            quote!(PassKind::Level(#level))
        }
        PassKind::Inner => quote!(PassKind::Inner),
        PassKind::Outer => quote!(PassKind::Outer),
    };
    let axes = axes(&pass.axes);
    let [operands, rows, reductions, writes] =
        [&pass.operands, &pass.rows, &pass.reductions, &pass.writes].map(|list| positions(list.iter().copied()));
    let bodies: BTreeSet<usize> = (pass.nodes.values())
        .filter_map(|eval| if let Eval::Body(reduction) = eval { Some(*reduction) } else { None })
        .collect();
    let bodies = positions(bodies.into_iter());
    let cost = position(cost::of_point(graph, pass));
    quote! {
        Pass {
            kind: #kind,
            operands: #operands,
            axes: #axes,
            rows: #rows,
            bodies: #bodies,
            reductions: #reductions,
            writes: #writes,
            cost: #cost,
        }
    }
}

fn tensor_param(tensor: &ir::Tensor, takers: &TokenStream, blocked: Option<&String>) -> TokenStream {
    let name = &tensor.name;
    let intent = match tensor.intent {
        ir::Intent::Read => quote!(Intent::Read),
        ir::Intent::Edit => quote!(Intent::Edit),
        ir::Intent::Atomic => quote!(Intent::Atomic),
        ir::Intent::Donate => quote!(Intent::Donate(#takers)),
    };
    let elem = elem(Storage::Element(tensor.elem));
    let axes = axes(&tensor.axes);
    let blocked = option(blocked.map(|reason| quote!(#reason)));
    quote!(TensorParam { name: #name, intent: #intent, elem: #elem, axes: #axes, blocked: #blocked })
}

fn array_decl(storage: Storage, declared: &[AxisId]) -> TokenStream {
    let (elem, axes) = (elem(storage), axes(declared));
    quote!(ArrayDecl { elem: #elem, axes: #axes })
}

fn array(kind: &str, number: u32) -> TokenStream {
    let (kind, number) = (format_ident!("{kind}"), position(number));
    quote!(Array::#kind(#number))
}

fn elem(storage: Storage) -> TokenStream {
    let dtype = match storage {
        Storage::Element(Elem::Generic) => return quote!(Elem::Generic),
        Storage::Computed(Ty::Float) => return quote!(Elem::Compute),
        Storage::Element(Elem::F32) | Storage::Computed(Ty::F32) => quote!(F32),
        Storage::Element(Elem::F64) | Storage::Computed(Ty::F64) => quote!(F64),
        Storage::Element(Elem::F16) => quote!(F16),
        Storage::Element(Elem::Bf16) => quote!(Bf16),
        Storage::Element(Elem::I64) | Storage::Computed(Ty::I64 | Ty::U64) => quote!(I64),
        Storage::Element(Elem::I32) | Storage::Computed(Ty::I32) => quote!(I32),
        Storage::Element(Elem::U32) | Storage::Computed(Ty::U32) => quote!(U32),
        Storage::Element(Elem::U8) | Storage::Computed(Ty::U8) => quote!(U8),
        Storage::Element(Elem::Bool) | Storage::Computed(Ty::Bool) => quote!(Bool),
    };
    quote!(Elem::Fixed(DType::#dtype))
}

fn reduce_op(op: Reduction) -> TokenStream {
    match op {
        Reduction::Sum => quote!(ReduceOp::Sum),
        Reduction::Prod => quote!(ReduceOp::Prod),
        Reduction::Max => quote!(ReduceOp::Max),
        Reduction::Min => quote!(ReduceOp::Min),
        Reduction::ArgMax => quote!(ReduceOp::ArgMax),
        Reduction::ArgMin => quote!(ReduceOp::ArgMin),
        Reduction::Any => quote!(ReduceOp::Any),
        Reduction::All => quote!(ReduceOp::All),
        Reduction::SquaredDeviation => quote!(ReduceOp::SquaredDeviation),
    }
}

fn indices(graph: &Graph, index: &[Index]) -> TokenStream {
    let index = index.iter().map(|index| match index {
        Index::Axis(axis) => {
            let axis = position(axis.0);
            quote!(Index::Axis(#axis))
        }
        Index::Affine(affine) => {
            let (terms, offset) = self::affine(graph, affine);
            quote!(Index::Affine { terms: #terms, offset: #offset })
        }
        Index::Clipped(Clip { affine, divisor, .. }) => {
            let (terms, offset) = self::affine(graph, affine);
            let divisor = uniform(graph, divisor);
            quote!(Index::Clipped { terms: #terms, offset: #offset, divisor: #divisor })
        }
        Index::Dynamic => quote!(Index::Dynamic),
    });
    quote!(&[#(#index),*])
}

/// The terms and the constant part of an affine index.
fn affine(graph: &Graph, Affine { terms, offset }: &Affine) -> (TokenStream, TokenStream) {
    let terms = terms.iter().map(|(axis, coefficient)| {
        let (axis, coefficient) = (position(axis.0), uniform(graph, coefficient));
        quote!((#axis, #coefficient))
    });
    (quote!(&[#(#terms),*]), uniform(graph, offset))
}

/// A coefficient or a constant part, for the host.
fn uniform(graph: &Graph, uniform: &Uniform) -> TokenStream {
    let (name, a, b) = match uniform {
        Uniform::Int(value) => return constant_size(*value),
        Uniform::Node(node) => return size(graph, *node),
        Uniform::Add(a, b) => (quote!(Add), a, b),
        Uniform::Sub(a, b) => (quote!(Sub), a, b),
        Uniform::Mul(a, b) => (quote!(Mul), a, b),
    };
    let (a, b) = (self::uniform(graph, a), self::uniform(graph, b));
    quote!(SizeExpr::#name(&#a, &#b))
}

fn constant_size(value: i64) -> TokenStream {
    let literal = Literal::u64_unsuffixed(value.unsigned_abs());
    match value.is_negative() {
        true => quote!(SizeExpr::Const(-#literal)),
        false => quote!(SizeExpr::Const(#literal)),
    }
}

/// How a hand-written kernel is launched on a CUDA device.
pub(super) fn cuda_function(function: &Function, kernel: &ir::Kernel, launch: &ir::CudaLaunch) -> Option<TokenStream> {
    let cuda = function.by_hand.cuda.as_ref()?;
    let (file, entry) = (&cuda.file, &cuda.entry);
    let (mut tensors, mut scalars) = (0, 0);
    let next = |count: &mut usize| {
        *count += 1;
        position(*count as u32 - 1)
    };
    let params = function.params.iter().map(|param| match &param.kind {
        ParamKind::Tensor(_) => {
            let tensor = next(&mut tensors);
            quote!(CudaParam::Tensor(#tensor))
        }
        ParamKind::Scalar(_) => {
            let scalar = next(&mut scalars);
            quote!(CudaParam::Scalar(#scalar))
        }
    });
    let outputs = (0..kernel.outputs.len()).map(|output| {
        let output = position(output as u32);
        quote!(CudaParam::Output(#output))
    });
    let sizes = launch.sizes.iter().map(|axis| {
        let extent = position(kernel.graph.axis(*axis).extent.0);
        quote!(CudaParam::Size(#extent))
    });
    let extent_size = |extent: ExtentId| match launch.graph.extent(extent) {
        Extent::Computed(node) => size(&launch.graph, node),
        Extent::Literal(literal) => constant_size(literal as i64),
        Extent::Declared => {
            let extent = position(extent.0);
            quote!(SizeExpr::Extent(#extent))
        }
    };
    let three = |extents: &[ExtentId]| {
        let sizes = (0..3).map(|dim| extents.get(dim).map_or_else(|| constant_size(1), |extent| extent_size(*extent)));
        quote!([#(#sizes),*])
    };
    let (grid, block) = (three(&launch.grid), three(&launch.block));
    let shared = launch.shared.map_or_else(|| constant_size(0), extent_size);
    Some(quote! {
        CudaFunction {
            source: ::core::include_str!(#file),
            entry: #entry,
            params: &[#(#params,)* #(#outputs,)* #(#sizes),*],
            grid: #grid,
            block: #block,
            shared: #shared,
        }
    })
}

/// An `I64` expression of sizes and scalars, for the host.
fn size(graph: &Graph, node: NodeId) -> TokenStream {
    let args = graph.args(node);
    let binary = |name: &str| {
        let name = format_ident!("{name}");
        let (left, right) = (size(graph, args[0]), size(graph, args[1]));
        quote!(SizeExpr::#name(&#left, &#right))
    };
    match graph.op(node) {
        Op::Const(ir::Literal::Int(value)) => constant_size(*value),
        Op::Size(extent) => {
            let extent = position(extent.0);
            quote!(SizeExpr::Extent(#extent))
        }
        Op::Scalar(scalar) => {
            let scalar = position(*scalar);
            quote!(SizeExpr::Scalar(#scalar))
        }
        Op::Cast(Elem::I64) | Op::Convert(Ty::I64) | Op::Stop => size(graph, args[0]),
        Op::Unary(Unary::Neg) => {
            let x = size(graph, args[0]);
            quote!(SizeExpr::Sub(&SizeExpr::Const(0), &#x))
        }
        Op::Binary(Binary::Add) => binary("Add"),
        Op::Binary(Binary::Sub) => binary("Sub"),
        Op::Binary(Binary::Mul) => binary("Mul"),
        Op::Binary(Binary::Div) => binary("Div"),
        Op::Binary(Binary::Rem) => binary("Rem"),
        Op::Binary(Binary::Max) => binary("Max"),
        Op::Binary(Binary::Min) => binary("Min"),
        op => panic!("bug: {op:?} in a size"),
    }
}

fn axes(axes: &[AxisId]) -> TokenStream {
    positions(axes.iter().map(|axis| axis.0 as usize))
}

fn positions(list: impl Iterator<Item = usize>) -> TokenStream {
    let list = list.map(Literal::usize_unsuffixed);
    quote!(&[#(#list),*])
}

/// A position in a table.
fn position(number: impl TryInto<u16>) -> Literal {
    Literal::u16_unsuffixed(number.try_into().unwrap_or_else(|_| panic!("bug: a table with more than 65536 entries")))
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
