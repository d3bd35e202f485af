//! The macro and its messages: what went wrong for users of other libraries (cases G1 to G21).

use std::path::{Path, PathBuf};

use tensor_rt::prelude::*;
use tensor_rt_compiler::errors::Errors;

tensor_fn! {
    fn negated(x: &Tensor[N]) -> Tensor[N] { -x }

    fn inverted(m: &Tensor<bool>[N]) -> Tensor<bool>[N] { !m }

    fn widened(i: &Tensor<i32>[N]) -> Tensor<f32>[N] { -i as f32 }

    fn shadowed(x: &Tensor[]) -> Tensor[] {
        let a = x + 1;
        let a = a * 2;
        let a = { let a = a + 1; a + 1 };
        let a = { let a = a + 1; a + 1 };
        a
    }

    fn doubled(x) { if x < 0 { 0 } else { x * 2 } }

    fn with_helper(x: &Tensor[N]) -> Tensor[N] { doubled(x) + 1 }

    fn scrambled_names(out: &Tensor[], idx: &Tensor[], n: &Tensor[]) -> Tensor[] { out * idx + n }

    fn of_a_user_trait<T: Float + Scale>(x: &Tensor<T>[N]) -> Tensor<T>[N] { 2 * x }
}

/// A user's bound above a float element.
trait Scale: Float {}

impl Scale for f32 {}

/// The messages of a block.
fn messages(block: &str) -> Vec<String> {
    let tokens = block.parse().expect("the block has tokens");
    let mut errors = Errors::new();
    let (functions, helpers) = tensor_rt_compiler::parse(tokens, &mut errors);
    for function in &functions {
        let _ = tensor_rt_compiler::compile(function, &helpers, &mut errors);
    }
    errors.iter().map(ToString::to_string).collect()
}

/// The one message of a kernel with this body.
#[track_caller]
fn message(body: &str) -> String {
    let messages = messages(&format!("fn f(x: &Tensor[N], n: usize) -> Tensor[N] {{ {body} }}"));
    let [message] = &messages[..] else { panic!("`{body}`: {messages:?}") };
    message.clone()
}

#[test]
fn case_g1_unary_operators_casts_and_ranges() -> Result<()> {
    assert_eq!(negated(&Tensor::new(&Cpu, [1.0, -2.0])?)?.to_vec()?, [-1.0, 2.0]);
    assert_eq!(inverted(&Tensor::from_vec(&Cpu, vec![true, false], [2])?)?.to_vec()?, [false, true]);
    assert_eq!(widened(&Tensor::from_vec(&Cpu, vec![1_i32, -2], [2])?)?.to_vec()?, [-1.0, 2.0]);
    for range in ["0..n", "..", "1.."] {
        assert!(message(&format!("x + ({range})")).starts_with("ranges do not exist in a kernel\nhelp: "), "{range}");
    }
    Ok(())
}

#[test]
fn case_g3_return_in_a_helper() -> Result<()> {
    let refused = messages("fn h(x) { if x < 0 { return 0; } x * 2 } fn f(x: &Tensor[N]) -> Tensor[N] { h(x) + 1 }");
    assert!(refused.iter().any(|text| text.starts_with("`return` does not exist in a kernel")), "{refused:?}");
    let x = Tensor::new(&Cpu, [-1.0, 2.0])?.requires_grad();
    let y = with_helper(&x)?;
    assert_eq!(y.to_vec()?, [1.0, 5.0]);
    assert_eq!(y.sum()?.backward()?.get(&x).expect("it took part").to_vec()?, [0.0, 2.0]);
    Ok(())
}

#[test]
fn case_g5_shadowing_and_loops() -> Result<()> {
    let x = Tensor::full(&Cpu, [], 3.0)?.requires_grad();
    let y = shadowed(&x)?;
    assert_eq!(y.item()?, 12.0);
    assert_eq!(y.backward()?.get(&x).expect("it took part").item()?, 2.0);
    assert!(message("for i in 0..2 { x + 1 } x").starts_with("loops do not exist in a kernel"));
    Ok(())
}

#[test]
fn case_g7_heap_and_printing() {
    assert!(message("vec![0.0; 3]; x").starts_with("lists do not exist in a kernel: `vec!`"));
    assert!(message("println!(\"{}\", 1); x").starts_with("nothing can be printed from a kernel: `println!`"));
    assert!(message("String::new(); x").starts_with("only functions of the language and helpers can be called"));
    assert!(message("let s: String = x; x").starts_with("no kernel computes with `String`"));
}

#[test]
fn case_g9_generic_kernel_of_another_crate() -> Result<()> {
    assert_eq!(renamed::affine(&Tensor::new(&Cpu, [1.0, 2.0])?)?.to_vec()?, [3.0, 5.0]);
    assert_eq!(renamed::affine(&Tensor::from_vec(&Cpu, vec![1.0_f64, 2.0], [2])?)?.to_vec()?, [3.0, 5.0]);
    assert_eq!(of_a_user_trait(&Tensor::new(&Cpu, [1.0, 2.0])?)?.to_vec()?, [2.0, 4.0]);
    Ok(())
}

