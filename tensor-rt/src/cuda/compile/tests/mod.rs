//! With the real NVRTC: both major versions, from `TENSOR_NVRTC` or from `target/nvrtc`, where `.ci/run` puts them. Without
//! it these tests say so and pass; where `CI` is set they fail instead.

mod cache;
mod compiler;
#[cfg(target_os = "linux")]
mod discovery;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::discovery::{Found, places_of};
use super::*;

const CUDA_12_4: CudaVersion = CudaVersion { major: 12, minor: 4 };
const CUDA_12_9: CudaVersion = CudaVersion { major: 12, minor: 9 };
const CUDA_13_5: CudaVersion = CudaVersion { major: 13, minor: 5 };

const SCALE: &str = "extern \"C\" __global__ void scale(float* y, float a, float b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * y[i] + b;
    }
}
";

/// The value of `TENSOR_NVRTC` that leads to both versions.
fn both_versions() -> std::ffi::OsString {
    std::env::var_os("TENSOR_NVRTC").unwrap_or_else(|| {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/nvrtc");
        std::env::join_paths([target.join("cu13"), target.join("cu12")]).expect("a path of this crate has no separator")
    })
}

/// Both versions of NVRTC; `None` if a machine that is not for CI lacks one.
fn installed() -> Option<&'static Found> {
    static FOUND: OnceLock<Option<Found>> = OnceLock::new();
    let find = || {
        let found = Found::at(&places_of(&|name| (name == "TENSOR_NVRTC").then(both_versions), Path::new("/")));
        let majors: Vec<_> = found.compilers.iter().map(|compiler| compiler.version().major).collect();
        if majors.contains(&12) && majors.contains(&13) {
            return Some(found);
        }
        assert!(
            std::env::var_os("CI").is_none(),
            "NVRTC 12 and 13 are needed, found {majors:?}; tried {:?}",
            found.tried
        );
        eprintln!("skipped: no NVRTC 12 and 13 in `TENSOR_NVRTC` or `target/nvrtc`; `.ci/run` fetches them");
        None
    };
    FOUND.get_or_init(find).as_ref()
}

/// PTX of `source` for devices of capability `number`, by the newest version; `None` if there is none.
pub(crate) fn ptx(source: &str, number: u32) -> Option<String> {
    let nvrtc = installed()?.compilers.iter().max_by_key(|nvrtc| nvrtc.version()).expect("two versions");
    let form = Form::Ptx(Capability::of_number(number));
    let options = options::options(form, nvrtc.version(), true);
    let Outcome { code, log } = nvrtc.ptx(&Unit { name: "kernel.cu".to_owned(), source, options });
    let code = code.unwrap_or_else(|| panic!("{log}\n{source}"));
    assert!(log.is_empty(), "{log}");
    Some(nvrtc::text(code))
}

/// What NVRTC of a major version says of `source` for `form`, with what ptxas says of machine code; `None` if there is none.
pub(crate) fn log(major: u32, source: &str, form: Form) -> Option<String> {
    let nvrtc = installed()?.compilers.iter().find(|nvrtc| nvrtc.version().major == major).expect("both versions");
    let mut options = options::options(form, nvrtc.version(), false);
    let is_ptx = matches!(form, Form::Ptx(_) | Form::OlderPtx(..));
    if !is_ptx {
        options.push("--ptxas-options=-v".to_owned());
    }
    let unit = Unit { name: "kernel.cu".to_owned(), source, options };
    let Outcome { code, log } = if is_ptx { nvrtc.ptx(&unit) } else { nvrtc.cubin(&unit) };
    assert!(code.is_some(), "{log}\n{source}");
    Some(log)
}

/// A cache without files, of this test alone.
fn own_cache() -> &'static Cache {
    Box::leak(Box::new(Cache::in_folder(None)))
}

/// A folder of this test alone, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static SERIAL: AtomicUsize = AtomicUsize::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tensor-rt-test-{}-{serial}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Folder(path)
    }

    /// Makes an empty file with the folders that lead to it.
    fn touch(&self, file: &str) -> PathBuf {
        let path = self.0.join(file);
        let folder = path.parent().expect("a file stands in a folder");
        std::fs::create_dir_all(folder).expect("a folder of this test can be written");
        std::fs::write(&path, "").expect("a folder of this test can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
