//! No token stream makes the compiler panic or hang, and what it accepts satisfies its invariants.
//!
//! Programs of the language are mutated a few tokens at a time, so that most of the others still reach the later stages.
//! `FUZZ_INPUTS` gives another number of inputs, for a longer run by hand; `FUZZ_SEED` other ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use random_kernels::{Kernel, Language, Numbers};
use tensor_rt_compiler::errors::Errors;
use tensor_rt_compiler::{compile, parse, tensor_fn};

/// Inputs of a run.
const INPUTS: usize = 100_000;

/// What is also emitted: one in so many of the inputs.
const EMITTED: usize = 50;

/// How long one input may take: a thousand times what the slowest does.
const PATIENCE: Duration = Duration::from_secs(20);

/// The programs to begin with, besides random kernels.
const PROGRAMS: [&str; 3] = [include_str!("language.txt"), include_str!("corpus.txt"), MORE];

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

/// Random kernels to begin with.
const KERNELS: u64 = 100;

/// Changes one token, somewhere.
fn mutate(stream: TokenStream, pool: &[TokenTree], numbers: &mut Numbers) -> TokenStream {
    let mut trees: Vec<TokenTree> = stream.into_iter().collect();
    let place = numbers.below(trees.len().max(1));
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

/// Every token that is put anywhere: those of the programs, and odd ones.
fn pool(source: &TokenStream) -> Vec<TokenTree> {
    let mut pool = Vec::new();
    flatten(source.clone(), &mut pool);
    for word in
        "let if else return match loop fn mut as inf nan size detach powi any argmin logsumexp pad_with Q uniform self"
            .split(' ')
    {
        pool.push(TokenTree::Ident(Ident::new(word, Span::call_site())));
    }
    for sign in "+-*/%&|^!=<>?.,;:#@$~".chars() {
        pool.push(TokenTree::Punct(Punct::new(sign, Spacing::Alone)));
        pool.push(TokenTree::Punct(Punct::new(sign, Spacing::Joint)));
    }
    pool.push(Literal::i64_unsuffixed(i64::MAX).into());
    pool.push(Literal::u64_unsuffixed(u64::MAX).into());
    pool.push(Literal::f64_unsuffixed(0.5).into());
    pool.push(Literal::string("text").into());
    pool.push(Literal::u8_suffixed(255).into());
    pool
}

/// Runs every stage on a block; the number of functions that are legal.
fn run(input: &TokenStream, emits: bool) -> usize {
    let mut errors = Errors::new();
    let (functions, helpers) = parse(input.clone(), &mut errors);
    let mut legal = 0;
    for function in &functions {
        if let Some(compiled) = compile(function, &helpers, &mut errors) {
            compiled.kernel.graph.verify();
            legal += 1;
        }
    }
    errors.to_compile_errors();
    if emits {
        let output = tensor_fn(input.clone(), quote!(::tensor_rt));
        syn::parse2::<syn::File>(output).expect("what is emitted is Rust");
    }
    legal
}

#[test]
fn mutated_programs_neither_panic_nor_hang() {
    let count = std::env::var("FUZZ_INPUTS").map_or(INPUTS, |count| count.parse().expect("a number of inputs"));
    let seed = std::env::var("FUZZ_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    let (sender, receiver) = channel();
    // Streams stay in their thread, whose messages say how far it is.
    std::thread::spawn(move || {
        let kernels = (0..KERNELS).map(|seed| Kernel::random(seed, Language::Whole).to_string());
        let text: String = PROGRAMS.iter().map(|program| (*program).to_owned()).chain(kernels).collect();
        let source = TokenStream::from_str(&text).expect("programs have tokens");
        let (pool, items) = (pool(&source), syntax_items(source));
        let mut numbers = Numbers::new(seed);
        let mut legal = 0;
        for position in 0..count {
            let mut input = items[numbers.below(items.len())].clone();
            for _ in 0..=numbers.below(3) {
                input = mutate(input, &pool, &mut numbers);
            }
            if sender.send(Ok(input.to_string())).is_err() {
                return;
            }
            match catch_unwind(AssertUnwindSafe(|| run(&input, position % EMITTED == 0))) {
                Ok(found) => legal += found,
                Err(_) => return drop(sender.send(Err(format!("the compiler panics on {input}")))),
            }
        }
        let enough = legal * 50 > count;
        let _ = sender.send(Err(if enough { String::new() } else { format!("only {legal} of {count} are legal") }));
    });
    let mut last = String::new();
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(Ok(input)) => last = input,
            Ok(Err(failure)) => return assert!(failure.is_empty(), "{failure}"),
            Err(RecvTimeoutError::Timeout) => panic!("the compiler hangs on {last}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the compiler aborts on {last}"),
        }
    }
}
