//! The guide is complete: its reference of the language has every name that the compiler knows.

use tensor_rt_compiler::check::{function_names, reduction_names};

const LANGUAGE: &str = include_str!("../../tensor-rt/guide/language.md");

/// The names in the table of functions, which ends the first section before its program.
fn listed() -> Vec<&'static str> {
    let (_, section) = LANGUAGE.split_once("## Functions\n").expect("the section of functions");
    let (table, _) = section.split_once("```").expect("the program after the table");
    let code = table.split('`').skip(1).step_by(2);
    code.flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_')).collect()
}

#[test]
fn every_function_and_reduction_stands_in_the_reference() {
    let listed = listed();
    let missing: Vec<&str> = function_names().chain(reduction_names()).filter(|name| !listed.contains(name)).collect();
    assert!(missing.is_empty(), "guide/language.md lacks {missing:?}");
}
