//! The items of a `tensor_fn!` block as they were written.
//!
//! Vocabulary: a *function* is a kernel; a *helper* is a private scalar function without types, inlined where it is
//! called; a *body* is a Rust block in which every `a[i, j]` has become `a[(i, j)]`.

use proc_macro2::{Ident, Span};

use crate::ir;

/// One item of a block.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a block holds a handful")]
pub enum Item {
    /// A kernel.
    Function(Function),
    /// A scalar helper.
    Helper(Helper),
}

/// A kernel.
#[derive(Debug)]
pub struct Function {
    /// Documentation, `#[cfg]`, lints and whatever else is forwarded to the generated function; without our own.
    pub attrs: Vec<syn::Attribute>,
    /// The user's visibility.
    pub vis: syn::Visibility,
    /// The user's name.
    pub name: Ident,
    /// The user's own generics, possibly none.
    pub generics: syn::Generics,
    /// Parameters in the order of the signature, tensors and scalars mixed.
    pub params: Vec<Param>,
    /// Outputs in order; none for a kernel that only edits.
    pub outputs: Vec<TensorTy>,
    /// True if the outputs were written as a tuple.
    pub tuple: bool,
    /// The block; `None` for a hand-written kernel.
    pub body: Option<syn::Block>,
    /// What stands in place of the block of a hand-written kernel.
    pub by_hand: ByHand,
    /// False after a syntax error in the block, which is then empty. Only the signature is checked.
    pub sound: bool,
    /// Where `#[no_grad]` was written, if it was.
    pub no_grad: Option<Span>,
    /// Names of the other kernels of the block.
    pub others: Vec<String>,
    /// The name, where an error about the whole function points.
    pub span: Span,
}

/// The functions of a hand-written kernel: its attributes `#[cpu(..)]`, `#[cuda(..)]` and `#[backward(..)]`.
#[derive(Default, Debug)]
pub struct ByHand {
    /// The function that runs on the CPU.
    pub cpu: Option<syn::Path>,
    /// The kernel that runs on a CUDA device.
    pub cuda: Option<Cuda>,
    /// The function that computes the gradients.
    pub backward: Option<syn::Path>,
}

/// `#[cuda(file = "scan.cu", entry = "scan", grid = (N + 255) / 256, block = 256, shared = 0)]`
#[derive(Debug)]
pub struct Cuda {
    /// The file, relative to the one that the kernel is declared in.
    pub file: syn::LitStr,
    /// The `__global__` function.
    pub entry: syn::LitStr,
    /// Blocks along each dimension: one to three sizes.
    pub grid: Vec<syn::Expr>,
    /// Threads of a block along each dimension: one to three sizes.
    pub block: Vec<syn::Expr>,
    /// Bytes of shared memory beyond those that the kernel declares.
    pub shared: Option<syn::Expr>,
}

/// A scalar helper: `fn sq(x) { x * x }`.
#[derive(Debug)]
pub struct Helper {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Ident>,
    /// Its block.
    pub body: syn::Block,
    /// False after a syntax error in the block, which is then empty.
    pub sound: bool,
}

/// A parameter of a kernel.
#[derive(Debug)]
pub struct Param {
    /// The user's name.
    pub name: Ident,
    /// A tensor or a scalar.
    pub kind: ParamKind,
}

/// The type of a parameter.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a block holds a handful")]
pub enum ParamKind {
    /// `&Tensor[N, C]`.
    Tensor(TensorTy),
    /// `float`, `usize`, ...
    Scalar(ir::ScalarTy),
}

/// `&Tensor<Cuda, Grad, f32>[N, C]`.
#[derive(Debug)]
pub struct TensorTy {
    /// `&`, `&mut`, `&atomic` or by value; [`ir::Intent::Read`] for an output.
    pub intent: ir::Intent,
    /// The device, if it was named.
    pub device: Option<syn::Type>,
    /// The grad mode, if it was named.
    pub mode: Option<syn::Type>,
    /// The element.
    pub elem: ElemTy,
    /// One per dimension.
    pub axes: Vec<AxisDecl>,
    /// The word `Tensor`.
    pub span: Span,
}

impl TensorTy {
    /// True if the grad mode was named and is `Grad`.
    pub fn is_grad(&self) -> bool {
        let last = |path: &syn::TypePath| path.path.segments.last().is_some_and(|last| last.ident == "Grad");
        matches!(&self.mode, Some(syn::Type::Path(path)) if last(path))
    }
}

/// The element of a tensor.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a block holds a handful")]
pub enum ElemTy {
    /// Not named: the kernel's own float element.
    Inferred,
    /// A type parameter of the user, bounded by `Float`: the kernel's own float element under the user's name.
    Generic(Ident),
    /// A concrete element.
    Named(ir::Elem, syn::Type),
}

/// One dimension of a tensor.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a block holds a handful")]
pub enum AxisDecl {
    /// `..`
    Rest(Span),
    /// `N`
    Name(Ident),
    /// `3`
    Literal(u64, Span),
    /// `M = N`, `C = classes`
    Sized(Ident, syn::Expr),
}
