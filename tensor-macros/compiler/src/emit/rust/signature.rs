//! The signature of the typed function: generic parameters, bounds, parameters and result.
//!
//! Every tensor has type parameters of its own, related to those of the first by traits (`WDevice: SameDevice<D>`), so that
//! a mismatch is reported in our words. `D`, `G` and `T` are the device, the only mode and the element of the kernel; the
//! others are named after their parameter. Where the user named a device, a mode or an element, that stands.
//!
//! Invariants: no generated name is one of the user's; every float parameter that a gradient cannot reach is bounded by a
//! trait that only `NoGrad` has; the mode of a float output joins the modes of all parameters that one can reach.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::names::{Names, camel};
use crate::ir::{Intent, ScalarTy};
use crate::syntax::ast::{ElemTy, Function, Param, ParamKind, TensorTy};

/// What a call does with gradients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gradients<'a> {
    /// False if no parameter has one.
    pub exist: bool,
    /// Float parameters without one, by position among the tensors, and why.
    pub blocked: &'a [(u32, String)],
}

/// A parameter that no gradient reaches, and the trait of the kernel's module that its mode must have.
pub(super) struct Untracked {
    /// The trait.
    pub bound: Ident,
    /// The parameter.
    pub param: Ident,
    /// Why, as a sentence.
    pub reason: String,
}

/// The parts of the typed function that the types of its parameters decide.
pub(super) struct Signature {
    /// `<D: Device, G: GradMode, T: Float>`, or nothing.
    pub generics: TokenStream,
    /// The parameters.
    pub params: TokenStream,
    /// What is inside the `Result`.
    pub result: TokenStream,
    /// `where ..`, or nothing.
    pub predicates: TokenStream,
    /// How each argument is handed to the call: a method and the argument.
    pub arguments: Vec<(Ident, Ident)>,
    /// Device, mode and element of each output.
    pub outputs: Vec<TokenStream>,
    /// The kernel's device.
    pub device: TokenStream,
    /// The kernel's own float element, if it has one.
    pub float: Option<TokenStream>,
    /// Names taken in the function.
    pub names: Names,
    /// Parameters that no gradient reaches.
    pub untracked: Vec<Untracked>,
}

