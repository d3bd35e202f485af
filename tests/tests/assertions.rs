//! `assert!` in kernels: a typed error with the index of the lowest element where it does not hold.

use tensor_rt::prelude::*;
use tensor_rt::{DeviceId, Error, ErrorKind};
use tests::device::{Read, failure};

tensor_fn! {
    fn checked_root(x: &Tensor[.., C]) -> Tensor[.., C] {
        assert!(x >= 0.0, "the root of a negative number");
        sqrt(x)
    }

    fn checked_lookup(table: &Tensor[V, C], ids: &Tensor<i64>[N]) -> Tensor[N, C] {
        assert!(ids >= 0 && ids < size(V), "token outside the vocabulary");
        table[ids, C]
    }

    fn normalised(x: &Tensor[N, C]) -> Tensor[C, N] {
        let s = sum[C](x);
        assert!(s != 0.0, "a row without weight");
        x / s
    }

    fn logarithms_where(x: &Tensor[N, C], mask: &Tensor<bool>[N, C]) -> Tensor[N] {
        sum[C](if mask { assert!(x > 0.0, "the logarithm of no positive number"); ln(x) } else { 0.0 })
    }

    fn column_logarithms(x: &Tensor[N, C]) -> Tensor[C] {
        sum[N]({ assert!(x > 0.0, "the logarithm of no positive number"); ln(x) })
    }

    fn product(a: &Tensor[M, K], b: &Tensor[K, N]) -> Tensor[M, N] {
        let c = sum[K]({ assert!(is_finite(a), "an operand that is not finite"); a * b });
        assert!(c < 100.0, "a product that is too large");
        c
    }

    fn withdraw(balance: &mut Tensor[N], amount: &Tensor[N]) {
        balance -= amount;
        assert!(balance >= 0.0, "an overdrawn account");
    }

    fn in_order(low: &Tensor[N], high: &Tensor[N]) -> Tensor[N] {
        assert!(low <= high, "first");
        assert!(high <= 9.0, "second");
        high - low
    }

    fn of_scalars(x: &Tensor[N], p: float) -> Tensor[N] {
        assert!(0.0 <= p && p <= 1.0, "a probability");
        p * x
    }

    #[no_grad]
    fn rounded(x: &Tensor[N]) -> Tensor<i64>[N] {
        assert!(x < 9e18, "too large for an integer");
        x as i64
    }
}

/// Text and position of an assertion that failed.
fn failed<D: Device, T>(device: &D, result: Result<T>) -> (&'static str, Vec<usize>) {
    match failure(device, result) {
        Error::Assertion { text, position, .. } => (text, position.to_vec()),
        other => panic!("{other}"),
    }
}

fn matrix<D: Device, const N: usize, const C: usize>(device: &D, values: [[f32; C]; N]) -> Result<Tensor<D>> {
    Tensor::new(device, values)
}

fn the_error_names_kernel_text_element_and_caller<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::new(device, [[[1.0, 4.0]], [[9.0, -1.0]]])?;
    let line = line!() + 1;
    let result = checked_root(&x);
    let error = failure(device, result);
    assert_eq!(error.kind(), ErrorKind::Assertion);
    let expected = format!("checked_root: the root of a negative number (element [1, 0, 1]), at {}:{line}:18", file!());
    assert_eq!(error.to_string(), expected);
    assert_eq!(checked_root(&Tensor::new(device, [1.0, 4.0])?)?.read()?, [1.0, 2.0]);
    assert_eq!(failed(device, checked_root(&Tensor::new(device, [-1.0])?)), ("the root of a negative number", vec![0]));
    Ok(())
}

fn an_assertion_speaks_before_the_index_that_it_is_about<D: Device>(device: &D) -> Result<()> {
    let table = Tensor::zeros(device, [3, 2])?;
    for (ids, place) in [([0_i64, 1, 3], 2), ([0, -1, 7], 1)] {
        let ids = Tensor::from_vec(device, ids.to_vec(), [3])?;
        assert_eq!(failed(device, checked_lookup(&table, &ids)), ("token outside the vocabulary", vec![place]));
    }
    Ok(())
}

fn positions_have_the_axes_of_the_condition<D: Device>(device: &D) -> Result<()> {
    assert_eq!(
        failed(device, normalised(&matrix(device, [[1.0, 2.0], [1.0, -1.0]])?)),
        ("a row without weight", vec![1])
    );
    let x = matrix(device, [[1.0, -2.0, 3.0], [0.0, 5.0, 6.0]])?;
    // The result has one axis, `C`; the index is that of the tensor.
    let (_, position) = failed(device, column_logarithms(&x));
    // Elsewhere the columns are looked at together, and the first of them speaks.
    assert_eq!(position, if D::ID == DeviceId::Cpu { [0, 1] } else { [1, 0] });
    Ok(())
}

fn an_untaken_branch_is_not_checked<D: Device>(device: &D) -> Result<()> {
    let x = matrix(device, [[1.0, -2.0], [-1.0, 1.0]])?;
    let mask = |values: [bool; 4]| Tensor::from_vec(device, values.to_vec(), [2, 2]);
    assert_eq!(logarithms_where(&x, &mask([true, false, false, true])?)?.read()?, [0.0, 0.0]);
    let error = failed(device, logarithms_where(&x, &mask([true, false, true, true])?));
    assert_eq!(error, ("the logarithm of no positive number", vec![1, 0]));
    Ok(())
}

