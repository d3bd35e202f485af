//! No token stream makes the front of the compiler panic, and what it accepts satisfies the graph's invariants.

use std::str::FromStr;
use std::time::{Duration, Instant};

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use super::programs::EXAMPLES;
use crate::errors::Errors;
use crate::syntax::{self, ast};

/// A small generator of numbers (xorshift), the same for every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

const MORE: &str = r#"
    fn sq(x) { let y = x * x; y }
    pub fn edit(y: &mut Tensor[N, 3], acc: &mut Tensor<i64>[B], bin: &Tensor<i32>[N], a: f32, flag: bool) -> Tensor<i64>[N] {
        acc[bin] += 1;
        if flag && bin > 0 { y = y / 2; } else if !flag { y -= 0.5; }
        bin as i64 / 3 % (N + 1)
    }
    #[cpu(path::of)] #[cuda(file = "k.cu", entry = "k", grid = (N + 255) / 256, block = (16, 16), shared = 4 * n)] #[backward(back)]
    fn hand(x: &Tensor[N, ..], n: usize) -> (Tensor[N], Tensor<i64>[M = N * n]);
    pub fn odd<T: Float>(x: &Tensor<Cpu, T>[M = N, ..], y: &Tensor<u8>[N]) -> (Tensor[N, ..], Tensor<i64>[]) {
        let d: float = if N > 2 { sum[N](x[y, ..] - sq(x[N, ..])) } else { clamp(x[N, ..], -inf, 1) };
        (d, argmax[N](y) + size(..))
    }
"#;

/// Changes one token, somewhere.
fn mutate(stream: TokenStream, pool: &[TokenTree], numbers: &mut Numbers) -> TokenStream {
    let mut trees: Vec<TokenTree> = stream.into_iter().collect();
    let place = numbers.below(trees.len());
    // Most tokens are in groups: go inside more often than not.
    if let Some(TokenTree::Group(group)) = trees.get(place)
        && numbers.below(8) > 0
    {
        let inside = mutate(group.stream(), pool, numbers);
        trees[place] = TokenTree::Group(Group::new(group.delimiter(), inside));
        return trees.into_iter().collect();
    }
    let other = pool[numbers.below(pool.len())].clone();
    match numbers.below(6) {
        0 if !trees.is_empty() => drop(trees.remove(place)),
        1 if !trees.is_empty() => trees[place] = other,
        2 if !trees.is_empty() => trees.insert(place, trees[place].clone()),
        3 if trees.len() > 1 => {
            let second = numbers.below(trees.len());
            trees.swap(place, second);
        }
        4 if !trees.is_empty() => {
            let delimiter = [Delimiter::Parenthesis, Delimiter::Bracket, Delimiter::Brace, Delimiter::None];
            let inside: TokenStream = trees[place].clone().into();
            trees[place] = TokenTree::Group(Group::new(delimiter[numbers.below(4)], inside));
        }
        _ => trees.insert(place.min(trees.len()), other),
    }
    trees.into_iter().collect()
}

/// Every token of a stream, groups included.
fn flatten(stream: TokenStream, pool: &mut Vec<TokenTree>) {
    for tree in stream {
        if let TokenTree::Group(group) = &tree {
            flatten(group.stream(), pool);
        }
        pool.push(tree);
    }
}

#[test]
fn mutated_programs_never_panic() {
    let start = Instant::now();
    let source = TokenStream::from_str(&format!("{EXAMPLES} {MORE}")).expect("tokens");
    let mut pool = Vec::new();
    flatten(source.clone(), &mut pool);
    for word in
        "let if else return match loop fn mut as inf nan size detach powi any argmin logsumexp pad_with Q uniform self"
            .split(' ')
    {
        pool.push(TokenTree::Ident(Ident::new(word, Span::call_site())));
    }
    for sign in "+-*/%&|^!=<>?.,;:#'@$~".chars().filter(|sign| *sign != '\'') {
        pool.push(TokenTree::Punct(Punct::new(sign, Spacing::Alone)));
        pool.push(TokenTree::Punct(Punct::new(sign, Spacing::Joint)));
    }
    pool.push(Literal::i64_unsuffixed(i64::MAX).into());
    pool.push(Literal::u64_unsuffixed(u64::MAX).into());
    pool.push(Literal::f64_unsuffixed(0.5).into());
    pool.push(Literal::string("text").into());
    pool.push(Literal::u8_suffixed(255).into());
    // Items are mutated one at a time, so that most of the others still reach the checks.
    let items: Vec<TokenStream> = syntax_items(source);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut cases, mut legal) = (0, 0);
    while cases < 6000 && start.elapsed() < Duration::from_secs(20) {
        cases += 1;
        let mut item = items[numbers.below(items.len())].clone();
        for _ in 0..=numbers.below(3) {
            item = mutate(item, &pool, &mut numbers);
        }
        let mut errors = Errors::new();
        let (mut functions, mut helpers) = (Vec::new(), Vec::new());
        for item in syntax::parse(item, &mut errors) {
            match item {
                ast::Item::Function(function) => functions.push(function),
                ast::Item::Helper(helper) => helpers.push(helper),
            }
        }
        for function in &functions {
            if let Some(checked) = crate::check::kernel(function, &helpers, &mut errors) {
                checked.kernel.graph.verify();
                legal += 1;
            }
        }
        errors.to_compile_errors();
    }
    assert!(legal > 100, "{legal} of {cases} mutated programs are legal: too few reach the end of the checks");
}

/// The stream cut after each brace group.
fn syntax_items(source: TokenStream) -> Vec<TokenStream> {
    let mut items = vec![TokenStream::new()];
    for tree in source {
        let is_end = matches!(&tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        items.last_mut().expect("one item").extend([tree]);
        if is_end {
            items.push(TokenStream::new());
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// Bodies that nest as deeply as the bound allows are checked on the stack of a test's thread (2 MiB), a quarter of what
/// rustc gives a macro.
#[test]
fn nesting_within_the_bound_fits_the_stack() {
    let wrap = |open: &str, count: usize, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(count), close.repeat(count))
    };
    let shapes: [(&str, &str, &str); 9] = [
        ("(", "x", ")"),
        ("{", "x", "}"),
        ("exp(", "x", ")"),
        ("sq(", "x", ")"),
        ("- ", "x", ""),
        ("x + ", "x", ""),
        ("if x > 0 { x } else ", "{ x }", ""),
        ("if true || { ", "true", "} { x } else { x }"),
        ("", "x", " as f32 as float"),
    ];
    let mut compiled = 0;
    for (open, middle, close) in shapes {
        // The deepest nesting that is not refused.
        let accepted = |count: usize| {
            let body = wrap(open, count, middle, close);
            let source = format!("fn sq(x) {{ x * x }} fn f(x: &Tensor[N]) -> Tensor[N] {{ {body} }}");
            let (checked, errors) = super::check(&source);
            compiled += checked.len();
            !errors.iter().any(|error| error.to_string().starts_with("this expression nests too deeply"))
        };
        let counts: Vec<usize> = (1..1100).step_by(9).collect();
        let first_refused = counts.partition_point({
            let mut accepted = accepted;
            move |&count| accepted(count)
        });
        assert!(first_refused > 1 && first_refused < counts.len(), "`{open}`: {first_refused}");
    }
    assert!(compiled > 20, "{compiled}");
}
