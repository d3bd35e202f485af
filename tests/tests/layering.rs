//! Which part may know which. An import outside the table is a change of the design, to be made here first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Each line is a layer: its modules, which may name each other and those of the lines above.
const RUNTIME: &[&[&str]] = &[
    &[
        "accounting",
        "address",
        "atomic",
        "cuda",
        "device",
        "device_id",
        "element",
        "error",
        "home",
        "isa",
        "layout",
        "math",
        "memory",
        "shape",
    ],
    &["mode", "storage"],
    &["tensor", "relation", "param", "autograd", "kernel", "engine", "ops"],
];

/// Each module of the compiler, and those that it may name.
const COMPILER: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("errors", &[]),
    ("by_hand", &["check", "errors", "ir", "syntax"]),
    ("syntax", &["errors", "ir"]),
    ("check", &["errors", "ir", "syntax"]),
    ("diff", &["ir", "simplify"]),
    ("simplify", &["ir"]),
    ("schedule", &["ir"]),
    ("interp", &["ir", "schedule"]),
    ("print", &["ir", "schedule"]),
    ("emit", &["ir", "print", "schedule", "syntax"]),
];

#[test]
fn the_runtime_is_layered() {
    let mut below = BTreeSet::new();
    let imports = imports("../tensor-rt/src");
    for layer in RUNTIME {
        below.extend(layer.iter().map(|module| (*module).to_owned()));
        for module in *layer {
            let Some(named) = imports.get(*module) else { continue };
            let above: Vec<_> = named.difference(&below).collect();
            assert!(above.is_empty(), "`{module}` names what is above it: {above:?}");
        }
    }
}

#[test]
fn the_stages_of_the_compiler_know_only_their_inputs() {
    let imports = imports("../tensor-macros/compiler/src");
    for (module, allowed) in COMPILER {
        let Some(named) = imports.get(*module) else { panic!("there is no `{module}`") };
        let others: Vec<_> = named.iter().filter(|name| *name != module && !allowed.contains(&name.as_str())).collect();
        assert!(others.is_empty(), "`{module}` names {others:?}");
    }
}

/// The modules that each module names as `crate::<name>`, tests aside.
fn imports(sources: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(sources);
    let mut imports = BTreeMap::new();
    let entries = std::fs::read_dir(&root).expect("the sources are beside this crate");
    let entries: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    let modules: BTreeSet<String> = entries.iter().map(|path| stem(path)).collect();
    for path in &entries {
        let mut named = BTreeSet::new();
        read(path, &modules, &mut named);
        imports.insert(stem(path), named);
    }
    imports
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read(path: &Path, modules: &BTreeSet<String>, named: &mut BTreeSet<String>) {
    if stem(path) == "tests" {
        return;
    }
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a readable folder") {
            read(&entry.expect("a readable folder").path(), modules, named);
        }
        return;
    }
    let text = std::fs::read_to_string(path).expect("a readable source");
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" {
            // The tests of a file stand last, or in a file of their own.
            match lines.next() {
                Some(declaration) if declaration.ends_with(';') => continue,
                _ => return,
            }
        }
        let code = line.split("//").next().unwrap_or_default();
        for part in code.split("crate::").skip(1) {
            let name: String = part.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            if modules.contains(&name) {
                named.insert(name);
            }
        }
    }
}
