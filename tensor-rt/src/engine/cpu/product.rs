//! One product of two matrices, on the kernels of the `gemm` family.
//!
//! The crates of the two elements are used directly: the one above them compiles kernels for complex numbers too, which
//! take longer than the rest of a small program.

use gemm_common::Parallelism;

/// A matrix in memory: element 0, and the distance of neighbors along rows and columns, in elements.
#[derive(Clone, Copy)]
pub(super) struct Matrix<V> {
    pub pointer: *mut V,
    /// From a row to the next one.
    pub row: isize,
    /// From a column to the next one.
    pub column: isize,
}

/// An element that products are computed in.
pub(super) trait Factor: Copy {
    /// `target = lhs rhs` for `[rows, summed]` and `[summed, columns]`.
    ///
    /// # Safety
    /// The matrices hold initialised elements at the strides that they say, those of the target are distinct, and nothing
    /// else accesses the target or writes the others.
    unsafe fn multiply(sizes: Sizes, target: Matrix<Self>, lhs: Matrix<Self>, rhs: Matrix<Self>, threads: Parallelism);
}

/// The sizes of a product.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub rows: usize,
    pub columns: usize,
    pub summed: usize,
}

impl<V> Matrix<V> {
    fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
    }
}

/// `target = lhs rhs`.
///
/// # Safety
/// As [`Factor::multiply`].
pub(super) unsafe fn multiply<V: Factor>(
    sizes: Sizes,
    target: Matrix<V>,
    lhs: Matrix<V>,
    rhs: Matrix<V>,
    threads: Parallelism,
) {
    // The kernels write columns, so a target of rows is the transposed product.
    if target.column.abs() < target.row.abs() {
        let sizes = Sizes { rows: sizes.columns, columns: sizes.rows, ..sizes };
        // SAFETY: the caller's; the same elements.
        unsafe { V::multiply(sizes, target.transposed(), rhs.transposed(), lhs.transposed(), threads) };
    } else {
        // SAFETY: the caller's.
        unsafe { V::multiply(sizes, target, lhs, rhs, threads) };
    }
}

macro_rules! factor {
    ($element:ident, $kernels:ident) => {
        impl Factor for $element {
            unsafe fn multiply(
                sizes: Sizes,
                target: Matrix<Self>,
                lhs: Matrix<Self>,
                rhs: Matrix<Self>,
                threads: Parallelism,
            ) {
                let Sizes { rows, columns, summed } = sizes;
                let multiply = $kernels::gemm::$element::get_gemm_fn();
                // SAFETY: the caller's; the old elements of the target are not read.
                unsafe {
                    multiply(
                        rows,
                        columns,
                        summed,
                        target.pointer,
                        target.column,
                        target.row,
                        false,
                        lhs.pointer,
                        lhs.column,
                        lhs.row,
                        rhs.pointer,
                        rhs.column,
                        rhs.row,
                        0.0,
                        1.0,
                        false,
                        false,
                        false,
                        threads,
                    );
                }
            }
        }
    };
}

factor!(f32, gemm_f32);
factor!(f64, gemm_f64);
