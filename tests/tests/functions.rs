//! Every function of the language through compiled kernels, in all four float elements and on the instruction set of the
//! process, against the standard library and `libm` in `f64`: at ordinary points, and at zeros, infinities, NaN, the
//! smallest and the largest numbers.
//!
//! The arithmetic of `f32` and of the halves is in `f32`, so that a half is the nearest one, or its neighbor, where the
//! error of the `f32` moves it over the middle. The list is complete: a function of the language that is not here is an error.

use tensor_rt::DeviceId;
use tensor_rt::prelude::*;
use tests::device::Read;

/// What an element has to have to be tested.
trait Sample: Float {
    /// Of a result, beside half of a unit for rounding: the errors that `f32` or `f64` may have.
    fn unit(expected: f64) -> f64;
    /// Errors are those of `f64`.
    const DOUBLE: bool = false;
    /// The nearest element.
    fn of(value: f64) -> Self;
    fn back(self) -> f64;
    /// The largest finite, the smallest normal and the smallest positive one.
    const EXTREMES: [f64; 3];
}

/// The distance of neighboring numbers of a size, for a type with so many bits and this smallest exponent.
fn unit(value: f64, bits: i32, smallest: i32) -> f64 {
    let exponent = match value == 0.0 || !value.is_finite() {
        true => smallest,
        false => (libm::frexp(value).1 - 1).max(smallest),
    };
    libm::ldexp(1.0, exponent - (bits - 1))
}

macro_rules! samples {
    ($($element:ty: $bits:literal bits, $smallest:literal, |$x:ident| $of:expr, |$y:ident| $back:expr, $double:literal;)*) => {$(
        impl Sample for $element {
            fn unit(expected: f64) -> f64 {
                unit(expected, $bits, $smallest)
            }
            const DOUBLE: bool = $double;
            fn of($x: f64) -> Self {
                $of
            }
            fn back(self) -> f64 {
                let $y = self;
                $back
            }
            const EXTREMES: [f64; 3] = extremes($bits, $smallest);
        }
    )*};
}

samples! {
    f64: 53 bits, -1022, |x| x, |y| y, true;
    f32: 24 bits, -126, |x| x as f32, |y| y.into(), false;
    f16: 11 bits, -14, |x| f16::from_f64(x), |y| y.to_f64(), false;
    bf16: 8 bits, -126, |x| bf16::from_f64(x), |y| y.to_f64(), false;
}

const fn power_of_two(exponent: i32) -> f64 {
    match exponent < -1022 {
        true => f64::from_bits(1 << (exponent + 1074)),
        false => f64::from_bits(((exponent + 1023) as u64) << 52),
    }
}

const fn extremes(bits: i32, smallest: i32) -> [f64; 3] {
    let largest = (2.0 - power_of_two(1 - bits)) * power_of_two(1 - smallest);
    [largest, power_of_two(smallest), power_of_two(smallest - bits + 1)]
}

/// The points at which a function of one operand is evaluated.
fn points<T: Sample>() -> Vec<f64> {
    let [largest, normal, smallest] = T::EXTREMES;
    let mut points = vec![0.0, 1.0, 2.0, 0.5, 0.25, 3.0, 10.0, 100.0, 1.5, 2.5, 1e-3, 1e4, 0.99, 1.01];
    points.extend([largest, normal, smallest, normal * 0.5, largest * 0.25, f64::INFINITY]);
    points.extend((1..200).map(|step| f64::from(step) * 0.0377));
    points.extend((1..60).map(|step| 1.9_f64.powi(step - 30)));
    points.extend(points.clone().into_iter().map(|point| -point));
    points.push(f64::NAN);
    points.into_iter().map(|point| T::of(point).back()).collect()
}

/// The operands of a function of several: every combination of a few.
fn tuples<T: Sample, const K: usize>() -> Vec<[f64; K]> {
    let [largest, normal, smallest] = T::EXTREMES;
    let mut few = vec![0.0, 0.5, 1.0, 1.75, 2.0, 3.0, 7.25];
    if K == 2 {
        few.extend([0.1, 1e-2, 42.0, 1.0 / 3.0, largest, normal, smallest]);
    }
    few.push(f64::INFINITY);
    few.extend(few.clone().into_iter().map(|point: f64| -point));
    few.push(f64::NAN);
    let few: Vec<f64> = few.into_iter().map(|point| T::of(point).back()).collect();
    (0..few.len().pow(K as u32))
        .map(|position| std::array::from_fn(|operand| few[position / few.len().pow(operand as u32) % few.len()]))
        .collect()
}

