//! Golden files: what each stage says of a kernel.
//!
//! `tests/golden/<case>/input.rs` holds one kernel; the other files are renewed only by `BLESS=1 cargo test -p
//! tensor-rt-compiler golden`, and then read as a user would.

use std::fs;
use std::path::{Path, PathBuf};

use tensor_rt_compiler::emit::{self, DeviceText, DeviceTexts};
use tensor_rt_compiler::errors::Errors;
use tensor_rt_compiler::print;

use crate::corpus::{Compiled, compile};

#[test]
fn golden_files_are_what_the_stages_say() {
    let mut wrong = String::new();
    let mut cases: Vec<PathBuf> =
        fs::read_dir(folder()).expect("a folder").map(|entry| entry.expect("a case").path()).collect();
    cases.sort();
    assert!(cases.len() >= 12, "golden cases are missing: {cases:?}");
    for case in cases {
        let source = fs::read_to_string(case.join("input.rs")).expect("`input.rs`");
        for (file, text) in stages(&source) {
            compare(&case.join(file), &text, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{wrong}\nrenew with BLESS=1 cargo test -p tensor-rt-compiler golden");
}

/// The files of a case.
fn stages(source: &str) -> Vec<(&'static str, String)> {
    let Compiled { kernel, backward, forward_schedule, backward_schedule } = compile(source);
    let mut schedules = print::schedule(&kernel, &forward_schedule, "forward");
    let mut files = vec![("ir.txt", print::kernel(&kernel))];
    if let (Some(backward), Some(schedule)) = (&backward, &backward_schedule) {
        files.push(("backward.txt", print::backward(&kernel, backward)));
        schedules += &print::schedule(&kernel, schedule, "backward");
    }
    files.push(("schedule.txt", schedules));
    let (rust, cuda) = emitted(source);
    files.extend([("emitted.rs", rust), ("kernel.cu", cuda)]);
    files
}

/// The generated Rust and CUDA C.
fn emitted(source: &str) -> (String, String) {
    let mut errors = Errors::new();
    let (functions, helpers) = tensor_rt_compiler::parse(source.parse().expect("tokens"), &mut errors);
    let compiled = tensor_rt_compiler::compile(&functions[0], &helpers, &mut errors).expect("a kernel without errors");
    let backward = compiled.backward.as_ref().map(|(backward, schedule)| (backward, schedule));
    let runtime = "::tensor_rt".parse().expect("a path");
    let device = emit::device(&compiled.kernel, &compiled.forward, backward);
    let schedules = (&compiled.forward, backward);
    // The CUDA C has a file of its own.
    let none = DeviceText { entry: String::new(), source: String::new(), scalars: vec![], extents: vec![] };
    let texts = |count| vec![none.clone(); count];
    let none = DeviceTexts { forward: texts(device.forward.len()), backward: texts(device.backward.len()) };
    let rust = emit::rust::rust(&functions[0], &compiled.kernel, schedules, &none, &compiled.blocked, &runtime);
    let kernels: Vec<String> = device.forward.into_iter().chain(device.backward).map(|text| text.source).collect();
    (rust, kernels.join("\n"))
}

/// Compares a file with what it should hold, or writes it if asked to.
fn compare(path: &Path, text: &str, wrong: &mut String) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, text).expect("a golden file");
        return;
    }
    let known = fs::read_to_string(path).unwrap_or_default();
    if known != text {
        let line = known.lines().zip(text.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or(known.lines().count().min(text.lines().count()));
        let [old, new] = [&known, text].map(|text| text.lines().nth(line).unwrap_or("").to_owned());
        *wrong += &format!("{} line {}:\n- {old}\n+ {new}\n", path.display(), line + 1);
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}
