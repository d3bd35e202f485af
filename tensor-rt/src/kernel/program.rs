//! What generated code tells the runtime: one [`Program`] per `tensor_fn!` function, plain static data.
//!
//! A program names its axes, extents, parameters and outputs by position, and lists the kernels of its forward and
//! backward schedule. It says *what* each kernel reads, reduces and writes; the loops themselves belong to the engine,
//! and the arithmetic to the [`PassBody`](super::PassBody) of each pass. Nothing here depends on the element `T` of a
//! generic kernel: [`Elem::Generic`] stands for it. A CUDA engine reads the same tables.
//!
//! Vocabulary: the *free* axes of a kernel index its rows, the *reduced* axes the elements of a row. A *pass* is one
//! traversal: `Level(k)` evaluates the bodies of the reductions of level `k` over free and reduced axes and writes over
//! them what needs lower levels only, `Inner` writes over free and reduced axes, `Outer` over the free axes alone (a
//! pointwise kernel has no reduced axes and one `Outer` pass). Levels run in order, then `Inner`, then `Outer`. An
//! *operand* is one way of reading an array.

use crate::element::DType;

/// The element of an array in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    /// The kernel's own float element.
    Generic,
    /// A named element.
    Fixed(DType),
    /// The computing type of the kernel's own float element (`f32` for `f32`, `f16`, `bf16`; else `f64`).
    Compute,
}

/// An integer expression that is evaluated on the host.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the arithmetic variants are what they are called")]
pub enum SizeExpr {
    Const(i64),
    /// The size of an extent.
    Extent(u16),
    /// An integer scalar parameter, by position.
    Scalar(u16),
    Add(&'static SizeExpr, &'static SizeExpr),
    Sub(&'static SizeExpr, &'static SizeExpr),
    Mul(&'static SizeExpr, &'static SizeExpr),
    Div(&'static SizeExpr, &'static SizeExpr),
    Rem(&'static SizeExpr, &'static SizeExpr),
    Min(&'static SizeExpr, &'static SizeExpr),
    Max(&'static SizeExpr, &'static SizeExpr),
}

/// Where a size comes from.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// The dimensions of the parameters that declare an axis of this extent; all must agree.
    Declared,
    /// A literal that those dimensions must equal.
    Literal(u64),
    /// An expression; negative is an error.
    Computed(SizeExpr),
}

/// A named axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The user's name.
    pub name: &'static str,
    /// Its extent, by position.
    pub extent: u16,
    /// True for `..`.
    pub rest: bool,
}

/// How a tensor parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// `&`.
    Read,
    /// `&mut`.
    Edit,
    /// `&atomic`.
    Atomic,
    /// By value: the outputs that may take its storage.
    Donate(&'static [u16]),
}

/// A tensor parameter.
#[derive(Clone, Copy, Debug)]
pub struct TensorParam {
    /// The user's name.
    pub name: &'static str,
    /// How it is passed.
    pub intent: Intent,
    /// Its element.
    pub elem: Elem,
    /// Its axes, in order.
    pub axes: &'static [u16],
    /// Why no gradient reaches it, if none does (float parameters only).
    pub blocked: Option<&'static str>,
}

/// A scalar parameter.
#[derive(Clone, Copy, Debug)]
pub struct ScalarParam {
    /// The user's name.
    pub name: &'static str,
}

/// An output, a residual or a temporary.
#[derive(Clone, Copy, Debug)]
pub struct ArrayDecl {
    /// Its element.
    pub elem: Elem,
    /// Its axes, in order; it is dense in this order.
    pub axes: &'static [u16],
}

/// A residual of the forward pass. It is made if a gradient may be asked for, or if a forward kernel reads it.
#[derive(Clone, Copy, Debug)]
pub struct Saved {
    /// Element and axes.
    pub array: ArrayDecl,
    /// The output that it is, where that is stored without loss for the given `T`; else it is written for itself.
    pub output: Option<u16>,
}

/// One array that a kernel touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Array {
    /// A tensor parameter.
    Param(u16),
    /// The cotangent of an output: the output's axes, element `Compute` (or `Fixed` for a fixed float output).
    Cotangent(u16),
    /// An output.
    Output(u16),
    /// The gradient of a parameter: the parameter's element and axes.
    Gradient(u16),
    /// A residual.
    Saved(u16),
    /// A temporary of the same schedule.
    Temp(u16),
}