/// The signature of a function.
pub(super) fn signature(function: &Function, gradients: Gradients<'_>, runtime: &TokenStream) -> Signature {
    let mut names = Names::default();
    reserve(&mut names, function);
    let mut builder = Builder {
        runtime,
        names,
        generics: vec![],
        predicates: vec![],
        device: function.params.iter().filter_map(tensor).chain(&function.outputs).find_map(named_device),
        float: function.params.iter().filter_map(tensor).chain(&function.outputs).find_map(named_float),
        modes: vec![],
        only_tensor: function.params.iter().filter_map(tensor).count() == 1,
        function: &function.name,
        untracked: vec![],
    };
    let edits = function.params.iter().filter_map(tensor).any(|it| matches!(it.intent, Intent::Edit | Intent::Atomic));
    let mut params = vec![];
    let mut arguments = vec![];
    if !function.params.iter().any(|param| tensor(param).is_some()) {
        let device = builder.device(None, "", Span::call_site());
        let name = builder.names.local("device");
        params.push(quote!(#name: &#device));
        arguments.push((Ident::new("device", Span::call_site()), name));
    }
    let mut position = 0;
    for param in &function.params {
        let name = &param.name;
        match &param.kind {
            ParamKind::Scalar(ty) => {
                let (method, ty) = scalar(*ty);
                let ty = at(Span::call_site().located_at(name.span()), ty);
                params.push(quote!(#name: #ty));
                arguments.push((Ident::new(method, Span::call_site()), name.clone()));
            }
            ParamKind::Tensor(ty) => {
                let reason = gradients.blocked.iter().find(|(other, _)| *other == position).map(|(_, reason)| reason);
                let reach = match reason {
                    _ if edits => Reach::BesideEdit,
                    Some(reason) => Reach::Blocked(builder.untracked(name, ty.span, reason)),
                    None if gradients.exist => Reach::Full,
                    None => Reach::None,
                };
                position += 1;
                params.push(builder.tensor(name, ty, &reach));
                let method = match ty.intent {
                    Intent::Read => "tensor",
                    Intent::Edit => "edit",
                    Intent::Atomic => "atomic",
                    Intent::Donate => "donate",
                };
                arguments.push((Ident::new(method, Span::call_site()), name.clone()));
            }
        }
    }
    let outputs = builder.outputs(function);
    let Builder { names, generics, mut predicates, device, float, untracked, .. } = builder;
    let tensor = |arguments: &TokenStream| quote!(#runtime::Tensor<#arguments>);
    let tensors: Vec<TokenStream> = outputs.iter().map(tensor).collect();
    let result = match (&tensors[..], function.tuple) {
        ([single], false) => single.clone(),
        ([single], true) => quote!((#single,)),
        _ => quote!((#(#tensors),*)),
    };
    let generics = declarations(function, generics);
    if let Some(clause) = &function.generics.where_clause {
        predicates.extend(clause.predicates.iter().map(ToTokens::to_token_stream));
    }
    Signature {
        generics: if generics.is_empty() { TokenStream::new() } else { quote!(<#(#generics),*>) },
        params: quote!(#(#params),*),
        result,
        predicates: if predicates.is_empty() { TokenStream::new() } else { quote!(where #(#predicates),*) },
        arguments,
        outputs,
        device: device.unwrap_or_else(|| quote!(#runtime::Cpu)),
        float,
        names,
        untracked,
    }
}

/// The user's lifetimes, the user's type parameters with what was added to their bounds, and the generated ones.
fn declarations(function: &Function, mut generated: Vec<(Ident, Vec<TokenStream>)>) -> Vec<TokenStream> {
    let mut lifetimes = vec![];
    let mut types = vec![];
    for param in &function.generics.params {
        match param {
            syn::GenericParam::Lifetime(lifetime) => lifetimes.push(lifetime.to_token_stream()),
            syn::GenericParam::Const(constant) => types.push(constant.to_token_stream()),
            syn::GenericParam::Type(user) => {
                let added = generated.extract_if(.., |(name, _)| *name == user.ident).flat_map(|(_, bounds)| bounds);
                let added: Vec<TokenStream> = added.collect();
                let colon = if user.bounds.is_empty() && !added.is_empty() { quote!(:) } else { TokenStream::new() };
                let plus = if user.bounds.is_empty() || added.is_empty() { TokenStream::new() } else { quote!(+) };
                types.push(quote!(#user #colon #plus #(#added)+*));
            }
        }
    }
    types.extend(generated.into_iter().map(|(name, bounds)| quote!(#name: #(#bounds)+*)));
    lifetimes.into_iter().chain(types).collect()
}

/// How far a gradient reaches a float parameter.
enum Reach {
    Full,
    /// Not at all, for the reason that this trait of the module tells.
    Blocked(Ident),
    None,
    BesideEdit,
}

struct Builder<'a> {
    runtime: &'a TokenStream,
    names: Names,
    /// Generated type parameters and those of the user that got another bound, with their bounds.
    generics: Vec<(Ident, Vec<TokenStream>)>,
    predicates: Vec<TokenStream>,
    /// The kernel's device, once it is known.
    device: Option<TokenStream>,
    /// The kernel's own float element, once it is known.
    float: Option<TokenStream>,
    /// Modes of the parameters that a gradient reaches.
    modes: Vec<TokenStream>,
    /// One tensor parameter: its mode is `G`.
    only_tensor: bool,
    /// The kernel, whose module holds the traits of `untracked`.
    function: &'a Ident,
    untracked: Vec<Untracked>,
}

impl Builder<'_> {
    /// Adds a bound to a type parameter, which is declared if it is new.
    fn generic(&mut self, name: &Ident, bound: TokenStream) {
        match self.generics.iter_mut().find(|(other, _)| other == name) {
            Some((_, bounds)) => bounds.push(bound),
            None => self.generics.push((name.clone(), vec![bound])),
        }
    }

    /// The type of a tensor parameter with its name.
    fn tensor(&mut self, name: &Ident, ty: &TensorTy, reach: &Reach) -> TokenStream {
        let span = Span::call_site().located_at(ty.span);
        let runtime = &at(span, self.runtime.clone());
        let prefix = camel(&name.to_string());
        match ty.intent {
            Intent::Edit => {
                let place = self.place(&prefix, ty, span);
                quote!(#name: &mut #place)
            }
            Intent::Atomic => {
                let (device, element) =
                    (self.device(ty.device.as_ref(), &prefix, span), self.element(ty, &prefix, span));
                quote!(#name: &#runtime::AtomicTensor<#device, #element>)
            }
            Intent::Read | Intent::Donate => {
                let device = self.device(ty.device.as_ref(), &prefix, span);
                let mode = self.mode(ty, reach, &prefix, span);
                let element = self.element(ty, &prefix, span);
                let reference = if ty.intent == Intent::Read { quote!(&) } else { TokenStream::new() };
                quote!(#name: #reference #runtime::Tensor<#device, #mode, #element>)
            }
        }
    }

    /// Names the trait that says why no gradient reaches a parameter.
    fn untracked(&mut self, param: &Ident, span: Span, reason: &str) -> Ident {
        let wish = format!("{}Untracked", camel(&param.to_string()));
        let mut names = Names::new([]);
        self.untracked.iter().for_each(|other| names.reserve(&other.bound));
        let bound = names.type_parameter(&wish, Span::call_site().located_at(span));
        self.untracked.push(Untracked { bound: bound.clone(), param: param.clone(), reason: reason.to_owned() });
        bound
    }

    /// The type parameter of an edited place.
    fn place(&mut self, prefix: &str, ty: &TensorTy, span: Span) -> Ident {
        let runtime = self.runtime;
        let wish = if prefix.is_empty() { "Place" } else { prefix };
        // `T` and `D` are the kernel's own.
        let wish = if matches!(wish, "T" | "D" | "G") { format!("{wish}Place") } else { wish.to_owned() };
        let place = self.names.type_parameter(&wish, span);
        self.generic(&place, at(span, quote!(#runtime::InPlace)));
        match &self.device {
            None => self.device = Some(quote!(#place::Device)),
            Some(device) => self.predicates.push(at(span, quote!(#place::Device: #runtime::SameDevice<#device>))),
        }
        match (&ty.elem, &self.float) {
            (ElemTy::Named(_, element), _) => {
                self.predicates.push(at(span, quote!(#place::Element: #runtime::SameElement<#element>)));
            }
            (ElemTy::Inferred | ElemTy::Generic(_), Some(float)) => {
                self.predicates.push(at(span, quote!(#place::Element: #runtime::SameElement<#float>)));
            }
            (ElemTy::Inferred | ElemTy::Generic(_), None) => {
                self.predicates.push(at(span, quote!(#place::Element: #runtime::Float)));
                self.float = Some(quote!(#place::Element));
            }
        }
        place
    }

    /// The device of a parameter: the user's, the kernel's if this is the first, or one that must be the same.
    fn device(&mut self, named: Option<&syn::Type>, prefix: &str, span: Span) -> TokenStream {
        let runtime = self.runtime;
        if let Some(named) = named {
            return named.to_token_stream();
        }
        match &self.device {
            None => {
                let device = self.names.type_parameter("D", span);
                self.generic(&device, at(span, quote!(#runtime::Device)));
                self.device = Some(device.to_token_stream());
                device.to_token_stream()
            }
            Some(kernel) => {
                let device = self.names.type_parameter(&format!("{prefix}Device"), span);
                let bound = at(span, quote!(#runtime::SameDevice<#kernel>));
                self.generic(&device, bound);
                device.to_token_stream()
            }
        }
    }

    /// The mode of a parameter.
    fn mode(&mut self, ty: &TensorTy, reach: &Reach, prefix: &str, span: Span) -> TokenStream {
        let runtime = self.runtime;
        let is_float = match &ty.elem {
            ElemTy::Named(elem, _) => elem.is_float(),
            ElemTy::Inferred | ElemTy::Generic(_) => true,
        };
        let bound = match reach {
            Reach::Full => quote!(#runtime::GradMode),
            Reach::Blocked(bound) => {
                let module = self.function;
                quote!(#module::#bound)
            }
            Reach::None => quote!(#runtime::relation::WithoutGradient),
            Reach::BesideEdit => quote!(#runtime::relation::UntrackedBesideEdit),
        };
        let bound = at(span, bound);
        if let Some(mode) = &ty.mode {
            let mode = mode.to_token_stream();
            match reach {
                Reach::Full if is_float && last_segment(&mode) != "NoGrad" => self.modes.push(mode.clone()),
                // `Grad` here was refused.
                Reach::Blocked(_) | Reach::None | Reach::BesideEdit
                    if !matches!(&*last_segment(&mode), "NoGrad" | "Grad") =>
                {
                    self.predicates.push(quote!(#mode: #bound));
                }
                Reach::Full | Reach::Blocked(_) | Reach::None | Reach::BesideEdit => {}
            }
            return mode;
        }
        if !is_float {
            return quote!(#runtime::NoGrad);
        }
        let wish = if self.only_tensor { "G".to_owned() } else { format!("{prefix}Mode") };
        let mode = self.names.type_parameter(&wish, span);
        self.generic(&mode, bound);
        if let Reach::Full = reach {
            self.modes.push(mode.to_token_stream());
        }
        mode.to_token_stream()
    }

    /// The element of a parameter.
    fn element(&mut self, ty: &TensorTy, prefix: &str, span: Span) -> TokenStream {
        let runtime = self.runtime;
        match (&ty.elem, &self.float) {
            (ElemTy::Named(_, element), _) => element.to_token_stream(),
            (ElemTy::Generic(element), _) => element.to_token_stream(),
            (ElemTy::Inferred, None) => {
                let element = self.names.type_parameter("T", span);
                self.generic(&element, at(span, quote!(#runtime::Float)));
                self.float = Some(element.to_token_stream());
                element.to_token_stream()
            }
            (ElemTy::Inferred, Some(float)) => {
                let element = self.names.type_parameter(&format!("{prefix}Element"), span);
                let bound = at(span, quote!(#runtime::SameElement<#float>));
                self.generic(&element, bound);
                element.to_token_stream()
            }
        }
    }

    /// Device, mode and element of each output.
    fn outputs(&mut self, function: &Function) -> Vec<TokenStream> {
        let runtime = self.runtime;
        let joined = self.joined();
        let kernel = self.device.clone().unwrap_or_else(|| quote!(#runtime::Cpu));
        let outputs = function.outputs.iter().map(|output| {
            let device = output.device.as_ref().map_or(kernel.clone(), ToTokens::to_token_stream);
            let (element, is_float) = match &output.elem {
                ElemTy::Named(elem, element) => (element.to_token_stream(), elem.is_float()),
                ElemTy::Generic(element) => (element.to_token_stream(), true),
                ElemTy::Inferred => (self.float.clone().unwrap_or_else(|| quote!(f32)), true),
            };
            let mode = match (&output.mode, is_float) {
                (Some(mode), _) => mode.to_token_stream(),
                (None, true) => joined.clone(),
                (None, false) => quote!(#runtime::NoGrad),
            };
            quote!(#device, #mode, #element)
        });
        outputs.collect()
    }

    /// The join of all modes, from the right: code that is generic over the mode of a model and not over that of its data
    /// then needs no clause. Each join is a type parameter of its own: where two modes cannot be joined, a projection in the
    /// result would be a second error.
    fn joined(&mut self) -> TokenStream {
        if let Some(grad) = self.modes.iter().find(|mode| last_segment(mode) == "Grad") {
            return grad.clone();
        }
        let mut distinct: Vec<TokenStream> = vec![];
        for mode in &self.modes {
            if !distinct.iter().any(|other| other.to_string() == mode.to_string()) {
                distinct.push(mode.clone());
            }
        }
        let joins = distinct.len().saturating_sub(1);
        // The first is the mode of the result.
        let mut outs: Vec<Ident> = (0..joins).map(|_| self.names.type_parameter("G", Span::call_site())).collect();
        let joined = distinct.into_iter().rev().reduce(|joined, mode| {
            let out = outs.pop().expect("one name for each join");
            let span = first_span(&mode);
            let runtime = self.runtime;
            match syn::parse2::<Ident>(mode.clone()) {
                Ok(name) => self.generic(&name, at(span, quote!(#runtime::Join<#joined, Out = #out>))),
                Err(_) => self.predicates.push(at(span, quote!(#mode: #runtime::Join<#joined, Out = #out>))),
            }
            self.generic(&out, at(span, quote!(#runtime::GradMode)));
            out.to_token_stream()
        });
        let runtime = self.runtime;
        joined.unwrap_or_else(|| quote!(#runtime::NoGrad))
    }
}

/// The tokens at a place of the user's. A bound is shown from its first token to its last, so one at the call of the macro
/// would show the whole block.
pub(super) fn at(span: Span, tokens: TokenStream) -> TokenStream {
    let moved = tokens.into_iter().map(|tree| match tree {
        TokenTree::Group(group) => {
            let mut moved = proc_macro2::Group::new(group.delimiter(), at(span, group.stream()));
            moved.set_span(span);
            TokenTree::Group(moved)
        }
        mut tree => {
            tree.set_span(span);
            tree
        }
    });
    moved.collect()
}

/// Where the tokens begin.
fn first_span(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |tree| tree.span())
}

/// The method of the call and Rust's type of a scalar parameter.
fn scalar(ty: ScalarTy) -> (&'static str, TokenStream) {
    match ty {
        ScalarTy::Float => ("float", quote!(f64)),
        ScalarTy::F32 => ("f32", quote!(f32)),
        ScalarTy::F64 => ("f64", quote!(f64)),
        ScalarTy::I64 => ("i64", quote!(i64)),
        ScalarTy::Usize => ("usize", quote!(usize)),
        ScalarTy::U64 => ("u64", quote!(u64)),
        ScalarTy::Bool => ("bool", quote!(bool)),
    }
}

fn tensor(param: &Param) -> Option<&TensorTy> {
    match &param.kind {
        ParamKind::Tensor(ty) => Some(ty),
        ParamKind::Scalar(_) => None,
    }
}

fn named_device(ty: &TensorTy) -> Option<TokenStream> {
    ty.device.as_ref().map(ToTokens::to_token_stream)
}

fn named_float(ty: &TensorTy) -> Option<TokenStream> {
    match &ty.elem {
        ElemTy::Generic(element) => Some(element.to_token_stream()),
        ElemTy::Inferred | ElemTy::Named(..) => None,
    }
}

/// The last identifier of a path.
fn last_segment(ty: &TokenStream) -> String {
    let ident = |tree: TokenTree| match tree {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    };
    ty.clone().into_iter().filter_map(ident).last().unwrap_or_default()
}

/// Takes every name that the user wrote in the signature.
fn reserve(names: &mut Names, function: &Function) {
    let mut written = function.generics.to_token_stream();
    function.generics.where_clause.to_tokens(&mut written);
    names.reserve(&function.name);
    function.by_hand.cpu.to_tokens(&mut written);
    function.by_hand.backward.to_tokens(&mut written);
    for param in &function.params {
        names.reserve(&param.name);
    }
    for ty in function.params.iter().filter_map(tensor).chain(&function.outputs) {
        ty.device.to_tokens(&mut written);
        ty.mode.to_tokens(&mut written);
        match &ty.elem {
            ElemTy::Named(_, element) => element.to_tokens(&mut written),
            ElemTy::Generic(element) => element.to_tokens(&mut written),
            ElemTy::Inferred => {}
        }
    }
    reserve_idents(names, written);
}

fn reserve_idents(names: &mut Names, tokens: TokenStream) {
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) => names.reserve(&ident),
            TokenTree::Group(group) => reserve_idents(names, group.stream()),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
