//! Generated code in a strict crate: every lint that a careful user denies, no prelude, and names that shadow ours.
#![deny(missing_docs, warnings, unreachable_pub, rust_2018_idioms, single_use_lifetimes, unused_results)]
#![deny(unused_qualifications, missing_debug_implementations, missing_copy_implementations)]
#![deny(trivial_casts, trivial_numeric_casts, clippy::pedantic)]
#![forbid(unsafe_code)]

use tensor_rt::prelude::*;

tensor_rt::tensor_fn! {
    /// GELU, tanh form.
    pub fn gelu(x: &Tensor[..]) -> Tensor[..] {
        0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    }

    fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
        let e = exp(x - max[C](x));
        e / sum[C](e)
    }

    fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] { sum[I](x * w) + b }

    fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
        let m = max[C](logits);
        mean[N](m + ln(sum[C](exp(logits - m))) - logits[N, target])
    }

    fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
        let d = x - mean[C](x);
        d * rsqrt(mean[C](d * d) + eps) * gamma + beta
    }

    fn named<D: Device, M: GradMode, E: Float>(x: &Tensor<D, M, E>[N], y: &Tensor<E>[N]) -> Tensor<E>[N] { pi * x * y }

    fn bounded<M>(x: &Tensor<M>[N]) -> Tensor[N] where M: GradMode { x }

    fn explicit(x: &Tensor<Cpu, Grad, f64>[N], y: &Tensor<f64>[N]) -> Tensor<f64>[N] { x * y }

    fn edited(total: &mut Tensor<i64>[N], by: &Tensor<u8>[N], on: &Tensor<bool>[N]) -> Tensor<bool>[N] {
        total += if on { by as i64 } else { 0 };
        total > 3
    }

    #[cfg(any())]
    fn never(x: &Tensor[N]) -> Tensor[N] { x }

    #[cfg(not(any()))]
    fn always(x: &Tensor[N]) -> Tensor[N] { x + x }

    #[must_use]
    #[inline]
    fn step(p: &mut Tensor[..], g: &Tensor[..], m: &mut Tensor[..], v: &mut Tensor[..], rate: float, first: float,
        second: float, eps: float, decay: float) {
        m = first * m + (1.0 - first) * g;
        v = second * v + (1.0 - second) * g * g;
        p -= rate * (m / (sqrt(v) + eps) + decay * p);
    }

    fn given_away(x: Tensor[.., C]) -> (Tensor[..], Tensor[.., C]) { (sum[C](x), 2 * x) }

    fn gathered(acc: &atomic Tensor<i64>[B], high: &atomic Tensor[B], bin: &Tensor<u8>[N], x: &Tensor[N]) {
        acc[bin] += 1;
        if x > 0 { high[bin] = max(high[bin], x); }
    }

    #[cpu(halve)]
    #[backward(halve_back)]
    fn halved(x: &Tensor[.., C], views: float, kept: usize) -> (Tensor[.., C], Tensor<i64>[K = kept]);

    fn type_(r#type: &Tensor[N], r#fn: float) -> Tensor[N] { r#type * r#fn }
}

#[expect(clippy::unnecessary_wraps, reason = "such a function may fail")]
fn halve<T: Float>(
    x: TensorView<'_, T>,
    factor: f64,
    _: usize,
    mut y: TensorViewMut<'_, T>,
    mut ones: TensorViewMut<'_, i64>,
) -> Result<()> {
    let factor = <T::Compute as tensor_rt::element::Compute>::from_f64(factor);
    for (x, y) in x.as_slice().iter().zip(y.as_mut_slice()) {
        *y = T::narrow(factor * x.widen());
    }
    ones.as_mut_slice().fill(1);
    Ok(())
}

fn halve_back<D: Device, T: Float>(
    _: &Tensor<D, NoGrad, T>,
    factor: f64,
    _: usize,
    _: &Tensor<D, NoGrad, T>,
    _: &Tensor<D, NoGrad, i64>,
    g: &Tensor<D, NoGrad, T>,
) -> Result<Tensor<D, NoGrad, T>> {
    g * factor
}

