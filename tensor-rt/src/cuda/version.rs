//! Versions as CUDA counts them: of drivers and compilers, of the PTX they speak, and of devices.

use std::fmt;

/// A version of CUDA: the newest that a driver knows, or the one that a compiler belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CudaVersion {
    /// The number before the point.
    pub major: u32,
    /// The number after the point.
    pub minor: u32,
}

impl CudaVersion {
    /// The version that the driver's number stands for: 12090 is 12.9.
    pub fn of_driver(number: i32) -> CudaVersion {
        let number = number.max(0).unsigned_abs();
        CudaVersion { major: number / 1000, minor: number % 1000 / 10 }
    }

    /// The newest PTX that this version reads, and the only one that its compiler writes. `None` where it is not known.
    pub fn ptx(self) -> Option<PtxVersion> {
        // Major versions of PTX follow those of CUDA; the minor ones fell behind once, at 12.6.
        let minor = match (self.major, self.minor) {
            (11 | 13, minor @ 0..=8) | (12, minor @ 0..=5) => minor,
            (12, minor @ 6..=9) => minor - 1,
            _ => return None,
        };
        Some(PtxVersion { major: self.major - 4, minor })
    }
}

impl fmt::Display for CudaVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

/// A version of PTX, as its `.version` line states it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PtxVersion {
    /// The number before the point.
    pub major: u32,
    /// The number after the point.
    pub minor: u32,
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

/// The compute capability of a device: 8.6 is an RTX 3090, 9.0 an H100.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Capability {
    /// The generation.
    pub major: u32,
    /// The variant within it.
    pub minor: u32,
}

impl Capability {
    /// The capability that compilers write as one number: 86 is 8.6, 120 is 12.0.
    pub fn of_number(number: u32) -> Capability {
        Capability { major: number / 10, minor: number % 10 }
    }

    /// The number in `sm_86` and `compute_86`.
    pub fn number(self) -> u32 {
        self.major * 10 + self.minor
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_driver_is_a_version() {
        assert_eq!(CudaVersion::of_driver(12090), CudaVersion { major: 12, minor: 9 });
        assert_eq!(CudaVersion::of_driver(13000), CudaVersion { major: 13, minor: 0 });
        assert_eq!(CudaVersion::of_driver(-1), CudaVersion { major: 0, minor: 0 });
    }

    #[test]
    fn a_version_reads_the_ptx_of_its_release() {
        let ptx = |major, minor| CudaVersion { major, minor }.ptx().map(|version| version.to_string());
        assert_eq!(ptx(11, 8).as_deref(), Some("7.8"));
        assert_eq!(ptx(12, 0).as_deref(), Some("8.0"));
        assert_eq!(ptx(12, 5).as_deref(), Some("8.5"));
        assert_eq!(ptx(12, 6).as_deref(), Some("8.5"));
        assert_eq!(ptx(12, 9).as_deref(), Some("8.8"));
        assert_eq!(ptx(13, 5).as_deref(), Some("9.5"));
        assert_eq!(ptx(10, 2), None);
        assert_eq!(ptx(99, 0), None);
    }

    #[test]
    fn a_capability_is_one_number_for_compilers() {
        assert_eq!(Capability::of_number(86), Capability { major: 8, minor: 6 });
        assert_eq!(Capability::of_number(120), Capability { major: 12, minor: 0 });
        assert_eq!(Capability::of_number(121).number(), 121);
        assert!(Capability::of_number(90) < Capability::of_number(100));
    }
}
