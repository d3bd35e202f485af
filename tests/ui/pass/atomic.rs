//! The legal twins of `fail/atomic`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn add(acc: &atomic Tensor[N], x: &Tensor[N]) { acc += x; }

    fn edit(acc: &mut Tensor[N], x: &Tensor[N]) { acc += x; }
}

fn tracked_beside_atomic(acc: &AtomicTensor, x: &Tensor<Cpu, Grad>) -> Result<()> {
    add(acc, &x.detach())
}

fn tensor_in_place_of_atomic(acc: &mut Tensor, x: &Tensor) -> Result<()> {
    edit(acc, x)
}

fn atomic_in_place_of_tensor(acc: &AtomicTensor, x: &AtomicTensor) -> Result<()> {
    add(acc, &x.load()?)
}

fn two_elements(acc: &AtomicTensor<Cpu, f64>, x: &Tensor) -> Result<()> {
    add(acc, &x.cast::<f64>()?)
}

fn two_devices<D: Device>(acc: &AtomicTensor<D>, x: &Tensor) -> Result<()> {
    add(acc, &x.to(&acc.device())?)
}

fn clone_of_atomic(acc: &AtomicTensor) -> Result<AtomicTensor> {
    acc.load()?.into_atomic()
}

fn slice_of_atomic(acc: AtomicTensor) -> Result<Vec<f32>> {
    Ok(acc.into_tensor().as_slice()?.to_vec())
}

fn atomic_of_tracked(x: Tensor<Cpu, Grad>) -> Result<AtomicTensor> {
    x.detach().into_atomic()
}

fn tensor_after_it_was_made_atomic(x: Tensor) -> Result<Vec<f32>> {
    let _acc = x.clone().into_atomic()?;
    x.to_vec()
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [1.0, 2.0])?;
    let acc = atomic_of_tracked(x.clone().requires_grad())?;
    let twin = clone_of_atomic(&acc)?;
    tracked_beside_atomic(&acc, &x.clone().requires_grad())?;
    atomic_in_place_of_tensor(&acc, &acc)?;
    two_devices(&acc, &x)?;
    assert_eq!(slice_of_atomic(acc)?, [5.0, 10.0]);
    assert_eq!(slice_of_atomic(twin)?, [1.0, 2.0]);
    let wide = Tensor::zeros_of::<f64>(&Cpu, [2])?.into_atomic()?;
    two_elements(&wide, &x)?;
    assert_eq!(wide.into_tensor().to_vec()?, [1.0, 2.0]);
    let mut plain = x.clone();
    tensor_in_place_of_atomic(&mut plain, &x)?;
    assert_eq!(plain.to_vec()?, [2.0, 4.0]);
    assert_eq!(tensor_after_it_was_made_atomic(x)?, [1.0, 2.0]);
    Ok(())
}
