//! Elements: what a tensor holds, and the type in which it is computed with.
//!
//! An *element* is the type in memory; its *value* is the type in registers. `f16` and `bf16` are stored as such and
//! computed in `f32`; every other element is its own value. *Float* elements are those that can carry a gradient;
//! *compute* types are the two that arithmetic runs in, `f32` and `f64`.
//!
//! Invariants: every bit pattern that [`Element::narrow`] makes is valid, all elements are plain data without padding,
//! and `DTYPE` names the type one to one. All traits are sealed, so code may rely on that.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

pub use half::{bf16, f16};

use crate::isa::Isa;
use crate::math::{double, half as half_precision, random, single};

mod sealed {
    pub trait Sealed {}
}

/// An element type, as a run-time value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the element types' own names")]
pub enum DType {
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

impl DType {
    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            DType::F64 | DType::I64 => 8,
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::F16 | DType::Bf16 => 2,
            DType::U8 | DType::Bool => 1,
        }
    }

    /// True for the elements that can carry a gradient.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64 | DType::F16 | DType::Bf16)
    }

    /// The type in which elements of this kind are computed with.
    pub const fn compute(self) -> DType {
        match self {
            DType::F16 | DType::Bf16 => DType::F32,
            other => other,
        }
    }

    /// The type's name in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::F16 => "f16",
            DType::Bf16 => "bf16",
            DType::I64 => "i64",
            DType::I32 => "i32",
            DType::U32 => "u32",
            DType::U8 => "u8",
            DType::Bool => "bool",
        }
    }
}

impl Display for DType {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

/// An element of a tensor: `f32 f64 f16 bf16 i64 i32 u32 u8 bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type",
    label = "a tensor holds `f32`, `f64`, `f16`, `bf16`, `i64`, `i32`, `u32`, `u8` or `bool`"
)]
pub trait Element:
    sealed::Sealed + Copy + Send + Sync + Default + PartialEq + PartialOrd + Debug + Display + 'static
{
    /// The type, as a run-time value.
    const DTYPE: DType;
    /// What an element is until an error that its kernel raised is seen: NaN, or 0, or `false`.
    const POISON: Self;
    /// The number 1, or `true`.
    const ONE: Self;
    /// The type in which it is computed with.
    type Value: Element<Value = Self::Value>;
    /// The element as a value; exact.
    fn widen(self) -> Self::Value;
    /// The nearest element to a value; ties go to even.
    fn narrow(value: Self::Value) -> Self;
}

/// A float element: one that can carry a gradient.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float element",
    label = "expected `f32`, `f64`, `f16` or `bf16`",
    note = "convert a tensor with `t.cast::<f32>()?`; generic code bounds its element, `T: Float`"
)]
pub trait Float: Element<Value = <Self as Float>::Compute> {
    /// The type in which it is computed with.
    type Compute: Compute;
}

/// An integer element.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer element",
    label = "expected `i64`, `i32`, `u32` or `u8`"
)]
pub trait Integer: Element<Value = Self> {
    /// Rust's `/`; `None` for a division by zero or an overflow (`MIN / -1`).
    fn divide(self, divisor: Self) -> Option<Self>;
    /// Rust's `%`; `None` for a division by zero or an overflow.
    fn remainder(self, divisor: Self) -> Option<Self>;
    /// The value as `i64`; every element fits.
    fn to_i64(self) -> i64;
}

macro_rules! element {
    ($($element:ty, $dtype:ident, $poison:expr, $one:expr;)*) => {$(
        impl sealed::Sealed for $element {}
        impl Element for $element {
            const DTYPE: DType = DType::$dtype;
            const POISON: Self = $poison;
            const ONE: Self = $one;
            type Value = Self;
            #[inline(always)]
            fn widen(self) -> Self { self }
            #[inline(always)]
            fn narrow(value: Self) -> Self { value }
        }
    )*};
}

element! {
    f32, F32, f32::NAN, 1.0;
    f64, F64, f64::NAN, 1.0;
    i64, I64, 0, 1;
    i32, I32, 0, 1;
    u32, U32, 0, 1;
    u8, U8, 0, 1;
    bool, Bool, false, true;
}

