//! Kernels in a library that calls the runtime `tf`, and passes it on.

#![deny(missing_docs, warnings, unused_must_use)]

pub use tf;
use tf::prelude::*;

tensor_fn! {
    /// y = 2 x + 1, for every float element.
    #[must_use]
    pub fn affine<T: Float>(x: &Tensor<T>[..]) -> Tensor<T>[..] { 2 * x + 1 }

    /// y = a x, if the feature is on.
    #[cfg(feature = "scaling")]
    pub fn scale(x: &Tensor[..], a: float) -> Tensor[..] { a * x }

    /// Never there.
    #[cfg(not(feature = "scaling"))]
    pub fn scale(x: &Tensor[..], b: float, c: float) -> Tensor[..] { b * c * x }
}

#[cfg(test)]
mod tests {
    use super::*;

    tensor_fn! {
        fn local(x: &Tensor[N]) -> Tensor[] { sum[N](x) }
    }

    #[test]
    fn kernels_of_the_library_and_of_its_tests_run() -> Result<()> {
        assert_eq!(local(&affine(&Tensor::new(&Cpu, [1.0, 2.0])?)?)?.item()?, 8.0);
        Ok(())
    }
}
