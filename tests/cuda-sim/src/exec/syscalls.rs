//! The functions that the driver gives to device code: `assert` and `printf`.

use super::spaces::{AddressSpace, Spaces};
use crate::fault::{Access, FaultKind};

/// The fault of a failed `assert`, whose parameters (message, file, line, function) lie in the frame.
pub(super) fn failed_assert(spaces: &mut Spaces<'_>, lane: u32, parameters: &[u32; 4]) -> FaultKind {
    let [message, file, line, function] = *parameters;
    let mut text = |at| {
        let address = word(spaces, lane, at);
        string(spaces, lane, address)
    };
    let (message, file, function) = (text(message), text(file), text(function));
    FaultKind::Assert { message, file, line: word(spaces, lane, line) as u32, function }
}

/// `printf` of one lane. Parameters: format, address of the values, and where the result goes.
pub(super) fn print(spaces: &mut Spaces<'_>, lane: u32, parameters: &[u32; 3], output: &mut String) {
    let [format, values, result] = *parameters;
    let format_address = word(spaces, lane, format);
    let format = string(spaces, lane, format_address);
    let mut at = word(spaces, lane, values);
    let mut rest = format.as_str();
    let mut count = 0;
    while let Some(percent) = rest.find('%') {
        output.push_str(&rest[..percent]);
        rest = &rest[percent + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            output.push('%');
            rest = after;
            continue;
        }
        // Flags, width and precision are not modelled; the length decides the size of the value.
        let end = rest.find(|c: char| c.is_ascii_alphabetic() && !"lhzj".contains(c)).unwrap_or(rest.len());
        let (length, conversion) = (&rest[..end], rest[end..].chars().next().unwrap_or('%'));
        let is_wide = length.contains(['l', 'z', 'j']) || "feEgGsp".contains(conversion);
        let bytes = if is_wide { 8 } else { 4 };
        at = at.next_multiple_of(bytes as u64);
        let bits = read(spaces, AddressSpace::Generic, lane, at, bytes).unwrap_or(0);
        at += bytes as u64;
        output.push_str(&match conversion {
            'f' => format!("{:.6}", f64::from_bits(bits)),
            'e' | 'E' | 'g' | 'G' => f64::from_bits(bits).to_string(),
            'd' | 'i' if is_wide => (bits as i64).to_string(),
            'd' | 'i' => (bits as i32).to_string(),
            'x' => format!("{bits:x}"),
            'X' => format!("{bits:X}"),
            'p' => format!("{bits:#x}"),
            'c' => char::from(bits as u8).to_string(),
            's' => string(spaces, lane, bits),
            _ => bits.to_string(),
        });
        rest = rest.get(end + 1..).unwrap_or_default();
        count += 1;
    }
    output.push_str(rest);
    let frame = spaces.local.frame;
    spaces.local.lane(lane as usize)[frame + result as usize..][..4].copy_from_slice(&u32::to_le_bytes(count));
}

/// A parameter in the frame. It has room for 8 bytes, of which a shorter one uses the first.
fn word(spaces: &mut Spaces<'_>, lane: u32, at: u32) -> u64 {
    let at = spaces.local.frame + at as usize;
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&spaces.local.lane(lane as usize)[at..at + 8]);
    u64::from_le_bytes(bytes)
}

fn read(spaces: &mut Spaces<'_>, space: AddressSpace, lane: u32, address: u64, bytes: usize) -> Option<u64> {
    let at = spaces.locate(space, [address; 32], 1 << lane, bytes, Access::Read).ok()?;
    let offset = at.offsets[lane as usize];
    let mut value = [0; 8];
    value[..bytes].copy_from_slice(&at.bytes[offset..offset + bytes]);
    Some(u64::from_le_bytes(value))
}

/// The bytes from an address up to a zero.
fn string(spaces: &mut Spaces<'_>, lane: u32, address: u64) -> String {
    let bytes = (address..).map_while(|address| read(spaces, AddressSpace::Generic, lane, address, 1));
    let bytes: Vec<u8> = bytes.take_while(|&byte| byte != 0).map(|byte| byte as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
