//! Every kernel of the library, of the operators and of these tests, compiled by both versions of NVRTC for PTX and machine
//! code; ptxas says what each takes.
//!
//! A kernel is compiled in one or two of its variants for one target; neighbors in the list take the next target, so that
//! each family meets each target.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use proc_macro2::{TokenStream, TokenTree};
use tensor_rt_compiler::emit;
use tensor_rt_compiler::errors::Errors;

use crate::cuda::compile::Form;
use crate::cuda::compile::tests::log;
use crate::cuda::version::Capability;
use crate::element::DType;
use crate::engine::cuda::mapping::{Phase, Tiling};
use crate::engine::cuda::source::{Source, Variant};

/// Where kernels are written, from this crate's folder.
const FOLDERS: [&str; 3] = ["../kernels/src", "src/ops", "src/engine/cuda/tests"];

/// Most registers of a thread: two blocks of 256 threads fit a multiprocessor; of a large product's tile, one.
const REGISTERS: [usize; 2] = [128, 192];
/// Most kernels that are compiled: of more, every second or third.
const MOST: usize = 300;
/// Bytes of shared memory that every device gives a block.
const SHARED: usize = 48 << 10;

/// The kernels that are written in the files of a folder.
fn kernels(folder: &Path, found: &mut Vec<String>) {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            kernels(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            blocks(text.parse().expect("tokens"), &mut |block| found.extend(emitted(block)));
        }
    }
}

/// Calls `each` with the content of every `tensor_fn!`.
fn blocks(tokens: TokenStream, each: &mut impl FnMut(TokenStream)) {
    let mut before: [Option<String>; 2] = [None, None];
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            match &before {
                [Some(name), Some(mark)] if name == "tensor_fn" && mark == "!" => each(group.stream()),
                _ => blocks(group.stream(), each),
            }
        }
        let named = matches!(token, TokenTree::Ident(_) | TokenTree::Punct(_));
        before = [before[1].take(), named.then(|| token.to_string())];
    }
}

/// The CUDA C of the functions of a block. Blocks whose text is made by a macro, and those with mistakes, have none.
fn emitted(block: TokenStream) -> Vec<String> {
    let mut errors = Errors::new();
    let (functions, helpers) = tensor_rt_compiler::parse(block, &mut errors);
    let texts = functions.iter().filter(|function| function.body.is_some()).flat_map(|function| {
        let compiled = tensor_rt_compiler::compile(function, &helpers, &mut errors)?;
        let backward = compiled.backward.as_ref().map(|(backward, schedule)| (backward, schedule));
        let device = emit::device(&compiled.kernel, &compiled.forward, backward);
        Some(device.forward.into_iter().chain(device.backward).map(|text| text.source))
    });
    texts.flatten().collect()
}

/// The variants of a kernel that are compiled, for the `number`-th of all.
fn variants(kernel: &str, number: usize) -> Vec<Variant> {
    let generic = [DType::F32, DType::F16, DType::F32, DType::F64, DType::Bf16][number % 5];
    let plain = !["Gather<", "Clipped<", "Scatter<"].iter().any(|array| kernel.contains(array));
    let simple = Variant {
        generic,
        wide: number.is_multiple_of(7),
        free: 1 + number % 3,
        reduced: 0,
        vector: if plain && number.is_multiple_of(2) { 16 / generic.size().max(4) as i64 } else { 1 },
        contiguous: u64::MAX,
        lanes: 1,
        rows: 256,
        vertical: false,
        phase: Phase::Whole,
        ordered: false,
        product: None,
    };
    if !kernel.contains("Row row(") {
        return vec![simple];
    }
    let single = kernel.matches("Elements at(row)").count() == 1;
    let rows = match number % 4 {
        0 => Variant { lanes: 32, rows: 8, reduced: 1, ..simple },
        1 => Variant { lanes: 8, rows: 32, vertical: true, vector: 1, reduced: 2, ..simple },
        2 => Variant { lanes: 256, rows: 1, reduced: 1, ..simple },
        _ => Variant { vector: 1, reduced: 1, ..simple },
    };
    let phase = if single && number.is_multiple_of(3) { Phase::Partial } else { Phase::Whole };
    let mut variants = vec![Variant { phase, ..rows }];
    if kernel.contains("#if PRODUCT") {
        let large = generic != DType::F64 && number.is_multiple_of(2);
        let tiling = Tiling {
            thread: if large { 8 } else { 4 },
            lhs_along_k: !number.is_multiple_of(3),
            rhs_along_k: number.is_multiple_of(2),
        };
        let product = Some(([1, 1, 1], tiling));
        variants.push(Variant {
            free: 3,
            reduced: 1,
            vector: 1,
            lanes: 1,
            rows: 256,
            vertical: false,
            phase,
            product,
            ..simple
        });
    }
    variants
}

/// The number before `unit` in what ptxas says, the largest if there are several.
fn amount(log: &str, unit: &str) -> usize {
    let before = log.match_indices(unit).filter_map(|(end, _)| log[..end].trim_end().rsplit([' ', ',']).next());
    before.filter_map(|number| number.parse().ok()).max().unwrap_or(0)
}

#[test]
fn every_kernel_compiles_within_its_resources() {
    let mut texts = vec![];
    for folder in FOLDERS {
        kernels(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut texts);
    }
    assert!(texts.len() > 100, "only {} kernels were found", texts.len());
    let step = texts.len().div_ceil(MOST);
    let texts: Vec<String> = texts.into_iter().step_by(step).collect();
    let arch = |number| Capability::of_number(number);
    let targets = [
        (13, Form::Cubin(arch(80))),
        (12, Form::Cubin(arch(90))),
        (13, Form::Ptx(arch(100))),
        (12, Form::Cubin(arch(80))),
        (13, Form::Cubin(arch(100))),
        (12, Form::Ptx(arch(80))),
        (13, Form::Cubin(arch(90))),
    ];
    let (next, measured) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = texts.get(number) else { return };
            for variant in variants(text, number) {
                let large = variant.product.is_some_and(|(_, tiling)| tiling.thread == 8);
                let source = Source { kernel: text.clone().leak(), variant };
                let (major, form) = targets[number % targets.len()];
                let Some(log) = log(major, &source.text(), form) else { return };
                let used = ["registers", "bytes spill stores", "bytes smem"].map(|unit| amount(&log, unit));
                let place = format!("NVRTC {major}, {form:?}, {variant:?}\n{log}\n{text}");
                assert!(!log.contains("warning"), "{place}");
                assert!(used[0] <= REGISTERS[usize::from(large || variant.generic == DType::F64)], "{place}");
                assert_eq!(used[1], 0, "{place}");
                assert!(used[2] <= SHARED, "{place}");
                measured.fetch_add(usize::from(used[0] > 0), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let measured = measured.into_inner();
    assert!(measured == 0 || measured > texts.len() / 2, "ptxas has measured {measured} of {} kernels", texts.len());
}
