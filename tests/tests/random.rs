//! Random numbers in kernels: `uniform(seed)` and `normal(seed)`, counted along the axes in scope where they are written.

use tensor_rt::prelude::*;
use tests::device::Read;

tensor_fn! {
    fn uniform_like(x: &Tensor[..], seed: u64) -> Tensor[..] { uniform(seed) + 0.0 * x }

    fn normal_like(x: &Tensor[..], seed: u64) -> Tensor[..] { normal(seed) + 0.0 * x }

    fn numbers(seed: u64, rows: usize, columns: usize) -> Tensor<f32>[N = rows, M = columns] { uniform(seed) }

    fn two_calls(seed: u64, count: usize) -> (Tensor<f64>[N = count], Tensor<f64>[N]) { (uniform(seed), uniform(seed)) }

    fn shared(seed: u64, count: usize) -> (Tensor<f64>[N = count], Tensor<f64>[N]) {
        let u = uniform(seed);
        (u, u)
    }

    fn column_means(x: &Tensor[N, C], seed: u64) -> Tensor[C] { mean[N](x * uniform(seed)) }

    fn noise_into(y: &mut Tensor[.., C], seed: u64, scale: float) { y += scale * normal(seed); }

    fn jittered_sums(acc: &mut Tensor[B], bin: &Tensor<i64>[N], seed: u64) { acc[bin] += uniform(seed); }

    fn transposed(x: &Tensor[N, M], seed: u64) -> Tensor[M, N] { x * uniform(seed) }

    fn noisy_softmax(x: &Tensor[.., C], seed: u64) -> Tensor[.., C] {
        let e = exp(x + normal(seed) - max[C](x));
        e / sum[C](e)
    }

    /// The dropped weights meet the values in a product.
    fn dropped_product(a: &Tensor[M, K], b: &Tensor[K, N], p: float, seed: u64) -> Tensor[M, N] {
        sum[K]((if uniform(seed) >= p { a / (1.0 - p) } else { 0.0 }) * b)
    }

    /// The gradient reads the numbers at other indices than their own.
    fn picked(x: &Tensor[N, C], ids: &Tensor<i64>[N], seed: u64) -> Tensor[N] { x[N, ids] * uniform(seed) }

    fn diagonal(x: &Tensor[N, M], seed: u64) -> Tensor[N] { x[N, N] * uniform(seed) }

    fn single(x: &Tensor[], seed: i64) -> Tensor[] { x * uniform(seed) }
}

fn ones<D: Device, const RANK: usize>(device: &D, shape: [usize; RANK]) -> Result<Tensor<D>> {
    Tensor::ones(device, shape)
}

fn a_kernel_and_a_constructor_give_the_same_numbers<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::zeros(device, [3, 700, 2])?;
    assert_eq!(uniform_like(&x, 5)?.read()?, Tensor::rand(device, [3, 700, 2], 5)?.read()?);
    assert_eq!(normal_like(&x, 5)?.read()?, Tensor::randn(device, [3, 700, 2], 5)?.read()?);
    let x = Tensor::zeros_of::<f64>(device, [40])?;
    assert_eq!(uniform_like(&x, 5)?.read()?, Tensor::rand_of::<f64>(device, [40], 5)?.read()?);
    // The words are the same everywhere; their logarithm and sine are each device's own, to the last digit.
    for (found, expected) in
        normal_like(&x, 5)?.read()?.into_iter().zip(Tensor::randn_of::<f64>(&Cpu, [40], 5)?.read()?)
    {
        assert!((found - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(), "{found}, not {expected}");
    }
    assert_eq!(numbers(device, 5, 20, 30)?.read()?, Tensor::rand(device, [600], 5)?.read()?);
    Ok(())
}

fn layout_does_not_matter<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::zeros(device, [30, 50])?;
    let expected = normal_like(&x, 3)?.read()?;
    let permuted = Tensor::zeros(device, [50, 30])?.transpose(0, 1)?;
    assert_eq!(normal_like(&permuted, 3)?.read()?, expected);
    let flipped = Tensor::zeros(device, [30, 100])?.slice((.., 0..50))?.flip(0)?;
    assert_eq!(normal_like(&flipped, 3)?.read()?, expected);
    let numbers = Tensor::rand(device, [600], 8)?.read()?;
    let y = transposed(&ones(device, [20, 30])?, 8)?;
    // The output is [30, 20], and counted in its own order.
    assert_eq!(y.read()?, numbers);
    Ok(())
}

fn calls_differ_and_lets_share<D: Device>(device: &D) -> Result<()> {
    let (a, b) = two_calls(device, 1, 100)?;
    assert_eq!(a.read()?, Tensor::rand_of::<f64>(device, [100], 1)?.read()?);
    assert!(a.read()?.iter().zip(b.read()?).all(|(a, b)| *a != b));
    let (a, b) = shared(device, 1, 100)?;
    assert_eq!(a.read()?, b.read()?);
    Ok(())
}

