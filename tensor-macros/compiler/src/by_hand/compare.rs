//! The parameters of a prototype against those of the signature: one rule for each mistake.

use proc_macro2::Span;

use super::prototype::{Param, Prototype};
use crate::errors::{Errors, Place};
use crate::ir::{AxisId, Elem, Intent, Kernel, ScalarTy};
use crate::syntax::ast::{Cuda, Function, ParamKind, TensorTy};

/// A prototype and the signature that it must have.
pub(super) struct Comparison<'a> {
    pub prototype: &'a Prototype,
    pub cuda: &'a Cuda,
    pub function: &'a Function,
    pub kernel: &'a Kernel,
    pub errors: &'a mut Errors,
}

/// A parameter that the prototype must have.
struct Expected {
    /// The user's name; none for an output.
    name: Option<String>,
    /// How messages call it.
    what: String,
    place: Place,
    /// The ways to write its type in CUDA C; the first is the one that messages name.
    types: &'static [&'static str],
    passing: Passing,
}

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    Value,
    /// `const T*`, for a tensor that is read.
    Read,
    /// `T*`, for one that is written.
    Write,
}

impl Expected {
    /// Its type in CUDA C.
    fn ty(&self) -> String {
        match self.passing {
            Passing::Value => self.types[0].to_owned(),
            Passing::Read => format!("const {}*", self.types[0]),
            Passing::Write => format!("{}*", self.types[0]),
        }
    }

    /// How the parameter is declared, under the name that it has or gets.
    fn declaration(&self, name: &str) -> String {
        format!("{} {}", self.ty(), self.name.as_deref().unwrap_or(name))
    }
}

