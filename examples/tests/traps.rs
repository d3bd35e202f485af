//! Every trap program runs, and quotes the compiler.

use std::process::Command;

fn run(program: &str) -> String {
    let output = Command::new(program).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("the program prints text");
    assert!(text.starts_with("PyTorch\n"), "{text}");
    assert!(text.contains("This does not compile:") && text.contains("    error"), "{text}");
    text
}

#[test]
fn trap_device_mismatch_moves_one_operand() {
    let text = run(env!("CARGO_BIN_EXE_trap_device_mismatch"));
    assert!(text.contains("device mismatch") && text.contains("[2. 3. 4.]"), "{text}");
}

#[test]
fn trap_in_place_keeps_what_the_graph_saved() {
    let text = run(env!("CARGO_BIN_EXE_trap_in_place"));
    assert!(text.contains("1 parameter updated"), "{text}");
}

#[test]
fn trap_views_never_shows_an_edit_through_another_handle() {
    let text = run(env!("CARGO_BIN_EXE_trap_views"));
    assert!(text.contains("head = [10. 11. 12.]") && text.contains("x = [1. 1. 2. 2. 2. 2.]"), "{text}");
}

#[test]
fn trap_threads_loses_no_update() {
    let text = run(env!("CARGO_BIN_EXE_trap_threads"));
    assert!(text.contains("x = [2000.]"), "{text}");
}
