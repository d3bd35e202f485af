//! What a file must say for a signature.

use std::str::FromStr;

use proc_macro2::TokenStream;

use super::{check_text, prototype};
use crate::check;
use crate::errors::Errors;

/// The messages for a file and a signature, each with the source that it points at.
fn messages(signature: &str, text: &str) -> Vec<(String, String)> {
    let source =
        format!(r#"#[cpu(f)] #[cuda(file = "k.cu", entry = "scan", grid = 1, block = 32)] fn scan{signature};"#);
    let mut errors = Errors::new();
    let (functions, _) = crate::parse(TokenStream::from_str(&source).expect("tokens"), &mut errors);
    let function = functions.first().expect("a function");
    let kernel = check::kernel(function, &[], &mut errors).expect("a kernel").kernel;
    let cuda = function.by_hand.cuda.as_ref().expect("a file");
    check_text(text, cuda, function, &kernel, &mut errors);
    let point = |error: &syn::Error| {
        let span = error.span();
        (error.to_string(), source[span.start().column..span.end().column].to_owned())
    };
    errors.iter().map(point).collect()
}

/// The one message, and where it points.
fn message(signature: &str, text: &str) -> (String, String) {
    let found = messages(signature, text);
    let [one] = &found[..] else { panic!("{found:?}") };
    one.clone()
}

const SCAN: &str = "(x: &Tensor<f32>[N, C], a: float) -> Tensor<f32>[N, C]";

fn scan(params: &str) -> String {
    format!("extern \"C\" __global__ void scan({params}) {{\n}}\n")
}

#[test]
fn prototypes_that_agree() {
    for params in [
        "const float* x, double a, float* y",
        "const float *x, double a, float *out, long long N",
        "float const* __restrict__ x, const double a, float* __restrict__ y, long long C, int64_t N",
        "\n    const float* x, // read\n    double a, /* a, b */\n    float* y\n",
    ] {
        assert_eq!(messages(SCAN, &scan(params)), [], "{params}");
    }
    let every = "(a: &Tensor[N], b: &Tensor<f16>[N], c: &Tensor<bf16>[N], d: &Tensor<i64>[N], e: &Tensor<i32>[N],
        f: &Tensor<u32>[N], g: &Tensor<u8>[N], h: &Tensor<bool>[N], i: &mut Tensor<f64>[..], j: f32, k: f64, l: i64, m: usize,
        n: u64, o: bool) -> (Tensor[N], Tensor<i64>[])";
    let text = scan(
        "const T* a, const __half* b, const __nv_bfloat16* c, const long long* d, const int* e, const unsigned int* f,
        const unsigned char* g, const bool* h, double* i, float j, double k, long long l, long long m,
        unsigned long long n, bool o, T* first, long long* second, long long REST, long long N",
    );
    assert_eq!(messages(every, &text), []);
    for text in [
        "#include <cuda_fp16.h>\n#define scan( \\\n nothing\nextern \"C\" {\n__device__ float f(float x) { return scan_of(x); }\n\
         __global__ void __launch_bounds__(256) scan(const float* x, double a, float* y) { scan_of(1); }\n}",
        "// extern \"C\" __global__ void scan(int* wrong)\n/* void scan( */ const char* text = \"void scan(\";\n\
         extern \"C\" __global__ void scan(const float* x, double a, float* y);",
    ] {
        assert_eq!(messages(SCAN, text), [], "{text}");
    }
}

#[test]
fn an_entry_that_is_not_there() {
    let two = "extern \"C\" __global__ void first(int* x) {}\n__device__ void other() {}\n\
               extern \"C\" __global__ void second() { scan(3); }";
    let expected = "file `k.cu` has no entry `scan`\nhelp: it defines `first`, `second`";
    assert_eq!(message(SCAN, two), (expected.to_owned(), "\"scan\"".to_owned()));
    let expected = "file `k.cu` has no entry `scan`\nhelp: write it there: `extern \"C\" __global__ void scan(..)`";
    assert_eq!(message(SCAN, "").0, expected);
    let (found, _) = message(SCAN, "\n\nextern \"C\" void scan(const float* x) {}");
    assert!(found.starts_with("`scan` at k.cu:3 is no kernel"), "{found}");
    let (found, _) = message(SCAN, "\n__global__ void scan(const float* x) {}");
    assert!(found.starts_with("`scan` at k.cu:2 has no C name"), "{found}");
    let (found, _) = message(SCAN, "extern \"C\" __global__ void scan(const float* x, ");
    assert!(found.starts_with("the parameters of `scan` at k.cu:1 do not end"), "{found}");
}

