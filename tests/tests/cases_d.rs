//! Sizes and launches: what went wrong for users of other libraries (cases D11, D15, D17; D1 and D3 are in `memory.rs`).

use tensor_rt::prelude::*;

tensor_fn! {
    fn gather(x: &Tensor<u8>[N, C], row: &Tensor<i64>[I], column: &Tensor<i64>[I]) -> Tensor<u8>[I] { x[row, column] }

    fn filled(like: &Tensor[..], value: float) -> Tensor[..] { value + 0 * like }

    fn sum_of_two(y: &mut Tensor[N], a: &Tensor[N], b: &Tensor[N]) { y = a + b; }
}

/// Offsets of 2^31 elements and beyond: 2.3 GB of bytes, of which the kernel touches two.
#[test]
fn case_d11_offsets_beyond_32_bits() -> Result<()> {
    const SHAPE: [usize; 2] = [262_144, 8960];
    let mut x = Tensor::zeros_of::<u8>(&Cpu, SHAPE)?;
    let elements = x.as_mut_slice()?;
    (elements[(1 << 31) - 1], elements[1 << 31]) = (7, 9);
    let rows = Tensor::from_vec(&Cpu, vec![239_674_i64; 2], [2])?;
    let columns = Tensor::from_vec(&Cpu, vec![4607_i64, 4608], [2])?;
    assert_eq!(gather(&x, &rows, &columns)?.to_vec()?, [7, 9]);
    // Views carry the offset too.
    assert_eq!(x.select(0, 239_674)?.narrow(0, 4607, 2)?.to_vec()?, [7, 9]);
    Ok(())
}

/// Offsets alone: a view whose every element is the same one, with more of them than 32 bits count.
#[test]
fn case_d11_indices_beyond_32_bits() -> Result<()> {
    let x = Tensor::full_of(&Cpu, [1, 1], 5_u8)?.broadcast_to([1 << 33, 1 << 20])?;
    let rows = Tensor::from_vec(&Cpu, vec![(1_i64 << 33) - 1, 1 << 32], [2])?;
    let columns = Tensor::from_vec(&Cpu, vec![(1_i64 << 20) - 1, 0], [2])?;
    assert_eq!(gather(&x, &rows, &columns)?.to_vec()?, [5, 5]);
    let error = gather(&x, &Tensor::from_vec(&Cpu, vec![0, 1_i64 << 33], [2])?, &columns).unwrap_err();
    assert!(error.to_string().contains(&format!("index {} is out of range", 1_u64 << 33)), "{error}");
    Ok(())
}

#[test]
fn case_d15_a_launch_of_nothing() -> Result<()> {
    let nothing = filled(&Tensor::zeros(&Cpu, [0, 0])?, 0.0)?;
    assert_eq!(nothing.shape(), &[0, 0]);
    assert_eq!((Tensor::new(&Cpu, [1.0, 2.0])? + Tensor::new(&Cpu, [3.0, 4.0])?)?.to_vec()?, [4.0, 6.0]);
    Ok(())
}

/// Four elements in the middle of an allocation: a vectorised loop must leave the others as they were.
#[test]
fn case_d17_a_launch_wider_than_the_data() -> Result<()> {
    let (a, b) = (Tensor::new(&Cpu, [0.0, 1.0, 2.0, 3.0])?, Tensor::new(&Cpu, [4.0, 5.0, 6.0, 7.0])?);
    let mut around = Tensor::full(&Cpu, [64], -1.0)?;
    {
        let mut whole = around.view_mut()?;
        let (_, mut rest) = whole.split_at_mut(0, 29)?;
        let (mut four, _) = rest.split_at_mut(0, 4)?;
        sum_of_two(&mut four, &a, &b)?;
    }
    let expected: Vec<f32> =
        (0..64).map(|i| if (29..33).contains(&i) { 4.0 + 2.0 * (i - 29) as f32 } else { -1.0 }).collect();
    assert_eq!(around.to_vec()?, expected);
    Ok(())
}
