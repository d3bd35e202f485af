//! Failing kernels made small.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use random_kernels::{Kernel, Language};
use tensor_rt_compiler::errors::Errors;
use tensor_rt_compiler::{compile, parse};

/// Kernels that are compiled together.
const BATCH: usize = 24;

/// Drops terms, axes and parameters of the kernel `KERNEL` of the table for as long as what is left still fails.
#[test]
#[ignore = "for a failing kernel, by hand: it builds this crate many times"]
fn shrink() {
    let seed: u64 = env::var("KERNEL").expect("KERNEL is the position of a failing kernel").parse().expect("a number");
    let language = if seed.is_multiple_of(2) { Language::Smooth } else { Language::Whole };
    let element = random_kernels::element(seed);
    let mut kernel = Kernel::random(seed, language);
    loop {
        let compiles = |kernel: &Kernel| {
            let mut errors = Errors::new();
            let (functions, helpers) = parse(kernel.to_string().parse().expect("tokens"), &mut errors);
            functions.iter().all(|function| compile(function, &helpers, &mut errors).is_some()) && errors.is_empty()
        };
        let candidates: Vec<Kernel> = kernel.smaller().into_iter().filter(compiles).collect();
        let Some(smaller) = candidates.chunks(BATCH).find_map(|batch| first_failing(batch, element)) else { break };
        kernel = smaller;
        println!("{element} {kernel}");
    }
    println!("the smallest: {element} {kernel}");
}

/// The first kernel of a batch that fails the comparison.
fn first_failing(batch: &[Kernel], element: &str) -> Option<Kernel> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("batch.txt");
    let lines: Vec<String> = batch.iter().map(|kernel| format!("{element} {kernel}\n")).collect();
    fs::write(&file, lines.concat()).expect("the file can be written");
    let output = Command::new(env!("CARGO"))
        .args(["test", "-p", "emitted-kernels", "emitted_kernels_compute"])
        .env("EMITTED_KERNELS", &file)
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let position =
        text.lines().find_map(|line| line.strip_prefix("kernel ")?.split_once(':')?.0.parse::<usize>().ok())?;
    batch.get(position).cloned()
}
