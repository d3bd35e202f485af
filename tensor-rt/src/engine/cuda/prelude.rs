//! The types and functions of CUDA C that the texts of kernels use.

/// All parts, each after those it uses. They come after the macros of a launch and the elements `Half` and `Brain`.
pub(super) const PRELUDE: &str = concat!(
    include_str!("prelude/element.cu"),
    include_str!("prelude/arithmetic.cu"),
    include_str!("prelude/function.cu"),
    include_str!("prelude/space.cu"),
    include_str!("prelude/fault.cu"),
    include_str!("prelude/gather.cu"),
    include_str!("prelude/scatter.cu"),
    include_str!("prelude/random.cu"),
    include_str!("prelude/fold.cu"),
    include_str!("prelude/row.cu"),
    include_str!("prelude/product.cu"),
);