mod visibilities {
    tensor_rt::tensor_fn! {
        pub(crate) fn in_crate(x: &Tensor[N]) -> Tensor[N] { floor(x) }
        pub(super) fn in_parent(x: &Tensor[N]) -> Tensor[N] { x }
        pub(self) fn here(x: &Tensor[N]) -> Tensor[N] { x }
        pub(in crate::visibilities) fn by_path(x: &Tensor[N]) -> Tensor[N] { x }
    }

    pub(super) fn sources() -> usize {
        here::source().rust.len() + by_path::source().rust.len()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "such a function may fail")]
fn copy<T: Float>(x: TensorView<'_, T>, mut y: TensorViewMut<'_, T>) -> Result<()> {
    y.as_mut_slice().copy_from_slice(x.as_slice());
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "such a function may fail")]
fn copy_back<D: Device, T: Float>(
    _: &Tensor<D, NoGrad, T>,
    _: &Tensor<D, NoGrad, T>,
    g: &Tensor<D, NoGrad, T>,
) -> Result<Tensor<D, NoGrad, T>> {
    Ok(g.clone())
}

/// Nothing of the prelude, and names that generated code must not mean.
#[expect(dead_code, reason = "they only shadow")]
pub mod shadow {
    #![no_implicit_prelude]
    struct Result;
    struct Option;
    struct Ok;
    struct Some;
    struct Tensor;
    struct Call;
    struct Cpu;
    struct D;
    struct G;
    struct T;
    trait Clone {}
    trait Float {}
    mod std {}
    mod core {}
    mod tensor_rt {}
    mod half {}

    ::tensor_rt::tensor_fn! {
        /// Reads.
        pub fn read(x: &Tensor[N], y: &Tensor[N], a: float, ids: &Tensor<i64>[N]) -> Tensor[N] { exp(x) * y + a + x[ids] }
        /// Written by hand.
        #[cpu(super::copy)]
        #[backward(super::copy_back)]
        pub fn written(x: &Tensor[N]) -> Tensor[N];
        /// Edits and returns.
        pub fn edit(t: &mut Tensor[N], d: &mut Tensor[N], g: &Tensor[N], a: float) -> Tensor[N] {
            t += a * g;
            d += t;
            2 * t
        }
    }
}

/// A layer, generic over its device and mode, without a clause.
fn net<D: Device, G: GradMode>(x: &Tensor<D>, w: &Tensor<D, G>, b: &Tensor<D, G>) -> Result<Tensor<D, G>> {
    gelu(&linear(x, w, b)?)
}

/// A loss over it.
fn loss<D: Device, G: GradMode>(
    x: &Tensor<D>,
    (w, b): (&Tensor<D, G>, &Tensor<D, G>),
    target: &Tensor<D, NoGrad, i64>,
) -> Result<Tensor<D, G>> {
    let hidden = layer_norm(&net(x, w, b)?, b, b, 1e-5)?;
    cross_entropy(&softmax(&hidden)?, target)
}

#[test]
fn generic_code_needs_no_clause() -> Result<()> {
    let x = Tensor::randn(&Cpu, [4, 3], 1)?;
    let (w, b) = (Tensor::randn(&Cpu, [2, 3], 2)?, Tensor::randn(&Cpu, [2], 3)?);
    let target = Tensor::from_vec(&Cpu, vec![0, 1, 1, 0], [4])?;
    let plain: Tensor<Cpu, NoGrad> = loss(&x, (&w, &b), &target)?;
    let (w, b) = (w.requires_grad(), b.requires_grad());
    let tracked: Tensor<Cpu, Grad> = loss(&x, (&w, &b), &target)?;
    assert_eq!(plain.item()?.to_bits(), tracked.item()?.to_bits());
    assert_eq!(tracked.backward()?.len(), 2);
    Ok(())
}

#[test]
fn explicit_arguments_are_honored() -> Result<()> {
    let x = Tensor::from_vec(&Cpu, vec![1.0, 2.0], [2])?.requires_grad();
    let y = Tensor::from_vec(&Cpu, vec![3.0, 4.0], [2])?;
    let z: Tensor<Cpu, Grad, f64> = explicit(&x, &y)?;
    assert_eq!(z.to_vec()?, [3.0, 8.0]);
    let z: Tensor<Cpu, Grad, f64> = named(&x, &y)?;
    assert_eq!(z.to_vec()?, [std::f64::consts::PI * 3.0, std::f64::consts::PI * 2.0 * 4.0]);
    assert_eq!(bounded(&y)?.to_vec()?, [3.0, 4.0]);
    assert_eq!(type_(&y, 2.0)?.to_vec()?, [6.0, 8.0]);
    assert_eq!(always(&y)?.to_vec()?, [6.0, 8.0]);
    Ok(())
}

