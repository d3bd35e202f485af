//! In-place edits and autograd: what went wrong for users of other libraries (cases A1 to A23).
//!
//! Cases that do not compile here point at their compile-fail case; every one also has the legal form with its values.

use tensor_rt::prelude::*;
use tensor_rt_kernels::activation::sigmoid;
use tensor_rt_kernels::elementwise::masked_fill;
use tensor_rt_kernels::index::{scatter_add, slice_assign};
use tensor_rt_kernels::optimizer::{Optimizer, Sgd};
use tests::device::Read;
use tests::{assert_does_not_compile, assert_values};

tensor_fn! {
    fn logistic(x: &Tensor[..]) -> Tensor[..] { 1.0 / (1.0 + exp(-x)) }

    fn add(y: &mut Tensor[..], x: &Tensor[..]) { y += x; }

    fn scale(y: &mut Tensor[..], factor: float) { y *= factor; }

    fn divide(y: &mut Tensor[..], x: &Tensor[..]) { y /= x; }

    fn subtract_column(y: &mut Tensor[N, C], column: &Tensor[N, K]) { y -= column[N, 0]; }

    fn count_up(y: &mut Tensor<i64>[C], i: &Tensor<i64>[N], v: &Tensor<i64>[N]) { y[i] += v; }

    fn recur(h: &Tensor[..], w: &Tensor[]) -> Tensor[..] { tanh(w * h) }
}

fn case_a1_add_on_a_tracked_leaf<D: Device>(device: &D) -> Result<()> {
    assert_does_not_compile("edit/kernel_edits_tracked", "cannot be edited in place");
    // The legal form: a new value; the leaf is what it was.
    let w = Tensor::new(device, [1.0, 2.0])?.requires_grad();
    let sum = (&w + Tensor::new(device, [10.0, 10.0])?)?;
    assert_values(&sum, &[2], &[11.0, 12.0]);
    assert_values(&w, &[2], &[1.0, 2.0]);
    Ok(())
}

fn case_a3_overwritten_output_of_sigmoid<D: Device>(device: &D) -> Result<()> {
    for activation in [sigmoid, logistic] {
        let x = Tensor::new(device, [1.0, 2.0, 3.0])?.requires_grad();
        let y = slice_assign(&activation(&x)?, &Tensor::new(device, [2.0])?, 1)?;
        let loss = y.sum()?;
        assert_values(&loss, &[], &[3.6836327]);
        let gradients = loss.backward()?;
        assert_values(&gradients.get(&x).unwrap(), &[3], &[0.1966119, 0.0, 0.0451767]);
    }
    Ok(())
}

fn case_a5_add_on_an_expanded_tensor<D: Device>(device: &D) -> Result<()> {
    let base = Tensor::ones(device, [1, 1])?;
    let wide = base.broadcast_to([4, 5])?;
    assert_values(&(&wide + 1.0)?, &[4, 5], &[2.0; 20]);
    // In place: the repeated view becomes twenty elements of its own first.
    let mut wide = wide;
    add(&mut wide, &Tensor::ones(device, [4, 5])?)?;
    assert_values(&wide, &[4, 5], &[2.0; 20]);
    assert_values(&base, &[1, 1], &[1.0]);
    Ok(())
}

fn case_a7_tail_divided_by_head<D: Device>(device: &D) -> Result<()> {
    assert_does_not_compile("edit/read_beside_writable_view", "cannot borrow");
    let mut a = Tensor::new(device, [10.0, 11.0, 12.0, 13.0, 14.0, 13.0, 12.0, 11.0])?;
    let expected = [10.0, 1.1, 1.0909091, 1.0833333, 1.0769231, 0.9285714, 0.9230769, 0.9166667];
    let (head, tail) = (a.narrow(0, 0, 7)?, a.narrow(0, 1, 7)?);
    let joined = Tensor::cat(&[&a.narrow(0, 0, 1)?, &(&tail / &head)?], 0)?;
    assert_values(&joined, &[8], &expected);
    // In place: `head` is a value, so the edit of `a` is not seen through it.
    divide(&mut a.view_mut()?.narrow(0, 1, 7)?, &head)?;
    assert_values(&a, &[8], &expected);
    assert_values(&head, &[7], &[10.0, 11.0, 12.0, 13.0, 14.0, 13.0, 12.0]);
    Ok(())
}

fn case_a9_own_first_column_subtracted<D: Device>(device: &D) -> Result<()> {
    assert_does_not_compile("intent/shifted_read", "`x` is edited in place, and this reads another element of it");
    let mut a = Tensor::new(device, [[1.0, 2.0], [3.0, 5.0]])?;
    let column = a.narrow(1, 0, 1)?;
    subtract_column(&mut a, &column)?;
    assert_values(&a, &[2, 2], &[0.0, 1.0, 0.0, 2.0]);
    let mut a = Tensor::new(device, [[1.0, 2.0], [3.0, 5.0]])?;
    a -= &a.narrow(1, 0, 1)?.broadcast_to([2, 2])?;
    assert_values(&a, &[2, 2], &[0.0, 1.0, 0.0, 2.0]);
    Ok(())
}

