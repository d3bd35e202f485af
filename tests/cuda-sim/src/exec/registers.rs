//! The registers of a warp: one row of 32 lanes each.
//!
//! A register is a row of bits of its class; what the bits mean is the instruction's affair. Immediates are rows whose
//! lanes are all equal, and special registers rows written when a warp begins, so that an instruction finds all its
//! operands in rows. Predicates are masks: bit `i` is lane `i`.

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// One value for each lane.
pub(crate) type Row<T> = [T; LANES];

/// The width of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Predicate,
    B16,
    B32,
    B64,
}

/// The registers of one function in one warp.
#[derive(Clone, Default)]
pub(crate) struct Registers {
    pub b16: Vec<Row<u16>>,
    pub b32: Vec<Row<u32>>,
    pub b64: Vec<Row<u64>>,
    pub predicates: Vec<u32>,
}

/// What a lane of a register holds.
pub(crate) trait Bits: Copy + Default + Send + Sync + 'static {
    const CLASS: Class;

    fn rows(registers: &Registers) -> &[Row<Self>];

    fn rows_mut(registers: &mut Registers) -> &mut Vec<Row<Self>>;

    /// The low bits.
    fn truncate(bits: u64) -> Self;

    /// With zeros above.
    fn widen(self) -> u64;
}

macro_rules! impl_bits {
    ($bits:ty, $class:ident, $rows:ident) => {
        impl Bits for $bits {
            const CLASS: Class = Class::$class;

            #[inline(always)]
            fn rows(registers: &Registers) -> &[Row<Self>] {
                &registers.$rows
            }

            #[inline(always)]
            fn rows_mut(registers: &mut Registers) -> &mut Vec<Row<Self>> {
                &mut registers.$rows
            }

            #[inline(always)]
            fn truncate(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn widen(self) -> u64 {
                u64::from(self)
            }
        }
    };
}

impl_bits!(u16, B16, b16);
impl_bits!(u32, B32, b32);
impl_bits!(u64, B64, b64);

/// A type of values that an instruction computes with.
pub(crate) trait Lane: Copy + Send + Sync + 'static {
    type Bits: Bits;

    fn from_bits(bits: Self::Bits) -> Self;

    fn to_bits(self) -> Self::Bits;
}

macro_rules! impl_lane {
    ($lane:ty, $bits:ty, $from:expr, $to:expr) => {
        impl Lane for $lane {
            type Bits = $bits;

            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                $from(bits)
            }

            #[inline(always)]
            fn to_bits(self) -> $bits {
                $to(self)
            }
        }
    };
}

// Bytes have no registers of their own; they live, extended, in those of 16 bits.
impl_lane!(u8, u16, |bits| bits as u8, u16::from);
impl_lane!(i8, u16, |bits| bits as i8, |lane| i16::from(lane) as u16);
impl_lane!(u16, u16, |bits| bits, |lane| lane);
impl_lane!(i16, u16, |bits| bits as i16, |lane| lane as u16);
impl_lane!(u32, u32, |bits| bits, |lane| lane);
impl_lane!(i32, u32, |bits| bits as i32, |lane| lane as u32);
impl_lane!(u64, u64, |bits| bits, |lane| lane);
impl_lane!(i64, u64, |bits| bits as i64, |lane| lane as u64);
impl_lane!(f32, u32, f32::from_bits, f32::to_bits);
impl_lane!(f64, u64, f64::from_bits, f64::to_bits);

impl Registers {
    /// Copies a row out.
    #[inline(always)]
    pub(crate) fn row<B: Bits>(&self, index: u32) -> Row<B> {
        B::rows(self)[index as usize]
    }

    /// Writes the lanes of a mask.
    #[inline(always)]
    pub(crate) fn write<B: Bits>(&mut self, index: u32, row: &Row<B>, mask: u32) {
        let to = &mut B::rows_mut(self)[index as usize];
        if mask == u32::MAX {
            *to = *row;
        } else {
            for lane in 0..LANES {
                if mask >> lane & 1 != 0 {
                    to[lane] = row[lane];
                }
            }
        }
    }

    /// A row as values.
    #[inline(always)]
    pub(crate) fn lanes<T: Lane>(&self, index: u32) -> Row<T> {
        self.row::<T::Bits>(index).map(T::from_bits)
    }

    /// Writes the lanes of a mask from values.
    #[inline(always)]
    pub(crate) fn write_lanes<T: Lane>(&mut self, index: u32, row: &Row<T>, mask: u32) {
        self.write(index, &row.map(T::to_bits), mask);
    }

    /// Writes the lanes of a mask of a predicate.
    #[inline(always)]
    pub(crate) fn write_predicate(&mut self, index: u32, bits: u32, mask: u32) {
        let to = &mut self.predicates[index as usize];
        *to = *to & !mask | bits & mask;
    }

    /// A row of any class but predicates, with zeros above.
    pub(crate) fn widened(&self, register: Register) -> Row<u64> {
        match register.class {
            Class::Predicate => {
                std::array::from_fn(|lane| u64::from(self.predicates[register.index as usize] >> lane & 1))
            }
            Class::B16 => self.row::<u16>(register.index).map(u64::from),
            Class::B32 => self.row::<u32>(register.index).map(u64::from),
            Class::B64 => self.row::<u64>(register.index),
        }
    }

    /// Writes the low bits of values into a row of any class.
    pub(crate) fn write_truncated(&mut self, register: Register, row: &Row<u64>, mask: u32) {
        match register.class {
            Class::Predicate => {
                let bits = (0..LANES).fold(0, |bits, lane| bits | ((row[lane] & 1) as u32) << lane);
                self.write_predicate(register.index, bits, mask);
            }
            Class::B16 => self.write(register.index, &row.map(|bits| bits as u16), mask),
            Class::B32 => self.write(register.index, &row.map(|bits| bits as u32), mask),
            Class::B64 => self.write(register.index, row, mask),
        }
    }
}

/// A register of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Register {
    pub class: Class,
    pub index: u32,
}
