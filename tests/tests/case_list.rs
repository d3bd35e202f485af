//! Which test shows which case of other libraries' failures; a case without a test, or a test that is gone, is seen here.
//!
//! A1 to B21 are about edits and views, D about memory and launches, E about numbers, G about the macro. Memory tools, streams
//! and drivers (the other cases of D, and C, F, H) need what the library does not have.

use std::path::Path;

/// File below `tests/tests`, and the cases it has; a test is named `case_<id>_..` or says its cases in its documentation.
const CASES: [(&str, &[&str]); 6] = [
    ("cases_a.rs", &["a1", "a3", "a5", "a7", "a9", "a11", "a13", "a15", "a17", "a19", "a21", "a23"]),
    ("cases_b.rs", &["b1", "b3", "b5", "b7", "b9", "b11", "b13", "b15", "b17", "b19", "b21"]),
    ("memory.rs", &["d1", "d3"]),
    ("cases_d.rs", &["d11", "d15", "d17"]),
    (
        "cases_e.rs",
        &[
            "e1", "e3", "e5", "e7", "e9", "e11", "e13", "e15", "e17", "e19", "e21", "e23", "e25", "e27", "e29", "e31",
            "e33", "e35", "e37", "e39", "e41",
        ],
    ),
    ("cases_g.rs", &["g1", "g3", "g5", "g7", "g9", "g11", "g13", "g15", "g17", "g19", "g21"]),
];

fn source(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_case_has_a_test() {
    for (file, ids) in CASES {
        let text = source(file);
        for id in ids {
            // A test of its own, or one that is listed for each device.
            let named = text.match_indices(&format!("fn case_{id}_")).any(|(at, _)| text[..at].ends_with("#[test]\n"))
                || text.contains(&format!("\n    case_{id}_"));
            let documented = text.lines().any(|line| {
                line.starts_with("/// Case") && line.split([' ', '.', ',']).any(|word| word.eq_ignore_ascii_case(id))
            });
            assert!(named || documented, "case {id} has no test in {file}");
        }
    }
}

#[test]
fn every_test_of_a_case_is_listed() {
    for (file, ids) in CASES {
        for name in source(file).split("fn case_").skip(1) {
            let id = name.split('_').next().expect("a name has a part");
            assert!(ids.contains(&id), "{file}: `case_{id}_..` is not in the list");
        }
    }
}