/// True if a result is within so many units of the exact one; zeros have its sign.
fn is_close<T: Sample>(found: f64, exact: f64, ulp: f64) -> bool {
    if exact.is_nan() || found.is_nan() {
        return exact.is_nan() && found.is_nan();
    }
    let expected = T::of(exact).back();
    if found == expected {
        return found != 0.0 || exact != 0.0 || found.is_sign_negative() == exact.is_sign_negative();
    }
    if found.is_infinite() {
        // Rounding may carry a result over the largest number.
        return found.signum() == exact.signum() && exact.abs() > T::EXTREMES[0] * (1.0 - 1e-6);
    }
    // The error of the arithmetic, which is in `f32` for halves, and half of a unit.
    let computed = if T::DOUBLE { unit(exact, 53, -1022) } else { unit(exact, 24, -126) };
    (found - exact).abs() <= ulp * computed + 0.501 * T::unit(exact)
}

/// The errors, in units, that a function with these errors on the CPU may have on the device `D`. CUDA's own functions may
/// be off by up to 4 (`tan`, `erfc`); what is exact or rounded once is so everywhere.
fn errors_on<D: Device>(ulp: f64) -> f64 {
    if D::ID == DeviceId::Cpu || ulp <= 0.5 { ulp } else { ulp.max(4.0) }
}

/// Compares a kernel with its reference; a sentence for each difference.
fn compare<D: Device, T: Sample, const K: usize>(
    device: &D,
    name: &str,
    operands: &[[f64; K]],
    kernel: impl Fn([&Tensor<D, NoGrad, T>; K]) -> Result<Tensor<D, NoGrad, T>>,
    exact: impl Fn([f64; K]) -> f64,
    ulp: f64,
    failures: &mut Vec<String>,
) {
    let tensors: [Tensor<D, NoGrad, T>; K] = std::array::from_fn(|operand| {
        let elements: Vec<T> = operands.iter().map(|operands| T::of(operands[operand])).collect();
        let count = elements.len();
        Tensor::from_vec(device, elements, [count]).expect("a vector is a tensor")
    });
    let found = kernel(tensors.each_ref()).and_then(|result| result.read()).expect("the kernel runs");
    let wrong: Vec<String> = (operands.iter().zip(found))
        .map(|(&operands, found)| (operands, found.back(), exact(operands)))
        .filter(|&(_, found, exact)| !is_close::<T>(found, exact, errors_on::<D>(ulp)))
        .map(|(operands, found, exact)| format!("{operands:?} gives {found:e}, not {exact:e}"))
        .collect();
    if let Some(first) = wrong.first() {
        failures.push(format!("{name} in {:?}: {} points differ, {first}", T::DTYPE, wrong.len()));
    }
}

/// Compiles one kernel for each function and compares it in every element. The errors are in `f32` and in `f64`.
macro_rules! functions {
    ($($name:ident($($x:ident),+) $single:literal $double:literal, |$($y:ident),+| $exact:expr;)*) => {
        mod kernels {
            $(pub mod $name {
                tensor_rt::tensor_fn! {
                    pub fn $name($($x: &Tensor[..]),+) -> Tensor[..] { $name($($x),+) }
                }
            })*
        }

        /// Every function of floats that gives a float.
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        fn failures<D: Device, T: Sample>(device: &D) -> Vec<String> {
            let mut failures = vec![];
            $({
                let ulp = if T::DOUBLE { $double } else { $single };
                let operands = operands::<T, { [$(stringify!($x)),+].len() }>();
                compare(
                    device,
                    stringify!($name),
                    &operands,
                    |[$($x),+]: [&Tensor<D, NoGrad, T>; _]| kernels::$name::$name($($x),+),
                    |[$($y),+]: [f64; _]| $exact,
                    ulp,
                    &mut failures,
                );
            })*
            failures
        }
    };
}

/// The larger one; NaN if either is, and of two equal ones (zeros of either sign) the second.
fn maximum(x: f64, y: f64) -> f64 {
    if x > y || x.is_nan() { x } else { y }
}

/// The smaller one, by the same rules.
fn minimum(x: f64, y: f64) -> f64 {
    if x < y || x.is_nan() { x } else { y }
}

fn operands<T: Sample, const K: usize>() -> Vec<[f64; K]> {
    match K {
        1 => points::<T>().into_iter().map(|point| [point; K]).collect(),
        _ => tuples::<T, K>(),
    }
}

