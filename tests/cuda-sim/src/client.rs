//! Loading the simulator into a test, and controlling it.
//!
//! ```no_run
//! let simulator = cuda_sim::client::install()?;
//! // From here on, a `dlopen("libcuda.so")` of this process is answered with the simulated driver.
//! simulator.set(cuda_sim::Knob::Lazy, 1);
//! # Ok::<(), cuda_sim::client::Reason>(())
//! ```
//!
//! The driver is one for the whole process. A test that loses a context, or that counts calls, is a test binary of its
//! own or holds a lock and starts with [`Simulator::reset`].

use std::{
    collections::BTreeMap,
    ffi::{CString, c_char, c_void},
    fmt,
    path::{Path, PathBuf},
    slice,
};

use crate::{
    driver::{
        code::Code,
        config::Knob,
        report::{Category, KernelCost},
    },
    library::Library,
};

/// The simulated driver of this process.
///
/// Invariant: the pointers are functions of the loaded library, with the signatures of `api::control` in the same
/// source as this.
#[derive(Clone, Copy)]
pub struct Simulator {
    set: extern "C" fn(*const c_char, i64) -> u32,
    get: extern "C" fn(*const c_char) -> i64,
    reset: extern "C" fn(),
    fail: extern "C" fn(*const c_char, u64, u32),
    lose_device: extern "C" fn(u32, u32),
    label: extern "C" fn(u64, *const c_char),
    calls: List,
    kernels: List,
    reports: List,
    live: List,
    clear: extern "C" fn(),
    pending: extern "C" fn() -> u64,
    used: extern "C" fn(u32) -> u64,
    pinned: extern "C" fn() -> u64,
}

type Visit = unsafe extern "C" fn(*mut c_void, i64, *const u8, usize);
type List = extern "C" fn(Option<Visit>, *mut c_void);

/// Why the simulator could not be installed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The shared library is in none of the places where cargo puts it.
    NotFound {
        /// The files that were looked for.
        tried: Vec<PathBuf>,
    },
    /// It is there but does not load.
    NotLoaded {
        /// The file.
        path: PathBuf,
        /// What the loader says.
        message: String,
    },
    /// It loads but is not of this version of the crate.
    Foreign {
        /// The file.
        path: PathBuf,
        /// The function that it lacks.
        missing: &'static str,
    },
    /// Another `libcuda.so` was loaded before, and answers in its place.
    Shadowed {
        /// The file of the other library.
        by: PathBuf,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotFound { tried } => {
                let tried: Vec<String> = tried.iter().map(|path| path.display().to_string()).collect();
                write!(f, "the simulated driver is not built: none of {} is there; ", tried.join(", "))?;
                f.write_str("depend on `cuda-sim` by path, or run `cargo build -p cuda-sim`")
            }
            Reason::NotLoaded { path, message } => write!(f, "{} does not load: {message}", path.display()),
            Reason::Foreign { path, missing } => {
                write!(f, "{} has no `{missing}`: it was built from another version", path.display())
            }
            Reason::Shadowed { by } => {
                write!(f, "{} was loaded before; install the simulator before the first use of CUDA", by.display())
            }
        }
    }
}

impl std::error::Error for Reason {}

/// Something that the simulator noticed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// What it is about.
    pub category: Category,
    /// What happened, where.
    pub text: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.category, self.text)
    }
}

/// Lets the simulator answer as this process's `libcuda.so`.
///
/// Must come before the first use of CUDA. Later calls give the same simulator.
///
/// # Errors
/// Fails if the shared library is not beside the test binary, does not load, or if another driver was loaded before.
pub fn install() -> Result<Simulator, Reason> {
    let tried = candidates();
    let Some(path) = tried.iter().find(|path| path.is_file()) else { return Err(Reason::NotFound { tried }) };
    // SAFETY: the library is this crate's own; it has no initialization beyond that of the standard library.
    let library = unsafe { Library::open(path) };
    let library = library.map_err(|message| Reason::NotLoaded { path: path.clone(), message })?;
    let simulator = Simulator::of(library).map_err(|missing| Reason::Foreign { path: path.clone(), missing })?;
    // What everybody else will be answered with.
    // SAFETY: it is loaded already: ours, or the other driver that must be told apart.
    if let Ok(answer) = unsafe { Library::open(Path::new("libcuda.so")) } {
        let init = |library: Library| library.symbol(c"cuInit");
        if init(answer) != init(library) {
            let by = init(answer).and_then(Library::file_of).unwrap_or_default();
            return Err(Reason::Shadowed { by });
        }
    }
    Ok(simulator)
}

