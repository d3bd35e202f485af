//! What is not known is refused, with its line.

use cuda_sim::memory::Memory;
use cuda_sim::module::Module;

/// The message for a kernel with this text in its line 7.
fn refusal(text: &str) -> String {
    let ptx = format!(
        ".version 8.8\n.target sm_80\n.address_size 64\n.visible .entry f(.param .u64 a)\n{{\n\
         .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<2>; .reg .b16 %h<2>;\n{text}\nret;\n}}\n"
    );
    match Module::load(&ptx, 0, &mut Memory::new()) {
        Ok(_) => panic!("`{text}` was not refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn unknown_opcodes_and_modifiers_are_named() {
    assert_eq!(refusal("frobnicate.b32 %r1, %r2;"), "PTX line 7: an opcode that is not known: `frobnicate.b32`");
    let modifier = "PTX line 7: the modifier `.strange` is not known here: `add.strange.s32`";
    assert_eq!(refusal("add.strange.s32 %r1, %r2, %r3;"), modifier);
}

#[test]
fn modifiers_that_do_not_go_together_are_refused() {
    for text in [
        "fma.f32 %r1, %r2, %r3, %r1;",
        "add.ftz.f64 %d1, %d2, %d3;",
        "add.sat.u32 %r1, %r2, %r3;",
        "cvt.f32.f64 %r1, %d1;",
        "cvt.rn.f64.f32 %d1, %r1;",
        "cvt.s32.f32 %r1, %r2;",
        "shfl.bfly.b32 %r1, %r2, 1, 31;",
        "setp.lo.s32 %p1, %r1, %r2;",
        "setp.ltu.s32 %p1, %r1, %r2;",
        "ld.global.gpu.b32 %r1, [%d1];",
        "atom.global.add.b32 %r1, [%d1], %r2;",
        "mul.s32 %r1, %r2, %r3;",
        "sqrt.f32 %r1, %r2;",
        "tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r1}, [a, {%r1, %r2}];",
    ] {
        let message = refusal(text);
        assert!(message.starts_with("PTX line 7: "), "{message}");
    }
}

#[test]
fn operands_are_checked() {
    for (text, expected) in [
        ("add.s32 %r1, %d1, %r2;", "`%d1` is B64, expected B32"),
        ("add.s32 %r1, %r9, %r2;", "`%r9` is not known"),
        ("add.s32 %r1, %r2;", "expected 3 operands"),
        ("bra nowhere;", "the label `nowhere` is not known"),
        ("call.uni nobody, ();", "the function `nobody` is not defined"),
        ("ld.global.b64 %r1, [%d1];", "registers that the type does not fit"),
        ("ld.global.b32 %r1, [%r2+4];\n.unknown;", "a directive of function bodies that is not known"),
        ("ld.b32 %r1, [%r2];", "an address must have 64 bits"),
    ] {
        let message = refusal(text);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn directives_are_refused_by_name() {
    let error = Module::load(".version 8.8\n.target sm_80\n.tex .u64 t;", 0, &mut Memory::new());
    let error = error.err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("PTX line 3: a directive that is not known: `.tex`"));
}

#[test]
fn the_header_is_read_without_the_rest() {
    let header = Module::header(".version 9.5\n.target sm_100\n.address_size 64\n.visible .entry f() { unknown; }");
    assert_eq!(header, Ok(((9, 5), "sm_100".to_owned())));
    assert!(Module::header("int main() {}").is_err());
}
