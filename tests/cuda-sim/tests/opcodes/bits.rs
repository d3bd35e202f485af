//! Bits: logic, shifts, fields and permutations.

use crate::run::{check1, check2, check3};

#[test]
fn logic() {
    check2("and.b32 {o}, {a}, {b};", |a: u32, b: u32| a & b);
    check2("or.b64 {o}, {a}, {b};", |a: u64, b: u64| a | b);
    check2("xor.b16 {o}, {a}, {b};", |a: u16, b: u16| a ^ b);
    check1("not.b64 {o}, {a};", |a: u64| !a);
    check1("cnot.b32 {o}, {a};", |a: u32| u32::from(a == 0));
    check3("lop3.b32 {o}, {a}, {b}, {c}, 0xE8;", |a: u32, b: u32, c: u32| a & b | b & c | a & c);
    check3("lop3.b32 {o}, {a}, {b}, {c}, 0x1E;", |a: u32, b: u32, c: u32| a ^ (b | c));
}

#[test]
fn shift_counts_may_exceed_the_width() {
    check2("shl.b32 {o}, {a}, {b};", |a: u32, by: u32| a.checked_shl(by).unwrap_or(0));
    check2("shl.b64 {o}, {a}, {b};", |a: u64, by: u32| a.checked_shl(by).unwrap_or(0));
    check2("shl.b16 {o}, {a}, {b};", |a: u16, by: u32| a.checked_shl(by).unwrap_or(0));
    check2("shr.u32 {o}, {a}, {b};", |a: u32, by: u32| a.checked_shr(by).unwrap_or(0));
    check2("shr.b64 {o}, {a}, {b};", |a: u64, by: u32| a.checked_shr(by).unwrap_or(0));
    check2("shr.u16 {o}, {a}, {b};", |a: u16, by: u32| a.checked_shr(by).unwrap_or(0));
    check2("shr.s32 {o}, {a}, {b};", |a: i32, by: u32| a >> by.min(31));
    check2("shr.s64 {o}, {a}, {b};", |a: i64, by: u32| a >> by.min(63));
    check2("shr.s16 {o}, {a}, {b};", |a: i16, by: u32| a >> by.min(15));
}

