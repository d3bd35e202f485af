//! The legal twins of `fail/gradients`.

use tensor_rt::prelude::*;

tensor_fn! {
    #[no_grad]
    fn tracked_in_no_grad(x: &Tensor<NoGrad>[N]) -> Tensor[N] { x }

    fn tracked_beside_edit(y: &mut Tensor[N], x: &Tensor<NoGrad>[N]) { y += x; }

    fn tracked_beside_atomic(acc: &atomic Tensor[N], x: &Tensor<NoGrad>[N]) { acc += x; }

    fn tracked_integers(x: &Tensor<Grad>[N], i: &Tensor<NoGrad, i64>[M]) -> Tensor[M] { x[i] }

    fn mode_of_output(x: &Tensor<Grad>[N]) -> Tensor[N] { 3 * x }

    fn tracked_without_gradient(x: &Tensor<Grad>[N, C]) -> Tensor[N] { max[C](x) }

    fn tracked_behind_comparison(x: &Tensor<Grad>[N], y: &Tensor<NoGrad>[N]) -> Tensor[N] {
        if y > 0 { x } else { 0.0 }
    }

    #[no_grad]
    fn no_grad_with_argument(x: &Tensor[N]) -> Tensor[N] { x }
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [2.0])?.requires_grad();
    let i = Tensor::from_vec(&Cpu, vec![0_i64, 0], [2])?;
    assert_eq!(tracked_integers(&x, &i)?.to_vec()?, [2.0, 2.0]);
    let gradients = mode_of_output(&x)?.backward()?;
    assert_eq!(gradients.get(&x).expect("`x` took part").to_vec()?, [3.0]);
    Ok(())
}
