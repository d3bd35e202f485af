//! What does not compile, and what it says; and the legal twin of each.
//!
//! `ui/fail/<group>/<rule>.rs` is one mistake with its message beside it; `ui/pass/<group>.rs` has a function named after
//! each rule of the group that does the same thing legally. Messages are renewed by
//! `TRYBUILD=overwrite cargo test -p tests --test ui`, and read as a user would.
//!
//! The twins are modules of this test, which does not compile if one of them does not. As programs of their own they would
//! need two more builds of every dependency.

#[path = "../ui/pass/mod.rs"]
pub mod pass;

#[test]
fn mistakes_do_not_compile() {
    trybuild::TestCases::new().compile_fail("ui/fail/*/*.rs");
}
