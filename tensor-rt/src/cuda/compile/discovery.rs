//! Where NVRTC is looked for.
//!
//! `TENSOR_NVRTC` names a file or a folder, or several as in `PATH`; if it is set, nothing else is looked at. Otherwise
//! every place that installs NVRTC is: the active Python environment, its folders for the user and for all users, the CUDA
//! toolkits, and last the system's loader. All versions found are kept, for [`policy`](super::policy) to choose from.
//!
//! Python is not run: an environment is a folder whose layout is known, and the active one is that of the variables, or of
//! the `python3` in `PATH`.
//!
//! Invariants: each file is loaded once, whatever links lead to it; the order of places is the order in which one of
//! several equal versions is preferred; a place that gave nothing has a reason.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::nvrtc::Nvrtc;

/// A place where NVRTC was looked for, and why none came from there.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The file, the folder, or the name that the system's loader was given.
    pub place: PathBuf,
    /// Where that place came from: a variable, Python, a toolkit, the loader.
    pub origin: &'static str,
    /// Why it gave no library.
    pub reason: Box<str>,
}

impl fmt::Display for Tried {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` ({}): {}", self.place.display(), self.origin, self.reason)
    }
}

/// The variable that names the library.
const VARIABLE: &str = "TENSOR_NVRTC";

/// Names that the system's loader may know, newest first. The one without a number comes with a toolkit only.
const LOADER_NAMES: &[&str] = &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"];

/// Folders of a toolkit, a Python environment or an unpacked wheel that hold libraries. `*` is the rest of a name.
const LAYOUTS: &[&str] = &["", "lib64", "lib", "targets/*/lib", "nvidia/cu*/lib", "Library/bin", "bin"];

/// Folders of a Python installation that hold packages.
const SITE_PACKAGES: &[&str] =
    &["lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages", "Lib/site-packages"];

/// A place to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) origin: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A file, or a folder whose layout is among [`LAYOUTS`].
    Path,
    /// A name for the system's loader.
    Name,
}

/// The places of this process.
pub(super) fn places() -> Vec<Place> {
    places_of(&|name| std::env::var_os(name).filter(|value| !value.is_empty()), Path::new("/"))
}

/// The places that these variables lead to, in the file system below `root`.
pub(super) fn places_of(variable: &dyn Fn(&str) -> Option<OsString>, root: &Path) -> Vec<Place> {
    if let Some(named) = variable(VARIABLE) {
        return std::env::split_paths(&named).map(|path| Place { path, origin: VARIABLE, kind: Kind::Path }).collect();
    }
    let mut places = Places::default();
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        if let Some(prefix) = variable(name) {
            places.python(Path::new(&prefix), name);
        }
    }
    let user = variable("PYTHONUSERBASE").map(PathBuf::from);
    if let Some(user) = user.or_else(|| Some(Path::new(&variable("HOME")?).join(".local"))) {
        places.site_packages(&user, "Python packages of the user");
    }
    if let Some(prefix) = variable("PATH").and_then(|path| python_prefix(&path)) {
        places.python(&prefix, "`python3` in `PATH`");
    }
    for prefix in ["usr/local", "usr"] {
        places.site_packages(&root.join(prefix), "Python packages of the system");
    }
    for name in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(toolkit) = variable(name) {
            places.add(PathBuf::from(toolkit), name);
        }
    }
    // Newer toolkits last in the alphabet, the link `cuda` to the chosen one first.
    for toolkit in matches(root, "usr/local/cuda*") {
        places.add(toolkit, "CUDA toolkit");
    }
    let loader = LOADER_NAMES.iter();
    places.0.extend(loader.map(|name| Place { path: PathBuf::from(name), origin: "the system", kind: Kind::Name }));
    places.0
}

/// Places being collected.
#[derive(Default)]
struct Places(Vec<Place>);

impl Places {
    fn add(&mut self, path: PathBuf, origin: &'static str) {
        self.0.push(Place { path, origin, kind: Kind::Path });
    }

    /// A Python environment: its packages, and what is installed beside Python itself, as Conda does.
    fn python(&mut self, prefix: &Path, origin: &'static str) {
        self.site_packages(prefix, origin);
        self.add(prefix.to_owned(), origin);
    }

    fn site_packages(&mut self, prefix: &Path, origin: &'static str) {
        for layout in SITE_PACKAGES {
            for folder in matches(prefix, layout) {
                self.add(folder, origin);
            }
        }
    }
}

/// The installation of the first `python3` in `path`, not of what it links to: an environment's is a link.
fn python_prefix(path: &OsString) -> Option<PathBuf> {
    let folder = std::env::split_paths(path).find(|folder| folder.join("python3").is_file())?;
    Some(folder.parent()?.to_owned())
}

/// The files and folders below `root` that a pattern names, in the order of their names.
fn matches(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    for part in Path::new(pattern) {
        let part = part.to_string_lossy();
        found = match part.strip_suffix('*') {
            None => found.iter().map(|folder| folder.join(&*part)).collect(),
            Some(prefix) => found.iter().flat_map(|folder| entries(folder, |name| name.starts_with(prefix))).collect(),
        };
    }
    found.retain(|path| path.exists());
    found
}

/// The entries of a folder whose names are `wanted`, in the order of their names; none if it cannot be read.
fn entries(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.file_name().to_str().is_some_and(&wanted));
    let mut paths: Vec<_> = names.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

/// True for the file names of NVRTC, false for the libraries beside it (`builtins`, `alt`).
pub(super) fn is_library_name(name: &str) -> bool {
    let unix =
        name.strip_prefix("libnvrtc.so").is_some_and(|rest| rest.chars().all(|c| c == '.' || c.is_ascii_digit()));
    let windows = name.strip_prefix("nvrtc64_").and_then(|rest| rest.strip_suffix(".dll"));
    unix || windows.is_some_and(|rest| rest.chars().all(|c| c == '_' || c.is_ascii_digit()))
}

/// Every NVRTC found, and what was tried in vain.
#[derive(Default)]
pub(super) struct Found {
    pub(super) compilers: Vec<Nvrtc>,
    pub(super) tried: Vec<Tried>,
}

impl Found {
    /// Loads what there is at `places`.
    pub(super) fn at(places: &[Place]) -> Found {
        let mut found = Found::default();
        let mut seen = BTreeSet::new();
        for place in places {
            let files = match place.kind {
                Kind::Name => Ok(vec![place.path.clone()]),
                Kind::Path => library_files(&place.path),
            };
            match files {
                Ok(files) => files.iter().for_each(|file| found.load(file, place, &mut seen)),
                Err(reason) => found.refuse(&place.path, place, reason.to_owned()),
            }
        }
        found
    }

    fn load(&mut self, file: &Path, place: &Place, seen: &mut BTreeSet<PathBuf>) {
        // A name of the loader is no path, and so it is new; the version tells whether what it names is.
        if !seen.insert(file.canonicalize().unwrap_or_else(|_| file.to_owned())) {
            return;
        }
        match Nvrtc::load(file) {
            Err(reason) => self.refuse(file, place, reason),
            Ok(compiler) => {
                let known = |other: &Nvrtc| other.version() == compiler.version();
                if place.kind == Kind::Path || !self.compilers.iter().any(known) {
                    self.compilers.push(compiler);
                }
            }
        }
    }

    fn refuse(&mut self, path: &Path, place: &Place, reason: String) {
        self.tried.push(Tried { place: path.to_owned(), origin: place.origin, reason: reason.into() });
    }
}

/// The libraries in a file or folder.
pub(super) fn library_files(path: &Path) -> Result<Vec<PathBuf>, &'static str> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if !path.is_dir() {
        return Err("no such file or folder");
    }
    let folders = LAYOUTS.iter().flat_map(|layout| matches(path, layout));
    let files: Vec<_> = folders.flat_map(|folder| entries(&folder, is_library_name)).collect();
    if files.is_empty() { Err("no `libnvrtc.so` there") } else { Ok(files) }
}
