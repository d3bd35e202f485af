//! The legal twins of `fail/edit`.

use tensor_rt::prelude::*;

tensor_fn! {
    /// y <- y + a x
    pub fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }
}

fn fill_of_tracked(w: &Tensor<Cpu, Grad>) -> Result<Tensor> {
    let mut w = w.detach();
    w.fill(0.0)?;
    Ok(w)
}

fn kernel_edits_tracked(w: &mut Param, g: &Tensor) -> Result<()> {
    axpy(w.value_mut(), g, -0.5)
}

fn operator_edits_tracked(w: &mut Param, g: &Tensor) {
    *w.value_mut() += g;
}

fn element_of_tracked(y: &Tensor<Cpu, Grad>) -> Result<Tensor> {
    let mut y = y.detach();
    y.set([1], 2.0)?;
    Ok(y)
}

fn writable_view_of_tracked(w: &mut Param) -> Result<()> {
    w.value_mut().view_mut()?.narrow(0, 0, 1)?.fill(0.0)
}

fn two_writable_parts(x: &mut Tensor) -> Result<()> {
    let mut view = x.view_mut()?;
    let (mut head, mut tail) = view.split_at_mut(0, 3)?;
    head.fill(1.0)?;
    tail.fill(2.0)
}

fn two_writable_views(x: &mut Tensor) -> Result<()> {
    x.view_mut()?.fill(1.0)?;
    x.view_mut()?.fill(2.0)
}

fn read_beside_writable_view(a: &mut Tensor) -> Result<()> {
    let head = a.narrow(0, 0, 3)?;
    a.view_mut()?.narrow(0, 1, 3)?.copy_from(&head)
}

fn writable_view_outlives_tensor() -> Result<Tensor> {
    let mut x = Tensor::zeros(&Cpu, [3])?;
    let mut view = x.view_mut()?;
    view.fill(1.0)?;
    Ok(x)
}

fn edit_through_shared_reference(x: &Tensor) -> Result<Tensor> {
    let mut own = x.clone();
    own.fill(1.0)?;
    Ok(own)
}

pub fn main() -> Result<()> {
    let mut x = Tensor::new(&Cpu, [0.0, 1.0, 2.0, 3.0])?;
    let tracked = x.clone().requires_grad();
    assert_eq!(fill_of_tracked(&tracked)?.to_vec()?, [0.0; 4]);
    assert_eq!(element_of_tracked(&tracked)?.to_vec()?, [0.0, 2.0, 2.0, 3.0]);
    assert_eq!(edit_through_shared_reference(&x)?.to_vec()?, [1.0; 4]);
    read_beside_writable_view(&mut x)?;
    assert_eq!(x.to_vec()?, [0.0, 0.0, 1.0, 2.0]);
    assert_eq!(tracked.to_vec()?, [0.0, 1.0, 2.0, 3.0]);
    two_writable_views(&mut x)?;
    two_writable_parts(&mut x)?;
    assert_eq!(x.to_vec()?, [1.0, 1.0, 1.0, 2.0]);
    let mut w = Param::new(x.clone());
    writable_view_of_tracked(&mut w)?;
    kernel_edits_tracked(&mut w, &x)?;
    operator_edits_tracked(&mut w, &x);
    assert_eq!(w.value().to_vec()?, [0.5, 1.5, 1.5, 3.0]);
    assert_eq!(writable_view_outlives_tensor()?.to_vec()?, [1.0; 3]);
    Ok(())
}
