//! The legal twins of `fail/intent`.

use tensor_rt::prelude::*;

tensor_fn! {
    fn edit_of_shared_tensor(y: &mut Tensor[N], x: &Tensor[N]) { y += x; }

    fn edit_of_scalar(x: &Tensor[N], a: float) -> Tensor[N] {
        let a = 2.0 * a;
        a * x
    }

    fn edit_of_let(x: &Tensor[N]) -> Tensor[N] {
        let e = exp(x);
        let e = e + 1;
        e
    }

    fn edit_of_expression(y: &mut Tensor[N]) { y = y + 1; }

    fn edit_within_expression(y: &mut Tensor[N]) -> Tensor[N] {
        y = 1.0;
        2 * y
    }

    fn edit_with_bits(y: &mut Tensor<i64>[N]) { y %= 2; }

    fn edit_to_another_element(y: &mut Tensor<i64>[N]) { y = 0.5 as i64; }

    fn edit_brings_in_an_axis(y: &mut Tensor[N], x: &Tensor[N, M]) { y += sum[M](x); }

    fn condition_brings_in_an_axis(y: &mut Tensor[N], x: &Tensor[M]) {
        if any[M](x > 0) { y = 1; }
    }

    fn never_edited(y: &mut Tensor[N], x: &Tensor[N]) -> Tensor[N] {
        y = x;
        2 * x
    }

    fn kernel_without_effect(x: &Tensor[N]) -> Tensor[N] { x }

    fn shifted_read(x: &Tensor[C]) -> Tensor[C] {
        if C > 0 { x[C - 1] } else { 0.0 }
    }

    fn transposed_read(x: &Tensor[N, C = N]) -> Tensor[N, C] { x[C, N] }

    fn product_with_itself(w: &Tensor[M, N], b: &Tensor[N, K = N]) -> Tensor[M, N] { sum[K](w[M, K] * b[K, N]) }

    fn softmax_in_place(x: &mut Tensor[N, C]) {
        let e = exp(x - max[C](x));
        x = e / sum[C](e);
    }

    fn edited_while_broadcast(b: &mut Tensor[C], x: &Tensor[N, C]) -> Tensor[N, C] {
        let old = b;
        b = b + 1;
        x + old
    }

    fn edits_that_need_each_other(a: &mut Tensor[N], b: &mut Tensor[N]) {
        let old = a;
        a = b;
        b = old;
    }

    fn row_that_an_edit_needs(a: &mut Tensor[N], b: &mut Tensor[N, M]) {
        let old = a;
        a = sum[M](b);
        b = b * old;
    }

    fn another_element_after_edit(y: &mut Tensor[N]) -> Tensor[N] {
        y = 2 * y;
        y
    }

    fn assignment_at_computed_index(y: &mut Tensor[B], i: &Tensor<i64>[N]) { y[i] += 1; }

    fn scatter_brings_in_an_axis(y: &mut Tensor[B], i: &Tensor<i64>[N], x: &Tensor[N, M]) { y[i] += sum[M](x); }

    fn assignment_to_atomic(acc: &atomic Tensor<i64>[B], bin: &Tensor<i64>[N]) { acc[bin] += 1; }

    fn multiplication_of_atomic(acc: &mut Tensor[N], x: &Tensor[N]) { acc *= x; }

    fn read_of_atomic(acc: &atomic Tensor[N], copy: &Tensor[N], x: &Tensor[N]) { acc += x - copy; }

    fn atomic_as_output(acc: &atomic Tensor[N], x: &Tensor[N]) -> Tensor[N] {
        acc += x;
        2 * x
    }

    fn atomic_without_accumulation(acc: &atomic Tensor[N], x: &Tensor[N]) { acc = min(2 * x, acc); }

    fn atomic_in_two_ways(total: &atomic Tensor[N], highest: &atomic Tensor[N], x: &Tensor[N]) {
        total += x;
        total -= 1;
        highest = max(highest, x);
    }

    fn edit_of_donated(x: Tensor[N]) -> Tensor[N] {
        let x = 2 * x;
        x
    }
}

pub fn main() -> Result<()> {
    let v = Tensor::new(&Cpu, [1.0, 2.0])?;
    let mut y = Tensor::zeros(&Cpu, [2])?;
    edit_of_shared_tensor(&mut y, &v)?;
    assert_eq!(y.to_vec()?, [1.0, 2.0]);
    edit_of_expression(&mut y)?;
    edits_that_need_each_other(&mut y, &mut v.clone())?;
    assert_eq!(y.to_vec()?, [1.0, 2.0]);
    assert_eq!(another_element_after_edit(&mut y)?.to_vec()?, [2.0, 4.0]);
    assert_eq!(y.to_vec()?, [2.0, 4.0]);
    let i = Tensor::from_vec(&Cpu, vec![1_i64, 1, 0], [3])?;
    assignment_at_computed_index(&mut y, &i)?;
    assert_eq!(y.to_vec()?, [3.0, 6.0]);
    condition_brings_in_an_axis(&mut y, &v)?;
    assert_eq!(y.to_vec()?, [1.0, 1.0]);
    let x = Tensor::new(&Cpu, [[1.0, 2.0], [3.0, 4.0]])?;
    assert_eq!(transposed_read(&x)?.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(edited_while_broadcast(&mut y, &x)?.to_vec()?, [2.0, 3.0, 4.0, 5.0]);
    assert_eq!(y.to_vec()?, [2.0, 2.0]);
    let mut scaled = x.clone();
    row_that_an_edit_needs(&mut y, &mut scaled)?;
    assert_eq!(y.to_vec()?, [3.0, 7.0]);
    assert_eq!(scaled.to_vec()?, [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(edit_of_donated(v.clone())?.to_vec()?, [2.0, 4.0]);
    let (total, highest) = (v.clone().into_atomic()?, v.clone().into_atomic()?);
    read_of_atomic(&total, &total.load()?, &v)?;
    atomic_in_two_ways(&total, &highest, &Tensor::new(&Cpu, [5.0, -5.0])?)?;
    assert_eq!((total.load()?.to_vec()?, highest.load()?.to_vec()?), (vec![5.0, -4.0], vec![5.0, 2.0]));
    let mut x = Tensor::zeros(&Cpu, [2, 2])?;
    softmax_in_place(&mut x)?;
    assert_eq!(x.to_vec()?, [0.5; 4]);
    Ok(())
}
