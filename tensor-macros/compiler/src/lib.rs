//! The compiler behind `tensor_fn!`: `syntax -> check -> diff -> simplify -> schedule -> emit`, over one IR.
//!
//! [`tensor_fn`] is the whole of it; [`compile`] stops before emission, for tests and tools. A hand-written kernel goes from
//! `check` through `by_hand` to `emit`.

pub mod by_hand;
pub mod check;
pub mod diff;
pub mod emit;
pub mod errors;
mod in_place;
pub mod interp;
pub mod ir;
pub mod print;
pub mod schedule;
pub mod simplify;
pub mod syntax;
mod tracked;

use proc_macro2::TokenStream;

use errors::Errors;
use syntax::ast::{Function, Helper, Item};

/// A kernel with its schedules.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The kernel; its graph holds the expressions of both directions.
    pub kernel: ir::Kernel,
    /// The forward schedule.
    pub forward: schedule::Schedule,
    /// What differentiation added, and its schedule; `None` if the kernel has no gradient.
    pub backward: Option<(ir::Backward, schedule::Schedule)>,
    /// Float parameters that no gradient reaches, by position, each with the reason as a sentence.
    pub blocked: Vec<(u32, String)>,
}

/// Compiles the content of a `tensor_fn!`. `runtime` is the path of `tensor-rt` in the caller's crate, `::tensor_rt`.
/// Every mistake becomes a `compile_error!`, and a function with one keeps its signature.
pub fn tensor_fn(input: TokenStream, runtime: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let (functions, helpers) = parse(input, &mut errors);
    let mut output = TokenStream::new();
    for function in &functions {
        output.extend(match items(function, &helpers, &runtime, &mut errors) {
            Some(items) => items,
            None => emit::rust::stub(function, &runtime),
        });
    }
    output.extend(errors.to_compile_errors());
    output
}

/// The items of one function; `None` if it has a mistake, which is then among the errors.
fn items(function: &Function, helpers: &[Helper], runtime: &TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    if function.body.is_none() {
        let (kernel, launch) = by_hand::compile(function, errors)?;
        return Some(emit::rust::by_hand(function, &kernel, launch.as_ref(), runtime));
    }
    let Compiled { kernel, forward, backward, blocked } = compile(function, helpers, errors)?;
    let backward = backward.as_ref().map(|(backward, schedule)| (backward, schedule));
    let device = emit::device(&kernel, &forward, backward);
    Some(emit::rust::items(function, &kernel, (&forward, backward), &device, &blocked, runtime))
}

/// The functions and the helpers of a block.
pub fn parse(input: TokenStream, errors: &mut Errors) -> (Vec<Function>, Vec<Helper>) {
    let (mut functions, mut helpers) = (vec![], vec![]);
    for item in syntax::parse(input, errors) {
        match item {
            Item::Function(function) => functions.push(function),
            Item::Helper(helper) => helpers.push(helper),
        }
    }
    (functions, helpers)
}

/// Compiles one function with a body up to its schedules; `None` if it has a mistake, which is then among the errors.
pub fn compile(function: &Function, helpers: &[Helper], errors: &mut Errors) -> Option<Compiled> {
    let before = errors.len();
    let check::Checked { mut kernel, places, .. } = check::kernel(function, helpers, errors)?;
    let backward = diff::backward(&mut kernel);
    let blocked = match &backward {
        Some(backward) => backward.blocked.clone(),
        None => diff::blocked(&kernel),
    };
    tracked::check(function, backward.as_ref(), errors);
    let saved = backward.as_ref().map_or(&[][..], |backward| &backward.saved);
    let forward = match schedule::forward(&mut kernel, saved) {
        Ok(forward) => forward,
        Err(conflicts) => {
            for conflict in &conflicts {
                errors.push(in_place::error(function, &kernel, &places, conflict));
            }
            return None;
        }
    };
    if errors.len() != before {
        return None;
    }
    let backward = backward.map(|backward| {
        let schedule = schedule::backward(&mut kernel, &backward);
        (backward, schedule)
    });
    Some(Compiled { kernel, forward, backward, blocked })
}