impl sealed::Sealed for f16 {}
impl Element for f16 {
    const DTYPE: DType = DType::F16;
    const POISON: Self = f16::NAN;
    const ONE: Self = f16::ONE;
    type Value = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        half_precision::f16_to_f32(self)
    }
    #[inline(always)]
    fn narrow(value: f32) -> Self {
        half_precision::f32_to_f16(value)
    }
}

impl sealed::Sealed for bf16 {}
impl Element for bf16 {
    const DTYPE: DType = DType::Bf16;
    const POISON: Self = bf16::NAN;
    const ONE: Self = bf16::ONE;
    type Value = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        half_precision::bf16_to_f32(self)
    }
    #[inline(always)]
    fn narrow(value: f32) -> Self {
        half_precision::f32_to_bf16(value)
    }
}

#[diagnostic::do_not_recommend]
impl Float for f32 {
    type Compute = f32;
}
#[diagnostic::do_not_recommend]
impl Float for f64 {
    type Compute = f64;
}
#[diagnostic::do_not_recommend]
impl Float for f16 {
    type Compute = f32;
}
#[diagnostic::do_not_recommend]
impl Float for bf16 {
    type Compute = f32;
}

macro_rules! integer {
    ($($element:ty)*) => {$(
        impl Integer for $element {
            #[inline(always)]
            fn divide(self, divisor: Self) -> Option<Self> { self.checked_div(divisor) }
            #[inline(always)]
            fn remainder(self, divisor: Self) -> Option<Self> { self.checked_rem(divisor) }
            #[inline(always)]
            fn to_i64(self) -> i64 { self as i64 }
        }
    )*};
}

integer! { i64 i32 u32 u8 }

