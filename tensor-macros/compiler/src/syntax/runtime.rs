//! Where a block says that the runtime is: `crate = my_crate::tensor_rt;` before its first function.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

/// The path that a block begins with, if it does, and the rest of the block.
///
/// # Errors
/// What stands between `crate =` and `;` is no path.
pub fn runtime(input: TokenStream) -> syn::Result<(Option<TokenStream>, TokenStream)> {
    let mut tokens = input.clone().into_iter();
    let (Some(TokenTree::Ident(keyword)), Some(TokenTree::Punct(equals))) = (tokens.next(), tokens.next()) else {
        return Ok((None, input));
    };
    if keyword != "crate" || equals.as_char() != '=' {
        return Ok((None, input));
    }
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    let mut path = TokenStream::new();
    for token in tokens.by_ref() {
        if is_end(&token) {
            let help = "name the crate or module that has `tensor_fn`: `crate = my_crate::tensor_rt;`";
            let path = match syn::parse2::<syn::Path>(path.clone()) {
                Ok(path) => path.into_token_stream(),
                Err(_) => {
                    let place = if path.is_empty() { token.into_token_stream() } else { path };
                    return Err(syn::Error::new_spanned(place, format!("expected a path\nhelp: {help}")));
                }
            };
            return Ok((Some(path), tokens.collect()));
        }
        path.extend([token]);
    }
    Err(syn::Error::new_spanned(equals, "the path after `crate =` ends with `;`"))
}
