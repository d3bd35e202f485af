//! What a pass stores for a point: bodies of reductions, writes, and whether assertions hold.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::expr::Expr;
use super::pass::{Body, reduced};
use super::ty;
use crate::emit::plan::{Check, Storage, WriteKind};
use crate::ir::{NodeId, Reduction, Ty};

impl Body<'_> {
    /// Stores the bodies of reductions and the writes of a point.
    pub fn stores(&mut self) -> TokenStream {
        let mut stores = TokenStream::new();
        for &reduction in &self.pass.reductions {
            let node = self.kernel.reductions[reduction].0;
            let body = self.graph().args(node)[0];
            let body_ty = self.graph().ty(body);
            let ty = reduced(self.graph(), node);
            let value = ty::convert(self.values[&body].clone(), body_ty, ty);
            let slice = self.names.local(&format!("{}_terms", self.reduction_name(reduction)));
            let (element, position, value) = (ty::value(ty), Literal::usize_unsuffixed(reduction), value.tokens());
            self.written(&slice, quote!(block.values::<#element>(#position)));
            stores.extend(quote!(#slice[i] = #value;));
        }
        for &position in &self.pass.writes {
            let write = &self.kernel.writes[position];
            let value = self.values[&write.value].clone();
            match &write.kind {
                WriteKind::Own { .. } => {
                    let slice = &self.old[&position];
                    let value = narrow(value, write.storage);
                    stores.extend(quote!(#slice[i] = #value;));
                }
                WriteKind::Scatter { dynamic, guard, op, .. } => {
                    stores.extend(self.scatter(position, value, dynamic, *guard, *op));
                }
            }
        }
        stores
    }

    fn scatter(
        &mut self,
        write: usize,
        value: Expr,
        dynamic: &[NodeId],
        guard: Option<NodeId>,
        op: Reduction,
    ) -> TokenStream {
        let mut stores = TokenStream::new();
        let name = self.target_name(self.kernel.writes[write].target);
        let ty = self.kernel.writes[write].storage.ty();
        let position = Literal::usize_unsuffixed(write);
        let guard = guard.map(|guard| self.values[&guard].clone());
        for (k, index) in dynamic.iter().enumerate() {
            let slice = self.names.local(&format!("{name}_index{k}"));
            let k = Literal::usize_unsuffixed(k);
            self.written(&slice, quote!(block.indices(#position, #k)));
            let index = self.values[index].clone();
            let index = match &guard {
                Some(guard) => Expr::select(guard.clone(), index, Expr::atom(quote!(i64::MIN))),
                None => index,
            };
            let index = index.tokens();
            stores.extend(quote!(#slice[i] = #index;));
        }
        let value = match guard {
            // No index can say that the point is skipped, so it combines nothing.
            Some(guard) if dynamic.is_empty() => Expr::select(guard, value, self.identity(op, ty)),
            _ => value,
        };
        let slice = self.names.local(&format!("{name}_values"));
        let (element, value) = (ty::value(ty), value.tokens());
        self.written(&slice, quote!(block.output::<#element>(#position)));
        stores.extend(quote!(#slice[i] = #value;));
        stores
    }

    /// Assertions: buffers before the loop, their elements within it, and the look at them after it. So the loop has no
    /// branches.
    pub fn checks(&mut self) -> (TokenStream, TokenStream, TokenStream) {
        let [mut before, mut inside, mut after]: [TokenStream; 3] = Default::default();
        for &position in &self.pass.checks {
            let Check { assertion, condition, .. } = self.kernel.checks[position];
            let name = self.names.local("holds");
            let (condition, assertion) = (self.values[&condition].clone().tokens(), Literal::u32_unsuffixed(assertion));
            before.extend(quote!(let #name = &mut [true; BLOCK][..n];));
            inside.extend(quote!(#name[i] = #condition;));
            after.extend(quote!(block.assert(#assertion, #name);));
        }
        (before, inside, after)
    }

    /// What combines to nothing.
    fn identity(&mut self, op: Reduction, ty: Ty) -> Expr {
        let value = match op {
            Reduction::Sum | Reduction::Any | Reduction::SquaredDeviation => 0.0,
            Reduction::Prod | Reduction::All => 1.0,
            Reduction::Max | Reduction::ArgMax => f64::NEG_INFINITY,
            Reduction::Min | Reduction::ArgMin => f64::INFINITY,
        };
        self.constant(value, ty)
    }
}

fn narrow(value: Expr, storage: Storage) -> TokenStream {
    let value = value.tokens();
    match ty::widens(storage) {
        true => {
            let element = ty::memory(storage);
            quote!(#element::narrow(#value))
        }
        false => value,
    }
}
