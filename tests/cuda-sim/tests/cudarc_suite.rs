//! cudarc's own tests, run against the simulator: what it expects of a driver is a check of what this one does.
//!
//! ```sh
//! cargo test -p cuda-sim --test cudarc_suite -- --ignored
//! ```
//!
//! Of the 51 tests that cudarc runs by default, 39 pass, 10 fail and 2 are left out; the 5 that it leaves out itself pass.
//! All of it takes some minutes: a few kernels there do 10^10 operations.
//!
//! It needs the source of cudarc, which cargo keeps in its registry (or `CUDARC_SOURCE`), the network or a full registry
//! for what that depends on, and a folder with NVRTC 12 in `CUDARC_NVRTC`; without that, it looks in `target/nvrtc`. The
//! tests that are known to fail, with the reason of each, are in [`KNOWN`]; one more or one less fails here.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Tests that fail, and why.
const KNOWN: &[(&str, &str)] = &[
    (CAPTURE[0], "graphs are not simulated"),
    (CAPTURE[1], "graphs are not simulated"),
    (CAPTURE[2], "graphs are not simulated"),
    ("driver::safe::launch::tests::test_launch_with_half", "includes a header of CUDA from `/usr/include`"),
    ("driver::safe::unified_memory::tests::test_unified_memory_global", "managed memory is not simulated"),
    ("driver::safe::unified_memory::tests::test_unified_memory_host", "managed memory is not simulated"),
    ("driver::safe::unified_memory::tests::test_unified_memory_single_stream", "managed memory is not simulated"),
    ("driver::safe::unified_memory::tests::test_unified_slice_copy_to_views", "managed memory is not simulated"),
    ("driver::safe::unified_memory::tests::test_unified_slice_split_at", "managed memory is not simulated"),
    (
        "driver::safe::unified_memory::tests::test_unified_slice_views_respect_stream_attachment",
        "managed memory is not simulated",
    ),
];

/// Tests that are not run: they measure real copies.
const MEASURING: [&str; 2] =
    ["test_default_pinned_host_reads_are_faster_than_write_combined", "test_pinned_copy_is_faster"];

const CAPTURE: [&str; 3] = [
    "driver::safe::core::tests::test_event_try_is_complete_preserves_capture_error",
    "driver::safe::graph::tests::test_end_capture_flags",
    "driver::safe::graph::tests::test_end_capture_invalid_flags",
];

/// Tests that cudarc leaves out by default, since they need two devices or a process of their own. Eager execution fails
/// the one of the assertion: a call between the launch and the wait already gives its code.
const ALONE: [&str; 5] = [
    "driver::result::tests::peer_transfer_contexts",
    "driver::result::tests::re_associate_context_for_memory_op",
    "driver::safe::core::tests::test_post_alloc_memory",
    "driver::safe::launch::tests::test_device_side_assert",
    "driver::safe::launch::tests::test_peer_memcpy_waits_for_src_stream",
];

#[test]
#[ignore = "builds cudarc and its tests: see the top of this file"]
fn the_tests_of_cudarc_pass_but_for_known_ones() {
    let suite = Suite::prepare();
    let known: BTreeSet<String> = KNOWN.iter().map(|(name, _)| (*name).to_owned()).collect();
    let skipped = MEASURING.map(|name| ["--skip", name]).concat();
    for lazy in [false, true] {
        assert_eq!(suite.failures(lazy, &skipped), known, "lazy: {lazy}");
    }
    for test in ALONE {
        assert_eq!(suite.failures(true, &["--ignored", "--exact", test]), BTreeSet::new());
    }
}

/// A copy of cudarc's source, and where its tests find the libraries.
struct Suite {
    source: PathBuf,
    libraries: String,
}

impl Suite {
    fn prepare() -> Self {
        let program = std::env::current_exe().expect("a test has a path");
        let deps = program.parent().expect("a test is in a folder");
        let folder = std::env::temp_dir().join("cudarc-suite");
        let (source, libraries) = (folder.join("source"), folder.join("libraries"));
        // What is built there is kept: only the source is copied again.
        copy(&registry_source(), &source);
        let manifest = source.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("cudarc has a manifest");
        fs::write(&manifest, text + "\n[workspace]\n").expect("the copy can be written");
        fs::create_dir_all(&libraries).expect("the folder can be made");
        let link = libraries.join("libcuda.so");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(deps.join("libcuda_sim.so"), link).expect("the folder can be written");
        let nvrtc = std::env::var("CUDARC_NVRTC").map_or_else(|_| nvrtc_of_target(deps), PathBuf::from);
        assert!(nvrtc.is_dir(), "{} is no folder with NVRTC", nvrtc.display());
        Self { source, libraries: format!("{}:{}", libraries.display(), nvrtc.display()) }
    }

    /// Runs tests, one at a time, and gives the names of those that fail.
    fn failures(&self, lazy: bool, arguments: &[&str]) -> BTreeSet<String> {
        let features = "std,driver,nvrtc,dynamic-loading,cuda-13000,f16";
        let mut command = Command::new(env!("CARGO"));
        command.args(["test", "--lib", "--no-default-features", "--features", features, "--", "--test-threads=1"]);
        command.args(arguments).current_dir(&self.source);
        command.env("LD_LIBRARY_PATH", &self.libraries).env("CUDASIM_LAZY", if lazy { "1" } else { "0" });
        // Some kernels there run for a minute without the checks.
        command.env("CUDASIM_CHECK_RACES", "0").env("CUDASIM_CHECK_UNINITIALISED", "0");
        let output = command.output().expect("cargo runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("test result:"), "the tests did not run:\n{text}\n{errors}");
        let failed = text.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        failed.map(str::to_owned).collect()
    }
}

fn registry_source() -> PathBuf {
    if let Ok(source) = std::env::var("CUDARC_SOURCE") {
        return source.into();
    }
    let home = std::env::var("CARGO_HOME").map(PathBuf::from);
    let home = home.unwrap_or_else(|_| Path::new(&std::env::var("HOME").expect("a home folder")).join(".cargo"));
    let registries = fs::read_dir(home.join("registry/src")).expect("cargo has fetched the dependencies");
    let sources = registries.filter_map(|registry| Some(registry.ok()?.path().join("cudarc-0.19.10")));
    sources.into_iter().find(|source| source.is_dir()).expect("cargo has fetched cudarc")
}

/// `target/nvrtc/cu12`, as continuous integration unpacks it; test programs are in `target/<profile>/deps`.
fn nvrtc_of_target(deps: &Path) -> PathBuf {
    let target = deps.ancestors().nth(2).expect("a test is two folders below `target`");
    target.join("nvrtc/cu12/nvidia/cuda_nvrtc/lib")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder can be made");
    for entry in fs::read_dir(from).expect("the source can be read") {
        let entry = entry.expect("the source can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("the copy can be written");
        }
    }
}
