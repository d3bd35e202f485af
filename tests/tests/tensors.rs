//! Tensors as values: constructors, copy on write, reads, and the errors of each.

#![expect(clippy::reversed_empty_ranges, reason = "one is refused")]

use tensor_rt::accounting::measure;
use tensor_rt::prelude::*;
use tensor_rt::{Error, ErrorKind};

#[test]
fn constructors_make_what_they_say() -> Result<()> {
    assert_eq!(Tensor::zeros(&Cpu, [2])?.to_vec()?, [0.0; 2]);
    assert_eq!(Tensor::ones_of::<bf16>(&Cpu, [2])?.to_vec()?, [bf16::ONE; 2]);
    assert!(Tensor::ones_of::<bool>(&Cpu, [])?.item()?);
    assert_eq!(Tensor::full(&Cpu, [1, 2], 2.5)?.to_vec()?, [2.5; 2]);
    assert_eq!(Tensor::eye(&Cpu, 2)?.to_vec()?, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(Tensor::arange(&Cpu, 0.0, 1.0, 0.25)?.to_vec()?, [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(Tensor::arange(&Cpu, 1.0, 0.0, 0.25)?.len(), 0);
    assert_eq!(Tensor::arange_of(&Cpu, 5i64, 0, -2)?.to_vec()?, [5, 3, 1]);
    assert_eq!(Tensor::arange_of(&Cpu, 0u8, 255, 100)?.to_vec()?, [0, 100, 200]);
    let x = Tensor::from_vec(&Cpu, vec![1i32, 2, 3, 4, 5, 6], [2, 3])?;
    assert_eq!(Tensor::zeros_like(&x)?.to_vec()?, [0; 6]);
    assert_eq!(Tensor::full_like(&x.transpose(0, 1)?, 7)?.shape(), &[3, 2]);
    Ok(())
}

#[test]
fn nested_data_may_be_arrays_slices_and_vectors() -> Result<()> {
    assert_eq!(Tensor::new(&Cpu, 3.0)?.shape(), &[0; 0]);
    assert_eq!(Tensor::new(&Cpu, [[[1.0], [2.0]]])?.shape(), &[1, 2, 1]);
    assert_eq!(Tensor::new(&Cpu, vec![vec![1.0, 2.0], vec![3.0, 4.0]])?.to_vec()?, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(Tensor::new(&Cpu, &[1.0, 2.0][..])?.shape(), &[2]);
    assert_eq!(Tensor::new(&Cpu, vec![[1.0; 3]; 2])?.shape(), &[2, 3]);
    assert_eq!(Tensor::new_of::<i64>(&Cpu, Vec::<Vec<i64>>::new())?.shape(), &[0, 0]);
    assert_eq!(Tensor::new(&Cpu, [[[[[[1.0]]]]]])?.rank(), 6);
    let ragged = Tensor::new(&Cpu, vec![vec![1.0], vec![1.0, 2.0]]).unwrap_err();
    assert!(matches!(ragged, Error::RaggedData { depth: 1, expected: 1, found: 2, .. }), "{ragged}");
    Ok(())
}

#[test]
fn random_numbers_depend_on_seed_and_position_alone() -> Result<()> {
    let long = Tensor::rand(&Cpu, [100_000], 7)?.to_vec()?;
    assert_eq!(Tensor::rand(&Cpu, [10, 5], 7)?.to_vec()?, long[..50]);
    assert_ne!(Tensor::rand(&Cpu, [50], 8)?.to_vec()?, long[..50]);
    assert!(long.iter().all(|number| (0.0..1.0).contains(number)));
    let mean = long.iter().map(|number| f64::from(*number)).sum::<f64>() / 1e5;
    // Six standard errors of the mean of 1e5 uniform numbers: 6 * 0.2887 / 316.
    assert!((mean - 0.5).abs() < 0.0055, "{mean}");
    let normal = Tensor::randn_of::<f64>(&Cpu, [100_000], 7)?.to_vec()?;
    let mean = normal.iter().sum::<f64>() / 1e5;
    let variance = normal.iter().map(|number| number * number).sum::<f64>() / 1e5;
    // Six standard errors: 6 / 316 for the mean, 6 * sqrt(2) / 316 for the variance.
    assert!(mean.abs() < 0.019 && (variance - 1.0).abs() < 0.027, "{mean} {variance}");
    assert!(Tensor::rand_of::<bf16>(&Cpu, [5000], 1)?.to_vec()?.iter().all(|number| f32::from(*number) < 1.0));
    assert!(Tensor::randn_of::<f16>(&Cpu, [5000], 1)?.to_vec()?.iter().all(|number| number.is_finite()));
    Ok(())
}

/// Case A19: an edit through one handle is seen by no other, and costs a copy only while storage is shared.
#[test]
fn edits_copy_on_write() -> Result<()> {
    let a = Tensor::new(&Cpu, [[1.0, 2.0], [3.0, 4.0]])?;
    let mut b = a.clone();
    let (edited, report) = measure(|| b.fill(9.0));
    edited?;
    assert_eq!((report.total().copies, report.total().copied_bytes), (1, 16));
    assert_eq!(a.to_vec()?, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(b.to_vec()?, [9.0; 4]);
    let (edited, report) = measure(|| b.set([0, 1], 5.0));
    edited?;
    assert_eq!(report.total().copies, 0);
    assert_eq!(b.to_vec()?, [9.0, 5.0, 9.0, 9.0]);
    Ok(())
}

/// Cases A5 and A21: elements that share an address are written one by one.
#[test]
fn broadcast_tensors_are_edited_as_what_they_show() -> Result<()> {
    let base = Tensor::new(&Cpu, [[0.0], [1.0]])?;
    let mut shared = base.broadcast_to([2, 4])?;
    // The only handle on its storage, so that nothing but the shared addresses asks for a copy.
    let mut alone = Tensor::new(&Cpu, [[0.0], [1.0]])?.broadcast_to([2, 4])?;
    for wide in [&mut shared, &mut alone] {
        wide.set([0, 1], 3.0)?;
        assert_eq!(wide.to_vec()?, [0.0, 3.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    }
    assert_eq!(base.to_vec()?, [0.0, 1.0]);
    Ok(())
}

/// Case A7, in the form that is legal: the head is a value of its own.
#[test]
fn tails_are_written_from_heads_by_value() -> Result<()> {
    let mut a = Tensor::new(&Cpu, [10.0, 11.0, 12.0])?;
    let head = a.narrow(0, 0, 2)?;
    a.view_mut()?.narrow(0, 1, 2)?.copy_from(&head)?;
    assert_eq!(a.to_vec()?, [10.0, 10.0, 11.0]);
    Ok(())
}

/// Case B7.
#[test]
fn whole_slices_change_nothing() -> Result<()> {
    let x = Tensor::arange(&Cpu, 0.0, 6.0, 1.0)?.reshape([1, 3, 2])?.permute([0, 2, 1])?;
    let y = x.slice((0..1, 0..2, 0..3))?;
    assert_eq!(y.to_vec()?, [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    assert_eq!(y.shape(), &[1, 2, 3]);
    Ok(())
}

/// Case B13.
#[test]
fn reversed_views_start_at_their_last_element() -> Result<()> {
    let x = Tensor::new(&Cpu, [1.0, 2.0, 3.0, 4.0])?.flip(0)?;
    assert_eq!(x.strides(), [-1]);
    assert_eq!(x.to_vec()?, [4.0, 3.0, 2.0, 1.0]);
    assert_eq!(x.slice(1..3)?.to_vec()?, [3.0, 2.0]);
    assert_eq!(x.to(&Cpu)?.to_host()?.to_vec()?, [4.0, 3.0, 2.0, 1.0]);
    Ok(())
}

/// Case C7.
#[test]
fn data_are_copied_from_slices() -> Result<()> {
    for length in [1, 100, 1_000_000] {
        let mut data = vec![0.0f32; length];
        let x = Tensor::from_slice(&Cpu, &data, [length])?;
        data[0] = -1.0;
        assert_eq!(x.get([0])?, 0.0);
    }
    Ok(())
}

/// Case C11.
#[test]
fn many_small_tensors_keep_their_data() -> Result<()> {
    let tensors: Vec<_> =
        (0..300).map(|i| Tensor::full(&Cpu, [i % 7 + 1, 64], i as f32)).collect::<Result<Vec<_>>>()?;
    for (i, tensor) in tensors.iter().enumerate() {
        assert_eq!(tensor.to_vec()?.iter().sum::<f32>(), (i * 64 * (i % 7 + 1)) as f32);
    }
    Ok(())
}

#[test]
fn only_what_must_copies_copies() -> Result<()> {
    let x = Tensor::arange(&Cpu, 0.0, 24.0, 1.0)?;
    let (views, report) = measure(|| -> Result<_> {
        let y = x
            .reshape([2, 3, 4])?
            .permute([2, 0, 1])?
            .narrow(0, 1, 2)?
            .flip(1)?
            .unsqueeze(0)?
            .broadcast_to([5, 2, 2, 3])?;
        Ok((y.select(0, 4)?, x.contiguous()?, x.to(&Cpu)?, x.detach(), x.chunk(0, 5)?, x.cast::<f32>()?))
    });
    let (y, ..) = views?;
    assert_eq!((report.total().copies, report.total().allocations), (0, 0));
    let (copies, report) = measure(|| -> Result<_> { Ok((y.contiguous()?, y.reshape([12])?)) });
    let line = line!() - 1;
    let (dense, flat) = copies?;
    assert_eq!(dense.to_vec()?, flat.to_vec()?);
    assert_eq!(report.at("tensors.rs", line).copies, 2);
    assert_eq!(report.total().copied_bytes, 2 * 12 * 4);
    assert_eq!(y.try_view([12]).unwrap_err().kind(), ErrorKind::NoSuchView);
    Ok(())
}

#[test]
fn large_copies_agree_with_small_ones() -> Result<()> {
    let (rows, columns) = (700, 513);
    let x = Tensor::arange_of(&Cpu, 0i64, (rows * columns) as i64, 1)?.reshape([rows, columns])?;
    let transposed = x.transpose(0, 1)?.to_vec()?;
    let reversed = x.flip(0)?.flip(1)?.to_vec()?;
    let repeated = x.unsqueeze(1)?.broadcast_to([rows, 3, columns])?.to_vec()?;
    for i in 0..rows {
        for j in 0..columns {
            let number = (i * columns + j) as i64;
            assert_eq!(transposed[j * rows + i], number);
            assert_eq!(reversed[(rows - 1 - i) * columns + columns - 1 - j], number);
            assert_eq!(repeated[(i * 3 + j % 3) * columns + j], number);
        }
    }
    {
        let bytes = x.to_element::<u8>()?.transpose(0, 1)?.to_vec()?;
        assert!(bytes.iter().zip(&transposed).all(|(byte, number)| *byte == *number as u8));
    }
    let half = x.to_element::<bool>()?.transpose(0, 1)?.to_vec()?;
    assert_eq!(half.iter().filter(|set| !**set).count(), 1);
    Ok(())
}

#[test]
fn conversions_are_those_of_as() -> Result<()> {
    let floats = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.5, 300.7, 0.0, 3e9];
    let x = Tensor::new(&Cpu, floats)?;
    assert_eq!(x.to_element::<u8>()?.to_vec()?, floats.map(|float| float as u8));
    assert_eq!(x.to_element::<i32>()?.to_vec()?, floats.map(|float| float as i32));
    assert_eq!(x.to_element::<u32>()?.to_vec()?, floats.map(|float| float as u32));
    assert_eq!(x.to_element::<i64>()?.to_vec()?, floats.map(|float| float as i64));
    assert_eq!(x.to_element::<bool>()?.to_vec()?, [true, true, true, true, true, false, true]);
    let integers = [-1i64, 256, i64::MAX, i64::MIN, (1 << 53) + 1];
    let x = Tensor::new_of(&Cpu, integers)?;
    assert_eq!(x.to_element::<u8>()?.to_vec()?, integers.map(|integer| integer as u8));
    assert_eq!(x.to_element::<i32>()?.to_vec()?, integers.map(|integer| integer as i32));
    assert_eq!(x.cast::<f32>()?.to_vec()?, integers.map(|integer| integer as f32));
    assert_eq!(x.cast::<f64>()?.to_vec()?, integers.map(|integer| integer as f64));
    // One rounding: f64 to f16 by way of f32 would give 1.
    let x = Tensor::new_of(&Cpu, [1.0 + 2f64.powi(-11) + 2f64.powi(-40)])?;
    assert_eq!(x.cast::<f16>()?.to_vec()?, [f16::from_f32(1.0 + 2f32.powi(-10))]);
    let large = Tensor::new_of(&Cpu, [(1i64 << 62) + (1 << 54) + 1, -(1 << 62) - (1 << 54), 65_519, 65_520])?;
    let above = bf16::from_f32(2f32.powi(62) * (1.0 + 2f32.powi(-7)));
    assert_eq!(large.cast::<bf16>()?.to_vec()?[..2], [above, bf16::from_f32(-2f32.powi(62))]);
    assert_eq!(large.cast::<f16>()?.to_vec()?[2..], [f16::MAX, f16::INFINITY]);
    // A strided input, and one of no elements.
    let x = Tensor::new(&Cpu, [[1.0, 2.0], [3.0, 4.0]])?.transpose(0, 1)?;
    assert_eq!(x.to_element::<i32>()?.to_vec()?, [1, 3, 2, 4]);
    assert_eq!(x.narrow(0, 1, 0)?.cast::<f64>()?.shape(), &[0, 2]);
    Ok(())
}

#[test]
fn joining_and_splitting_are_inverse() -> Result<()> {
    let x = Tensor::arange(&Cpu, 0.0, 10.0, 1.0)?.reshape([2, 5])?;
    let parts = x.split(1, &[2, 0, 3])?;
    assert_eq!(parts.iter().map(|part| part.shape()[1]).collect::<Vec<_>>(), [2, 0, 3]);
    assert_eq!(Tensor::cat(&parts.iter().collect::<Vec<_>>(), 1)?.to_vec()?, x.to_vec()?);
    assert_eq!(Tensor::stack(&[&x, &x], -1)?.shape(), &[2, 5, 2]);
    assert_eq!(x.chunk(-1, 2)?.iter().map(|part| part.shape()[1]).collect::<Vec<_>>(), [3, 2]);
    Ok(())
}

/// The error of each misuse names the operation and the line of the caller.
#[test]
fn misuse_is_an_error_with_a_place() -> Result<()> {
    let x = Tensor::arange(&Cpu, 0.0, 6.0, 1.0)?.reshape([2, 3])?;
    let y = Tensor::zeros(&Cpu, [3, 2])?;
    let mut z = x.clone();
    let kinds = |errors: &[Error]| -> Vec<ErrorKind> { errors.iter().map(Error::kind).collect() };
    #[rustfmt::skip]
    let errors = [
        x.reshape([4]).unwrap_err(),
        x.narrow(1, 2, 2).unwrap_err(),
        x.narrow(0, usize::MAX, 2).unwrap_err(),
        x.select(0, 2).unwrap_err(),
        x.select(2, 0).unwrap_err(),
        x.transpose(0, -3).unwrap_err(),
        x.permute([0, 0]).unwrap_err(),
        x.permute([0]).unwrap_err(),
        x.broadcast_to([2, 4]).unwrap_err(),
        x.broadcast_to([3]).unwrap_err(),
        x.squeeze(0).unwrap_err(),
        x.unsqueeze(3).unwrap_err(),
        x.slice((.., .., ..)).unwrap_err(),
        x.slice(tensor_rt::Slice::from(0..2).step_by(0)).unwrap_err(),
        x.slice(2..1).unwrap_err(),
        x.split(0, &[1, 2]).unwrap_err(),
        x.chunk(0, 0).unwrap_err(),
        Tensor::cat(&[&x, &y], 0).unwrap_err(),
        Tensor::<Cpu>::cat(&[], 0).unwrap_err(),
        Tensor::stack(&[&x, &y], 0).unwrap_err(),
        z.copy_from(&y).unwrap_err(),
        z.set([2, 0], 1.0).unwrap_err(),
        x.get([0]).unwrap_err(),
        x.get([0, 3]).unwrap_err(),
        x.item().unwrap_err(),
        x.transpose(0, 1)?.as_slice().unwrap_err(),
        Tensor::from_vec(&Cpu, vec![1.0f32], [2]).unwrap_err(),
        Tensor::arange(&Cpu, 0.0, 1.0, 0.0).unwrap_err(),
        Tensor::arange(&Cpu, 0.0, f32::INFINITY, 1.0).unwrap_err(),
        z.view_mut()?.split_at_mut(0, 3).unwrap_err(),
    ];
    let line = line!() - errors.len() as u32 - 1;
    use ErrorKind::*;
    assert_eq!(
        kinds(&errors),
        [
            ElementCount,
            RangeOutOfRange,
            RangeOutOfRange,
            IndexOutOfRange,
            AxisOutOfRange,
            AxisOutOfRange,
            DuplicateAxis,
            RankMismatch,
            Broadcast,
            Broadcast,
            ElementCount,
            AxisOutOfRange,
            RankMismatch,
            InvalidArgument,
            RangeOutOfRange,
            PartsMismatch,
            InvalidArgument,
            ShapeMismatch,
            NoTensors,
            ShapeMismatch,
            ShapeMismatch,
            IndexOutOfRange,
            RankMismatch,
            IndexOutOfRange,
            NotAScalar,
            NotContiguous,
            DataLength,
            InvalidArgument,
            InvalidArgument,
            RangeOutOfRange
        ]
    );
    for (number, error) in errors.iter().enumerate() {
        let at = error.origin().expect("an error of a call").at;
        assert!(at.file().ends_with("tensors.rs"), "{error}");
        assert_eq!(at.line(), line + number as u32, "{error}");
        assert!(error.to_string().ends_with(&at.to_string()), "{error}");
    }
    assert_eq!(z.to_vec()?, x.to_vec()?);
    Ok(())
}

#[test]
fn devices_that_cannot_be_used_are_errors() {
    let error = Cuda::<99>::open().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::DriverNotFound | ErrorKind::NoSuchDevice), "{error}");
    assert!(error.to_string().starts_with("cuda:99 is not available: "), "{error}");
}
