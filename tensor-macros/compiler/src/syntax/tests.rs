//! What is read from a block.

use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::ToTokens;

use super::ast::{self, AxisDecl, ElemTy, Item, ParamKind};
use crate::errors::Errors;
use crate::ir::{Elem, Intent, ScalarTy};

fn parse(source: &str) -> (Vec<Item>, Errors) {
    let mut errors = Errors::new();
    let items = super::parse(TokenStream::from_str(source).expect("the source has tokens"), &mut errors);
    (items, errors)
}

fn function(source: &str) -> ast::Function {
    let (mut items, errors) = parse(source);
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(messages, Vec::<String>::new());
    assert_eq!(items.len(), 1);
    match items.remove(0) {
        Item::Function(function) => function,
        Item::Helper(helper) => panic!("`{}` is a helper", helper.name),
    }
}

fn tensor(param: &ast::Param) -> &ast::TensorTy {
    match &param.kind {
        ParamKind::Tensor(ty) => ty,
        ParamKind::Scalar(ty) => panic!("`{}` is a scalar {ty:?}", param.name),
    }
}

#[test]
fn a_signature_keeps_what_is_written() {
    let function = function(
        "/// Doc.\n #[cfg(unix)] #[no_grad] pub(crate) fn f<T: Float, D>(x: &Tensor<D, Grad, T>[.., C], y: &mut Tensor<Cuda<1>>[3, M = N],
            z: &atomic Tensor<i64>[], w: Tensor<half::bf16>[N], a: float, n: usize) -> (Tensor[.., P = (C + 1) / 2], Tensor[]) where D: Device { (x, w) }",
    );
    assert_eq!(function.attrs.len(), 2);
    assert!(function.no_grad.is_some());
    assert_eq!(function.vis.to_token_stream().to_string(), "pub (crate)");
    assert_eq!(function.generics.params.len(), 2);
    let intents: Vec<Intent> = function.params[..4].iter().map(|param| tensor(param).intent).collect();
    assert_eq!(intents, [Intent::Read, Intent::Edit, Intent::Atomic, Intent::Donate]);
    let x = tensor(&function.params[0]);
    assert!(x.device.is_some() && x.mode.is_some());
    assert!(matches!(&x.elem, ElemTy::Generic(name) if name == "T"));
    assert!(matches!(&x.axes[..], [AxisDecl::Rest(_), AxisDecl::Name(_)]));
    let y = tensor(&function.params[1]);
    assert_eq!(y.device.to_token_stream().to_string(), "Cuda < 1 >");
    assert!(matches!(&y.axes[..], [AxisDecl::Literal(3, _), AxisDecl::Sized(..)]));
    assert!(tensor(&function.params[2]).axes.is_empty());
    assert!(matches!(tensor(&function.params[3]).elem, ElemTy::Named(Elem::Bf16, _)));
    assert!(matches!(function.params[4].kind, ParamKind::Scalar(ScalarTy::Float)));
    assert!(matches!(function.params[5].kind, ParamKind::Scalar(ScalarTy::Usize)));
    assert!(function.tuple);
    assert_eq!(function.outputs.len(), 2);
}

#[test]
fn functions_and_helpers_are_told_apart() {
    let (items, errors) =
        parse("fn sq(x) { x * x } fn half() { 0.5 } fn zero() -> Tensor<f32>[] { 0.0 } fn f(a: float);");
    assert!(errors.is_empty());
    let kinds: Vec<bool> = items.iter().map(|item| matches!(item, Item::Helper(_))).collect();
    assert_eq!(kinds, [true, true, false, false]);
}

#[test]
fn brackets_become_tuples_and_keep_their_spans() {
    let source = "a[i, b[j]](c) + sum[W = n](x[]) + vec![1, 2]; let d = [1, 2]; f[.., 0]";
    let rewritten = super::brackets::rewrite(TokenStream::from_str(source).expect("tokens"));
    let expected = "a[(i,b[(j)])](c)+sum[(W=n)](x[()])+vec![1,2];letd=[1,2];f[(..,0)]";
    assert_eq!(rewritten.to_string().replace(' ', ""), expected);
    let index: syn::ExprIndex =
        syn::parse2(super::brackets::rewrite(TokenStream::from_str("x[i, j]").expect("tokens"))).expect("an index");
    let place = syn::spanned::Spanned::span(&index.index);
    assert_eq!((place.start().column, place.end().column), (1, 7));
}

