//! Integer arithmetic.

use crate::run::{check1, check2, check3};

macro_rules! arithmetic {
    ($name:ident, $int:ty, $ty:literal, $wide:ty) => {
        #[test]
        fn $name() {
            let text = |opcode: &str| format!("{opcode}.{} {{o}}, {{a}}, {{b}};", $ty);
            check2(&text("add"), <$int>::wrapping_add);
            check2(&text("sub"), <$int>::wrapping_sub);
            check2(&text("mul.lo"), <$int>::wrapping_mul);
            check2(&text("mul.hi"), |a: $int, b: $int| ((a as $wide * b as $wide) >> <$int>::BITS) as $int);
            check2(&text("min"), |a: $int, b: $int| a.min(b));
            check2(&text("max"), |a: $int, b: $int| a.max(b));
            // Division by zero is undefined; the hardware gives all ones, and the dividend as the remainder.
            check2(&text("div"), |a: $int, b: $int| if b == 0 { !0 } else { a.wrapping_div(b) });
            check2(&text("rem"), |a: $int, b: $int| if b == 0 { a } else { a.wrapping_rem(b) });
            check3(&format!("mad.lo.{} {{o}}, {{a}}, {{b}}, {{c}};", $ty), |a: $int, b: $int, c: $int| {
                a.wrapping_mul(b).wrapping_add(c)
            });
            check3(&format!("mad.hi.{} {{o}}, {{a}}, {{b}}, {{c}};", $ty), |a: $int, b: $int, c: $int| {
                (((a as $wide * b as $wide) >> <$int>::BITS) as $int).wrapping_add(c)
            });
            check3(&format!("sad.{} {{o}}, {{a}}, {{b}}, {{c}};", $ty), |a: $int, b: $int, c: $int| {
                (a.abs_diff(b) as $int).wrapping_add(c)
            });
        }
    };
}

arithmetic!(arithmetic_of_u16, u16, "u16", u64);
arithmetic!(arithmetic_of_s16, i16, "s16", i64);
arithmetic!(arithmetic_of_u32, u32, "u32", u64);
arithmetic!(arithmetic_of_s32, i32, "s32", i64);
arithmetic!(arithmetic_of_u64, u64, "u64", u128);
arithmetic!(arithmetic_of_s64, i64, "s64", i128);

#[test]
fn negation_and_magnitude_wrap() {
    check1("neg.s32 {o}, {a};", i32::wrapping_neg);
    check1("abs.s32 {o}, {a};", i32::wrapping_abs);
    check1("neg.s64 {o}, {a};", i64::wrapping_neg);
    check1("abs.s64 {o}, {a};", i64::wrapping_abs);
    check1("abs.s16 {o}, {a};", i16::wrapping_abs);
}

#[test]
fn wide_products() {
    check2("mul.wide.u32 {o}, {a}, {b};", |a: u32, b: u32| u64::from(a) * u64::from(b));
    check2("mul.wide.s32 {o}, {a}, {b};", |a: i32, b: i32| i64::from(a) * i64::from(b));
    check2("mul.wide.u16 {o}, {a}, {b};", |a: u16, b: u16| u32::from(a) * u32::from(b));
    check2("mul.wide.s16 {o}, {a}, {b};", |a: i16, b: i16| i32::from(a) * i32::from(b));
    check3("mad.wide.u32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c));
    check3("mad.wide.s32 {o}, {a}, {b}, {c};", |a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c));
}

#[test]
fn saturating_sums() {
    check2("add.sat.s32 {o}, {a}, {b};", i32::saturating_add);
    check2("sub.sat.s32 {o}, {a}, {b};", i32::saturating_sub);
}

/// A sum of 128 bits from two halves, and a difference.
#[test]
fn carries() {
    let wide = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
    check3("add.cc.u64 %d1, {a}, {b}; addc.u64 {o}, {c}, 5;", |a: u64, b: u64, c: u64| {
        (wide(c, a).wrapping_add(wide(5, b)) >> 64) as u64
    });
    check3("sub.cc.u64 %d1, {a}, {b}; subc.u64 {o}, {c}, 5;", |a: u64, b: u64, c: u64| {
        (wide(c, a).wrapping_sub(wide(5, b)) >> 64) as u64
    });
    check3("add.cc.u32 %r2, {a}, {b}; addc.cc.u32 %r2, {c}, {a}; addc.u32 {o}, 0, 0;", |a: u32, b: u32, c: u32| {
        let (_, first) = a.overflowing_add(b);
        u32::from(u64::from(c) + u64::from(a) + u64::from(first) > u64::from(u32::MAX))
    });
    check3("mad.lo.cc.u32 %r2, {a}, {b}, {c}; madc.hi.u32 {o}, {a}, {b}, 7;", |a: u32, b: u32, c: u32| {
        let product = u64::from(a) * u64::from(b);
        let (_, carry) = (product as u32).overflowing_add(c);
        ((product >> 32) as u32).wrapping_add(7).wrapping_add(carry.into())
    });
}

