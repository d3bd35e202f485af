//! The message for a parameter that is declared `Grad` though no gradient reaches it. Whether one does is known once the
//! derivative is; what the signature alone decides was checked before.

use crate::errors::Errors;
use crate::ir;
use crate::syntax::ast::{Function, ParamKind};

/// A parameter that is declared `Grad` has a gradient. `backward` is that of the kernel, `None` if it has none.
pub(crate) fn check(function: &Function, backward: Option<&ir::Backward>, errors: &mut Errors) {
    let tensors = function.params.iter().filter_map(|param| match &param.kind {
        ParamKind::Tensor(ty) => Some((&param.name, ty)),
        ParamKind::Scalar(_) => None,
    });
    for (position, (name, ty)) in tensors.enumerate() {
        let Some(mode) = ty.mode.as_ref().filter(|_| ty.is_grad()) else { continue };
        let why = match backward {
            None => Some("no output has a gradient".to_owned()),
            Some(backward) => {
                let blocked = backward.blocked.iter().find(|(param, _)| *param == position as u32);
                blocked.map(|(_, why)| why.clone())
            }
        };
        if let Some(why) = why {
            let help = "write `NoGrad`, or leave the mode out";
            errors.error(mode, format!("`{name}` is `Grad`, but no gradient reaches it: {why}\nhelp: {help}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use proc_macro2::TokenStream;

    use crate::errors::Errors;

    /// The first line of each message.
    fn messages(source: &str) -> Vec<String> {
        let mut errors = Errors::new();
        let (functions, helpers) = crate::parse(TokenStream::from_str(source).expect("tokens"), &mut errors);
        for function in &functions {
            crate::compile(function, &helpers, &mut errors);
        }
        errors.iter().map(|error| error.to_string().lines().next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn a_gradient_that_reaches_nothing_is_refused() {
        assert_eq!(
            messages("fn f(x: &Tensor[N], y: &Tensor<Grad>[N]) -> Tensor[N] { if y > 0 { x } else { 0.0 } }"),
            ["`y` is `Grad`, but no gradient reaches it: `y` reaches the outputs only through a comparison"]
        );
        assert_eq!(
            messages("fn f(x: &Tensor<Grad>[N, C]) -> Tensor<i64>[N] { argmax[C](x) }"),
            ["`x` is `Grad`, but no gradient reaches it: no output has a gradient"]
        );
        assert_eq!(messages("fn f(x: &Tensor<Grad>[N], y: &Tensor<Grad>[N]) -> Tensor[N] { x * y }"), [""; 0]);
    }

    #[test]
    fn what_the_signature_decides_is_said_once() {
        let edit = messages("fn f(y: &mut Tensor[N], x: &Tensor<Grad>[N]) { y += x; }");
        assert_eq!(edit, ["`x` is `Grad`, but a kernel that edits in place has no gradient"]);
    }
}