/// The index of one dimension of an operand or a scatter.
#[derive(Clone, Copy, Debug)]
pub enum Index {
    /// The index along an axis of the kernel; proven in bounds on the host before the launch if its extent is another one.
    Axis(u16),
    /// `offset + sum(coefficient * axis)`, proven in bounds on the host before the launch.
    Affine {
        /// Axes and their coefficients.
        terms: &'static [(u16, SizeExpr)],
        /// The constant part.
        offset: SizeExpr,
    },
    /// `(offset + sum(coefficient * axis)) / divisor`; where that is no whole number within the dimension, the element is 0
    /// and nothing is read.
    Clipped {
        /// Axes and their coefficients.
        terms: &'static [(u16, SizeExpr)],
        /// The constant part.
        offset: SizeExpr,
        /// What the sum is divided by; proven not to be 0 on the host before the launch.
        divisor: SizeExpr,
    },
    /// Computed by the pass for each element, checked there. An operand with one is a *gather*.
    Dynamic,
}

/// One way of reading an array.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The array.
    pub array: Array,
    /// Its element.
    pub elem: Elem,
    /// One index per declared axis of the array.
    pub index: &'static [Index],
}

/// A reduction that a kernel finishes.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// Its level; bodies of level `k` may read the results of lower levels.
    pub level: u8,
    /// What is reduced.
    pub op: ReduceOp,
    /// The type of the body (for `ArgMax`/`ArgMin` the result is `i64`). Integer sums and products have `i64` bodies.
    pub value: Elem,
    /// The operand that the body is, if it is one; where their elements agree too, an engine may reduce the array itself.
    pub operand: Option<u16>,
    /// How the user wrote it, for messages: `max[C]`.
    pub name: &'static str,
}

/// Reductions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the other variants are the reductions' own names")]
pub enum ReduceOp {
    Sum,
    Prod,
    Max,
    Min,
    ArgMax,
    ArgMin,
    Any,
    All,
    /// The sum of the squared differences from the mean; of floats.
    SquaredDeviation,
}

/// An array that a kernel writes.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// The array; `Param` is an edit in place.
    pub array: Array,
    /// Its element.
    pub elem: Elem,
    /// Which elements.
    pub kind: WriteKind,
}

/// Which elements a write touches.
#[derive(Clone, Copy, Debug)]
pub enum WriteKind {
    /// The element at the pass's own index: one axis per dimension. If `reads_old`, the pass finds the old value in the
    /// slice that it writes.
    Own {
        /// The axis of each dimension.
        axes: &'static [u16],
        /// True if the pass reads the old value.
        reads_old: bool,
    },
    /// Combines into the element at `index`. The pass fills a slice of values and one slice of indices per `Dynamic`
    /// dimension; an index of `i64::MIN` skips the element. If `zeroed`, the engine fills the array with the identity
    /// before the first scatter (no dense part precedes it).
    Scatter {
        /// One index per dimension.
        index: &'static [Index],
        /// `Sum`, `Max` or `Min`.
        op: ReduceOp,
        /// Whether the array starts from zero here.
        zeroed: bool,
    },
}

/// One traversal of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// What is traversed.
    pub kind: PassKind,
    /// Operands that the pass reads, by position in the kernel.
    pub operands: &'static [u16],
    /// Axes whose index the pass reads as a value; along `..`, the row-major position.
    pub axes: &'static [u16],
    /// Finished reductions that the pass reads.
    pub rows: &'static [u16],
    /// Reductions of earlier levels whose bodies the pass reads. The passes that evaluate them write nothing.
    pub bodies: &'static [u16],
    /// Reductions whose bodies the pass evaluates.
    pub reductions: &'static [u16],
    /// Writes that the pass performs.
    pub writes: &'static [u16],
    /// About how many instructions a vector of points takes.
    pub cost: u16,
}

/// What a pass traverses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassKind {
    /// Free and reduced axes; fills the bodies of one level's reductions, and performs writes that need lower levels only.
    Level(u8),
    /// Free and reduced axes; writes.
    Inner,
    /// Free axes; writes.
    Outer,
}

/// Runs of points along which some of what a kernel's passes read is the same: an engine may give those passes one element
/// per line, where its blocks are made of such lines.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// What lines run along.
    pub along: Along,
    /// The operands with one element per line. So have finished reductions, if lines run along the reduced axes.
    pub operands: &'static [u16],
}

/// The axes of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Along {
    /// A line is a row.
    Reduced,
    /// A line has the points of all rows at one index along the reduced axes.
    Free,
}

/// The two operands of a contraction: `reduction 0 = sum[k](lhs * rhs)`. Its `Level(0)` pass still exists: an engine
/// without a faster way runs it. So does one whose product of matrices is NaN, if there are guards: under a guard that
/// fails one operand is 0 and the other may be infinite, and only the pass knows that the point does not count.
#[derive(Clone, Copy, Debug)]
pub struct Contraction {
    /// Operand with axes `batch, m, k`.
    pub lhs: u16,
    /// Operand with axes `batch, n, k`.
    pub rhs: u16,
    /// Axes of both and of the result.
    pub batch: &'static [u16],
    /// Axes of `lhs` and the result.
    pub m: &'static [u16],
    /// Axes of `rhs` and the result.
    pub n: &'static [u16],
    /// True if the product counts under guards only.
    pub guarded: bool,
    /// True if the `Outer` pass only stores the sum, in the type in which it was computed: an engine may then sum straight
    /// into the written array.
    pub bare: bool,
}