/// Where cargo puts the shared library: `target/<profile>/deps`, and a link to it one folder up; test binaries run from
/// `deps`, examples and doc tests from folders beside it.
fn candidates() -> Vec<PathBuf> {
    let name = format!("{}cuda_sim{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let program = std::env::current_exe().unwrap_or_default();
    let folders = program.ancestors().skip(1).take(3);
    folders.flat_map(|folder| [folder.join(&name), folder.join("deps").join(&name)]).collect()
}

impl Simulator {
    /// The control functions of a library, or the name of one that it lacks.
    fn of(library: Library) -> Result<Self, &'static str> {
        macro_rules! functions {
            ($($field:ident: $symbol:literal as $type:ty,)*) => {
                Ok(Self { $($field: {
                    let name = CString::new($symbol).expect("names have no zero byte");
                    let address = library.symbol(&name).ok_or($symbol)?;
                    // SAFETY: the function has this signature (invariant of the type).
                    unsafe { std::mem::transmute::<*mut c_void, $type>(address) }
                },)* })
            };
        }
        functions! {
            set: "cudasimSet" as extern "C" fn(*const c_char, i64) -> u32,
            get: "cudasimGet" as extern "C" fn(*const c_char) -> i64,
            reset: "cudasimReset" as extern "C" fn(),
            fail: "cudasimFail" as extern "C" fn(*const c_char, u64, u32),
            lose_device: "cudasimLoseDevice" as extern "C" fn(u32, u32),
            label: "cudasimLabel" as extern "C" fn(u64, *const c_char),
            calls: "cudasimCalls" as List,
            kernels: "cudasimKernels" as List,
            reports: "cudasimReports" as List,
            live: "cudasimLive" as List,
            clear: "cudasimClear" as extern "C" fn(),
            pending: "cudasimPending" as extern "C" fn() -> u64,
            used: "cudasimUsed" as extern "C" fn(u32) -> u64,
            pinned: "cudasimPinned" as extern "C" fn() -> u64,
        }
    }

    /// Makes a choice about the machine.
    pub fn set(&self, knob: Knob, value: i64) {
        let status = (self.set)(text(knob.name()).as_ptr(), value);
        assert_eq!(status, 0, "the library knows the same choices as this source");
    }

    /// What a choice is at.
    pub fn get(&self, knob: Knob) -> i64 {
        (self.get)(text(knob.name()).as_ptr())
    }

    /// Work runs when it is enqueued.
    pub fn eager(&self) {
        self.set(Knob::Lazy, 0);
    }

    /// Work runs as late as the API allows.
    pub fn lazy(&self) {
        self.set(Knob::Seed, 0);
        self.set(Knob::Lazy, 1);
    }

    /// Work runs late, and at moments and in orders that `seed` chooses among those that the API allows.
    pub fn shuffled(&self, seed: u32) {
        self.set(Knob::Seed, i64::from(seed) + 1);
        self.set(Knob::Lazy, 1);
    }

    /// Finishes all work and starts anew, as if the process had: no contexts, default choices, nothing counted.
    ///
    /// Whatever the program still holds is dead: its handles give `CUDA_ERROR_INVALID_HANDLE` and the like.
    pub fn reset(&self) {
        (self.reset)();
    }

    /// Lets the `nth` call of a driver function from now (1 is the next) fail with `code`.
    ///
    /// `target` may also be `allocation`, `pinned allocation`, `launch` or `copy`. A code that loses the context, does.
    pub fn fail(&self, target: &str, nth: u64, code: Code) {
        (self.fail)(text(target).as_ptr(), nth, code.0);
    }

    /// Lets the `nth` allocation of device memory from now fail for lack of memory.
    pub fn fail_alloc(&self, nth: u64) {
        self.fail("allocation", nth, Code::OUT_OF_MEMORY);
    }

    /// Lets the `nth` launch from now fail for lack of resources; the context stays.
    pub fn fail_launch(&self, nth: u64) {
        self.fail("launch", nth, Code::LAUNCH_OUT_OF_RESOURCES);
    }

    /// Lets the `nth` copy from now fail; the context stays.
    pub fn fail_copy(&self, nth: u64) {
        self.fail("copy", nth, Code::INVALID_VALUE);
    }

    /// Ends all contexts of a device, as a failure on it would: what is enqueued is dropped, every later call that uses
    /// them gives `code`.
    pub fn lose_context(&self, device: u32, code: Code) {
        (self.lose_device)(device, code.0);
    }

    /// Names the allocation that a device address belongs to, for reports.
    pub fn label(&self, address: u64, label: &str) {
        (self.label)(address, text(label).as_ptr());
    }

    /// How often a driver function was called since the last [`Simulator::clear`].
    pub fn calls_of(&self, function: &str) -> u64 {
        self.calls().get(function).copied().unwrap_or(0)
    }

    /// How often each driver function was called since the last [`Simulator::clear`].
    pub fn calls(&self) -> BTreeMap<String, u64> {
        visited(self.calls).into_iter().map(|(count, name)| (name, count as u64)).collect()
    }

    /// What each kernel cost since the last [`Simulator::clear`], by name.
    pub fn kernels(&self) -> BTreeMap<String, KernelCost> {
        let parse = |(launches, text): (i64, String)| {
            let mut parts = text.splitn(3, ',');
            let mut number = || parts.next()?.parse().ok();
            let (warps, threads) = (number()?, number()?);
            let cost = KernelCost { launches: launches as u64, warp_instructions: warps, thread_instructions: threads };
            Some((parts.next()?.to_owned(), cost))
        };
        visited(self.kernels).into_iter().filter_map(parse).collect()
    }

    /// Everything noticed since the last [`Simulator::clear`], in order.
    pub fn reports(&self) -> Vec<Report> {
        let category = |number: i64| Category::ALL.into_iter().find(|category| *category as i64 == number);
        let reports = visited(self.reports).into_iter();
        reports
            .map(|(number, text)| Report { category: category(number).unwrap_or(Category::Internal), text })
            .collect()
    }

    /// The texts of the reports of one category.
    pub fn reports_of(&self, category: Category) -> Vec<String> {
        self.reports().into_iter().filter(|report| report.category == category).map(|report| report.text).collect()
    }

    /// Fails the test if anything was noticed.
    ///
    /// # Panics
    /// Panics with all reports.
    #[track_caller]
    pub fn assert_clean(&self) {
        let reports: Vec<String> = self.reports().iter().map(Report::to_string).collect();
        assert!(reports.is_empty(), "the simulated driver noticed:\n{}", reports.join("\n"));
    }

    /// Live allocations of device memory, as reports name them, with their bytes.
    pub fn live(&self) -> Vec<(String, u64)> {
        visited(self.live).into_iter().map(|(bytes, name)| (name, bytes as u64)).collect()
    }

    /// Forgets reports and counts.
    pub fn clear(&self) {
        (self.clear)();
    }

    /// Operations that are enqueued and have not run.
    pub fn pending(&self) -> u64 {
        (self.pending)()
    }

    /// Bytes of a device in allocations.
    pub fn used(&self, device: u32) -> u64 {
        (self.used)(device)
    }

    /// Bytes of pinned host memory.
    pub fn pinned(&self) -> u64 {
        (self.pinned)()
    }
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Simulator")
    }
}

/// A text for C.
fn text(text: &str) -> CString {
    CString::new(text).expect("names have no zero byte")
}

/// What a list visits.
fn visited(list: List) -> Vec<(i64, String)> {
    unsafe extern "C" fn visit(data: *mut c_void, number: i64, text: *const u8, bytes: usize) {
        // SAFETY: `data` is the vector below, which the list hands back while it runs.
        let collected = unsafe { &mut *data.cast::<Vec<(i64, String)>>() };
        // SAFETY: the list passes a text that lives during this call.
        let text = unsafe { slice::from_raw_parts(text, bytes) };
        collected.push((number, String::from_utf8_lossy(text).into_owned()));
    }
    let mut collected: Vec<(i64, String)> = Vec::new();
    list(Some(visit), (&raw mut collected).cast());
    collected
}
