//! The legal twins of `fail/indexing`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn too_few_indices(x: &Tensor[N, K]) -> Tensor[N] { x[N, 0] }

    fn index_with_fraction(x: &Tensor[N]) -> Tensor[] { x[0] }

    fn index_below_zero(x: &Tensor[N]) -> Tensor[] { x[size(N) - 1] }

    fn slice(x: &Tensor[N]) -> Tensor[M = 2] { x[M] }

    fn rest_in_place_of_axis(x: &Tensor[.., K]) -> Tensor[..] { x[.., 0] }

    fn index_in_place_of_rest(x: &Tensor[N, K]) -> Tensor[K] { x[0, K] }

    fn index_of_let(x: &Tensor[N]) -> Tensor[N] {
        let e = exp(x[0]);
        x - e
    }

    fn index_of_expression(x: &Tensor[N]) -> Tensor[] { exp(x[0]) }

    fn index_of_scalar(x: &Tensor[N], a: float) -> Tensor[N] { x * a }

    fn unknown_tensor(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { x - y[N] }
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [[1.0, 2.0], [3.0, 4.0]])?;
    let v = Tensor::new(&Cpu, [0.0, 1.0, 2.0])?;
    assert_eq!(too_few_indices(&x)?.to_vec()?, [1.0, 3.0]);
    assert_eq!(index_below_zero(&v)?.item()?, 2.0);
    assert_eq!(slice(&v)?.to_vec()?, [0.0, 1.0]);
    assert_eq!(rest_in_place_of_axis(&x)?.to_vec()?, [1.0, 3.0]);
    assert_eq!(index_of_expression(&v)?.item()?, 1.0);
    Ok(())
}