#[test]
fn funnel_shifts() {
    let join = |a: u32, b: u32| u64::from(b) << 32 | u64::from(a);
    check3("shf.l.wrap.b32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: u32| (join(a, b) << (c & 31) >> 32) as u32);
    check3("shf.l.clamp.b32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: u32| (join(a, b) << c.min(32) >> 32) as u32);
    check3("shf.r.wrap.b32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: u32| (join(a, b) >> (c & 31)) as u32);
    check3("shf.r.clamp.b32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: u32| (join(a, b) >> c.min(32)) as u32);
}

/// The definition of the manual, bit by bit.
fn field(a: u64, width: u32, signed: bool, position: u32, length: u32) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let bit = |at: u32| a >> at & 1;
    let sign = if signed && length > 0 { bit((position + length - 1).min(width - 1)) } else { 0 };
    (0..width).map(|i| if i < length && position + i < width { bit(position + i) << i } else { sign << i }).sum()
}

#[test]
fn fields_are_extracted() {
    check3("bfe.u32 {o}, {a}, {b}, {c};", |a: u32, p: u32, n: u32| field(a.into(), 32, false, p, n) as u32);
    check3("bfe.s32 {o}, {a}, {b}, {c};", |a: u32, p: u32, n: u32| field(a.into(), 32, true, p, n) as u32);
    check3("bfe.u64 {o}, {a}, {b}, {c};", |a: u64, p: u32, n: u32| field(a, 64, false, p, n));
    check3("bfe.s64 {o}, {a}, {b}, {c};", |a: u64, p: u32, n: u32| field(a, 64, true, p, n));
}

#[test]
fn fields_are_inserted() {
    fn insert(a: u64, into: u64, width: u32, position: u32, length: u32) -> u64 {
        let (position, length) = (position & 0xff, length & 0xff);
        (0..length)
            .filter(|i| position + i < width)
            .fold(into, |bits, i| bits & !(1 << (position + i)) | (a >> i & 1) << (position + i))
    }
    check3("bfi.b32 {o}, {a}, 0x0F0F1234, {b}, {c};", |a: u32, p: u32, n: u32| {
        insert(a.into(), 0x0f0f_1234, 32, p, (n & 0xff).min(32)) as u32
    });
    check3("bfi.b64 {o}, {a}, 0x0F0F1234, {b}, {c};", |a: u64, p: u32, n: u32| {
        insert(a, 0x0f0f_1234, 64, p, (n & 0xff).min(64))
    });
}

#[test]
fn counts() {
    check1("popc.b32 {o}, {a};", u32::count_ones);
    check1("popc.b64 {o}, {a};", u64::count_ones);
    check1("clz.b32 {o}, {a};", u32::leading_zeros);
    check1("clz.b64 {o}, {a};", u64::leading_zeros);
    check1("brev.b32 {o}, {a};", u32::reverse_bits);
    check1("brev.b64 {o}, {a};", u64::reverse_bits);
    check1("bfind.u32 {o}, {a};", |a: u32| a.checked_ilog2().unwrap_or(u32::MAX));
    check1("bfind.u64 {o}, {a};", |a: u64| a.checked_ilog2().unwrap_or(u32::MAX));
    let signed = |a: i32| (if a < 0 { !a } else { a } as u32).checked_ilog2();
    check1("bfind.s32 {o}, {a};", |a: i32| signed(a).unwrap_or(u32::MAX));
    check1("bfind.shiftamt.s32 {o}, {a};", |a: i32| signed(a).map_or(u32::MAX, |bit| 31 - bit));
    check1("bfind.shiftamt.u32 {o}, {a};", |a: u32| a.checked_ilog2().map_or(u32::MAX, |bit| 31 - bit));
}

#[test]
fn bytes_are_permuted() {
    check3("prmt.b32 {o}, {a}, {b}, {c};", |a: u32, b: u32, c: u32| {
        let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
        u32::from_le_bytes(std::array::from_fn(|i| {
            let selector = c >> (4 * i) & 15;
            let byte = bytes[(selector & 7) as usize];
            if selector & 8 == 0 {
                byte
            } else if byte >= 0x80 {
                0xff
            } else {
                0
            }
        }))
    });
    // The tables of the manual, from the highest byte to the lowest, for selectors 0 to 3.
    let tables = [
        ("f4e", [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]]),
        ("b4e", [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]]),
        ("rc8", [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecl", [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecr", [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]]),
        ("rc16", [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]),
    ];
    for (mode, table) in tables {
        check3(&format!("prmt.b32.{mode} {{o}}, {{a}}, {{b}}, {{c}};"), |a: u32, b: u32, c: u32| {
            let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
            let [high, second, third, low] = table[(c & 3) as usize];
            u32::from_le_bytes([low, third, second, high].map(|byte: usize| bytes[byte]))
        });
    }
}

#[test]
fn registers_are_packed_and_unpacked() {
    check1("mov.b64 {%r2, %r3}, {a}; mov.b64 {o}, {%r3, %r2};", |a: u64| a.rotate_left(32));
    check1("mov.b64 {_, %r3}, {a}; mov.b32 {o}, %r3;", |a: u64| (a >> 32) as u32);
    check1("mov.b32 {%h1, %h2}, {a}; mov.b32 {o}, {%h2, %h1};", |a: u32| a.rotate_left(16));
    check1("mov.b64 {%h0, %h1, %h2, %h3}, {a}; mov.b64 {o}, {%h3, %h2, %h1, %h0};", |a: u64| {
        a >> 48 | a >> 16 & 0xffff_0000 | (a & 0xffff_0000) << 16 | a << 48
    });
    check1("{ .reg .b32 %t; mov.b64 {%t, %r3}, {a}; mov.b32 {o}, %t; }", |a: u64| a as u32);
}