macro_rules! compute_trait {
    (
        casts { $($from:ident: $source:ty;)* }
        unary { $($(#[$unary_doc:meta])* $unary:ident;)* }
        binary { $($(#[$binary_doc:meta])* $binary:ident;)* }
    ) => {
        /// A type in which arithmetic runs: `f32` or `f64`.
        ///
        /// The functions are own implementations that vectorise: straight-line arithmetic and selects, correct for
        /// infinities, NaN, zeros and subnormals. `math` states their errors. Generated code calls them by path
        /// (`Compute::exp::<I>(x)`), so that the standard library's methods of the same names are not in the way.
        pub trait Compute:
            Element<Value = Self>
            + Float<Compute = Self>
            + Add<Output = Self>
            + Sub<Output = Self>
            + Mul<Output = Self>
            + Div<Output = Self>
            + Neg<Output = Self>
            + AddAssign
            + SubAssign
            + MulAssign
            + DivAssign
        {
            $(
                #[doc = concat!("Rust's `as` from `", stringify!($source), "`.")]
                fn $from(value: $source) -> Self;
            )*
            /// 1 for `true`, 0 for `false`.
            fn from_bool(value: bool) -> Self;
            /// Rust's `as f64`.
            fn to_f64(self) -> f64;
            /// Rust's `as f32`.
            fn to_f32(self) -> f32;
            /// Rust's `as i64`.
            fn to_i64(self) -> i64;
            /// Rust's `as i32`.
            fn to_i32(self) -> i32;
            /// Rust's `as u32`.
            fn to_u32(self) -> u32;
            /// Rust's `as u8`.
            fn to_u8(self) -> u8;
            /// True unless the value is 0; true for NaN.
            fn to_bool(self) -> bool;
            $($(#[$unary_doc])* fn $unary<I: Isa>(self) -> Self;)*
            $($(#[$binary_doc])* fn $binary<I: Isa>(self, other: Self) -> Self;)*
            /// `self` to an integer power, by squaring; `x^0` is 1.
            fn powi<I: Isa>(self, exponent: i64) -> Self;
            /// `self * factor + addend`, rounded once on every instruction set.
            fn fma(self, factor: Self, addend: Self) -> Self;
            /// The random number of a counter, uniform in `[0, 1)`; `math::random` says how it is made.
            fn uniform(seed: u64, stream: u32, counter: u64) -> Self;
            /// The random number of a counter, normal with mean 0 and variance 1.
            fn normal(seed: u64, stream: u32, counter: u64) -> Self;
            /// True for NaN.
            fn is_nan(self) -> bool;
            /// True unless infinite or NaN.
            fn is_finite(self) -> bool;
        }

        compute_trait! { @impl f32, single, uniform_single, normal_single, casts { $($from: $source;)* } unary { $($unary;)* } binary { $($binary;)* } }
        compute_trait! { @impl f64, double, uniform_double, normal_double, casts { $($from: $source;)* } unary { $($unary;)* } binary { $($binary;)* } }
    };
    (
        @impl $float:ident, $module:ident, $uniform:ident, $normal:ident,
        casts { $($from:ident: $source:ty;)* } unary { $($unary:ident;)* } binary { $($binary:ident;)* }
    ) => {
        impl Compute for $float {
            $(
                #[inline(always)]
                fn $from(value: $source) -> Self { value as $float }
            )*
            #[inline(always)]
            fn from_bool(value: bool) -> Self { if value { 1.0 } else { 0.0 } }
            #[inline(always)]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn to_f32(self) -> f32 { self as f32 }
            #[inline(always)]
            fn to_i64(self) -> i64 { self as i64 }
            #[inline(always)]
            fn to_i32(self) -> i32 { self as i32 }
            #[inline(always)]
            fn to_u32(self) -> u32 { self as u32 }
            #[inline(always)]
            fn to_u8(self) -> u8 { self as u8 }
            #[inline(always)]
            fn to_bool(self) -> bool { self != 0.0 }
            $(
                #[inline(always)]
                fn $unary<I: Isa>(self) -> Self { $module::$unary::<I>(self) }
            )*
            $(
                #[inline(always)]
                fn $binary<I: Isa>(self, other: Self) -> Self { $module::$binary::<I>(self, other) }
            )*
            #[inline(always)]
            fn powi<I: Isa>(self, exponent: i64) -> Self { $module::powi::<I>(self, exponent) }
            #[inline(always)]
            fn fma(self, factor: Self, addend: Self) -> Self { self.mul_add(factor, addend) }
            #[inline(always)]
            fn uniform(seed: u64, stream: u32, counter: u64) -> Self { random::$uniform(seed, stream, counter) }
            #[inline(always)]
            fn normal(seed: u64, stream: u32, counter: u64) -> Self { random::$normal(seed, stream, counter) }
            #[inline(always)]
            fn is_nan(self) -> bool { self != self }
            #[inline(always)]
            fn is_finite(self) -> bool { self.abs() < $float::INFINITY }
        }
    };
}

compute_trait! {
    casts {
        from_f64: f64;
        from_f32: f32;
        from_i64: i64;
        from_i32: i32;
        from_u32: u32;
        from_u8: u8;
        from_u64: u64;
    }
    unary {
        /// `e^x`.
        exp;
        /// `2^x`.
        exp2;
        /// Natural logarithm.
        ln;
        /// Logarithm to base 2.
        log2;
        /// Logarithm to base 10.
        log10;
        /// `ln(1 + x)`, accurate near 0.
        log1p;
        /// `e^x - 1`, accurate near 0.
        expm1;
        /// Square root.
        sqrt;
        /// `1 / sqrt(x)`.
        rsqrt;
        /// Cube root.
        cbrt;
        /// Sine.
        sin;
        /// Cosine.
        cos;
        /// Tangent.
        tan;
        /// Arc sine.
        asin;
        /// Arc cosine.
        acos;
        /// Arc tangent.
        atan;
        /// Hyperbolic sine.
        sinh;
        /// Hyperbolic cosine.
        cosh;
        /// Hyperbolic tangent.
        tanh;
        /// `1 / (1 + e^-x)`.
        sigmoid;
        /// `ln(1 + e^x)`, without overflow.
        softplus;
        /// Error function.
        erf;
        /// `1 - erf(x)`, accurate in the tail.
        erfc;
        /// Absolute value.
        abs;
        /// -1, 0 or 1 (a zero keeps its sign); NaN for NaN.
        sign;
        /// Largest integer not above.
        floor;
        /// Smallest integer not below.
        ceil;
        /// Nearest integer; halves go away from zero, as Rust's `round`.
        round;
        /// Integer part.
        trunc;
    }
    binary {
        /// `self^y`; IEEE's special cases (`x^0` and `1^y` are 1).
        powf;
        /// The angle of the point `(other, self)`.
        atan2;
        /// `self * ln(other)`, 0 where `self` is 0 and `other` is not NaN.
        xlogy;
        /// Rust's `%`: the sign of `self`.
        rem;
        /// The larger; NaN if either is.
        nan_max;
        /// The smaller; NaN if either is.
        nan_min;
    }
}
