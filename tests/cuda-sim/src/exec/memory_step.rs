//! Loads, stores and atomics.

use super::registers::{Bits, LANES, Register, Registers, Row};
use super::spaces::{Address, LaneFault, Spaces, each};
use crate::fault::Access;

/// A decoded instruction that touches memory.
pub(crate) type MemoryStep = Box<dyn Fn(&mut Registers, &mut Spaces<'_>, u32) -> Result<(), LaneFault> + Send + Sync>;

/// A value in memory.
pub(crate) trait Cell: 'static {
    const BYTES: usize;

    /// The value, extended to 64 bits as its type says.
    fn read(bytes: &[u8]) -> u64;

    fn write(bits: u64, bytes: &mut [u8]);
}

macro_rules! impl_cell {
    ($($cell:ty),*) => {$(
        impl Cell for $cell {
            const BYTES: usize = size_of::<$cell>();

            #[inline(always)]
            fn read(bytes: &[u8]) -> u64 {
                let mut cell = [0; size_of::<$cell>()];
                cell.copy_from_slice(&bytes[..Self::BYTES]);
                <$cell>::from_le_bytes(cell) as u64
            }

            #[inline(always)]
            fn write(bits: u64, bytes: &mut [u8]) {
                bytes[..Self::BYTES].copy_from_slice(&(bits as $cell).to_le_bytes());
            }
        }
    )*};
}

impl_cell!(u8, i8, u16, i16, u32, i32, u64);

/// Loads one cell a lane, or several next to each other, into a row each. A row is absent where the value is not wanted.
pub(crate) fn load<C: Cell, B: Bits>(to: Vec<Option<u32>>, address: Address) -> MemoryStep {
    Box::new(move |registers, spaces, mask| {
        let addresses = address.row(registers, spaces);
        let size = C::BYTES * to.len();
        let mut rest = mask;
        while rest != 0 {
            let at = spaces.locate(address.space, addresses, rest, size, Access::Read)?;
            if at.contiguous && to.len() == 1 {
                let bytes = &at.bytes[at.offsets[0]..][..C::BYTES * LANES];
                let row: Row<B> = std::array::from_fn(|lane| B::truncate(C::read(&bytes[lane * C::BYTES..])));
                if let Some(index) = to[0] {
                    registers.write(index, &row, at.lanes);
                }
            } else {
                for (place, index) in to.iter().enumerate() {
                    let Some(index) = *index else { continue };
                    let row: Row<B> = std::array::from_fn(|lane| {
                        B::truncate(C::read(&at.bytes[at.offsets[lane] + place * C::BYTES..]))
                    });
                    registers.write(index, &row, at.lanes);
                }
            }
            rest &= !at.lanes;
        }
        Ok(())
    })
}

/// Stores one row a lane, or several next to each other.
pub(crate) fn store<C: Cell, B: Bits>(from: Vec<u32>, address: Address) -> MemoryStep {
    Box::new(move |registers, spaces, mask| {
        let addresses = address.row(registers, spaces);
        let size = C::BYTES * from.len();
        let mut rest = mask;
        while rest != 0 {
            let at = spaces.locate(address.space, addresses, rest, size, Access::Write)?;
            if at.contiguous && from.len() == 1 {
                let row = registers.row::<B>(from[0]);
                let bytes = &mut at.bytes[at.offsets[0]..][..C::BYTES * LANES];
                for (lane, bytes) in bytes.chunks_exact_mut(C::BYTES).enumerate() {
                    C::write(row[lane].widen(), bytes);
                }
            } else {
                for (place, &index) in from.iter().enumerate() {
                    let row = registers.row::<B>(index);
                    for lane in each(at.lanes) {
                        C::write(row[lane].widen(), &mut at.bytes[at.offsets[lane] + place * C::BYTES..]);
                    }
                }
            }
            rest &= !at.lanes;
        }
        Ok(())
    })
}

/// What an atomic makes of the old value and its one or two operands.
pub(crate) type Update = fn(u64, u64, u64) -> u64;

/// An atomic: lanes in order, each reads the old value and writes `update(old, operands)`.
pub(crate) fn atomic<C: Cell>(
    to: Option<Register>,
    operands: [Register; 2],
    address: Address,
    fenced: bool,
    update: Update,
) -> MemoryStep {
    Box::new(move |registers, spaces, mask| {
        if fenced {
            fence(spaces);
        }
        let addresses = address.row(registers, spaces);
        let [first, second] = operands.map(|operand| registers.widened(operand));
        let mut old = [0; LANES];
        let mut rest = mask;
        while rest != 0 {
            let at = spaces.locate(address.space, addresses, rest, C::BYTES, Access::Atomic)?;
            for lane in each(at.lanes) {
                let bytes = &mut at.bytes[at.offsets[lane]..];
                old[lane] = C::read(bytes);
                C::write(update(old[lane], first[lane], second[lane]), bytes);
            }
            rest &= !at.lanes;
        }
        if let Some(to) = to {
            registers.write_truncated(to, &old, mask);
        }
        Ok(())
    })
}

/// From now on, an atomic of this block orders what it did before with what another block does after.
pub(crate) fn fence(spaces: &mut Spaces<'_>) {
    if let Some(races) = &mut spaces.block_races {
        races.fence();
    }
}