#[test]
fn a_wrong_number_of_parameters() {
    for (params, count) in [
        ("", "0 parameters"),
        ("const float* x", "1 parameter"),
        ("const float* x, double a, float* y, float* z", "4 parameters"),
        ("const float* x, double a, long long N", "2 parameters"),
    ] {
        let (found, place) = message(SCAN, &scan(params));
        let first = format!("`scan` at k.cu:1 has {count}, the signature and its outputs are 3");
        let help =
            "help: write `scan(const float* x, double a, float* out2)`, then the sizes of axes by name: `long long N`";
        assert_eq!((found.as_str(), place.as_str()), (format!("{first}\n{help}").as_str(), "\"scan\""), "{params}");
    }
}

#[test]
fn a_parameter_in_another_place() {
    let found = messages(SCAN, &scan("double a, const float* x, float* y"));
    let first: Vec<&str> = found.iter().map(|(message, _)| message.lines().next().unwrap_or_default()).collect();
    assert_eq!(
        first,
        [
            "parameter 1 is `x` here and `a` at k.cu:1: the order differs",
            "parameter 2 is `a` here and `x` at k.cu:1: the order differs",
        ]
    );
    assert_eq!(found[0].1, "x");
    let (found, place) = message(SCAN, &scan("const float* input, double a, float* y"));
    assert!(found.starts_with("parameter 1 is `x` here and `input` at k.cu:1: the names differ"), "{found}");
    assert_eq!(place, "x");
}

#[test]
fn a_parameter_of_another_kind() {
    for (params, expected, at) in [
        ("float* x, double a, float* y", "`x` is read only, and `float* x` at k.cu:1 may be written", "x"),
        (
            "const float* x, double a, const float* y",
            "the output is written, and `const float* y` at k.cu:1 may only be read",
            "Tensor",
        ),
        ("const double* x, double a, float* y", "`x` is `const float*` here, and `const double* x` at k.cu:1", "x"),
        ("const float* x, float a, float* y", "`a` is `double` here, and `float a` at k.cu:1", "a"),
        ("const float* x, double* a, float* y", "`a` is a scalar, which is no pointer, and `double* a` at k.cu:1", "a"),
        ("float x, double a, float* y", "`x` is a tensor, which is a pointer, and `float x` at k.cu:1", "x"),
        ("const float* x, double a, int* y", "the output is `float*` here, and `int* y` at k.cu:1", "Tensor"),
        (
            "const float* x, double a, float* y, int N",
            "the size of an axis is `long long`, and `int N` at k.cu:1",
            "\"scan\"",
        ),
    ] {
        let (found, place) = message(SCAN, &scan(params));
        assert_eq!((found.lines().next().unwrap_or_default(), place.as_str()), (expected, at), "{params}");
    }
    let (found, _) = message("(x: &mut Tensor<f32>[N])", &scan("const float* x"));
    assert!(found.starts_with("`x` is written, and `const float* x` at k.cu:1 may only be read"), "{found}");
    let (found, _) = message("(x: &Tensor[N]) -> Tensor<f32>[N]", &scan("const float* x, float* y"));
    assert_eq!(
        found,
        "`x` is `const T*` here, and `const float* x` at k.cu:1\n\
         help: write `const T* x`, where `T` is the element of the call, or name the element: `Tensor<f32>[..]`"
    );
}

#[test]
fn lines_are_counted_through_comments() {
    let text = "/* one\ntwo */\n\n// four\nextern \"C\" __global__ void scan(\n    const float* x,\n    double* a,\n    float* y) {}";
    let (found, _) = message(SCAN, text);
    assert!(found.contains("`double* a` at k.cu:7"), "{found}");
}

#[test]
fn no_text_makes_the_parser_panic() {
    let whole = scan("const float* __restrict__ x, double a /* ) */, float* y // (\n, long long N");
    for end in (0..=whole.len()).filter(|&end| whole.is_char_boundary(end)) {
        let _ = prototype::find(&whole[..end], "scan");
        let _ = prototype::find(&whole[end..], "scan");
    }
    for text in ["\"", "'\\", "/*", "/*/", "#", "#\\", "void scan(", "}", "é void scan(é)"] {
        let _ = prototype::find(text, "scan");
    }
}
