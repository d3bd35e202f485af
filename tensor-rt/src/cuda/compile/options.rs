//! The options that every kernel is compiled with.

use super::policy::Form;
use crate::cuda::version::CudaVersion;

/// The first version with a cache of its own, and with the option that turns it off.
const HAS_CACHE: CudaVersion = CudaVersion { major: 12, minor: 9 };

/// The options for `form`, for a compiler of this version. `lines`: code says which line of the source it came from.
pub(super) fn options(form: Form, version: CudaVersion, lines: bool) -> Vec<String> {
    let mut options = vec![
        format!("--gpu-architecture={}", form.target()),
        "--std=c++17".to_owned(),
        // `a * b + c` is rounded twice, as on every other device.
        "--fmad=false".to_owned(),
    ];
    if lines {
        options.push("-lineinfo".to_owned());
    }
    if version >= HAS_CACHE {
        // Ours keeps the same code under a key that we can state, and this one loads the driver to find its folder.
        options.push("--no-cache".to_owned());
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::version::{Capability, PtxVersion};

    const OLD: CudaVersion = CudaVersion { major: 12, minor: 0 };

    #[test]
    fn the_form_names_the_target() {
        let first = |form| options(form, OLD, false).swap_remove(0);
        let arch = Capability { major: 9, minor: 0 };
        assert_eq!(first(Form::Cubin(arch)), "--gpu-architecture=sm_90");
        assert_eq!(first(Form::Ptx(arch)), "--gpu-architecture=compute_90");
        let older = Form::OlderPtx(arch, PtxVersion { major: 8, minor: 0 });
        assert_eq!(first(older), "--gpu-architecture=compute_90");
    }

    #[test]
    fn nothing_is_contracted() {
        let options = options(Form::Cubin(Capability { major: 8, minor: 0 }), OLD, false);
        assert!(options.contains(&"--fmad=false".to_owned()));
    }

    #[test]
    fn an_option_is_given_only_to_versions_that_know_it() {
        let form = Form::Cubin(Capability { major: 8, minor: 0 });
        assert!(!options(form, OLD, true).contains(&"--no-cache".to_owned()));
        assert!(options(form, HAS_CACHE, true).contains(&"--no-cache".to_owned()));
    }
}
