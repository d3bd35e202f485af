//! A checked kernel, its roots, and what differentiation adds.

use std::collections::BTreeMap;

use super::{AxisId, Elem, ExtentId, Graph, NodeId, Reduction, Ty};

/// A kernel that passed `check`. Everything a later stage needs is here; no later stage can fail on a user's input
/// except the in-place rule of the schedule.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The function's name.
    pub name: String,
    /// All expressions, forward ones first.
    pub graph: Graph,
    /// Tensor parameters in the order of the signature.
    pub tensors: Vec<Tensor>,
    /// Scalar parameters in the order of the signature.
    pub scalars: Vec<Scalar>,
    /// Outputs in order; none for a kernel that only edits.
    pub outputs: Vec<Output>,
    /// What the kernel writes, in source order: `Output` and `Edit` targets.
    pub roots: Vec<Root>,
    /// What has to hold, in source order; checked in the forward pass, unless the kernel writes nothing.
    pub assertions: Vec<Assertion>,
    /// `#[no_grad]` was written.
    pub no_grad: bool,
    /// What the user called an expression in a `let`; generated code uses the names, nothing depends on them.
    pub names: BTreeMap<NodeId, String>,
}

/// How a hand-written kernel is launched on a CUDA device.
#[derive(Clone, Debug)]
pub struct CudaLaunch {
    /// The kernel's graph, and the sizes below, which are no axes of the kernel.
    pub graph: Graph,
    /// Blocks along each dimension: one to three.
    pub grid: Vec<ExtentId>,
    /// Threads of a block along each dimension: one to three.
    pub block: Vec<ExtentId>,
    /// Bytes of shared memory beyond those that the kernel declares.
    pub shared: Option<ExtentId>,
    /// The axes whose sizes the kernel takes after its tensors and scalars.
    pub sizes: Vec<AxisId>,
}

/// A tensor parameter.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The user's name.
    pub name: String,
    /// How it is passed.
    pub intent: Intent,
    /// Its element.
    pub elem: Elem,
    /// One axis per declared dimension; distinct.
    pub axes: Vec<AxisId>,
}

/// How a tensor parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// `&`: reads.
    Read,
    /// `&mut`: edits in place.
    Edit,
    /// `&atomic`: accumulates.
    Atomic,
    /// By value: an output may take its storage.
    Donate,
}

/// A scalar parameter.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The user's name.
    pub name: String,
    /// Its type in the signature.
    pub ty: ScalarTy,
}

/// Types of scalar parameters as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variants are the types' own names")]
pub enum ScalarTy {
    /// `f64` in the signature, rounded once to the kernel's computing type; a [`Ty::Float`] value.
    Float,
    F32,
    F64,
    I64,
    /// An `I64` value in the body.
    Usize,
    U64,
    Bool,
}

/// An output tensor.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its element.
    pub elem: Elem,
    /// Its axes in the declared order; distinct.
    pub axes: Vec<AxisId>,
}

impl Kernel {
    /// The assertions, as a schedule sees them.
    pub fn assertion_roots(&self) -> impl Iterator<Item = Root> {
        self.assertions.iter().enumerate().map(|(position, assertion)| Root {
            target: Target::Assertion(position as u32),
            write: Write::Dense { axes: assertion.axes.clone() },
            value: assertion.condition,
        })
    }
}

/// A value and where it is written.
#[derive(Clone, PartialEq, Debug)]
pub struct Root {
    /// The array.
    pub target: Target,
    /// The elements.
    pub write: Write,
    /// The value.
    pub value: NodeId,
}

/// An in-kernel assertion.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// What has to hold at every point; true where a branch does not reach the assertion.
    pub condition: NodeId,
    /// The axes of its points: those of the condition and of the enclosing reductions.
    pub axes: Vec<AxisId>,
    /// What the error says.
    pub text: String,
}

/// An array that a kernel writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// An output, by position.
    Output(u32),
    /// A `&mut` or `&atomic` parameter, by its position among the tensor parameters.
    Edit(u32),
    /// The gradient of a tensor parameter; it has the parameter's axes, in order.
    Gradient(u32),
    /// A residual, by its position in [`Backward::saved`].
    Saved(u32),
    /// An array that the schedule made.
    Temp(u32),
    /// In a schedule: no array, but an assertion, by its position in [`Kernel::assertions`]. Its value is the condition.
    Assertion(u32),
}

/// Which elements of the target are written.
#[derive(Clone, PartialEq, Debug)]
pub enum Write {
    /// Every element, at its own index; the target's axes in order. The value's free axes are among them.
    Dense {
        /// The target's axes.
        axes: Vec<AxisId>,
    },
    /// For every point of `over`, combines the value into the element at `index` (one `I64` per dimension). The target
    /// holds its old value (`Edit`), a dense part written before, or zero.
    Scatter {
        /// One index per dimension of the target.
        index: Vec<NodeId>,
        /// Iterated axes: all free axes of the value and the indices.
        over: Vec<AxisId>,
        /// `Sum`, `Max` or `Min`.
        op: Reduction,
        /// Executed only where this holds.
        guard: Option<NodeId>,
    },
}

/// The derived backward pass; its expressions are in the kernel's graph.
#[derive(Clone, Debug, Default)]
pub struct Backward {
    /// Residuals that the forward pass keeps when an input is tracked.
    pub saved: Vec<Saved>,
    /// Intermediate arrays that are computed once, in order: the cotangents of contractions. Backward expressions load
    /// them by [`super::Source::Temp`] with their position here; the schedule numbers its own temps after them.
    pub temps: Vec<Temp>,
    /// `Gradient` targets. A parameter may have a dense root and scatter roots after it.
    pub roots: Vec<Root>,
    /// Float parameters without a differentiable path, by position, each with the reason as a sentence.
    pub blocked: Vec<(u32, String)>,
}

/// An intermediate array of the backward pass.
#[derive(Clone, Debug)]
pub struct Temp {
    /// Its value; loads of earlier temps may stand in it.
    pub node: NodeId,
    /// Its axes in the order of the array; exactly the free axes of `node`.
    pub axes: Vec<AxisId>,
    /// Its computing type, which is its element, never half.
    pub ty: Ty,
}

/// A residual.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The forward expression that is kept.
    pub node: NodeId,
    /// Its axes in the order of the array; exactly the free axes of `node`.
    pub axes: Vec<AxisId>,
    /// Its computing type; the array's element is this type, never half.
    pub ty: Ty,
    /// The output whose value it is, if it is one stored without loss: the output's handle is kept instead.
    pub output: Option<u32>,
}

impl Saved {
    /// True if the forward pass writes the residual for itself. One that is an output of the kernel's own element is not
    /// needed where that element is computed with as it is stored, and is where it is a half.
    pub fn is_written(&self, outputs: &[Output]) -> bool {
        self.output.is_none_or(|output| outputs[output as usize].elem == Elem::Generic)
    }
}