functions! {
    exp(x) 1.5 3.0, |x| x.exp();
    exp2(x) 1.5 3.0, |x| x.exp2();
    ln(x) 1.5 3.0, |x| x.ln();
    log2(x) 2.0 3.0, |x| x.log2();
    log10(x) 1.0 3.0, |x| x.log10();
    log1p(x) 1.5 3.0, |x| x.ln_1p();
    expm1(x) 2.0 3.0, |x| x.exp_m1();
    sqrt(x) 0.5 0.5, |x| x.sqrt();
    rsqrt(x) 1.5 3.0, |x| 1.0 / x.sqrt();
    cbrt(x) 1.0 1.0, |x| x.cbrt();
    sin(x) 1.0 1.0, |x| x.sin();
    cos(x) 1.0 1.0, |x| x.cos();
    tan(x) 1.0 1.0, |x| x.tan();
    asin(x) 1.0 1.0, |x| x.asin();
    acos(x) 1.0 1.0, |x| x.acos();
    atan(x) 1.0 1.0, |x| x.atan();
    sinh(x) 2.0 3.0, |x| x.sinh();
    cosh(x) 2.0 3.0, |x| x.cosh();
    tanh(x) 2.0 3.0, |x| x.tanh();
    sigmoid(x) 3.0 3.0, |x| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) };
    softplus(x) 3.0 3.0, |x| if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() };
    erf(x) 2.0 6.0, |x| libm::erf(x);
    erfc(x) 1.0 6.0, |x| libm::erfc(x);
    abs(x) 0.0 0.0, |x| x.abs();
    sign(x) 0.0 0.0, |x| if x == 0.0 || x.is_nan() { x } else { x.signum() };
    relu(x) 0.0 0.0, |x| if x > 0.0 || x.is_nan() { x } else { 0.0 };
    recip(x) 0.5 0.5, |x| 1.0 / x;
    floor(x) 0.0 0.0, |x| x.floor();
    ceil(x) 0.0 0.0, |x| x.ceil();
    round(x) 0.0 0.0, |x| x.round();
    trunc(x) 0.0 0.0, |x| x.trunc();
    fract(x) 0.0 0.0, |x| x.fract();
    atan2(x, y) 1.0 1.0, |x, y| x.atan2(y);
    powf(x, y) 1.0 1.0, |x, y| x.powf(y);
    xlogy(x, y) 2.5 4.0, |x, y| if x == 0.0 && !y.is_nan() { 0.0 } else { x * y.ln() };
    max(x, y) 0.0 0.0, |x, y| maximum(x, y);
    min(x, y) 0.0 0.0, |x, y| minimum(x, y);
    clamp(x, low, high) 0.0 0.0, |x, low, high| minimum(maximum(x, low), high);
    fma(x, y, z) 0.5 0.5, |x, y, z| x.mul_add(y, z);
}

