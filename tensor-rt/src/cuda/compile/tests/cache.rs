//! What is kept, and when it is compiled again.

use std::cell::Cell;
use std::process::Command;

use super::super::cache::{file_name, folder};
use super::*;

fn image(code: &str) -> Image {
    Image { code: Code::Ptx(code.to_owned()), log: "warning".to_owned() }
}

/// Asks for `key` as a new process would, and says what came and whether it was compiled.
fn ask(folder: &Folder, key: &str) -> (Arc<Image>, bool) {
    let compiled = Cell::new(false);
    let compile = || {
        compiled.set(true);
        Ok(image(key))
    };
    (Cache::in_folder(Some(folder.0.clone())).image(key, true, compile).unwrap(), compiled.get())
}

#[test]
fn a_process_finds_what_another_has_compiled() {
    let folder = Folder::new();
    assert_eq!(ask(&folder, "key"), (Arc::new(image("key")), true));
    assert_eq!(ask(&folder, "key"), (Arc::new(image("key")), false));
    assert_eq!(ask(&folder, "other"), (Arc::new(image("other")), true));

    let cubin = Image { code: Code::Cubin(vec![0x7f, 0, 255]), log: String::new() };
    let compiled = Cache::in_folder(Some(folder.0.clone())).image("code", true, || Ok(cubin.clone())).unwrap();
    assert_eq!(*compiled, cubin);
    let kept = Cache::in_folder(Some(folder.0.clone())).image("code", true, || panic!("it is on disk")).unwrap();
    assert_eq!(*kept, cubin);
}

#[test]
fn a_damaged_file_is_replaced() {
    let folder = Folder::new();
    ask(&folder, "key");
    let file = folder.0.join(file_name("key"));
    let whole = std::fs::read(&file).unwrap();
    for damaged in (0..whole.len()).flat_map(|place| [whole[..place].to_vec(), flipped(&whole, place)]) {
        std::fs::write(&file, &damaged).unwrap();
        assert_eq!(ask(&folder, "key"), (Arc::new(image("key")), true), "{damaged:?}");
        assert_eq!(std::fs::read(&file).unwrap(), whole);
    }
    assert_eq!(ask(&folder, "key"), (Arc::new(image("key")), false));
}

fn flipped(bytes: &[u8], place: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[place] ^= 1;
    bytes
}

#[test]
fn a_file_of_another_key_is_not_taken() {
    let folder = Folder::new();
    ask(&folder, "other");
    std::fs::rename(folder.0.join(file_name("other")), folder.0.join(file_name("key"))).unwrap();
    assert_eq!(ask(&folder, "key"), (Arc::new(image("key")), true));
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let parent = Folder::new();
    // A file where the folder should be: nobody, not even root, can write below it.
    let folder = Folder(parent.touch("file"));
    assert_eq!(ask(&folder, "key"), (Arc::new(image("key")), true));
    assert_eq!(ask(&folder, "key"), (Arc::new(image("key")), true));
    let memory = Cache::in_folder(Some(folder.0.clone()));
    memory.image("key", true, || Ok(image("key"))).unwrap();
    memory.image("key", true, || panic!("it is in memory")).unwrap();
}

#[test]
fn a_failed_compilation_is_not_kept() {
    let folder = Folder::new();
    let cache = Cache::in_folder(Some(folder.0.clone()));
    let failed = cache.image("key", true, || Err(Error::UnknownDevice { name: "x".into() }));
    assert!(failed.is_err());
    assert_eq!(*cache.image("key", true, || Ok(image("key"))).unwrap(), image("key"));
}

#[test]
fn the_folder_follows_the_variables() {
    let named = |variables: &[(&str, &str)]| {
        let variable = |name: &str| Some(variables.iter().find(|(key, _)| *key == name)?.1.into());
        folder(&variable).map(|folder| folder.display().to_string())
    };
    let home = ("HOME", "/home/ada");
    assert_eq!(named(&[("TENSOR_CACHE", "/t"), ("XDG_CACHE_HOME", "/c"), home]).as_deref(), Some("/t"));
    assert_eq!(named(&[("TENSOR_CACHE", ""), ("XDG_CACHE_HOME", "/c"), home]).as_deref(), Some("/c/tensor-rt"));
    assert_eq!(named(&[("XDG_CACHE_HOME", "relative"), home]).as_deref(), Some("/home/ada/.cache/tensor-rt"));
    assert_eq!(named(&[home]).as_deref(), Some("/home/ada/.cache/tensor-rt"));
    assert_eq!(named(&[]), None);
}

#[test]
fn what_includes_a_header_stays_off_the_disk() {
    let Some(found) = installed() else { return };
    let folder = Folder::new();
    let cache = Box::leak(Box::new(Cache::in_folder(Some(folder.0.clone()))));
    let compiler = Compiler::among(found, cache, Capability::of_number(80), CUDA_13_5).unwrap();
    let files = || std::fs::read_dir(&folder.0).unwrap().count();
    let form = compiler.forms().next().unwrap();
    compiler.compile(Origin::of("scale"), &format!("// #include <nothing>\n{SCALE}"), form).unwrap();
    assert_eq!(files(), 0);
    compiler.compile(Origin::of("scale"), SCALE, form).unwrap();
    assert_eq!(files(), 1);
}

/// The kernels that two processes compile at once.
const KERNELS: usize = 6;

fn kernel(number: usize) -> String {
    SCALE.replace("+ b", &format!("+ {number}.0f"))
}

/// Run by the test below, in processes of its own, with `TENSOR_CACHE` naming its folder.
#[test]
#[ignore = "part of another test"]
fn compiles_into_the_folder_of_the_process() {
    let compiler = Compiler::for_device(Capability::of_number(80), CUDA_13_5).unwrap();
    let form = compiler.forms().next().unwrap();
    for number in 0..KERNELS {
        compiler.compile(Origin::of("scale"), &kernel(number), form).unwrap();
    }
}

#[test]
fn two_processes_fill_one_folder() {
    let Some(found) = installed() else { return };
    let folder = Folder::new();
    let start = || {
        let mut command = Command::new(std::env::current_exe().expect("a test knows its program"));
        command.args(["--ignored", "--exact", "cuda::compile::tests::cache::compiles_into_the_folder_of_the_process"]);
        command.env("TENSOR_CACHE", &folder.0).env("TENSOR_NVRTC", both_versions());
        command.spawn().expect("a test can start itself")
    };
    for mut process in [start(), start()] {
        assert!(process.wait().expect("a process of this test ends").success());
    }
    let names: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), KERNELS, "a file for each kernel, no draft: {names:?}");

    // What they left is what this process would have compiled.
    let compiler = Compiler::among(found, own_cache(), Capability::of_number(80), CUDA_13_5).unwrap();
    let way = compiler.ways[0];
    let nvrtc = &found.compilers[way.nvrtc];
    let shared = Cache::in_folder(Some(folder.0.clone()));
    for number in 0..KERNELS {
        let source = kernel(number);
        let options = options::options(way.form, nvrtc.version(), compiler.lines);
        let key = key(nvrtc, &Unit { name: "scale.cu".to_owned(), source: &source, options }, way.form);
        let kept = shared.image(&key, true, || panic!("no process has compiled it")).unwrap();
        assert_eq!(kept, compiler.compile(Origin::of("scale"), &source, way.form).unwrap());
    }
}