#[test]
fn a_kernel_edits_and_returns() -> Result<()> {
    let mut total = Tensor::from_vec(&Cpu, vec![1i64, 2, 3], [3])?;
    let by = Tensor::from_vec(&Cpu, vec![200u8, 1, 1], [3])?;
    let on = Tensor::from_vec(&Cpu, vec![true, false, true], [3])?;
    assert_eq!(edited(&mut total, &by, &on)?.to_vec()?, [true, false, true]);
    assert_eq!(total.to_vec()?, [201, 2, 4]);

    let (mut first, mut second) = (Tensor::ones(&Cpu, [2])?, Tensor::ones(&Cpu, [2])?);
    assert_eq!(shadow::edit(&mut first, &mut second, &Tensor::ones(&Cpu, [2])?, 3.0)?.to_vec()?, [8.0, 8.0]);
    assert_eq!((first.to_vec()?, second.to_vec()?), (vec![4.0, 4.0], vec![5.0, 5.0]));

    let (mut value, mut mean, mut square) =
        (Tensor::ones(&Cpu, [1])?, Tensor::zeros(&Cpu, [1])?, Tensor::zeros(&Cpu, [1])?);
    step(&mut value, &Tensor::full(&Cpu, [1], 2.0)?, &mut mean, &mut square, 0.5, 0.5, 0.75, 0.0, 0.0)?;
    assert_eq!((value.item()?, mean.item()?, square.item()?), (0.5, 1.0, 1.0));
    Ok(())
}

#[test]
fn a_kernel_takes_by_value_and_accumulates() -> Result<()> {
    let (sums, doubled) = given_away(Tensor::new(&Cpu, [[1.0, 2.0]])?)?;
    assert_eq!((sums.to_vec()?, doubled.to_vec()?), (vec![3.0], vec![2.0, 4.0]));
    let (counts, high) =
        (Tensor::zeros_of(&Cpu, [2])?.into_atomic()?, Tensor::zeros_of::<f64>(&Cpu, [2])?.into_atomic()?);
    let bins = Tensor::from_vec(&Cpu, vec![1_u8, 1, 0], [3])?;
    gathered(&counts, &high, &bins, &Tensor::new_of::<f64>(&Cpu, [2.0, 4.0, -1.0])?)?;
    assert_eq!((counts.into_tensor().to_vec()?, high.into_tensor().to_vec()?), (vec![1, 2], vec![0.0, 4.0]));
    Ok(())
}

#[test]
fn a_kernel_is_written_by_hand() -> Result<()> {
    let x = Tensor::new(&Cpu, [[3.0, 4.0]])?.requires_grad();
    let (half, ones) = halved(&x, 0.5, 2)?;
    assert_eq!((half.to_vec()?, ones.to_vec()?), (vec![1.5, 2.0], vec![1, 1]));
    assert_eq!(half.sum()?.backward()?.get(&x).expect("`x` took part").to_vec()?, [0.5, 0.5]);
    assert_eq!(shadow::written(&Tensor::new(&Cpu, [7.0])?)?.to_vec()?, [7.0]);
    Ok(())
}

#[test]
fn a_module_without_prelude_has_kernels() -> Result<()> {
    let x = Tensor::new(&Cpu, [0.0, 0.0])?;
    let ids = Tensor::from_vec(&Cpu, vec![1i64, 0], [2])?;
    assert_eq!(shadow::read(&x, &Tensor::ones(&Cpu, [2])?, 0.5, &ids)?.to_vec()?, [1.5, 1.5]);
    Ok(())
}

#[test]
fn every_visibility_has_a_source() {
    assert!(visibilities::sources() > 0);
    assert!(visibilities::in_crate::source().rust.contains("XUntracked"));
    assert!(visibilities::in_parent::source().rust.contains("pub(super) fn in_parent"));
    assert!(visibilities::in_crate(&Tensor::new(&Cpu, [1.5]).unwrap()).is_ok());
    assert!(visibilities::in_parent(&Tensor::new(&Cpu, [1.5]).unwrap()).is_ok());
}