fn assertions_stand_in_products_and_beside_their_results<D: Device>(device: &D) -> Result<()> {
    let (a, b) = (matrix(device, [[1.0, 2.0], [3.0, 4.0]])?, matrix(device, [[1.0], [1.0]])?);
    assert_eq!(product(&a, &b)?.read()?, [3.0, 7.0]);
    assert_eq!(failed(device, product(&(&a * 20.0)?, &b)), ("a product that is too large", vec![1, 0]));
    let infinite = matrix(device, [[1.0, 2.0], [3.0, f32::INFINITY]])?;
    assert_eq!(failed(device, product(&infinite, &b)), ("an operand that is not finite", vec![1, 1]));
    Ok(())
}

fn an_edit_is_checked_for_its_new_value<D: Device>(device: &D) -> Result<()> {
    let mut balance = Tensor::new(device, [3.0, 2.0, 1.0])?;
    withdraw(&mut balance, &Tensor::new(device, [1.0, 1.0, 1.0])?)?;
    assert_eq!(balance.read()?, [2.0, 1.0, 0.0]);
    let error = failed(device, withdraw(&mut balance, &Tensor::new(device, [1.0, 2.0, 1.0])?));
    assert_eq!(error, ("an overdrawn account", vec![1]));
    Ok(())
}

fn the_lowest_element_is_reported_and_of_one_element_the_first_assertion<D: Device>(device: &D) -> Result<()> {
    let low = Tensor::new(device, [0.0, 0.0, 11.0])?;
    assert_eq!(failed(device, in_order(&low, &Tensor::new(device, [1.0, 10.0, 10.0])?)), ("second", vec![1]));
    assert_eq!(failed(device, in_order(&low, &Tensor::new(device, [1.0, 1.0, 10.0])?)), ("first", vec![2]));
    Ok(())
}

fn the_lowest_element_is_the_same_for_any_number_of_threads<D: Device>(device: &D) -> Result<()> {
    let mut values = vec![1.0_f32; 1 << 20];
    let lowest = 700_001;
    for place in [lowest, lowest + 1, 900_000, (1 << 20) - 1] {
        values[place] = -1.0;
    }
    let flat = Tensor::from_vec(device, values, [1 << 10, 1 << 10])?;
    let rows = vec![lowest >> 10, lowest & 1023];
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| -> Result<()> {
            assert_eq!(failed(device, checked_root(&flat)).1, rows, "{threads} threads");
            assert_eq!(failed(device, checked_root(&flat.transpose(0, 1)?.transpose(0, 1)?)).1, rows);
            let mask = Tensor::full_of(device, [1 << 10, 1 << 10], true)?;
            assert_eq!(failed(device, logarithms_where(&flat, &mask)).1, rows, "{threads} threads");
            Ok(())
        })?;
    }
    Ok(())
}

fn an_assertion_about_scalars_has_no_position<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::ones(device, [3])?;
    assert_eq!(failed(device, of_scalars(&x, 1.5)), ("a probability", vec![]));
    assert_eq!(of_scalars(&x, 0.5)?.read()?, [0.5; 3]);
    assert_eq!(failed(device, rounded(&Tensor::full(device, [1], 1e30)?)), ("too large for an integer", vec![0]));
    Ok(())
}

fn an_empty_result_is_not_checked<D: Device>(device: &D) -> Result<()> {
    assert_eq!(of_scalars(&Tensor::zeros(device, [0])?, 1.5)?.shape(), &[0]);
    // Rows without weight, if there were elements to write.
    assert_eq!(normalised(&Tensor::zeros(device, [3, 0])?)?.shape(), &[0, 3]);
    // The body of a reduction over nothing is not reached.
    assert_eq!(product(&Tensor::full(device, [2, 0], f32::NAN)?, &Tensor::ones(device, [0, 1])?)?.read()?, [0.0; 2]);
    Ok(())
}

fn tracked_kernels_are_checked_in_the_forward_pass<D: Device>(device: &D) -> Result<()> {
    let x = matrix(device, [[1.0, 4.0], [9.0, 16.0]])?.requires_grad();
    let y = checked_root(&x)?;
    let dx = y.sum()?.backward()?.get(&x).expect("x took part");
    assert_eq!(dx.read()?, [0.5, 0.25, 1.0 / 6.0, 0.125]);
    assert_eq!(failed(device, checked_root(&(&x - 3.0)?)).1, [0, 0]);
    Ok(())
}

tests::on_each_device! {
    the_error_names_kernel_text_element_and_caller,
    an_assertion_speaks_before_the_index_that_it_is_about,
    positions_have_the_axes_of_the_condition,
    an_untaken_branch_is_not_checked,
    assertions_stand_in_products_and_beside_their_results,
    an_edit_is_checked_for_its_new_value,
    the_lowest_element_is_reported_and_of_one_element_the_first_assertion,
    the_lowest_element_is_the_same_for_any_number_of_threads,
    an_assertion_about_scalars_has_no_position,
    an_empty_result_is_not_checked,
    tracked_kernels_are_checked_in_the_forward_pass,
}