fn case_a11_masked_fill_on_an_expanded_tensor<D: Device>(device: &D) -> Result<()> {
    let base = Tensor::new(device, [[0.0], [1.0]])?;
    let mut mask = vec![false; 8];
    mask[1] = true;
    let mask = Tensor::from_vec(device, mask, [2, 4])?;
    let filled = masked_fill(&base.broadcast_to([2, 4])?, &mask, 3.0)?;
    assert_values(&filled, &[2, 4], &[0.0, 3.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    assert_values(&base, &[2, 1], &[0.0, 1.0]);
    Ok(())
}

fn case_a13_updates_at_repeated_indices<D: Device>(device: &D) -> Result<()> {
    let i = Tensor::from_vec(device, vec![0_i64, 0, 2, 0], [1, 4])?;
    for _ in 0..100 {
        let v = Tensor::new(device, [[1.0, 2.0, 4.0, 8.0]])?.requires_grad();
        let y = scatter_add(&Tensor::zeros(device, [1, 3])?, &i, &v)?;
        assert_eq!(y.read()?, [11.0, 0.0, 4.0]);
        let gradients = y.sum()?.backward()?;
        assert_eq!(gradients.get(&v).unwrap().read()?, [1.0; 4]);

        let mut counts = Tensor::zeros_of::<i64>(device, [3])?;
        let v = Tensor::from_vec(device, vec![1_i64, 2, 4, 8], [4])?;
        count_up(&mut counts, &i.reshape([4])?, &v)?;
        assert_eq!(counts.read()?, [11, 0, 4]);
    }
    Ok(())
}

fn case_a15_rnn_hidden_state<D: Device>(device: &D) -> Result<()> {
    assert_does_not_compile("mode/edit_would_lose_the_gradient", "the edit would lose the gradient");
    let w = Tensor::full(device, [], 0.5)?.requires_grad();
    let h0 = Tensor::new(device, [1.0])?;
    let h1 = recur(&h0, &w)?;
    let h2 = recur(&h1, &w)?;
    // The buffer of all steps is made at the end, from their values.
    let steps = Tensor::stack(&[&h1, &h2], 0)?;
    let loss = steps.select(0, 1)?.sum()?;
    assert_values(&loss, &[], &[0.2270326]);
    assert_values(&loss.backward()?.get(&w).unwrap(), &[], &[0.8112535]);
    Ok(())
}

fn case_a17_one_entry_overwritten_by_a_tracked_value<D: Device>(device: &D) -> Result<()> {
    let t = Tensor::new(device, [1.0, 2.0, 3.0, 4.0])?.requires_grad();
    let v = Tensor::new(device, [5.0])?.requires_grad();
    let loss = slice_assign(&(&t * &t)?, &v, 0)?.sum()?;
    assert_values(&loss, &[], &[34.0]);
    let gradients = loss.backward()?;
    assert_values(&gradients.get(&t).unwrap(), &[4], &[0.0, 4.0, 6.0, 8.0]);
    assert_values(&gradients.get(&v).unwrap(), &[1], &[1.0]);
    Ok(())
}

fn case_a19_scaling_an_alias<D: Device>(device: &D) -> Result<()> {
    let a = Tensor::new(device, [[1.0, 2.0], [3.0, 4.0]])?;
    let mut b = a.clone();
    scale(&mut b, 2.0)?;
    assert_values(&a, &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    assert_values(&b, &[2, 2], &[2.0, 4.0, 6.0, 8.0]);
    Ok(())
}

fn case_a21_addition_to_an_expanded_tensor<D: Device>(device: &D) -> Result<()> {
    let base = Tensor::arange(device, 0.0, 3.0, 1.0)?;
    let sum = (base.broadcast_to([2, 3])? + 2.0)?;
    assert_values(&sum, &[2, 3], &[2.0, 3.0, 4.0, 2.0, 3.0, 4.0]);
    assert_values(&base, &[3], &[0.0, 1.0, 2.0]);
    Ok(())
}

fn case_a23_hand_written_update<D: Device>(device: &D) -> Result<()> {
    let mut p = Param::new(Tensor::new(device, [1.0, -2.0])?);
    let coefficients = Tensor::new(device, [0.5, 0.25])?;
    let gradients = (p.tracked() * &coefficients)?.sum()?.backward()?;
    assert_eq!(Sgd::new(0.1).step(&mut [&mut p], &gradients)?, 1);
    assert_values(p.value(), &[2], &[0.95, -2.025]);
    // Still a parameter, and the update has no history: the next gradient is that of the next loss alone.
    let gradients = (p.tracked() * &coefficients)?.sum()?.backward()?;
    assert_values(&gradients.get(&p).unwrap(), &[2], &[0.5, 0.25]);
    Ok(())
}

tests::on_each_device! {
    case_a1_add_on_a_tracked_leaf,
    case_a3_overwritten_output_of_sigmoid,
    case_a5_add_on_an_expanded_tensor,
    case_a7_tail_divided_by_head,
    case_a9_own_first_column_subtracted,
    case_a11_masked_fill_on_an_expanded_tensor,
    case_a13_updates_at_repeated_indices,
    case_a15_rnn_hidden_state,
    case_a17_one_entry_overwritten_by_a_tracked_value,
    case_a19_scaling_an_alias,
    case_a21_addition_to_an_expanded_tensor,
    case_a23_hand_written_update,
}