impl Comparison<'_> {
    /// Reports every difference.
    pub fn run(&mut self) {
        let expected = self.expected();
        let (own, sizes) = self.prototype.params.split_at(expected.len().min(self.prototype.params.len()));
        // What a missing parameter would shift is not compared.
        if !self.check_number(&expected, own, sizes) || !self.check_order(&expected, own) {
            return;
        }
        for (expected, found) in expected.iter().zip(own) {
            self.check_param(expected, found);
        }
        for size in sizes {
            self.check_size(size);
        }
    }

    /// The axes whose sizes the entry takes, in order.
    pub fn sizes(&self) -> Vec<AxisId> {
        let own = self.function.params.len() + self.kernel.outputs.len();
        self.prototype.params.iter().skip(own).filter_map(|param| self.axis_named(&param.name)).collect()
    }

    /// The parameters in order, then the outputs.
    fn expected(&self) -> Vec<Expected> {
        let mut expected = Vec::new();
        let mut tensors = self.kernel.tensors.iter();
        for param in &self.function.params {
            let (types, passing) = match &param.kind {
                ParamKind::Scalar(ty) => (scalar_types(*ty), Passing::Value),
                ParamKind::Tensor(ty) => {
                    let elem = tensors.next().expect("a tensor for each tensor parameter").elem;
                    (element_types(elem), if ty.intent == Intent::Edit { Passing::Write } else { Passing::Read })
                }
            };
            let name = param.name.to_string();
            let what = format!("`{name}`");
            expected.push(Expected { name: Some(name), what, place: Place::of(&param.name), types, passing });
        }
        let outputs = self.function.outputs.iter().zip(&self.kernel.outputs);
        for (position, (declared, output)) in outputs.enumerate() {
            let what = match self.kernel.outputs.len() {
                1 => "the output".to_owned(),
                _ => format!("output {}", position + 1),
            };
            let (place, types) = (place_of(declared), element_types(output.elem));
            expected.push(Expected { name: None, what, place, types, passing: Passing::Write });
        }
        expected
    }

    /// `scan.cu:12`
    fn site(&self, line: usize) -> String {
        format!("{}:{line}", self.cuda.file.value())
    }

    /// How the whole prototype is written.
    fn prototype(&self, expected: &[Expected]) -> String {
        let output = |position: usize| format!("out{position}");
        let names = expected.iter().enumerate().map(|(position, expected)| expected.declaration(&output(position)));
        format!("{}({})", self.cuda.entry.value(), names.collect::<Vec<_>>().join(", "))
    }

    /// Every parameter and every output is there; what follows are sizes of axes.
    fn check_number(&mut self, expected: &[Expected], own: &[Param], sizes: &[Param]) -> bool {
        let (entry, site) = (self.cuda.entry.value(), self.site(self.prototype.line));
        let is_size = |param: &Param| self.axis_named(&param.name).is_some();
        let (wanted, found) = (expected.len(), own.iter().filter(|param| !is_size(param)).count());
        let extra = sizes.iter().filter(|param| !is_size(param)).count();
        if own.len() == wanted && found == wanted && extra == 0 {
            return true;
        }
        let message =
            format!("`{entry}` at {site} has {}, the signature and its outputs are {wanted}", counted(found + extra));
        let help = format!("write `{}`, then the sizes of axes by name: `long long N`", self.prototype(expected));
        self.errors.error(&self.cuda.entry, format!("{message}\nhelp: {help}"));
        false
    }

    /// The axis of this name; `REST` is that of `..`.
    fn axis_named(&self, name: &str) -> Option<AxisId> {
        let mut axes = self.kernel.graph.all_axes();
        axes.find(|(_, axis)| axis.name == name || (axis.rest && name == "REST")).map(|(id, _)| id)
    }

    /// Parameters have the names of the signature, in its order.
    fn check_order(&mut self, expected: &[Expected], own: &[Param]) -> bool {
        let mut right = true;
        for (position, (wanted, found)) in expected.iter().zip(own).enumerate() {
            let Some(name) = &wanted.name else { continue };
            if *name == found.name {
                continue;
            }
            right = false;
            let other = expected.iter().any(|other| other.name.as_deref() == Some(&found.name));
            let (place, site) = (wanted.place, self.site(found.line));
            let position = position + 1;
            let message = if other {
                format!("parameter {position} is `{name}` here and `{}` at {site}: the order differs", found.name)
            } else {
                format!("parameter {position} is `{name}` here and `{}` at {site}: the names differ", found.name)
            };
            let help = format!("write `{}`", self.prototype(expected));
            self.errors.error(place, format!("{message}\nhelp: {help}"));
        }
        right
    }

    /// A pointer stands for a tensor, `const` for one that is read; the elements are the same.
    fn check_param(&mut self, expected: &Expected, found: &Param) {
        let (what, text, site) = (&expected.what, &found.text, self.site(found.line));
        let wanted = expected.declaration(&found.name);
        let pointers = usize::from(expected.passing != Passing::Value);
        let message = if found.pointers != pointers {
            let kind = if pointers == 1 { "a tensor, which is a pointer" } else { "a scalar, which is no pointer" };
            format!("{what} is {kind}, and `{text}` at {site}")
        } else if !expected.types.contains(&found.ty.as_str()) {
            format!("{what} is `{}` here, and `{text}` at {site}", expected.ty())
        } else {
            match (expected.passing, found.constant) {
                (Passing::Read, false) => format!("{what} is read only, and `{text}` at {site} may be written"),
                (Passing::Write, true) => format!("{what} is written, and `{text}` at {site} may only be read"),
                _ => return,
            }
        };
        let help = match (expected.types[0], expected.passing) {
            ("T", Passing::Read | Passing::Write) if !found.ty.is_empty() && found.ty != "T" => {
                format!(
                    "write `{wanted}`, where `T` is the element of the call, or name the element: `Tensor<f32>[..]`"
                )
            }
            _ => format!("write `{wanted}` there"),
        };
        self.errors.error(expected.place, format!("{message}\nhelp: {help}"));
    }

    /// Sizes are signed 64-bit values.
    fn check_size(&mut self, found: &Param) {
        let is_size = found.pointers == 0 && INT64.contains(&found.ty.as_str());
        if !is_size {
            let message =
                format!("the size of an axis is `long long`, and `{}` at {}", found.text, self.site(found.line));
            let help = format!("write `long long {}` there", found.name);
            self.errors.error(&self.cuda.entry, format!("{message}\nhelp: {help}"));
        }
    }
}

const INT64: &[&str] = &["long long", "int64_t", "long long int", "signed long long"];

/// How an element is called in CUDA C.
fn element_types(elem: Elem) -> &'static [&'static str] {
    match elem {
        Elem::Generic => &["T"],
        Elem::F32 => &["float"],
        Elem::F64 => &["double"],
        Elem::F16 => &["__half", "half"],
        Elem::Bf16 => &["__nv_bfloat16", "nv_bfloat16"],
        Elem::I64 => INT64,
        Elem::I32 => &["int", "int32_t", "signed", "signed int"],
        Elem::U32 => &["unsigned", "unsigned int", "uint32_t"],
        Elem::U8 => &["unsigned char", "uint8_t"],
        Elem::Bool => &["bool"],
    }
}

/// How a scalar is called in CUDA C.
fn scalar_types(ty: ScalarTy) -> &'static [&'static str] {
    match ty {
        ScalarTy::Float | ScalarTy::F64 => &["double"],
        ScalarTy::F32 => &["float"],
        ScalarTy::I64 | ScalarTy::Usize => INT64,
        ScalarTy::U64 => &["unsigned long long", "uint64_t"],
        ScalarTy::Bool => &["bool"],
    }
}

fn place_of(output: &TensorTy) -> Place {
    let span: Span = output.span;
    Place::at(span)
}

fn counted(params: usize) -> String {
    match params {
        1 => "1 parameter".to_owned(),
        count => format!("{count} parameters"),
    }
}
