//! Kernels that many threads run into one tensor.

use tensor_rt::accounting::{Counters, measure};
use tensor_rt::element::Compute;
use tensor_rt::prelude::*;
use tensor_rt::{AtomicTensor, ErrorKind};
use tests::device::{Read, failure};

tensor_fn! {
    fn add_all(acc: &atomic Tensor[..], x: &Tensor[..]) { acc += x; }

    fn add_integers<T: Float>(acc: &atomic Tensor<i64>[B], x: &Tensor<T>[B]) { acc += x as i64; }

    fn histogram(acc: &atomic Tensor<i64>[B], bin: &Tensor<i64>[N]) { acc[bin] += 1; }

    fn take_away(acc: &atomic Tensor<i32>[B], bin: &Tensor<i64>[N], v: &Tensor<i32>[N]) { acc[bin] -= v; }

    fn add_bytes(acc: &atomic Tensor<u8>[B], bin: &Tensor<i64>[N], v: &Tensor<u8>[N]) { acc[bin] += v; }

    fn largest(acc: &atomic Tensor<i64>[B], bin: &Tensor<i64>[N], v: &Tensor<i64>[N]) { acc[bin] = max(acc[bin], v); }

    fn smallest(acc: &atomic Tensor[B], bin: &Tensor<i64>[N], v: &Tensor[N]) { acc[bin] = min(v, acc[bin]); }

    fn raise(acc: &atomic Tensor[..], v: &Tensor[..]) { acc = max(acc, v); }

    fn count_positive(acc: &atomic Tensor<u32>[], x: &Tensor[N]) { acc += sum[N]((x > 0.0) as i64) as u32; }

    fn add_positive(acc: &atomic Tensor[..], x: &Tensor[..]) {
        if x > 0.0 { acc += x; } else { acc -= 10.0 * x; }
    }

    fn add_rows(acc: &atomic Tensor[B, C], row: &Tensor<i64>[N], x: &Tensor[N, C]) -> Tensor[N] {
        acc[row, C] += x;
        sum[C](x)
    }
}

const THREADS: usize = 10;
const ROUNDS: usize = 1000;

/// Runs `work` so many times on each of many threads at once, with the number of the thread.
fn from_many_threads(rounds: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let work = &work;
    std::thread::scope(|scope| {
        let run = move |thread| move || (0..rounds).try_for_each(|_| work(thread));
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(run(thread))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("a thread panicked"))
    })
}

fn atomic<D: Device, T: Element>(device: &D, data: &[T]) -> Result<AtomicTensor<D, T>> {
    tensor(device, data)?.into_atomic()
}

fn tensor<D: Device, T: Element>(device: &D, data: &[T]) -> Result<Tensor<D, NoGrad, T>> {
    Tensor::from_vec(device, data.to_vec(), [data.len()])
}

/// What `body` costs in all.
fn cost<R>(body: impl FnOnce() -> Result<R>) -> Counters {
    let (result, report) = measure(body);
    result.map(|_| report.total()).expect("the body succeeds")
}

fn ten_threads_of_a_thousand_float_additions_lose_none<D: Device>(device: &D) -> Result<()> {
    /// The element holds every partial sum of `rounds` ones from each thread, so any order gives the same bits.
    fn check<D: Device, T: Float>(device: &D, rounds: usize) -> Result<()> {
        let acc = Tensor::zeros_of::<T>(device, [64])?.into_atomic()?;
        let ones = Tensor::ones_of::<T>(device, [64])?;
        from_many_threads(rounds, |_| add_all(&acc, &ones))?;
        let expected = T::narrow(Compute::from_f64((THREADS * rounds) as f64));
        assert_eq!(acc.into_tensor().read()?, [expected; 64], "{}", T::DTYPE);
        Ok(())
    }
    check::<D, f32>(device, ROUNDS)?;
    check::<D, f64>(device, ROUNDS)?;
    check::<D, f16>(device, 200)?;
    check::<D, bf16>(device, 25)
}

fn ten_threads_of_a_thousand_integer_additions_lose_none<D: Device>(device: &D) -> Result<()> {
    let bins = tensor(device, &[0_i64, 2, 2, 1, 2])?;
    let total = (THREADS * ROUNDS) as i64;

    let acc = atomic(device, &[5_i64, 0, 0])?;
    from_many_threads(ROUNDS, |_| histogram(&acc, &bins))?;
    assert_eq!(acc.into_tensor().read()?, [total + 5, total, 3 * total]);

    let (acc, v) = (atomic(device, &[0_i32; 3])?, tensor(device, &[1, 2, 3, 4, 5])?);
    from_many_threads(ROUNDS, |_| take_away(&acc, &bins, &v))?;
    assert_eq!(acc.into_tensor().read()?, [1, 4, 10].map(|v| -v * total as i32));

    let (acc, v) = (atomic(device, &[0_u8; 3])?, tensor(device, &[1_u8, 2, 3, 4, 5])?);
    from_many_threads(ROUNDS, |_| add_bytes(&acc, &bins, &v))?;
    assert_eq!(acc.into_tensor().read()?, [1, 4, 10].map(|v| (v * total) as u8));

    let (acc, x) = (Tensor::zeros_of::<u32>(device, [])?.into_atomic()?, Tensor::new(device, [1.0, -1.0, 2.0])?);
    from_many_threads(ROUNDS, |_| count_positive(&acc, &x))?;
    assert_eq!(acc.into_tensor().item()?, 2 * total as u32);
    Ok(())
}

