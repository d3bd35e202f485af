//! The text of a file that a kernel names, relative to the file that the kernel is declared in.

use std::path::{Path, PathBuf};

/// The text of the file.
pub(super) fn read(file: &syn::LitStr) -> syn::Result<String> {
    let name = file.value();
    let path = folder(file).join(&name);
    std::fs::read_to_string(&path).map_err(|error| {
        let message = format!("file `{name}` cannot be read: {error}");
        let help = format!("the path is relative to this source file: it was looked for at `{}`", path.display());
        syn::Error::new(file.span(), format!("{message}\nhelp: {help}"))
    })
}

/// Where the literal stands; the package if an editor expands the macro and does not say.
fn folder(file: &syn::LitStr) -> PathBuf {
    let source = file.span().local_file();
    let parent = source.as_deref().and_then(Path::parent).map(Path::to_owned);
    parent.or_else(|| std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)).unwrap_or_default()
}
