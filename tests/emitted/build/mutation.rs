//! What a wrong emitter or a wrong schedule would have written: an expansion with one mistake in the body of a pass.
//!
//! Every mutant is safe and compiles: the runtime checks what generated code computes as an index.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};

/// A mistake of an emitter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutation {
    /// The operands of a subtraction are exchanged.
    SwappedOperands,
    /// What stands under a condition is not guarded by it.
    DroppedGuard,
    /// Another finished reduction of the same type is read.
    WrongRow,
    /// Another array of the same type is read.
    WrongOperand,
    /// The index along another axis is taken.
    WrongAxis,
    /// The size of another axis is taken.
    WrongSize,
    /// The first two reductions of a pass get each other's terms.
    WrongReduction,
}

impl Mutation {
    /// Every mutation.
    pub const ALL: [Self; 7] = [
        Self::SwappedOperands,
        Self::DroppedGuard,
        Self::WrongRow,
        Self::WrongOperand,
        Self::WrongAxis,
        Self::WrongSize,
        Self::WrongReduction,
    ];

    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::SwappedOperands => "swapped_operands",
            Self::DroppedGuard => "dropped_guard",
            Self::WrongRow => "wrong_row",
            Self::WrongOperand => "wrong_operand",
            Self::WrongAxis => "wrong_axis",
            Self::WrongSize => "wrong_size",
            Self::WrongReduction => "wrong_reduction",
        }
    }

    /// The method of a block whose position it changes.
    fn method(self) -> Option<&'static str> {
        match self {
            Self::SwappedOperands | Self::DroppedGuard => None,
            Self::WrongRow => Some("row"),
            Self::WrongOperand => Some("input"),
            Self::WrongAxis => Some("axis"),
            Self::WrongSize => Some("size"),
            Self::WrongReduction => Some("values"),
        }
    }

    /// The expansion with the mistake in the first pass where it can be made; `None` if there is no such pass.
    pub fn apply(self, expansion: TokenStream) -> Option<TokenStream> {
        let mut file: syn::File = syn::parse2(expansion).expect("an expansion is Rust");
        let mut mutator = Mutator { mutation: self, done: false };
        mutator.visit_file_mut(&mut file);
        mutator.done.then(|| file.into_token_stream())
    }
}

struct Mutator {
    mutation: Mutation,
    done: bool,
}

impl VisitMut for Mutator {
    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        if self.done || function.sig.ident != "run" {
            return;
        }
        match self.mutation.method() {
            Some(method) => {
                let mut found = Positions { method, calls: vec![], change: None };
                found.visit_block_mut(&mut function.block);
                let Some(pair) = pair(&found.calls) else { return };
                found.change = Some(pair);
                found.visit_block_mut(&mut function.block);
                self.done = true;
            }
            None => visit_mut::visit_impl_item_fn_mut(self, function),
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        if self.done {
            return;
        }
        match expr {
            syn::Expr::Binary(binary)
                if self.mutation == Mutation::SwappedOperands && matches!(binary.op, syn::BinOp::Sub(_)) =>
            {
                let (left, right) = (&binary.left, &binary.right);
                *expr = syn::parse_quote!((#right) - (#left));
                self.done = true;
            }
            // A body asks whether its lines share their values; that is no guard.
            syn::Expr::If(choice)
                if self.mutation == Mutation::DroppedGuard
                    && choice.cond.to_token_stream().to_string() != "L :: SHARED" =>
            {
                let then = &choice.then_branch;
                *expr = syn::parse_quote!(#then);
                self.done = true;
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }
}

/// Calls of one method of the block: which type they ask for, and at which position.
struct Positions {
    method: &'static str,
    calls: Vec<(String, String)>,
    /// A position to take instead of another; reductions are written, so they change places.
    change: Option<(String, String)>,
}

/// The first two positions of one type.
fn pair(calls: &[(String, String)]) -> Option<(String, String)> {
    calls.iter().enumerate().find_map(|(at, (ty, position))| {
        let other = calls[at + 1..].iter().find(|(other_ty, other)| other_ty == ty && other != position)?;
        Some((position.clone(), other.1.clone()))
    })
}

impl VisitMut for Positions {
    fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        // What a line has one value of is read by a method of its own; a line itself has methods of these names too.
        let name = call.method.to_string();
        let is_own = name.strip_prefix("line_").unwrap_or(&name) == self.method;
        if !is_own || call.receiver.to_token_stream().to_string() != "block" || call.args.len() != 1 {
            return;
        }
        let position = call.args[0].to_token_stream().to_string();
        match &self.change {
            None => {
                let ty = call.turbofish.to_token_stream().to_string();
                self.calls.push((ty, position));
            }
            Some((first, second)) => {
                let other = match () {
                    () if position == *first => second,
                    () if position == *second && self.method == "values" => first,
                    () => return,
                };
                let other: TokenStream = other.parse().expect("a position is a literal");
                call.args = std::iter::once::<syn::Expr>(syn::parse2(quote!(#other)).expect("a literal")).collect();
            }
        }
    }
}
