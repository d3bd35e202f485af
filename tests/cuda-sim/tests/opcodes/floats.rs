//! Arithmetic of f32 and f64.

use std::cmp::Ordering;

use crate::run::{Value, check1, check2, check3, run};

#[test]
fn arithmetic_to_nearest() {
    check2("add.f32 {o}, {a}, {b};", |a: f32, b: f32| a + b);
    check2("sub.rn.f32 {o}, {a}, {b};", |a: f32, b: f32| a - b);
    check2("mul.f32 {o}, {a}, {b};", |a: f32, b: f32| a * b);
    check2("div.rn.f32 {o}, {a}, {b};", |a: f32, b: f32| a / b);
    check3("fma.rn.f32 {o}, {a}, {b}, {c};", f32::mul_add);
    check1("sqrt.rn.f32 {o}, {a};", f32::sqrt);
    check1("rcp.rn.f32 {o}, {a};", f32::recip);
    check2("add.f64 {o}, {a}, {b};", |a: f64, b: f64| a + b);
    check2("sub.f64 {o}, {a}, {b};", |a: f64, b: f64| a - b);
    check2("mul.rn.f64 {o}, {a}, {b};", |a: f64, b: f64| a * b);
    check2("div.rn.f64 {o}, {a}, {b};", |a: f64, b: f64| a / b);
    check3("fma.rn.f64 {o}, {a}, {b}, {c};", f64::mul_add);
    check1("sqrt.rn.f64 {o}, {a};", f64::sqrt);
    check1("rcp.rn.f64 {o}, {a};", f64::recip);
}

#[test]
fn an_operation_of_f32_has_one_nan() {
    for text in ["add.f32 {o}, {a}, 0f7FC12345;", "mul.f32 {o}, {a}, 0fFFC00000;", "max.NaN.f32 {o}, {a}, 0fFFC00000;"]
    {
        check1(text, |_: f32| 0x7fff_ffff_u32);
    }
}

/// Rounding the opposite number down is rounding up, and toward zero is the nearer to zero of both.
#[test]
fn directions_mirror_each_other() {
    let words: Vec<u64> = f32::samples().iter().map(|x| x.to_word()).collect();
    let pairs = |second: bool| -> Vec<u64> {
        words.iter().flat_map(|&a| words.iter().map(move |&b| if second { b } else { a })).collect()
    };
    let operands = [pairs(false), pairs(true)];
    for opcode in ["mul", "div", "add", "sub"] {
        let of = |text: String| run::<f32>(&text, &[32, 32], &operands);
        let up = of(format!("{opcode}.rp.f32 {{o}}, {{a}}, {{b}};"));
        let also = if matches!(opcode, "add" | "sub") { "neg.f32 {b}, {b}; " } else { "" };
        let down =
            of(format!("neg.f32 {{a}}, {{a}}; {also}{opcode}.rm.f32 {{o}}, {{a}}, {{b}}; neg.f32 {{o}}, {{o}};"));
        let near = of(format!("{opcode}.rn.f32 {{o}}, {{a}}, {{b}};"));
        let zero = of(format!("{opcode}.rz.f32 {{o}}, {{a}}, {{b}};"));
        for (((up, down), near), zero) in up.iter().zip(&down).zip(&near).zip(&zero) {
            // A sum of exactly zero is negative rounded down, and positive otherwise.
            assert!(up.same(*down) || *up == 0.0 && *down == 0.0, "{opcode}: {up} {down}");
            assert!(near.is_nan() || (up >= near && zero.abs() <= near.abs()), "{opcode}: {up} {near} {zero}");
        }
    }
}

#[test]
fn subnormal_numbers_are_flushed_and_results_saturated() {
    let flush = |x: f32| if x.is_subnormal() { 0.0_f32.copysign(x) } else { x };
    check2("add.ftz.f32 {o}, {a}, {b};", move |a: f32, b: f32| flush(flush(a) + flush(b)));
    check2("mul.ftz.f32 {o}, {a}, {b};", move |a: f32, b: f32| flush(flush(a) * flush(b)));
    check3("fma.rn.ftz.f32 {o}, {a}, {b}, {c};", move |a: f32, b: f32, c: f32| {
        flush(flush(a).mul_add(flush(b), flush(c)))
    });
    let saturate = |x: f32| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) + 0.0 };
    check2("add.sat.f32 {o}, {a}, {b};", move |a: f32, b: f32| saturate(a + b));
    check3("fma.rn.sat.f32 {o}, {a}, {b}, {c};", move |a: f32, b: f32, c: f32| saturate(a.mul_add(b, c)));
    check1("abs.ftz.f32 {o}, {a};", move |a: f32| flush(a).abs());
}

#[test]
fn signs_are_bits() {
    check1("neg.f32 {o}, {a};", |a: f32| -a);
    check1("abs.f64 {o}, {a};", f64::abs);
    check2("copysign.f32 {o}, {a}, {b};", |sign: f32, value: f32| value.copysign(sign));
    check2("copysign.f64 {o}, {a}, {b};", |sign: f64, value: f64| value.copysign(sign));
}