/// How the schedule sees a kernel. An engine may traverse it otherwise where strides at launch say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// No reduction.
    Pointwise,
    /// Reduced axes trailing.
    Row,
    /// Reduced axes neither leading nor trailing, or small windows.
    StridedRow,
    /// Reduced axes leading; one level.
    Column,
    /// Everything reduced; one level.
    Full,
    /// A product of two operands, each with an axis of its own.
    Contraction,
    /// Another body over two such operands.
    Tiled,
    /// Writes at computed indices.
    Scatter,
}

/// One kernel of a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// How the schedule sees it.
    pub class: Class,
    /// Free axes, outermost first, in the order of the first write.
    pub free: &'static [u16],
    /// Reduced axes, outermost first.
    pub reduced: &'static [u16],
    /// What is read.
    pub operands: &'static [Operand],
    /// What is reduced, by ascending level.
    pub reductions: &'static [Reduction],
    /// What is written.
    pub writes: &'static [Write],
    /// Its traversals in order.
    pub passes: &'static [Pass],
    /// Set if some pass reads values that repeat along lines.
    pub lines: Option<Lines>,
    /// Set for `Class::Contraction`.
    pub contraction: Option<Contraction>,
    /// The kernel for CUDA devices.
    pub cuda: CudaText,
}

/// A kernel as CUDA C. Its parameters are the space, the arrays of operands and writes by position, the steps of the axes
/// whose indices its passes read (each once, in the order of the passes), then the extents and scalars listed here.
#[derive(Clone, Copy, Debug)]
pub struct CudaText {
    /// The name of the function.
    pub entry: &'static str,
    /// The function, without what is put before it at a launch.
    pub source: &'static str,
    /// Scalars that are parameters.
    pub scalars: &'static [u16],
    /// Extents whose sizes are parameters.
    pub extents: &'static [u16],
}

impl CudaText {
    /// That of a kernel which no CUDA device runs.
    pub const NONE: CudaText = CudaText { entry: "", source: "", scalars: &[], extents: &[] };
}

/// The kernels of one direction, in order.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Arrays that live during this direction only.
    pub temps: &'static [ArrayDecl],
    /// Kernels in order.
    pub kernels: &'static [Kernel],
    /// True if one kernel does all, and its point is a position among the elements of every array: the program has one axis,
    /// which every parameter and every array of the kernel has, no reduction, no assertion, and no index is a value.
    pub elementwise: bool,
    /// Gradients that are a cotangent as it stands, as parameter and output. A kernel writes them too, for whoever wants an
    /// array of their own.
    pub passed_on: &'static [(u16, u16)],
}

/// An in-kernel assertion; a pass of the forward schedule reports by position that it does not hold.
#[derive(Clone, Copy, Debug)]
pub struct Assertion {
    /// The user's text.
    pub text: &'static str,
    /// The kernel of the forward schedule that checks it. It runs for that alone, unless the program writes nothing.
    pub kernel: u16,
    /// Axes of the kernel whose indices say where it does not hold.
    pub axes: &'static [u16],
}

/// The CUDA function of a hand-written kernel.
#[derive(Clone, Copy, Debug)]
pub struct CudaFunction {
    /// The text of its file.
    pub source: &'static str,
    /// The name of the `__global__` function.
    pub entry: &'static str,
    /// What it takes, in order.
    pub params: &'static [CudaParam],
    /// Blocks along each dimension.
    pub grid: [SizeExpr; 3],
    /// Threads of a block along each dimension.
    pub block: [SizeExpr; 3],
    /// Bytes of shared memory of a block beside what the function declares.
    pub shared: SizeExpr,
}

/// What a CUDA function takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CudaParam {
    /// The address of a tensor parameter, by position.
    Tensor(u16),
    /// A scalar parameter, by position.
    Scalar(u16),
    /// The address of an output, by position.
    Output(u16),
    /// The size of an extent.
    Size(u16),
}

/// Everything the runtime knows of a `tensor_fn!` function.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The function's name.
    pub name: &'static str,
    /// Axes.
    pub axes: &'static [Axis],
    /// Size classes.
    pub extents: &'static [Extent],
    /// Tensor parameters in order.
    pub tensors: &'static [TensorParam],
    /// Scalar parameters in order.
    pub scalars: &'static [ScalarParam],
    /// Outputs in order.
    pub outputs: &'static [ArrayDecl],
    /// Assertions.
    pub assertions: &'static [Assertion],
    /// Residuals.
    pub saved: &'static [Saved],
    /// The forward schedule.
    pub forward: Schedule,
    /// The backward schedule; `None` if the kernel has no gradient.
    pub backward: Option<Schedule>,
}