tensor_rt::tensor_fn! {
    fn chosen(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { select(x > y, x, y) }

    fn cubed(x: &Tensor[..]) -> Tensor[..] { powi(x, 3) }

    fn inverse_square(x: &Tensor[..]) -> Tensor[..] { powi(x, -2) }

    fn sum(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x + y }

    fn difference(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x - y }

    fn product(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x * y }

    fn quotient(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x / y }

    fn remainder(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x % y }

    fn negative(x: &Tensor[..]) -> Tensor[..] { -x }

    fn without_gradient(x: &Tensor[..]) -> Tensor[..] { detach(x) }

    fn classified(x: &Tensor[..]) -> (Tensor<bool>[..], Tensor<bool>[..]) { (is_nan(x), is_finite(x)) }

    fn compared(x: &Tensor[..], y: &Tensor[..])
        -> (Tensor<bool>[..], Tensor<bool>[..], Tensor<bool>[..], Tensor<bool>[..], Tensor<bool>[..], Tensor<bool>[..]) {
        (x < y, x <= y, x > y, x >= y, x == y, x != y)
    }
}

/// Functions that the kernels above this line call.
const OTHERS: [&str; 5] = ["select", "powi", "detach", "is_nan", "is_finite"];

/// What takes no float: an axis, a seed, a load; tested elsewhere.
const ELSEWHERE: [&str; 4] = ["size", "uniform", "normal", "pad_with"];

/// The operators, and functions of another signature.
fn operator_failures<D: Device, T: Sample>(device: &D) -> Vec<String> {
    let mut failures = vec![];
    let (one, two) = (operands::<T, 1>(), operands::<T, 2>());
    let out = &mut failures;
    let both = |name: &str, kernel: fn([&Tensor<D, NoGrad, T>; 2]) -> _, exact: fn(f64, f64) -> f64, out: &mut _| {
        compare::<D, T, 2>(device, name, &two, kernel, |[x, y]| exact(x, y), 0.5, out);
    };
    both("+", |[x, y]| sum(x, y), |x, y| x + y, out);
    both("-", |[x, y]| difference(x, y), |x, y| x - y, out);
    both("*", |[x, y]| product(x, y), |x, y| x * y, out);
    both("/", |[x, y]| quotient(x, y), |x, y| x / y, out);
    both("%", |[x, y]| remainder(x, y), |x, y| x % y, out);
    both("select", |[x, y]| chosen(x, y), |x, y| if x > y { x } else { y }, out);
    compare::<D, T, 1>(device, "neg", &one, |[x]| negative(x), |[x]| -x, 0.0, out);
    compare::<D, T, 1>(device, "detach", &one, |[x]| without_gradient(x), |[x]| x, 0.0, out);
    compare::<D, T, 1>(device, "powi(x, 3)", &one, |[x]| cubed(x), |[x]| x.powi(3), 2.0, out);
    compare::<D, T, 1>(device, "powi(x, -2)", &one, |[x]| inverse_square(x), |[x]| x.powi(-2), 2.0, out);
    failures
}

#[track_caller]
fn assert_none(failures: Vec<String>) {
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn functions_of_f64_are_those_of_the_standard_library<D: Device>(device: &D) {
    assert_none(failures::<D, f64>(device));
    assert_none(operator_failures::<D, f64>(device));
}

fn functions_of_f32_are_those_of_the_standard_library<D: Device>(device: &D) {
    assert_none(failures::<D, f32>(device));
    assert_none(operator_failures::<D, f32>(device));
}

fn functions_of_f16_are_those_of_the_standard_library<D: Device>(device: &D) {
    assert_none(failures::<D, f16>(device));
    assert_none(operator_failures::<D, f16>(device));
}

fn functions_of_bf16_are_those_of_the_standard_library<D: Device>(device: &D) {
    assert_none(failures::<D, bf16>(device));
    assert_none(operator_failures::<D, bf16>(device));
}

fn conditions_are_those_of_rust<D: Device>(device: &D) {
    fn check<D: Device, T: Sample>(device: &D) {
        let elements: Vec<T> = points::<T>().into_iter().map(T::of).collect();
        let x = Tensor::from_vec(device, elements.clone(), [elements.len()]).expect("a vector is a tensor");
        let (nan, finite) = classified(&x).expect("the kernel runs");
        let expected: Vec<bool> = elements.iter().map(|x| x.back().is_nan()).collect();
        assert_eq!(nan.read().expect("a result"), expected);
        let expected: Vec<bool> = elements.iter().map(|x| x.back().is_finite()).collect();
        assert_eq!(finite.read().expect("a result"), expected);

        let pairs = operands::<T, 2>();
        let side = |place: usize| {
            let elements: Vec<T> = pairs.iter().map(|pair| T::of(pair[place])).collect();
            Tensor::from_vec(device, elements, [pairs.len()]).expect("a vector is a tensor")
        };
        let (lt, le, gt, ge, eq, ne) = compared(&side(0), &side(1)).expect("the kernel runs");
        let relations: [fn(&f64, &f64) -> bool; 6] = [f64::lt, f64::le, f64::gt, f64::ge, f64::eq, f64::ne];
        for (found, relation) in [lt, le, gt, ge, eq, ne].into_iter().zip(relations) {
            let expected: Vec<bool> = pairs.iter().map(|[x, y]| relation(x, y)).collect();
            assert_eq!(found.read().expect("a result"), expected);
        }
    }
    check::<D, f64>(device);
    check::<D, f32>(device);
    check::<D, f16>(device);
    check::<D, bf16>(device);
}

#[test]
fn every_function_of_the_language_is_here() {
    let missing: Vec<&str> = tensor_rt_compiler::check::function_names()
        .filter(|name| !NAMES.contains(name) && !OTHERS.contains(name) && !ELSEWHERE.contains(name))
        .collect();
    assert!(missing.is_empty(), "functions without a value test: {missing:?}");
}

/// The comparison itself notices an error of a few units and a wrong sign of zero.
#[test]
fn wrong_values_are_noticed() {
    assert!(
        is_close::<f64>(1.0 + 2.0 * f64::EPSILON, 1.0, 3.0) && !is_close::<f64>(1.0 + 4.0 * f64::EPSILON, 1.0, 3.0)
    );
    assert!(
        !is_close::<f32>(-0.0, 0.0, 3.0)
            && !is_close::<f32>(0.0, f64::NAN, 3.0)
            && !is_close::<f32>(f64::NAN, 0.0, 3.0)
    );
    assert!(is_close::<f16>(f64::INFINITY, 70_000.0, 1.0) && !is_close::<f16>(f64::INFINITY, 60_000.0, 1.0));
}

tests::on_each_device! {
    functions_of_f64_are_those_of_the_standard_library,
    functions_of_f32_are_those_of_the_standard_library,
    functions_of_f16_are_those_of_the_standard_library,
    functions_of_bf16_are_those_of_the_standard_library,
    conditions_are_those_of_rust,
}
