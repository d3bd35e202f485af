//! The slices that a pass reads and fills.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A slice of a slot.
pub(super) struct Slice {
    pub name: Ident,
    /// How the block gives it.
    pub given: TokenStream,
    pub kind: SliceKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SliceKind {
    /// One element per point, read.
    Read,
    /// One element per point, written.
    Written,
    /// One element per line, if the line shares it.
    OfLine,
}

impl Slice {
    pub fn declaration(&self) -> TokenStream {
        let Slice { name, given, kind } = self;
        match kind {
            SliceKind::Read => quote!(let #name = &#given[..n];),
            SliceKind::Written => quote!(let #name = &mut #given[..n];),
            SliceKind::OfLine => quote!(let #name = #given;),
        }
    }

    /// The part of it that belongs to a line.
    pub fn of_line(&self) -> TokenStream {
        let name = &self.name;
        match self.kind {
            SliceKind::Read => quote!(let #name = line.of(#name);),
            SliceKind::Written => quote!(let #name = line.of_mut(#name);),
            SliceKind::OfLine => quote!(let #name = line.values(#name);),
        }
    }
}
