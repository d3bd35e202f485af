//! A kernel of an integration test, in a package that calls the runtime `tf`.

use tf::prelude::*;

tensor_fn! {
    fn halve(x: &Tensor[..]) -> Tensor[..] { x / 2 }
}

#[test]
fn kernels_of_a_test_file_run_beside_those_of_the_library() -> Result<()> {
    let x = Tensor::new(&Cpu, [1.0, 2.0])?.requires_grad();
    let y = halve(&renamed::affine(&x)?)?;
    assert_eq!(y.to_vec()?, [1.5, 2.5]);
    assert_eq!(y.sum()?.backward()?.get(&x).expect("it took part").to_vec()?, [1.0, 1.0]);
    assert_eq!(renamed::scale(&x, 3.0)?.to_vec()?, [3.0, 6.0]);
    Ok(())
}
