//! Compiled kernels, kept in memory and on disk.
//!
//! The key is all that decides the code: the source, its name, the options (with the target among them) and the compiler.
//! In memory it is looked up as it is. On disk a file is named by a hash of it and *contains* it, so that two keys with one
//! hash are two kernels that take turns, never one in the place of the other.
//!
//! The folder is `TENSOR_CACHE`, or `tensor-rt` in the user's folder for caches. It may be deleted at any time. Several
//! processes may share it: a file appears whole, by a rename, and who comes second replaces it by the same. A file whose
//! checksum or shape is wrong is as good as none, and is replaced. A folder that cannot be written is no error: the kernel is
//! compiled again in the next process.
//!
//! Invariant: an image in memory or on disk is what the compiler wrote for its key.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{fs, io, process};

use super::image::{Code, Image};
use crate::error::Result;

/// The first bytes of every file. The number changes with the layout, or with what a key leaves unsaid.
const MAGIC: &[u8] = b"tensor-rt kernel 1\n";

/// Images by key.
pub(super) struct Cache {
    /// `None` if there is no place for files.
    folder: Option<PathBuf>,
    images: Mutex<HashMap<String, Slot>>,
}

/// One lock for each key, so that a source is compiled once, and others meanwhile.
type Slot = Arc<Mutex<Option<Arc<Image>>>>;

impl Cache {
    /// The cache that all devices of the process share.
    pub(super) fn of_process() -> &'static Cache {
        static CACHE: OnceLock<Cache> = OnceLock::new();
        CACHE.get_or_init(|| Cache::in_folder(folder(&|name| std::env::var_os(name))))
    }

    /// An empty cache with its files in `folder`.
    pub(super) fn in_folder(folder: Option<PathBuf>) -> Cache {
        Cache { folder, images: Mutex::default() }
    }

    /// The image for `key`: the one in memory, the one on disk, or what `compile` makes, which is then kept in both. With
    /// `on_disk` false the disk is left alone.
    pub(super) fn image(
        &self,
        key: &str,
        on_disk: bool,
        compile: impl FnOnce() -> Result<Image>,
    ) -> Result<Arc<Image>> {
        let slot = self.slot(key);
        // What a panic can leave behind is an empty slot.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(image) = &*slot {
            return Ok(image.clone());
        }
        let file = self.folder.as_ref().filter(|_| on_disk).map(|folder| folder.join(file_name(key)));
        let image = match file.as_deref().and_then(|file| read(file, key)) {
            Some(image) => image,
            None => {
                let image = compile()?;
                if let Some(file) = &file {
                    // Without the file the next process compiles again; that is all that is lost.
                    let _ = write(file, key, &image);
                }
                image
            }
        };
        Ok(slot.insert(Arc::new(image)).clone())
    }

    fn slot(&self, key: &str) -> Slot {
        let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = images.get(key) {
            return slot.clone();
        }
        images.entry(key.to_owned()).or_default().clone()
    }
}

/// The folder that these variables name.
pub(super) fn folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user = || {
        // The specification of these folders asks to ignore a relative one.
        let named = path("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
        Some(named.or_else(|| Some(path("HOME")?.join(".cache")))?.join("tensor-rt"))
    };
    path("TENSOR_CACHE").or_else(of_user)
}

pub(super) fn file_name(key: &str) -> String {
    format!("{:016x}.kernel", hash(key.as_bytes()))
}

/// FNV-1a. It finds the file and notices damage; that the file is the right one is decided by the key in it.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The image in a file, if the file is whole and of this key.
fn read(file: &Path, key: &str) -> Option<Image> {
    let bytes = fs::read(file).ok()?;
    let (content, checksum) = bytes.split_last_chunk()?;
    if hash(content) != u64::from_le_bytes(*checksum) {
        return None;
    }
    let rest = content.strip_prefix(MAGIC)?;
    let (kept_key, rest) = take_part(rest)?;
    let (log, rest) = take_part(rest)?;
    let (kind, code) = rest.split_first()?;
    let code = match kind {
        b'p' => Code::Ptx(String::from_utf8(code.to_vec()).ok()?),
        b'c' => Code::Cubin(code.to_vec()),
        _ => return None,
    };
    (kept_key == key.as_bytes()).then_some(Image { code, log: String::from_utf8(log.to_vec()).ok()? })
}

/// Writes a file that `read` takes. It is seen whole or not at all.
fn write(file: &Path, key: &str, image: &Image) -> io::Result<()> {
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let mut bytes = MAGIC.to_vec();
    put_part(&mut bytes, key.as_bytes());
    put_part(&mut bytes, image.log.as_bytes());
    let (kind, code) = match &image.code {
        Code::Ptx(text) => (b'p', text.as_bytes()),
        Code::Cubin(code) => (b'c', &**code),
    };
    bytes.push(kind);
    bytes.extend_from_slice(code);
    bytes.extend_from_slice(&hash(&bytes).to_le_bytes());

    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    // No other thread and no other process that runs has this name.
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let draft = file.with_extension(format!("{}-{serial}.draft", process::id()));
    let written = fs::write(&draft, &bytes).and_then(|()| fs::rename(&draft, file));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// A length, then so many bytes.
fn put_part(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
    bytes.extend_from_slice(part);
}

/// What [`put_part`] wrote, and the rest.
fn take_part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)
}
