//! Trap: views that share storage with the tensor they came from.

#![forbid(unsafe_code)]

use examples::trap;
use tensor_rt::prelude::*;

tensor_fn! {
    /// y <- y / x
    fn divide(y: &mut Tensor[N], x: &Tensor[N]) {
        y /= x;
    }

    /// y <- y + amount
    fn add(y: &mut Tensor[..], amount: float) {
        y += amount;
    }
}

fn main() -> Result<()> {
    trap::pytorch(
        "a = torch.tensor([10., 11., 12., 13.])\n\
         a[1:] /= a[:-1]                         # fails if the overlap is noticed, else reads what it has just written\n\
         b = torch.ones(1).expand(3); b += 1     # adds three times to one element, or fails\n\
         c = x.reshape(-1); c += 1               # edits x, or a copy of it: depends on the strides of x",
    );

    trap::here("A tensor is a value. Views share storage until one of them is edited; the edit copies first.");
    let mut a = Tensor::new(&Cpu, [10.0, 11.0, 12.0, 13.0])?;
    let head = a.narrow(0, 0, 3)?;
    divide(&mut a.view_mut()?.narrow(0, 1, 3)?, &head)?;
    println!("    a    = {a}");
    println!("    head = {head}");

    let one = Tensor::ones(&Cpu, [1])?;
    let mut three = one.broadcast_to([3])?;
    add(&mut three, 1.0)?;
    println!("    one = {one}, three = {three}");

    let x = Tensor::new(&Cpu, [[1.0, 2.0], [3.0, 4.0]])?;
    for x in [x.clone(), x.transpose(0, 1)?] {
        let mut flat = x.reshape([4])?;
        add(&mut flat, 1.0)?;
        println!("    flat = {flat}, x still has the elements {:?}", x.to_vec()?);
    }
    println!();

    trap::here("A writable view borrows its tensor, so the borrow checker knows about it. Two that overlap:");
    trap::refused(
        include_str!("../../../tests/ui/fail/edit/two_writable_parts.rs"),
        include_str!("../../../tests/ui/fail/edit/two_writable_parts.stderr"),
    );

    trap::here("The legal form splits one view into two that cannot overlap:");
    let mut x = Tensor::zeros(&Cpu, [6])?;
    {
        let mut view = x.view_mut()?;
        let (mut left, mut right) = view.split_at_mut(0, 2)?;
        add(&mut left, 1.0)?;
        add(&mut right, 2.0)?;
    }
    println!("    x = {x}");
    Ok(())
}
