//! Who may name whom: the stages form a line, and only the pipeline in `lib.rs` knows all of them.

use std::fs;
use std::path::{Path, PathBuf};

/// Each part of the compiler and the parts that it may use besides itself. `Errors` is for the stages that can find
/// mistakes; the printers may be used by whoever shows something.
const MAY_USE: [(&str, &[&str]); 11] = [
    ("ir", &[]),
    ("errors", &[]),
    ("syntax", &["ir", "errors"]),
    ("check", &["ir", "errors", "syntax", "schedule"]),
    ("by_hand", &["ir", "errors", "syntax", "check"]),
    ("simplify", &["ir"]),
    ("diff", &["ir", "simplify"]),
    ("schedule", &["ir", "simplify"]),
    ("interp", &["ir", "schedule"]),
    ("print", &["ir", "schedule"]),
    ("emit", &["ir", "syntax", "schedule", "print"]),
];

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("the folder can be read") {
            sources(&entry.expect("the entry can be read").path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push(path.to_owned());
    }
}

/// The text without comments and without what is compiled for tests alone.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("the file can be read");
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Names after `crate::`, those in braces included.
fn used(code: &str) -> Vec<String> {
    let mut names = vec![];
    for rest in code.split("crate::").skip(1) {
        let name =
            |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            Some(list) => {
                let (mut depth, mut part) = (0, String::new());
                for letter in list.chars() {
                    match letter {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => names.push(name(&std::mem::take(&mut part))),
                        letter => part.push(letter),
                    }
                }
                names.push(name(&part));
            }
            None => names.push(name(rest)),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[test]
fn parts_use_only_what_stands_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut mistakes = vec![];
    for (part, allowed) in MAY_USE {
        let mut files = vec![];
        sources(&root.join(part), &mut files);
        sources(&root.join(format!("{part}.rs")).with_extension("rs"), &mut files);
        files.retain(|file| file.exists() && !file.components().any(|folder| folder.as_os_str() == "tests"));
        files.retain(|file| file.file_name().is_none_or(|name| name != "tests.rs"));
        assert!(!files.is_empty(), "no file of `{part}`");
        for file in files {
            for name in used(&code(&file)) {
                let known = MAY_USE.iter().any(|(other, _)| *other == name);
                if known && name != part && !allowed.contains(&&name[..]) {
                    mistakes.push(format!("{} uses `{name}`", file.strip_prefix(&root).unwrap_or(&file).display()));
                }
            }
        }
    }
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn every_part_is_listed() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("lib.rs can be read");
    let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")).map(|line| line.trim_end_matches(';'));
    let modules: Vec<&str> = modules.collect();
    assert!(modules.len() >= MAY_USE.len());
    for module in modules {
        assert!(MAY_USE.iter().any(|(part, _)| *part == module), "`{module}` has no line in MAY_USE");
    }
}

#[test]
fn targets_do_not_use_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/emit");
    for (target, other) in [("rust", "cuda"), ("cuda", "rust")] {
        let mut files = vec![];
        sources(&root.join(target), &mut files);
        files.retain(|file| file.exists());
        for file in files {
            let code = code(&file);
            assert!(!code.contains(&format!("emit::{other}")), "{}", file.display());
            assert!(!code.contains(&format!("super::{other}")), "{}", file.display());
        }
    }
}
