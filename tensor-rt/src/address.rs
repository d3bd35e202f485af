//! Maps by the address of something that stays where it is.
//!
//! An address is unique while what lies there lives, and nobody chooses it to spoil a table: neither the safe hash of the
//! standard map nor the bytes behind the address are needed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values by address.
pub(crate) type ByAddress<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// The address of a value.
pub(crate) fn of<T>(value: &T) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Spreads an address over the hash table.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, address: usize) {
        // The golden ratio's bits; the table uses the top ones.
        self.0 = (self.0.rotate_left(5) ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
