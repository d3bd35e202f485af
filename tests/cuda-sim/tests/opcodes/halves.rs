//! Arithmetic of halves, which is that of f32 rounded: exact for sums and products of halves before the rounding.

use crate::run::{Value, check1, check2, check3, run};

/// A half in Rust, through the conversions that are tested elsewhere.
fn to_f32(bits: &[u16]) -> Vec<f32> {
    run("cvt.f32.f16 {o}, {a};", &[16], &[bits.iter().map(|bits| bits.to_word()).collect()])
}

fn to_half(values: &[f64]) -> Vec<u16> {
    run("cvt.rn.f16.f64 {o}, {a};", &[64], &[values.iter().map(|value| value.to_word()).collect()])
}

fn samples() -> Vec<u16> {
    vec![0, 0x8000, 1, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x5640]
}

fn check(opcode: &str, exact: fn(f64, f64) -> f64) {
    let samples = samples();
    let pairs: Vec<(u16, u16)> = samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).collect();
    let (first, second): (Vec<u16>, Vec<u16>) = pairs.iter().copied().unzip();
    let words = |bits: &[u16]| bits.iter().map(|bits| bits.to_word()).collect::<Vec<_>>();
    let found: Vec<u16> =
        run(&format!("{opcode}.f16 {{o}}, {{a}}, {{b}};"), &[16, 16], &[words(&first), words(&second)]);
    let values = to_f32(&first).into_iter().zip(to_f32(&second));
    let expected = to_half(&values.map(|(a, b)| exact(a.into(), b.into())).collect::<Vec<_>>());
    for ((pair, found), expected) in pairs.iter().zip(found).zip(expected) {
        assert_eq!(found, expected, "{opcode} of {pair:04x?}");
    }
}

#[test]
fn arithmetic_of_f16() {
    check("add", |a, b| a + b);
    check("sub", |a, b| a - b);
    check("mul", |a, b| a * b);
    check1("neg.f16 {o}, {a};", |a: u16| a ^ 0x8000);
    check1("abs.bf16 {o}, {a};", |a: u16| a & 0x7fff);
}

#[test]
fn two_halves_are_two_operations() {
    for opcode in ["add", "sub", "mul", "max"] {
        for ty in ["f16", "bf16"] {
            let both = format!(
                "{opcode}.{ty}x2 %r2, {{a}}, {{b}}; mov.b32 {{%h0, %h1}}, {{a}}; mov.b32 {{%h2, %h3}}, {{b}}; \
                 {opcode}.{ty} %h0, %h0, %h2; {opcode}.{ty} %h1, %h1, %h3; mov.b32 %r3, {{%h0, %h1}}; \
                 xor.b32 {{o}}, %r2, %r3;"
            );
            check2(&both, |_: u32, _: u32| 0_u32);
        }
    }
    let fused = "fma.rn.f16x2 %r2, {a}, {b}, {c}; mov.b32 {%h0, _}, {a}; mov.b32 {%h1, _}, {b}; mov.b32 {%h2, _}, {c}; \
                 fma.rn.f16 %h0, %h0, %h1, %h2; mov.b32 {%h1, _}, %r2; setp.eq.b16 %p1, %h0, %h1; selp.u32 {o}, 1, 0, %p1;";
    check3(fused, |_: u32, _: u32, _: u32| 1_u32);
}

#[test]
fn comparisons_of_halves() {
    check2("setp.lt.f16 %p1, {a}, {b}; selp.u32 {o}, 1, 0, %p1;", |a: u16, b: u16| {
        let values = to_f32(&[a, b]);
        u32::from(values[0] < values[1])
    });
}
