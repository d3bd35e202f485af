//! Elements, value types and operations.

use super::{AxisId, ExtentId};

/// The element type of a tensor in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the element types' own names")]
pub enum Elem {
    /// The kernel's own float element, the type parameter `T: Float` of the generated function.
    Generic,
    F32,
    F64,
    F16,
    Bf16,
    I64,
    I32,
    U32,
    U8,
    Bool,
}

/// The type of a scalar value while it is computed with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the types' own names")]
pub enum Ty {
    /// The computing type of [`Elem::Generic`]: `f32` for `f32`, `f16` and `bf16`, else `f64`.
    Float,
    F32,
    F64,
    I64,
    I32,
    U32,
    U8,
    /// Only scalar parameters (seeds) have this type.
    U64,
    Bool,
}

impl Elem {
    /// The type in which elements of this kind are computed with.
    pub fn ty(self) -> Ty {
        match self {
            Elem::Generic => Ty::Float,
            Elem::F32 | Elem::F16 | Elem::Bf16 => Ty::F32,
            Elem::F64 => Ty::F64,
            Elem::I64 => Ty::I64,
            Elem::I32 => Ty::I32,
            Elem::U32 => Ty::U32,
            Elem::U8 => Ty::U8,
            Elem::Bool => Ty::Bool,
        }
    }

    /// True for elements that can carry a gradient.
    pub fn is_float(self) -> bool {
        self.ty().is_float()
    }
}

impl Ty {
    /// True for the types that can carry a cotangent.
    pub fn is_float(self) -> bool {
        matches!(self, Ty::Float | Ty::F32 | Ty::F64)
    }

    /// True for the integer types.
    pub fn is_integer(self) -> bool {
        matches!(self, Ty::I64 | Ty::I32 | Ty::U32 | Ty::U8 | Ty::U64)
    }
}

/// A constant. Floats are held by their bits, so that NaN is equal to itself and -0 differs from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// Bits of an `f64`, rounded once to the node's type.
    Float(u64),
    /// An integer constant of the node's type.
    Int(i64),
    /// `true` or `false`.
    Bool(bool),
}

impl Literal {
    /// A float constant.
    pub fn float(value: f64) -> Self {
        Literal::Float(value.to_bits())
    }
}

/// Where a load reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A tensor parameter, by its position among the tensor parameters.
    Param(u32),
    /// The cotangent of an output, by the output's position. It has the output's axes and computing type.
    Cotangent(u32),
    /// A residual of the forward pass, by its position in [`super::Backward::saved`].
    Saved(u32),
    /// An intermediate array: first those of [`super::Backward::temps`], then those that the schedule made.
    Temp(u32),
}

/// One operation. The operands are in [`super::Node::args`], in the order given here.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A constant; no operands.
    Const(Literal),
    /// A scalar parameter, by position; no operands.
    Scalar(u32),
    /// The number of elements of an extent, `I64`; no operands.
    Size(ExtentId),
    /// The index along an axis, `I64`; no operands.
    Index(AxisId),
    /// One element of a tensor: an index (`I64`) for each declared axis, then, if `guarded`, a `Bool` under which alone
    /// it is executed and checked (else its value is 0).
    Load {
        /// The tensor.
        source: Source,
        /// True if the last operand is a guard.
        guarded: bool,
    },
    /// A reduction of the one operand over `axes`, which it binds. `ArgMax` and `ArgMin` give `I64`: the row-major
    /// position over `axes` in the order listed.
    Reduce {
        /// What is reduced.
        op: Reduction,
        /// The bound axes, in the user's order.
        axes: Vec<AxisId>,
    },
    /// A function of one operand.
    Unary(Unary),
    /// A function of two operands of one type (except [`Binary::Powi`]).
    Binary(Binary),
    /// `fma(a, b, c)` = `a * b + c` with one rounding: the user's own, never made by the compiler.
    Fma,
    /// `if condition { a } else { b }`; operands `condition, a, b`.
    Select,
    /// The user's `as`: Rust's `as` to the element (rounding to half if it is one), then widened to its computing type.
    Cast(Elem),
    /// Rust's `as` to a computing type, without the detour over a half element: sizes, indices and integer literals that
    /// meet a float, and the cotangents of casts.
    Convert(Ty),
    /// Derived code only: the sum of `coefficient[i] * args[i]`; coefficients are `f64` bits.
    Sum {
        /// One coefficient (`f64` bits) per operand.
        coefficients: Vec<u64>,
    },
    /// Derived code only: the product of `args[i]` to the power `powers[i]` (never 0).
    Product {
        /// One power per operand.
        powers: Vec<i32>,
    },
    /// The operand, without a cotangent.
    Stop,
    /// A random number; operands `seed` (`U64`) and `counter` (`I64`). It is a function of distribution, stream, seed and
    /// counter alone: whatever is written for the counter's axes gives the number that stands there.
    Random {
        /// How the numbers are distributed.
        distribution: Distribution,
        /// The textual call, so that two calls with one seed differ.
        stream: u32,
    },
}

/// Distributions of random numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Distribution {
    /// Uniform in `[0, 1)`.
    Uniform,
    /// Normal with mean 0 and variance 1.
    Normal,
}

/// Reductions that the schedule knows. `mean`, `var` and `logsumexp` are expanded before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the other variants are the reductions' own names")]
pub enum Reduction {
    Sum,
    Prod,
    Max,
    Min,
    ArgMax,
    ArgMin,
    Any,
    All,
    /// The sum of the squared differences from the mean; floats only. Made by the schedule, never by a user.
    SquaredDeviation,
}

/// Functions of one operand. `relu`, `recip`, `fract` and `clamp` are expanded before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the functions' own names")]
pub enum Unary {
    Neg,
    Not,
    Exp,
    Exp2,
    Ln,
    Log2,
    Log10,
    Log1p,
    Expm1,
    Sqrt,
    Rsqrt,
    Cbrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Sigmoid,
    Softplus,
    Erf,
    Erfc,
    Abs,
    Sign,
    Floor,
    Ceil,
    /// Half away from zero, as Rust's `round`.
    Round,
    Trunc,
    /// `Bool`.
    IsNan,
    /// `Bool`.
    IsFinite,
}

/// Functions of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the functions' own names")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// On integers truncated; division by zero and `MIN / -1` are run-time errors. An integer division inside a branch
    /// has a third operand, the `Bool` guard under which alone it is executed.
    Div,
    /// Rust's `%`; on integers guarded as `Div` is.
    Rem,
    Powf,
    /// The second operand is `I64`.
    Powi,
    Atan2,
    /// `x * ln(y)`, 0 where `x` is 0.
    Xlogy,
    /// NaN if either is.
    Max,
    /// NaN if either is.
    Min,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}