#[test]
fn products_of_24_bits() {
    let signed = |a: i32| i64::from(a << 8 >> 8);
    let unsigned = |a: u32| u64::from(a & 0xff_ffff);
    check2("mul24.lo.s32 {o}, {a}, {b};", |a: i32, b: i32| (signed(a) * signed(b)) as i32);
    check2("mul24.hi.s32 {o}, {a}, {b};", |a: i32, b: i32| ((signed(a) * signed(b)) >> 16) as i32);
    check2("mul24.lo.u32 {o}, {a}, {b};", |a: u32, b: u32| (unsigned(a) * unsigned(b)) as u32);
    check3("mad24.lo.u32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: u32| {
        ((unsigned(a) * unsigned(b)) as u32).wrapping_add(c)
    });
}

#[test]
fn dot_products() {
    check3("dp4a.u32.u32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: u32| {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| u32::from(a) * u32::from(b));
        products.fold(c, u32::wrapping_add)
    });
    check3("dp4a.s32.s32 {o}, {a}, {b}, {c};", |a: i32, b: i32, c: i32| {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        products.map(|(a, b)| i32::from(a as i8) * i32::from(b as i8)).fold(c, i32::wrapping_add)
    });
    check3("dp2a.hi.s32.u32 {o}, {a}, {b}, {c};", |a: i32, b: u32, c: i32| {
        let [.., third, fourth] = b.to_le_bytes();
        c.wrapping_add(i32::from(a as i16) * i32::from(third)).wrapping_add((a >> 16) * i32::from(fourth))
    });
}

#[test]
fn comparisons() {
    let text =
        |comparison: &str, ty: &str| format!("setp.{comparison}.{ty} %p1, {{a}}, {{b}}; selp.u32 {{o}}, 1, 0, %p1;");
    check2(&text("lt", "s32"), |a: i32, b: i32| u32::from(a < b));
    check2(&text("lt", "u32"), |a: u32, b: u32| u32::from(a < b));
    check2(&text("lo", "u32"), |a: u32, b: u32| u32::from(a < b));
    check2(&text("hs", "u64"), |a: u64, b: u64| u32::from(a >= b));
    check2(&text("le", "s64"), |a: i64, b: i64| u32::from(a <= b));
    check2(&text("gt", "u16"), |a: u16, b: u16| u32::from(a > b));
    check2(&text("ge", "s16"), |a: i16, b: i16| u32::from(a >= b));
    check2(&text("eq", "b64"), |a: u64, b: u64| u32::from(a == b));
    check2(&text("ne", "b32"), |a: u32, b: u32| u32::from(a != b));
    let joined = "setp.lt.s32 %p1, {a}, 5; setp.gt.and.s32 %p2|%p3, {b}, 7, !%p1; selp.u32 {o}, 2, 0, %p2; @%p3 add.u32 {o}, {o}, 1;";
    check2(joined, |a: i32, b: i32| {
        let third = a >= 5;
        2 * u32::from(b > 7 && third) + u32::from(b <= 7 && third)
    });
    check2("set.lt.u32.s32 {o}, {a}, {b};", |a: i32, b: i32| if a < b { u32::MAX } else { 0 });
    check3("slct.u32.s32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: i32| if c >= 0 { a } else { b });
}

#[test]
fn predicates() {
    let text = |opcode: &str| {
        format!(
            "setp.lt.s32 %p1, {{a}}, 8; setp.lt.s32 %p2, {{b}}, 8; {opcode}.pred %p3, %p1, %p2; selp.b32 {{o}}, 1, 0, %p3;"
        )
    };
    check2(&text("and"), |a: i32, b: i32| u32::from(a < 8 && b < 8));
    check2(&text("or"), |a: i32, b: i32| u32::from(a < 8 || b < 8));
    check2(&text("xor"), |a: i32, b: i32| u32::from((a < 8) != (b < 8)));
    check1("setp.lt.s32 %p1, {a}, 8; not.pred %p2, %p1; mov.pred %p3, %p2; selp.b32 {o}, 1, 0, !%p3;", |a: i32| {
        u32::from(a < 8)
    });
}