fn two_kernels_add_into_one_tensor_at_once<D: Device>(device: &D) -> Result<()> {
    let acc = atomic(device, &[0_i64; 64])?;
    let (bins, ones) = (Tensor::arange_of::<i64>(device, 0, 64, 1)?, Tensor::ones(device, [64])?);
    from_many_threads(ROUNDS, |thread| match thread % 2 {
        0 => histogram(&acc, &bins),
        _ => add_integers(&acc, &ones),
    })?;
    assert_eq!(acc.into_tensor().read()?, [(THREADS * ROUNDS) as i64; 64]);
    Ok(())
}

fn the_largest_and_the_smallest_of_all_threads_stay<D: Device>(device: &D) -> Result<()> {
    let (high, low) = (atomic(device, &[0_i64, 77, -9])?, atomic(device, &[0.0_f32, -77.0, 9.0])?);
    let round = std::sync::atomic::AtomicI64::new(0);
    let bins = tensor(device, &[0_i64, 1, 2])?;
    from_many_threads(ROUNDS, |_| {
        let next = round.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        largest(&high, &bins, &tensor(device, &[next, 0, -next - 1])?)?;
        smallest(&low, &bins, &tensor(device, &[-next as f32, 0.0, 1.0 + next as f32])?)
    })?;
    let last = (THREADS * ROUNDS) as i64 - 1;
    assert_eq!(high.into_tensor().read()?, [last, 77, -1]);
    assert_eq!(low.into_tensor().read()?, [-last as f32, -77.0, 1.0]);
    Ok(())
}

fn branches_skip_and_nan_stays<D: Device>(device: &D) -> Result<()> {
    let acc = Tensor::zeros(device, [2, 2])?.into_atomic()?;
    add_positive(&acc, &Tensor::new(device, [[1.0, -1.0], [0.0, 2.0]])?)?;
    assert_eq!(acc.load()?.read()?, [1.0, 10.0, 0.0, 2.0]);
    raise(&acc, &Tensor::new(device, [[f32::NAN, 5.0], [-1.0, 7.0]])?)?;
    let after = acc.load()?.read()?;
    assert!(after[0].is_nan());
    assert_eq!(after[1..], [10.0, 0.0, 7.0]);
    Ok(())
}

fn an_accumulating_kernel_may_also_return<D: Device>(device: &D) -> Result<()> {
    let acc = Tensor::zeros(device, [2, 2])?.into_atomic()?;
    let x = Tensor::new(device, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
    let sums = add_rows(&acc, &tensor(device, &[1_i64, 0, 1])?, &x)?;
    assert_eq!(sums.read()?, [3.0, 7.0, 11.0]);
    assert_eq!(acc.into_tensor().read()?, [3.0, 4.0, 6.0, 8.0]);
    Ok(())
}

fn an_index_outside_is_an_error_and_the_others_are_added<D: Device>(device: &D) -> Result<()> {
    let acc = atomic(device, &[0_i64; 2])?;
    let error = failure(device, histogram(&acc, &tensor(device, &[1_i64, 2, 1])?));
    assert_eq!(error.kind(), ErrorKind::IndexOutOfRange);
    assert!(error.to_string().contains("histogram"), "{error}");
    assert_eq!(acc.load()?.read()?, [0, 2]);
    let error = add_integers(&acc, &Tensor::ones(device, [3])?).expect_err("sizes differ");
    assert!(error.to_string().starts_with("add_integers: axis `B` is 2 in `acc` and 3 in `x`"), "{error}");
    Ok(())
}

fn nothing_is_added_for_no_elements<D: Device>(device: &D) -> Result<()> {
    let acc = atomic(device, &[4_i64, 5])?;
    histogram(&acc, &tensor(device, &[])?)?;
    assert_eq!(acc.load()?.read()?, [4, 5]);
    let nothing = Tensor::zeros(device, [0, 3])?.into_atomic()?;
    add_all(&nothing, &Tensor::zeros(device, [0, 3])?)?;
    assert_eq!(*nothing.into_tensor().shape(), [0, 3]);
    Ok(())
}

fn making_one_copies_only_what_is_shared_or_strided_and_loading_copies<D: Device>(device: &D) -> Result<()> {
    let alone = Tensor::zeros(device, [2, 3])?;
    assert_eq!(cost(|| alone.into_atomic()?.into_tensor().into_atomic()).copies, 0);

    let x = Tensor::arange(device, 0.0, 6.0, 1.0)?.reshape([2, 3])?;
    let handle = x.clone();
    let mut acc = None;
    assert_eq!(cost(|| Ok(acc.insert(x.into_atomic()?).len())).copies, 1);
    let acc = acc.expect("it was made");
    add_all(&acc, &Tensor::ones(device, [2, 3])?)?;
    assert_eq!(handle.read()?, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(cost(|| acc.load()).copied_bytes, 24);

    let transposed = acc.into_tensor().transpose(0, 1)?;
    assert_eq!(cost(|| transposed.into_atomic()?.load()).copies, 2);
    Ok(())
}

tests::on_each_device! {
    ten_threads_of_a_thousand_float_additions_lose_none,
    ten_threads_of_a_thousand_integer_additions_lose_none,
    two_kernels_add_into_one_tensor_at_once,
    the_largest_and_the_smallest_of_all_threads_stay,
    branches_skip_and_nan_stays,
    an_accumulating_kernel_may_also_return,
    an_index_outside_is_an_error_and_the_others_are_added,
    nothing_is_added_for_no_elements,
    making_one_copies_only_what_is_shared_or_strided_and_loading_copies,
}