#[test]
fn the_smaller_and_the_larger() {
    fn pick(a: f32, b: f32, smaller: bool) -> f32 {
        match (a.is_nan(), b.is_nan()) {
            (true, _) => b,
            (false, true) => a,
            (false, false) => {
                let a_first = a.total_cmp(&b).is_lt();
                if a_first == smaller { a } else { b }
            }
        }
    }
    check2("min.f32 {o}, {a}, {b};", |a: f32, b: f32| pick(a, b, true));
    check2("max.f32 {o}, {a}, {b};", |a: f32, b: f32| pick(a, b, false));
    check2(
        "max.NaN.f32 {o}, {a}, {b};",
        |a: f32, b: f32| {
            if a.is_nan() || b.is_nan() { f32::NAN } else { pick(a, b, false) }
        },
    );
    check3("max.f32 {o}, {a}, {b}, {c};", |a: f32, b: f32, c: f32| pick(pick(a, b, false), c, false));
    check2("min.f64 {o}, {a}, {b};", |a: f64, b: f64| {
        if a == b && a == 0.0 { if a.is_sign_negative() { a } else { b } } else { a.min(b) }
    });
}

#[test]
fn comparisons_know_nan() {
    let text =
        |comparison: &str, ty: &str| format!("setp.{comparison}.{ty} %p1, {{a}}, {{b}}; selp.u32 {{o}}, 1, 0, %p1;");
    check2(&text("eq", "f32"), |a: f32, b: f32| u32::from(a == b));
    check2(&text("ne", "f32"), |a: f32, b: f32| u32::from(a.partial_cmp(&b).is_some_and(Ordering::is_ne)));
    check2(&text("lt", "f32"), |a: f32, b: f32| u32::from(a < b));
    check2(&text("ge", "f64"), |a: f64, b: f64| u32::from(a >= b));
    check2(&text("equ", "f32"), |a: f32, b: f32| u32::from(a == b || a.is_nan() || b.is_nan()));
    check2(&text("neu", "f64"), |a: f64, b: f64| u32::from(a != b));
    check2(&text("ltu", "f32"), |a: f32, b: f32| u32::from(a < b || a.is_nan() || b.is_nan()));
    check2(&text("leu", "f32"), |a: f32, b: f32| u32::from(a <= b || a.is_nan() || b.is_nan()));
    check2(&text("gtu", "f64"), |a: f64, b: f64| u32::from(a > b || a.is_nan() || b.is_nan()));
    check2(&text("geu", "f64"), |a: f64, b: f64| u32::from(a >= b || a.is_nan() || b.is_nan()));
    check2(&text("num", "f32"), |a: f32, b: f32| u32::from(!a.is_nan() && !b.is_nan()));
    check2(&text("nan", "f32"), |a: f32, b: f32| u32::from(a.is_nan() || b.is_nan()));
    check2("set.gt.f32.f32 {o}, {a}, {b};", |a: f32, b: f32| f32::from(u8::from(a > b)));
    let test = |kind: &str| format!("testp.{kind}.f32 %p1, {{a}}; selp.u32 {{o}}, 1, 0, %p1;");
    check1(&test("finite"), |a: f32| u32::from(a.is_finite()));
    check1(&test("infinite"), |a: f32| u32::from(a.is_infinite()));
    check1(&test("notanumber"), |a: f32| u32::from(a.is_nan()));
    check1(&test("normal"), |a: f32| u32::from(a.is_normal()));
    check1(&test("subnormal"), |a: f32| u32::from(a.is_subnormal()));
}

#[test]
fn approximations_are_rounded() {
    check1("ex2.approx.f32 {o}, {a};", |a: f32| f64::from(a).exp2() as f32);
    check1("lg2.approx.f32 {o}, {a};", |a: f32| f64::from(a).log2() as f32);
    check1("sin.approx.f32 {o}, {a};", |a: f32| f64::from(a).sin() as f32);
    check1("cos.approx.f32 {o}, {a};", |a: f32| f64::from(a).cos() as f32);
    check1("tanh.approx.f32 {o}, {a};", |a: f32| f64::from(a).tanh() as f32);
    check1("rsqrt.approx.f32 {o}, {a};", |a: f32| (1.0 / f64::from(a).sqrt()) as f32);
    check1("rsqrt.approx.f64 {o}, {a};", |a: f64| 1.0 / a.sqrt());
    check1("sqrt.approx.f32 {o}, {a};", f32::sqrt);
    check1("rcp.approx.ftz.f32 {o}, {a};", |a: f32| {
        let flush = |x: f32| if x.is_subnormal() { 0.0_f32.copysign(x) } else { x };
        flush(1.0 / flush(a))
    });
    check2("div.full.f32 {o}, {a}, {b};", |a: f32, b: f32| a / b);
}
