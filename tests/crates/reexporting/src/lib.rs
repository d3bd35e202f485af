//! Kernels in a crate without a dependency on the runtime: it has it from another crate, and says so.

use renamed::tf::prelude::*;

tensor_fn! {
    crate = renamed::tf;

    /// y = x - 1
    pub fn predecessor(x: &Tensor[..]) -> Tensor[..] { x - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_finds_the_runtime_where_the_block_says() -> Result<()> {
        let x = Tensor::new(&Cpu, [1.0, 2.0])?.requires_grad();
        let y = predecessor(&renamed::affine(&x)?)?;
        assert_eq!(y.to_vec()?, [2.0, 4.0]);
        assert_eq!(y.sum()?.backward()?.get(&x).expect("it took part").to_vec()?, [2.0, 2.0]);
        Ok(())
    }
}
