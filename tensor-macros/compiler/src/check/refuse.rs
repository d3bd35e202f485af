//! What Rust has and a kernel has not: refused by name, with what to write instead.

use quote::ToTokens;

use super::value::Written;
use super::{Checker, functions, other_names, reductions};
use crate::errors::Place;

impl Checker<'_> {
    /// A construct that the language lacks.
    pub(super) fn refuse(&mut self, expr: &syn::Expr) {
        let (what, help) = match expr {
            syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_) => (
                "loops do not exist in a kernel",
                "the body is computed for every element; to go over an axis, reduce it: `sum[N](..)`",
            ),
            syn::Expr::Break(_) | syn::Expr::Continue(_) => {
                ("loops do not exist in a kernel", "choose with `if`/`else`")
            }
            syn::Expr::Return(_) => {
                ("`return` does not exist in a kernel", "the last expression is the result; choose with `if`/`else`")
            }
            syn::Expr::Closure(_) => {
                ("closures do not exist in a kernel", "write a helper in the same block: `fn f(x) { .. }`")
            }
            syn::Expr::Match(_) => ("`match` does not exist in a kernel", "choose with `if`/`else`"),
            syn::Expr::Let(_) => ("patterns do not exist in a kernel", "compare with `==`, `<` and the like"),
            syn::Expr::Field(syn::ExprField { member: syn::Member::Named(name), .. }) if name == "shape" => {
                ("tensors have no fields in a kernel", "the size of an axis is `size(N)`")
            }
            syn::Expr::Field(syn::ExprField { member: syn::Member::Named(name), .. }) if name == "T" => {
                ("tensors have no fields in a kernel", "operands meet by axis name; no view is needed")
            }
            syn::Expr::Struct(_) | syn::Expr::Field(_) => {
                ("structs do not exist in a kernel", "pass each field as a scalar parameter")
            }
            syn::Expr::Reference(_) | syn::Expr::RawAddr(_) => {
                ("references do not exist in a kernel", "values are plain numbers; remove the `&`")
            }
            syn::Expr::Range(_) => (
                "ranges do not exist in a kernel",
                "an axis goes over its indices: bind one with its size, `sum[W = 3](..)`",
            ),
            syn::Expr::Array(_) | syn::Expr::Repeat(_) => {
                ("arrays do not exist in a kernel", "pass them as a tensor parameter")
            }
            syn::Expr::Tuple(_) => {
                ("a tuple stands only at the end of the body, as the outputs", "name each value with its own `let`")
            }
            syn::Expr::Try(_) => {
                ("`?` does not exist in a kernel", "the generated function returns the `Result`; remove the `?`")
            }
            syn::Expr::Async(_) | syn::Expr::Await(_) | syn::Expr::TryBlock(_) | syn::Expr::Yield(_) => {
                ("only plain arithmetic exists in a kernel", "write this outside, around the call")
            }
            syn::Expr::Unsafe(_) | syn::Expr::Const(_) => {
                ("only plain blocks exist in a kernel", "remove the keyword before the block")
            }
            syn::Expr::Block(_) => ("labels do not exist in a kernel", "choose with `if`/`else`"),
            syn::Expr::Infer(_) => ("`_` is no value", "write the value"),
            syn::Expr::Assign(assign) => return self.refuse_assignment_of(expr, &assign.right),
            syn::Expr::MethodCall(call) => return self.refuse_method(call),
            syn::Expr::Macro(call) => return self.refuse_macro(&call.mac),
            _ => ("this does not exist in a kernel", "kernels have arithmetic, functions, `let` and `if`/`else`"),
        };
        self.errors.error(expr, format!("{what}\nhelp: {help}"));
    }

    /// An assignment has no value.
    fn refuse_assignment_of(&mut self, expr: &syn::Expr, right: &syn::Expr) {
        self.expr(right);
        self.refuse_assignment(expr);
    }

    /// Functions are called by their bare name.
    fn refuse_method(&mut self, call: &syn::ExprMethodCall) {
        let method = call.method.to_string();
        let text = Written::new(&call.receiver).text;
        let help = match method.as_str() {
            _ if reductions::is_reduction(&method) => format!("write `{method}[N]({text})`, with the name of the axis"),
            "size" => "the size of an axis is `size(N)`".to_owned(),
            "pow" => format!("write `powi({text}, 2)`, or `powf({text}, y)`"),
            _ if functions::arity(&method) == Some(1) => format!("write `{method}({text})`"),
            _ if functions::is_function(&method) => format!("write `{method}({text}, ..)`"),
            "clone" | "copied" | "to_owned" | "borrow" => format!("values are plain numbers; write `{text}`"),
            "len" | "shape" | "dim" | "ndim" => "the size of an axis is `size(N)`".to_owned(),
            "get" | "index" | "gather" => format!("write `{text}[i, j]`"),
            "t" | "transpose" | "permute" | "unsqueeze" | "squeeze" | "expand" | "broadcast_to" => {
                "operands meet by axis name; no view is needed".to_owned()
            }
            _ => other_names::remedy(&method)
                .unwrap_or_else(|| format!("functions are called by name: `{method}({text})`")),
        };
        self.errors.error(&call.method, format!("methods do not exist in a kernel\nhelp: {help}"));
    }

    /// Macros are not expanded within a kernel.
    pub(super) fn refuse_macro(&mut self, call: &syn::Macro) {
        let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let message = match name.as_str() {
            "assert" => {
                "`assert!` is a statement and has no value\nhelp: write it before the value, with `;` at its end"
                    .to_owned()
            }
            "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
                let condition = match name.ends_with("_eq") {
                    true => "a == b",
                    false if name.ends_with("_ne") => "a != b",
                    false => "a > b",
                };
                format!("`{name}!` does not exist in a kernel\nhelp: write `assert!({condition}, \"text\")`")
            }
            "println" | "print" | "eprintln" | "eprint" | "dbg" | "format" => {
                format!("nothing can be printed from a kernel: `{name}!`\nhelp: return the value as a second output")
            }
            "vec" => "lists do not exist in a kernel: `vec!`\nhelp: an output tensor holds the values".to_owned(),
            "panic" | "todo" | "unimplemented" | "unreachable" => {
                format!("a kernel does not panic: `{name}!`\nhelp: give the element the value `nan`")
            }
            _ => format!("macros are not expanded in a kernel: `{name}!`\nhelp: write a helper: `fn f(x) {{ .. }}`"),
        };
        self.errors.error(&call.path, message);
    }

    /// Items stand outside a body.
    pub(super) fn refuse_item(&mut self, item: &syn::Item) {
        let message = match item {
            syn::Item::Fn(function) => {
                let name = &function.sig.ident;
                // The name is known, so that its uses are no mistakes of their own.
                self.scope.push((name.to_string(), None));
                format!(
                    "a function cannot stand within a body\nhelp: write the helper `{name}` beside the kernel, without types"
                )
            }
            syn::Item::Const(syn::ItemConst { ident, .. }) | syn::Item::Static(syn::ItemStatic { ident, .. }) => {
                self.scope.push((ident.to_string(), None));
                "an item cannot stand within a body\nhelp: name the value with `let`".to_owned()
            }
            syn::Item::Macro(call) => return self.refuse_macro(&call.mac),
            _ => "an item cannot stand within a body\nhelp: write it outside `tensor_fn!`".to_owned(),
        };
        self.errors.error(item, message);
    }

    /// Bits are not computed with.
    pub(super) fn refuse_operator(&mut self, op: &syn::BinOp, binary: &syn::ExprBinary) {
        let symbol = op.to_token_stream().to_string();
        if symbol.ends_with('=') {
            self.refuse_assignment(&syn::Expr::Binary(binary.clone()));
            return;
        }
        let help = match symbol.as_str() {
            "&" => "combine conditions with `&&`",
            "|" => "combine conditions with `||`",
            "^" => "write `powi(x, 2)` for a power, `a != b` for conditions",
            "<<" => "multiply by a power of two",
            _ => "divide by a power of two",
        };
        self.errors.error(op, format!("`{symbol}` does not exist in a kernel\nhelp: {help}"));
    }

    /// Attributes stand above functions.
    pub(super) fn check_no_attributes(&mut self, attrs: &[syn::Attribute]) {
        for attr in attrs {
            self.errors.error(
                Place::of(attr),
                "attributes cannot stand within a kernel's body\nhelp: write them above the function",
            );
        }
    }
}
