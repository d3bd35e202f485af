//! NVRTC, bound by hand: a source to PTX.

use std::env;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::LazyLock;

use libloading::{Library, Symbol};

/// The targets whose PTX differs most: typed by the old code generator, untyped by the new one.
const TARGETS: [&str; 2] = ["compute_80", "compute_100"];

/// Where the wheels of two versions unpack their library.
const UNPACKED: [&str; 2] = ["cu13/nvidia/cu13/lib/libnvrtc.so.13", "cu12/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"];

static LIBRARIES: LazyLock<Vec<(PathBuf, Library)>> = LazyLock::new(|| {
    let given = env::var_os("TENSOR_NVRTC").map(|paths| env::split_paths(&paths).map(library_of).collect());
    let unpacked = || {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/nvrtc");
        UNPACKED.iter().map(|library| folder.join(library)).filter(|path| path.exists()).collect()
    };
    let paths: Vec<PathBuf> = given.unwrap_or_else(unpacked);
    if paths.is_empty() {
        assert!(env::var_os("CI").is_none(), "NVRTC is needed here: set TENSOR_NVRTC or unpack it to target/nvrtc");
        eprintln!("skipped: no NVRTC; set TENSOR_NVRTC, or unpack its wheels to target/nvrtc/cu12 and cu13");
    }
    let open = |path: PathBuf| {
        // SAFETY: initialising NVRTC has no requirements.
        let library = unsafe { Library::new(&path) };
        let library = library.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, library)
    };
    paths.into_iter().map(open).collect()
});

/// The library in a folder that a wheel was unpacked to; a file stands for itself.
fn library_of(path: PathBuf) -> PathBuf {
    const LAYOUTS: [&str; 2] = ["nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"];
    LAYOUTS.iter().map(|layout| path.join(layout)).find(|file| file.exists()).unwrap_or(path)
}

/// The PTX of a source from every library for every target, each with its name.
pub fn compile_everywhere(source: &str, options: &[&str]) -> Vec<(String, String)> {
    let compiled = LIBRARIES.iter().flat_map(|(path, library)| {
        TARGETS.map(|target| {
            let name = format!("{} for {target}", path.file_name().unwrap_or_default().display());
            let ptx = compile(library, source, target, options).unwrap_or_else(|log| panic!("{name}:\n{log}"));
            (name, ptx)
        })
    });
    compiled.collect()
}

type Program = *mut c_void;
type GetSize = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type GetText = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;

fn compile(library: &Library, source: &str, target: &str, options: &[&str]) -> Result<String, String> {
    let source = CString::new(source).expect("a source has no zero");
    let architecture = format!("--gpu-architecture={target}");
    let options = [architecture.as_str(), "-lineinfo"].into_iter().chain(options.iter().copied());
    let options: Vec<CString> = options.map(|option| CString::new(option).expect("an option has no zero")).collect();
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: these are the prototypes of `nvrtc.h`, the same since its first version.
    let (create, run, destroy, ptx_size, ptx, log_size, log) = unsafe {
        (
            symbol::<Create>(library, "nvrtcCreateProgram"),
            symbol::<unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int>(
                library,
                "nvrtcCompileProgram",
            ),
            symbol::<unsafe extern "C" fn(*mut Program) -> c_int>(library, "nvrtcDestroyProgram"),
            symbol::<GetSize>(library, "nvrtcGetPTXSize"),
            symbol::<GetText>(library, "nvrtcGetPTX"),
            symbol::<GetSize>(library, "nvrtcGetProgramLogSize"),
            symbol::<GetText>(library, "nvrtcGetProgramLog"),
        )
    };
    let mut program: Program = ptr::null_mut();
    // SAFETY: all pointers are valid for the call; no headers are passed.
    let status = unsafe { create(&mut program, source.as_ptr(), c"kernel.cu".as_ptr(), 0, ptr::null(), ptr::null()) };
    assert_eq!(status, 0, "nvrtcCreateProgram");
    // SAFETY: the program was created above, and the options live until the call returns.
    let status = unsafe { run(program, pointers.len() as c_int, pointers.as_ptr()) };
    let text = if status == 0 { text(program, *ptx_size, *ptx) } else { text(program, *log_size, *log) };
    // SAFETY: the program was created above and is not used again.
    unsafe { destroy(&mut program) };
    if status == 0 { Ok(text) } else { Err(text) }
}

/// # Safety
/// `T` is the type of the function.
unsafe fn symbol<'a, T>(library: &'a Library, name: &str) -> Symbol<'a, T> {
    // SAFETY: the type is the caller's promise.
    unsafe { library.get(name) }.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A text of the program, which ends in a zero.
fn text(program: Program, size: GetSize, get: GetText) -> String {
    let mut bytes = 0;
    // SAFETY: the program is live.
    assert_eq!(unsafe { size(program, &mut bytes) }, 0);
    let mut text = vec![0_u8; bytes];
    // SAFETY: the buffer has the size that was asked for.
    assert_eq!(unsafe { get(program, text.as_mut_ptr().cast()) }, 0);
    CStr::from_bytes_until_nul(&text).expect("the text ends in a zero").to_string_lossy().into_owned()
}