fn moments_are_those_of_the_distributions<D: Device>(device: &D) -> Result<()> {
    const COUNT: usize = 1_000_000;
    let x = Tensor::zeros(device, [COUNT])?;
    let moments = |values: Vec<f32>| -> [f64; 4] {
        [1, 2, 3, 4].map(|power| values.iter().map(|&x| f64::from(x).powi(power)).sum::<f64>() / COUNT as f64)
    };
    let close = |found: [f64; 4], expected: [f64; 4], deviations: [f64; 4]| {
        for ((found, expected), deviation) in found.into_iter().zip(expected).zip(deviations) {
            // Five standard errors of a mean.
            let tolerance = 5.0 * deviation / (COUNT as f64).sqrt();
            assert!((found - expected).abs() < tolerance, "{found}, expected {expected}");
        }
    };
    let uniform = uniform_like(&x, 42)?.read()?;
    assert!(uniform.iter().all(|u| (0.0..1.0).contains(u)));
    close(moments(uniform), [0.5, 1.0 / 3.0, 0.25, 0.2], [0.289, 0.298, 0.283, 0.267]);
    close(moments(normal_like(&x, 42)?.read()?), [0.0, 1.0, 0.0, 3.0], [1.0, 1.415, 3.873, 9.798]);
    Ok(())
}

fn a_reduction_sums_the_numbers_of_its_own_axes<D: Device>(device: &D) -> Result<()> {
    let (rows, columns) = (300, 7);
    let means = column_means(&Tensor::ones_of::<f64>(device, [rows, columns])?, 9)?.read()?;
    // The output's axis first, then the reduced one.
    let numbers = Tensor::rand_of::<f64>(device, [columns, rows], 9)?.read()?;
    for (column, mean) in means.iter().enumerate() {
        let expected = numbers[column * rows..][..rows].iter().sum::<f64>() / rows as f64;
        assert!((mean - expected).abs() < 1e-14, "column {column}");
    }
    Ok(())
}

fn edits_add_the_same_numbers<D: Device>(device: &D) -> Result<()> {
    let mut y = ones(device, [4, 300])?;
    noise_into(&mut y, 6, 0.5)?;
    let numbers = Tensor::randn(device, [4, 300], 6)?.read()?;
    assert!(y.read()?.iter().zip(numbers).all(|(&y, number)| y == 1.0 + 0.5 * number));
    let mut sums = Tensor::zeros_of::<f64>(device, [2])?;
    let bins: Vec<i64> = (0..50).map(|i| i % 2).collect();
    jittered_sums(&mut sums, &Tensor::from_vec(device, bins, [50])?, 6)?;
    let numbers = Tensor::rand_of::<f64>(device, [50], 6)?.read()?;
    for (bin, sum) in sums.read()?.into_iter().enumerate() {
        let expected: f64 = numbers.iter().skip(bin).step_by(2).sum();
        assert!((sum - expected).abs() < 1e-13, "bin {bin}");
    }
    Ok(())
}

fn the_gradient_recomputes_the_numbers<D: Device>(device: &D) -> Result<()> {
    // Linear kernels: the gradient is what multiplies each element, whatever the elements are.
    let x = Tensor::ones_of::<f64>(device, [6, 6])?.requires_grad();
    let numbers = Tensor::rand_of::<f64>(device, [6], 4)?.read()?;
    let of =
        |y: Tensor<D, Grad, f64>| -> Result<Vec<f64>> { y.sum()?.backward()?.get(&x).expect("x took part").read() };
    let on_diagonal = of(diagonal(&x, 4)?)?;
    let ids = [3_i64, 1, 0, 5, 5, 2];
    let at_ids = of(picked(&x, &Tensor::from_vec(device, ids.to_vec(), [6])?, 4)?)?;
    let dropped = of(transposed(&x, 4)?)?;
    let all = Tensor::rand_of::<f64>(device, [6, 6], 4)?.read()?;
    for (row, &id) in ids.iter().enumerate() {
        for column in 0..6 {
            let place = row * 6 + column;
            assert_eq!(on_diagonal[place], if row == column { numbers[row] } else { 0.0 }, "[{row}, {column}]");
            assert_eq!(at_ids[place], if column as i64 == id { numbers[row] } else { 0.0 }, "[{row}, {column}]");
            assert_eq!(dropped[place], all[column * 6 + row], "[{row}, {column}]");
        }
    }
    Ok(())
}

fn gradients_match_finite_differences<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::rand_of::<f64>(device, [5, 4], 1)?;
    let w = Tensor::rand_of::<f64>(device, [4, 3], 2)?;
    tensor_rt::gradcheck(|inputs| noisy_softmax(&inputs[0], 3), std::slice::from_ref(&x))?;
    tensor_rt::gradcheck(|inputs| dropped_product(&inputs[0], &inputs[1], 0.4, 3), &[x.clone(), w])?;
    tensor_rt::gradcheck(|inputs| column_means(&inputs[0], 3), &[x])
}

fn no_elements_draw_no_numbers<D: Device>(device: &D) -> Result<()> {
    assert_eq!(uniform_like(&Tensor::zeros(device, [3, 0])?, 1)?.shape(), &[3, 0]);
    assert_eq!(column_means(&Tensor::zeros(device, [4, 0])?, 1)?.shape(), &[0]);
    assert!(column_means(&Tensor::zeros(device, [0, 2])?, 1)?.read()?.iter().all(|mean| mean.is_nan()));
    let number = single(&Tensor::ones(device, [])?, 1)?.item()?;
    assert_eq!(number, Tensor::rand(device, [1], 1)?.item()?);
    Ok(())
}

tests::on_each_device! {
    a_kernel_and_a_constructor_give_the_same_numbers,
    layout_does_not_matter,
    calls_differ_and_lets_share,
    moments_are_those_of_the_distributions,
    a_reduction_sums_the_numbers_of_its_own_axes,
    edits_add_the_same_numbers,
    the_gradient_recomputes_the_numbers,
    gradients_match_finite_differences,
    no_elements_draw_no_numbers,
}
