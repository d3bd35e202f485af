//! What does not compile, and what it says; and the legal twin of each.
//!
//! `ui/fail/<group>/<rule>.rs` is one mistake with its message beside it; `ui/pass/<group>.rs` has a function named after
//! each rule of the group that does the same thing legally. Messages are renewed by
//! `TRYBUILD=overwrite cargo test -p tests --test ui`, and read as a user would.

#[test]
fn mistakes_do_not_compile_and_their_legal_twins_do() {
    // One set of cases: two would build every dependency twice, to check and to run.
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/fail/*/*.rs");
    cases.pass("ui/pass/*.rs");
}
