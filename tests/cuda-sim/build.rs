//! Names the shared library `libcuda.so` inside (its SONAME), whatever its file is called.
//!
//! Once it is loaded by path, a later `dlopen("libcuda.so")` of the process is answered with it, and nothing on the
//! library path is shadowed.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
}
