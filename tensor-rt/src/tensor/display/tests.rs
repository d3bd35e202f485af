//! The texts are what NumPy 2.4 prints for the same arrays.

use super::*;
use crate::device::Cpu;
use crate::error::Result;
use crate::mode::Grad;
use crate::tensor::Nested;

fn f32s(data: impl Nested<f32>) -> String {
    Tensor::new(&Cpu, data).unwrap().to_string()
}

fn of<T: Element>(data: impl Nested<T>) -> String {
    Tensor::new_of::<T>(&Cpu, data).unwrap().to_string()
}

/// The numbers from 0 on, as elements of `T`.
fn count<T: Element, const RANK: usize>(shape: [usize; RANK]) -> String {
    let numbers = (0..shape.iter().product::<usize>() as i64).collect();
    let tensor = Tensor::from_vec::<i64>(&Cpu, numbers, shape).unwrap();
    tensor.to_element::<T>().unwrap().to_string()
}

fn lines(lines: &[&str]) -> String {
    lines.join("\n")
}

#[test]
fn floats_show_the_digits_that_tell_them_apart() {
    assert_eq!(f32s([[1.0, 2.0], [3.0, 4.5]]), "[[1.  2. ]\n [3.  4.5]]");
    assert_eq!(f32s([0.1, 0.25, 1.0 / 3.0, -2.0]), "[ 0.1         0.25        0.33333334 -2.        ]");
    assert_eq!(of::<f64>([0.1, 0.25, 1.0 / 3.0]), "[0.1        0.25       0.33333333]");
    assert_eq!(f32s([-0.0, 0.5]), "[-0.   0.5]");
    // Between two shortest texts the even one.
    assert_eq!(f32s([396.828_13]), "[396.82812]");
}

#[test]
fn wide_ranges_have_an_exponent() {
    assert_eq!(f32s([1e-5, 1.0]), "[1.e-05 1.e+00]");
    assert_eq!(f32s([1e8, -1.5]), "[ 1.0e+08 -1.5e+00]");
    assert_eq!(f32s([0.001, 2.0]), "[1.e-03 2.e+00]");
    assert_eq!(of::<f16>([0.1, 1000.0, 0.333].map(f16::from_f64)), "[1.00e-01 1.00e+03 3.33e-01]");
}

#[test]
fn non_finite_numbers_line_up() {
    assert_eq!(f32s([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.5]), "[ nan  inf -inf  1.5]");
    assert_eq!(f32s([f32::NAN, f32::INFINITY]), "[nan inf]");
}

#[test]
fn integers_and_bools_line_up() {
    assert_eq!(of::<i64>([[1, -20], [300, 4]]), "[[  1 -20]\n [300   4]]");
    assert_eq!(of::<u8>([1, 200]), "[  1 200]");
    assert_eq!(of::<bool>([[true, false], [true, true]]), "[[ True False]\n [ True  True]]");
    assert_eq!(of::<bool>([true, true]), "[ True  True]");
}

#[test]
fn axes_nest_in_brackets() {
    assert_eq!(count::<f32, 3>([2, 2, 2]), lines(&["[[[0. 1.]", "  [2. 3.]]", "", " [[4. 5.]", "  [6. 7.]]]",]));
    assert_eq!(count::<i64, 4>([2, 1, 2, 1]), lines(&["[[[[0]", "   [1]]]", "", "", " [[[2]", "   [3]]]]",]));
}

#[test]
fn long_lines_are_wrapped() {
    let eighths: Vec<f32> = (0..20).map(|number| number as f32 / 8.0).collect();
    assert_eq!(
        f32s(eighths),
        lines(&[
            "[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375",
            " 1.5   1.625 1.75  1.875 2.    2.125 2.25  2.375]",
        ])
    );
}

#[test]
fn more_than_a_thousand_elements_are_summarized() {
    assert_eq!(count::<f32, 1>([1001]), "[   0.    1.    2. ...  998.  999. 1000.]");
    assert!(!count::<f32, 1>([1000]).contains("..."));
    assert_eq!(
        count::<i64, 3>([1, 3, 401]),
        lines(&[
            "[[[   0    1    2 ...  398  399  400]",
            "  [ 401  402  403 ...  799  800  801]",
            "  [ 802  803  804 ... 1200 1201 1202]]]",
        ])
    );
    assert_eq!(
        count::<f32, 2>([30, 40]),
        lines(&[
            "[[0.000e+00 1.000e+00 2.000e+00 ... 3.700e+01 3.800e+01 3.900e+01]",
            " [4.000e+01 4.100e+01 4.200e+01 ... 7.700e+01 7.800e+01 7.900e+01]",
            " [8.000e+01 8.100e+01 8.200e+01 ... 1.170e+02 1.180e+02 1.190e+02]",
            " ...",
            " [1.080e+03 1.081e+03 1.082e+03 ... 1.117e+03 1.118e+03 1.119e+03]",
            " [1.120e+03 1.121e+03 1.122e+03 ... 1.157e+03 1.158e+03 1.159e+03]",
            " [1.160e+03 1.161e+03 1.162e+03 ... 1.197e+03 1.198e+03 1.199e+03]]",
        ])
    );
}

#[test]
fn no_axes_print_like_a_number() {
    assert_eq!(f32s(1.0), "1.0");
    assert_eq!(f32s(1e20), "1e+20");
    assert_eq!(f32s(1.5e-5), "1.5e-05");
    assert_eq!(f32s(f32::NAN), "nan");
    assert_eq!(of::<i64>(7), "7");
    assert_eq!(of::<bool>(true), "True");
}

#[test]
fn no_elements_print_as_an_empty_list() {
    assert_eq!(Tensor::zeros(&Cpu, [0, 3]).unwrap().to_string(), "[]");
}

#[test]
fn precision_can_be_asked_for() {
    assert_eq!(format!("{:.3}", Tensor::new(&Cpu, [0.123456, 1.5]).unwrap()), "[0.123 1.5  ]");
}

#[test]
fn views_print_what_they_show() -> Result<()> {
    let x = Tensor::new(&Cpu, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
    assert_eq!(x.transpose(0, 1)?.flip(0)?.to_string(), "[[3. 6.]\n [2. 5.]\n [1. 4.]]");
    assert_eq!(x.select(1, 0)?.requires_grad().to_string(), "[1. 4.]");
    Ok(())
}

#[test]
fn debug_shows_the_type_and_never_data() {
    let x: Tensor<Cpu, Grad, f32> = Tensor::new(&Cpu, [[7.5]]).unwrap().requires_grad();
    assert_eq!(format!("{x:?}"), "Tensor<Cpu, Grad, f32>[1, 1] on cpu");
}
