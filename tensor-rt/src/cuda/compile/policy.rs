//! Which NVRTC compiles for a device, and to what, so that the installed driver loads it.
//!
//! An NVRTC writes one version of PTX, its own, and a driver reads no PTX newer than itself. Machine code is kinder: any
//! driver of the same major version loads it. So a device is offered, in this order:
//!
//! 1. machine code for exactly its capability, by the newest NVRTC whose major version the driver has or surpasses;
//! 2. PTX for the highest capability that is not above the device's, by the newest NVRTC that is not newer than the
//!    driver;
//! 3. PTX whose `.version` line is lowered to what the driver reads, by the oldest NVRTC that is newer than the driver.
//!    The line guards instructions that plain kernels do not use; the driver still refuses what it does not know.
//!
//! Invariant: the ways of a device are not empty, and stand in this order.

use crate::cuda::version::{Capability, CudaVersion, PtxVersion};
use crate::error::{Error, Result};

/// What code is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Machine code for this capability.
    Cubin(Capability),
    /// PTX for this capability and newer ones.
    Ptx(Capability),
    /// The same, said to be of an older version than the compiler wrote.
    OlderPtx(Capability, PtxVersion),
}

impl Form {
    /// What compilers call the target.
    pub(super) fn target(self) -> String {
        match self {
            Form::Cubin(arch) => format!("sm_{}", arch.number()),
            Form::Ptx(arch) | Form::OlderPtx(arch, _) => format!("compute_{}", arch.number()),
        }
    }
}

/// A compiler, by its place among those found, and the form it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Way {
    pub(super) nvrtc: usize,
    pub(super) form: Form,
}

/// What the policy needs to know of a compiler.
pub(super) struct Offer<'a> {
    pub(super) version: CudaVersion,
    /// Capabilities, rising.
    pub(super) archs: &'a [Capability],
}

impl Offer<'_> {
    /// The highest capability whose PTX a device of `capability` takes.
    fn ptx_arch(&self, capability: Capability) -> Option<Capability> {
        self.archs.iter().copied().filter(|arch| *arch <= capability).max()
    }
}

