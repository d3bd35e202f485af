//! Conversions.

use crate::run::{Value, check1, check2};

macro_rules! between_ints {
    ($($from:ty, $from_ty:literal => $to:ty, $to_ty:literal);* $(;)?) => {
        #[test]
        fn integers_are_cut_or_extended_or_saturated() {
            $(
                check1(concat!("cvt.", $to_ty, ".", $from_ty, " {o}, {a};"), |a: $from| a as $to);
                check1(concat!("cvt.sat.", $to_ty, ".", $from_ty, " {o}, {a};"), |a: $from| {
                    i128::from(a).clamp(<$to>::MIN.into(), <$to>::MAX.into()) as $to
                });
            )*
        }
    };
}

between_ints! {
    i32, "s32" => i64, "s64"; u32, "u32" => u64, "u64"; i64, "s64" => i32, "s32"; u64, "u64" => u32, "u32";
    i32, "s32" => i16, "s16"; u16, "u16" => u32, "u32"; i16, "s16" => i64, "s64"; u32, "u32" => u16, "u16";
    i32, "s32" => u8, "u8"; u32, "u32" => i8, "s8"; i8, "s8" => i32, "s32"; u8, "u8" => u16, "u16";
    i64, "s64" => u32, "u32"; u64, "u64" => i32, "s32"; i32, "s32" => u32, "u32"; i16, "s16" => i8, "s8"
}

macro_rules! from_ints {
    ($($from:ty, $from_ty:literal);*) => {
        #[test]
        fn integers_become_floats() {
            $(
                check1(concat!("cvt.rn.f32.", $from_ty, " {o}, {a};"), |a: $from| a as f32);
                check1(concat!("cvt.rn.f64.", $from_ty, " {o}, {a};"), |a: $from| a as f64);
                check1(concat!("cvt.rz.f32.", $from_ty, " {o}, {a};"), |a: $from| {
                    let near = a as f32;
                    let too_far = (near as i128).abs() > i128::from(a).abs();
                    if !too_far { near } else if near > 0.0 { near.next_down() } else { near.next_up() }
                });
                check1(concat!("cvt.rp.f64.", $from_ty, " {o}, {a};"), |a: $from| {
                    let near = a as f64;
                    if (near as i128) < i128::from(a) { near.next_up() } else { near }
                });
            )*
        }
    };
}

from_ints!(i8, "s8"; u8, "u8"; i16, "s16"; u16, "u16"; i32, "s32"; u32, "u32"; i64, "s64"; u64, "u64");

/// NaN gives zero between types of 32 bits, and else only the top bit.
macro_rules! to_ints {
    ($($to:ty, $to_ty:literal, $nan_of_f32:expr, $nan_of_f64:expr);*) => {
        #[test]
        fn floats_are_rounded_to_integers_and_saturate() {
            $(
                let round: [(&str, fn(f64) -> f64); 4] =
                    [("rni", f64::round_ties_even), ("rzi", f64::trunc), ("rmi", f64::floor), ("rpi", f64::ceil)];
                for (mode, round) in round {
                    check1(&format!("cvt.{mode}.{}.f32 {{o}}, {{a}};", $to_ty), move |a: f32| {
                        if a.is_nan() { $nan_of_f32 } else { round(a.into()) as $to }
                    });
                    check1(&format!("cvt.{mode}.{}.f64 {{o}}, {{a}};", $to_ty), move |a: f64| {
                        if a.is_nan() { $nan_of_f64 } else { round(a) as $to }
                    });
                }
            )*
        }
    };
}

to_ints!(
    i32, "s32", 0, i32::MIN; u32, "u32", 0, 1 << 31; i64, "s64", i64::MIN, i64::MIN; u64, "u64", 1 << 63, 1 << 63;
    i16, "s16", 0, i16::MIN; u8, "u8", 0, 1 << 7
);

