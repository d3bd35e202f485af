//! Compiled kernels, as drivers load them.

use crate::cuda::version::PtxVersion;

/// A compiled source: what a driver loads as a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Image {
    /// The code.
    pub(crate) code: Code,
    /// The compiler's warnings; empty if it had none.
    pub(crate) log: String,
}

/// The code of an [`Image`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// Text that the driver compiles when it loads it.
    Ptx(String),
    /// Machine code of one capability.
    Cubin(Vec<u8>),
}

/// PTX text that says that it is of `version`.
pub(super) fn with_version(mut ptx: String, version: PtxVersion) -> String {
    // The directive stands on a line of its own, after comments that may name it too.
    if let Some(start) = ptx.find("\n.version ").map(|newline| newline + 1) {
        let end = ptx[start..].find('\n').map_or(ptx.len(), |len| start + len);
        ptx.replace_range(start..end, &format!(".version {version}"));
    }
    ptx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_version_line_changes() {
        let ptx = "//\n// .version 9.5\n//\n\n.version 9.5\n.target sm_80\n.address_size 64\n// .version 9.5\n";
        let older = ptx.replacen("\n.version 9.5", "\n.version 8.4", 1);
        assert_eq!(with_version(ptx.to_owned(), PtxVersion { major: 8, minor: 4 }), older);
        assert_eq!(with_version("no directive".to_owned(), PtxVersion { major: 8, minor: 4 }), "no directive");
    }
}