/// The ways to compile for a device of `capability` behind `driver`, best first. Of two offers of one version the earlier
/// is taken.
///
/// # Errors
/// Fails if no compiler knows the device, or if none writes what the driver reads.
pub(super) fn ways(offers: &[Offer<'_>], capability: Capability, driver: CudaVersion) -> Result<Vec<Way>> {
    let newest = |accepts: &dyn Fn(&Offer<'_>) -> bool| {
        let accepted = offers.iter().enumerate().filter(|(_, offer)| accepts(offer));
        accepted.rev().max_by_key(|(_, offer)| offer.version)
    };
    let mut ways = Vec::new();
    let has_machine_code = |offer: &Offer<'_>| offer.version.major <= driver.major && offer.archs.contains(&capability);
    if let Some((nvrtc, _)) = newest(&has_machine_code) {
        ways.push(Way { nvrtc, form: Form::Cubin(capability) });
    }
    let is_read = |offer: &Offer<'_>| offer.version <= driver && offer.ptx_arch(capability).is_some();
    if let Some((nvrtc, arch)) = newest(&is_read).and_then(|(nvrtc, offer)| Some((nvrtc, offer.ptx_arch(capability)?)))
    {
        ways.push(Way { nvrtc, form: Form::Ptx(arch) });
    }
    let newer = offers.iter().enumerate().filter(|(_, offer)| offer.version > driver);
    let newer = newer.filter_map(|(nvrtc, offer)| Some((offer.version, nvrtc, offer.ptx_arch(capability)?)));
    if let (Some((_, nvrtc, arch)), Some(ptx)) = (newer.min(), driver.ptx()) {
        ways.push(Way { nvrtc, form: Form::OlderPtx(arch, ptx) });
    }
    if ways.is_empty() { Err(no_way(offers, capability, driver)) } else { Ok(ways) }
}

/// Why there is none. `offers` is not empty, and no offer is without capabilities.
fn no_way(offers: &[Offer<'_>], capability: Capability, driver: CudaVersion) -> Error {
    let knows_the_device = |offer: &&Offer<'_>| offer.ptx_arch(capability).is_some();
    if let Some(nvrtc) = offers.iter().filter(knows_the_device).map(|offer| offer.version).min() {
        return Error::DriverTooOld { driver, nvrtc };
    }
    let oldest = offers.iter().min_by_key(|offer| offer.version).expect("bug: a policy without a compiler");
    Error::CapabilityTooOld { capability, oldest: oldest.archs[0], nvrtc: oldest.version }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    const CUDA_12_0: CudaVersion = CudaVersion { major: 12, minor: 0 };
    const CUDA_12_4: CudaVersion = CudaVersion { major: 12, minor: 4 };
    const CUDA_12_9: CudaVersion = CudaVersion { major: 12, minor: 9 };
    const CUDA_13_0: CudaVersion = CudaVersion { major: 13, minor: 0 };
    const CUDA_13_5: CudaVersion = CudaVersion { major: 13, minor: 5 };

    /// The ways as text, for a device of `capability` behind `driver`, with both NVRTC 13.5 and 12.9 installed.
    fn with_both(capability: u32, driver: CudaVersion) -> Result<Vec<String>> {
        with(&[(CUDA_13_5, &[75, 80, 90, 100]), (CUDA_12_9, &[50, 70, 80, 90, 100])], capability, driver)
    }

    fn with(installed: &[(CudaVersion, &[u32])], capability: u32, driver: CudaVersion) -> Result<Vec<String>> {
        let archs: Vec<Vec<_>> = installed
            .iter()
            .map(|(_, archs)| archs.iter().map(|arch| Capability::of_number(*arch)).collect())
            .collect();
        let offers: Vec<_> =
            installed.iter().zip(&archs).map(|((version, _), archs)| Offer { version: *version, archs }).collect();
        let ways = ways(&offers, Capability::of_number(capability), driver)?;
        let text = |way: &Way| {
            let older = match way.form {
                Form::OlderPtx(_, version) => format!(" as PTX {version}"),
                _ => String::new(),
            };
            format!("{} {}{older}", installed[way.nvrtc].0, way.form.target())
        };
        Ok(ways.iter().map(text).collect())
    }

    #[test]
    fn machine_code_comes_first_and_ptx_after_it() {
        assert_eq!(with_both(90, CUDA_13_5).unwrap(), ["13.5 sm_90", "13.5 compute_90"]);
    }

    #[test]
    fn a_compiler_of_a_newer_major_version_gives_only_older_ptx() {
        assert_eq!(with_both(90, CUDA_12_9).unwrap(), ["12.9 sm_90", "12.9 compute_90", "13.5 compute_90 as PTX 8.8"]);
        assert_eq!(with(&[(CUDA_13_5, &[75, 80])], 80, CUDA_12_4).unwrap(), ["13.5 compute_80 as PTX 8.4"]);
    }

    #[test]
    fn ptx_newer_than_the_driver_is_said_to_be_older() {
        assert_eq!(with_both(80, CUDA_12_4).unwrap(), ["12.9 sm_80", "12.9 compute_80 as PTX 8.4"]);
        assert_eq!(with_both(80, CUDA_13_0).unwrap(), ["13.5 sm_80", "12.9 compute_80", "13.5 compute_80 as PTX 9.0"]);
    }

    #[test]
    fn a_device_between_two_targets_takes_ptx_of_the_lower() {
        assert_eq!(with_both(86, CUDA_13_5).unwrap(), ["13.5 compute_80"]);
        assert_eq!(with_both(121, CUDA_13_5).unwrap(), ["13.5 compute_100"]);
    }

    #[test]
    fn a_device_that_newer_compilers_have_dropped_takes_the_older_compiler() {
        assert_eq!(with_both(70, CUDA_13_5).unwrap(), ["12.9 sm_70", "12.9 compute_70"]);
    }

    #[test]
    fn of_equal_versions_the_first_found_is_taken() {
        let one = |capability| {
            let archs = [Capability::of_number(80)];
            let offer = || Offer { version: CUDA_12_0, archs: &archs };
            ways(&[offer(), offer()], Capability::of_number(capability), CUDA_12_0).unwrap()
        };
        assert!(one(80).iter().all(|way| way.nvrtc == 0));
    }

    #[test]
    fn a_driver_that_reads_nothing_is_too_old() {
        let error = with_both(80, CudaVersion { major: 10, minor: 2 }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DriverTooOld);
        assert_eq!(
            error.to_string(),
            "the driver knows CUDA 10.2 and loads nothing that NVRTC 12.9 writes; update the driver, or install an older \
             NVRTC: `pip install 'nvidia-cuda-nvrtc-cu10<=10.2.99'`"
        );
    }

    #[test]
    fn a_device_that_no_compiler_knows_is_an_error() {
        let error = with(&[(CUDA_13_5, &[75, 80])], 70, CUDA_13_5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CapabilityTooOld);
        assert_eq!(
            error.to_string(),
            "the device has compute capability 7.0, and NVRTC 13.5 compiles for 7.5 and newer; install an older NVRTC: \
             `pip install 'nvidia-cuda-nvrtc-cu12<=12.9.99'`"
        );
    }
}