#[test]
fn floats_become_floats() {
    check1("cvt.f64.f32 {o}, {a};", |a: f32| f64::from(a));
    check1("cvt.rn.f32.f64 {o}, {a};", |a: f64| a as f32);
    check1("cvt.rm.f32.f64 {o}, {a};", |a: f64| {
        let near = a as f32;
        if f64::from(near) > a { near.next_down() } else { near }
    });
    check1("cvt.rni.f32.f32 {o}, {a};", f32::round_ties_even);
    check1("cvt.rmi.f64.f64 {o}, {a};", f64::floor);
    check1("cvt.rpi.f32.f32 {o}, {a};", f32::ceil);
    check1("cvt.rzi.f64.f64 {o}, {a};", f64::trunc);
    check1("cvt.sat.f32.f32 {o}, {a};", |a: f32| if a.is_nan() { 0.0 } else { a.clamp(0.0, 1.0) + 0.0 });
    check1("cvt.ftz.f64.f32 {o}, {a};", |a: f32| if a.is_subnormal() { 0.0_f64.copysign(a.into()) } else { a.into() });
}

/// A register may be wider than the type.
#[test]
fn registers_may_be_wider_than_the_type() {
    check1("cvt.u64.u32 %d1, {a}; cvt.u32.u8 {o}, %r0; cvt.s32.s8 {o}, {a};", |a: i32| i32::from(a as i8));
    check1("cvt.s8.s32 {o}, {a};", |a: i32| i32::from(a as i8));
    check1("cvt.u8.u32 {o}, {a};", |a: u32| u32::from(a as u8));
    check1("cvt.s16.s32 {o}, {a};", |a: i32| i32::from(a as i16));
    check1("cvt.s64.s16 {o}, {a};", |a: i32| i64::from(a as i16));
}

#[test]
fn halves_are_rounded_once() {
    // The value of a half by its definition.
    fn value(bits: u16) -> f64 {
        let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
        let magnitude = match exponent {
            0 => fraction * 2.0_f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + fraction) * 2.0_f64.powi(exponent - 25),
        };
        if bits & 0x8000 != 0 { -magnitude } else { magnitude }
    }
    // The nearest half, of two equally near ones the even one; 65520 and more are infinite.
    fn nearest(x: f64) -> u16 {
        if x.is_nan() {
            return 0x7fff;
        }
        let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
        if x.abs() >= 65520.0 {
            return sign | 0x7c00;
        }
        let above = (0..0x7c00).collect::<Vec<u16>>().partition_point(|&bits| value(bits) < x.abs()) as u16;
        if above == 0 {
            return sign;
        }
        let (low, high) = (x.abs() - value(above - 1), value(above).min(65536.0) - x.abs());
        sign | if low < high || low == high && above & 1 == 1 { above - 1 } else { above }
    }
    check1("cvt.f32.f16 {o}, {a};", |bits: u16| value(bits) as f32);
    check1("cvt.f64.f16 {o}, {a};", value);
    check1("cvt.rn.f16.f32 {o}, {a};", |x: f32| nearest(x.into()));
    check1("cvt.rn.f16.f64 {o}, {a};", nearest);
    check1("cvt.rn.f16.s32 {o}, {a};", |x: i32| nearest(x.into()));
    check1("cvt.rzi.s32.f16 {o}, {a};", |bits: u16| value(bits) as i32);
    check2("cvt.rn.f16x2.f32 {o}, {a}, {b};", |high: f32, low: f32| {
        u32::from(nearest(high.into())) << 16 | u32::from(nearest(low.into()))
    });
    check1("cvt.f32.bf16 {o}, {a};", |bits: u16| f32::from_word(u64::from(bits) << 16));
    check1("cvt.rn.bf16.f32 {o}, {a};", |x: f32| {
        let bits = x.to_bits();
        let (low, odd) = (bits & 0xffff, bits >> 16 & 1);
        let up = low > 0x8000 || low == 0x8000 && odd == 1;
        if x.is_nan() { 0x7fff } else { (bits >> 16) as u16 + u16::from(up) }
    });
}