#[test]
fn a_syntax_error_in_a_body_keeps_the_signature() {
    let (items, errors) = parse("fn f(x: &Tensor[N]) -> Tensor[N] { x + } fn g(x: &Tensor[N]) -> Tensor[N] { x }");
    assert_eq!(errors.len(), 1);
    let sound: Vec<bool> = items
        .iter()
        .map(|item| match item {
            Item::Function(function) => function.sound,
            Item::Helper(helper) => helper.sound,
        })
        .collect();
    assert_eq!(sound, [false, true]);
}

#[test]
fn deep_nesting_is_refused() {
    const COUNT: usize = 100_000;
    let bodies = [
        format!("{}x{}", "(".repeat(COUNT), ")".repeat(COUNT)),
        format!("{}x{}", "{".repeat(COUNT), "}".repeat(COUNT)),
        format!("{}x{}", "x[".repeat(COUNT), "]".repeat(COUNT)),
        format!("{}x", "- ".repeat(COUNT)),
        format!("{}x", "!".repeat(COUNT)),
        format!("x{}", " + x".repeat(COUNT)),
        format!("x{}", " as f32".repeat(COUNT)),
        format!("x{}", ".y()".repeat(COUNT)),
        format!("{} {{ x }}", "if x { x } else ".repeat(COUNT)),
        format!("{}x", "return ".repeat(COUNT)),
        format!("{}x", "|a| ".repeat(COUNT)),
        format!("{}x", "a = ".repeat(COUNT)),
        format!("{}x", "x.. ".repeat(COUNT)),
        format!("x as {}u8", "&".repeat(COUNT)),
        format!("x as {}u8{}", "A<".repeat(COUNT), ">".repeat(COUNT)),
    ];
    for body in bodies {
        let (_, errors) = parse(&format!("fn f(x: &Tensor[N]) -> Tensor[N] {{ {body} }}"));
        let first = errors.iter().next().map(ToString::to_string).unwrap_or_default();
        assert!(first.starts_with("this expression nests too deeply"), "{first}: {}", &body[..40]);
    }
    for signature in [format!("x: {}Tensor[N]", "&".repeat(COUNT)), format!("x: &Tensor<{}u8>[N]", "A<".repeat(COUNT))]
    {
        assert!(!parse(&format!("fn f({signature}) {{ }}")).1.is_empty());
    }
}

#[test]
fn long_bodies_and_long_documentation_are_not_deep() {
    let doc = "/// One line of many.\n".repeat(3000);
    let lets = "let a = x + 1; let b = a * a; let x = exp(b);".repeat(2000);
    function(&format!("{doc} fn f(x: &Tensor[N]) -> Tensor[N] {{ {lets} x }}"));
}

#[test]
fn a_block_may_say_where_the_runtime_is() {
    let split = |source: &str| super::runtime(TokenStream::from_str(source).expect("the source has tokens"));
    let (path, rest) = split("crate = other::tensor_rt; fn f(x: &Tensor[N]) -> Tensor[N] { x }").unwrap();
    assert_eq!(path.unwrap().to_string(), "other :: tensor_rt");
    assert!(rest.to_string().starts_with("fn f"));
    let (path, rest) = split("pub fn f(x) { x }").unwrap();
    assert!(path.is_none() && rest.to_string().starts_with("pub fn f"));
    assert!(split("crate = ; fn f(x) { x }").unwrap_err().to_string().starts_with("expected a path"));
    assert!(split("crate = 1 + 2; fn f(x) { x }").unwrap_err().to_string().starts_with("expected a path"));
    let unfinished = split("crate = other").unwrap_err().to_string();
    assert_eq!(unfinished, "the path after `crate =` ends with `;`");
}