/// Outputs exist only inside `Ok`, and an ignored `Result` is a warning of rustc.
#[test]
fn case_g11_a_failed_launch_is_an_error() -> Result<()> {
    let far = Tensor::zeros(&Cpu, [1])?.broadcast_to([1 << 60])?;
    let failed: Result<Tensor> = &far + 1.0;
    assert!(failed.is_err());
    assert_eq!((Tensor::new(&Cpu, [1.0])? + 1.0)?.to_vec()?, [2.0]);
    Ok(())
}

#[test]
fn case_g13_parameters_with_the_names_of_locals() -> Result<()> {
    let [out, idx, n] =
        [2.0, 3.0, 4.0].map(|value| Tensor::full(&Cpu, [], value).expect("it fits in memory").requires_grad());
    let y = scrambled_names(&out, &idx, &n)?;
    assert_eq!(y.item()?, 10.0);
    let gradients = y.backward()?;
    for (x, expected) in [(&out, 3.0), (&idx, 2.0), (&n, 1.0)] {
        assert_eq!(gradients.get(x).expect("it took part").item()?, expected);
    }
    Ok(())
}

/// The packages `renamed` and `reexporting` have kernels in library, tests and examples; their own tests run them.
#[test]
fn case_g15_a_renamed_runtime() -> Result<()> {
    assert_eq!(renamed::scale(&Tensor::new(&Cpu, [1.0])?, 3.0)?.to_vec()?, [3.0]);
    assert_eq!(reexporting::predecessor(&Tensor::new(&Cpu, [1.0])?)?.to_vec()?, [0.0]);
    Ok(())
}

/// Attributes stand on the generated function: `renamed` denies missing documentation, and has a kernel for each state of a
/// feature.
#[test]
fn case_g17_attributes_are_forwarded() {
    let source = renamed::affine::source().rust;
    assert!(source.contains("#[must_use]") && source.contains("/// y = 2 x + 1, for every float element."), "{source}");
    assert!(renamed::scale::source().rust.contains("#[cfg(feature = \"scaling\")]"));
}

#[test]
fn case_g19_messages_are_short_and_name_no_internals() {
    for (case, most) in [
        ("device/kernel_on_two_devices", 25),
        ("device/operator_on_two_devices", 15),
        ("element/operator_on_two_elements", 15),
        ("element/kernel_of_two_elements", 25),
        ("edit/kernel_edits_tracked", 25),
    ] {
        let path = ui_folder().join("fail").join(case).with_extension("stderr");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let first = text.lines().next().expect("a message has lines");
        assert!(first.contains("expected") && first.contains("found"), "{case}: {first}");
        assert!(text.lines().count() <= most, "{case} has {} lines", text.lines().count());
    }
    // No case at all shows what users cannot know.
    for text in stderr_files(&ui_folder().join("fail")) {
        for internal in ["Sealed", "__private", "Repr", "proc macro panicked"] {
            assert!(!text.1.contains(internal), "{} shows `{internal}`:\n{}", text.0.display(), text.1);
        }
    }
}

#[test]
fn case_g21_generics_of_the_user() {
    let of = |signature: &str| messages(&format!("{signature} {{ x }}"));
    let fine: [&str; 2] = [
        "fn f<T: Float>(x: &Tensor<T>[N]) -> Tensor<T>[N]",
        "fn f<T>(x: &Tensor<T>[N]) -> Tensor<T>[N] where T: Float",
    ];
    for signature in fine {
        assert_eq!(of(signature), Vec::<String>::new(), "{signature}");
    }
    let refused = [
        (
            "fn f<T>(x: &Tensor<T>[N]) -> Tensor<T>[N]",
            "a kernel cannot compute with `T`\nhelp: bound it in the generics: `T: Float`",
        ),
        (
            "fn f<T: Scale>(x: &Tensor<T>[N]) -> Tensor<T>[N]",
            "a kernel cannot compute with `T`\nhelp: bound it in the generics: `T: Float`",
        ),
        ("fn f<'a>(x: &Tensor[N]) -> Tensor[N]", "a kernel is generic over devices, grad modes and elements only"),
        ("fn f(x: impl Float) -> Tensor[N]", "this type is neither a tensor nor a scalar"),
    ];
    for (signature, first) in refused {
        let messages = of(signature);
        assert!(matches!(&messages[..], [message] if message.starts_with(first)), "{signature}: {messages:?}");
    }
}

fn ui_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")
}

/// The expected messages below a folder.
fn stderr_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = vec![];
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            files.extend(stderr_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "stderr") {
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            files.push((path, text));
        }
    }
    files
}
