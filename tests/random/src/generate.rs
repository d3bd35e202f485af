//! Random kernels.
//!
//! Vocabulary: a *smooth* template has a gradient that difference quotients confirm; a *rough* one has kinks or steps, or
//! rounds. Every function of the language stands in one of the tables below or in [`Generator`]'s methods.

use crate::expr::{Axes, Expr, Kind};
use crate::kernel::{Kernel, Param, list};
use crate::numbers::Numbers;

/// What a kernel may be made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Everything.
    Whole,
    /// Float parameters, and no templates that are rough.
    Smooth,
}

/// Smooth functions of one operand.
const SMOOTH: &[&str] = &[
    "exp(tanh({0}))",
    "exp2(tanh({0}))",
    "ln(2.0 + sin({0}))",
    "log2(2.0 + sin({0}))",
    "log10(2.0 + sin({0}))",
    "log1p(0.5 * sin({0}))",
    "expm1(tanh({0}))",
    "sqrt(1.5 + sin({0}))",
    "rsqrt(1.5 + sin({0}))",
    "cbrt(1.5 + sin({0}))",
    "sin({0})",
    "cos({0})",
    "tan(tanh({0}))",
    "asin(0.9 * tanh({0}))",
    "acos(0.9 * tanh({0}))",
    "atan({0})",
    "sinh(tanh({0}))",
    "cosh(tanh({0}))",
    "tanh({0})",
    "sigmoid({0})",
    "softplus({0})",
    "erf({0})",
    "erfc({0})",
    "recip(2.0 + sin({0}))",
    "powi(tanh({0}), 3)",
    "powi(2.0 + sin({0}), -2)",
    "(-{0})",
    "(0.5 * {0})",
];

/// Other functions of one operand. Steps are not at zero, which another order of rounding reaches from either side.
const ROUGH: &[&str] = &[
    "relu({0})",
    "abs({0})",
    "sign({0} + 0.1)",
    "floor(2.0 * {0} + 0.1)",
    "ceil(2.0 * {0} + 0.1)",
    "round(2.0 * {0} + 0.1)",
    "trunc(2.0 * {0} + 0.1)",
    "ceil({0} - 0.1)",
    "round(3.0 * {0} - 0.1)",
    "fract({0} + 0.1)",
    "clamp({0}, -0.75, 0.5)",
    "max({0}, 0.25)",
    "min(0.25, {0})",
    "(({0} + 0.1) % 0.75)",
    "detach({0})",
    "((100.0 * {0} + 0.1) as i32 as float)",
];

/// Conversions that round.
const ROUNDING: &[&str] = &["({0} as f32 as float)", "({0} as f16 as float)", "({0} as bf16 as float)"];

/// Smooth functions of two operands.
const SMOOTH_PAIRS: &[&str] = &[
    "({0} + {1})",
    "({0} + {1})",
    "({0} - {1})",
    "({0} - {1})",
    "({0} * {1})",
    "({0} * {1})",
    "({0} * {1})",
    "({0} / (2.0 + sin({1})))",
    "atan2({0}, 2.0 + sin({1}))",
    "powf(1.5 + sin({0}), tanh({1}))",
    "xlogy({0}, 1.5 + sin({1}))",
];

/// Other functions of two operands.
const ROUGH_PAIRS: &[&str] = &["max({0}, {1})", "min({0}, {1})", "({0} % (1.5 + sin({1})))", "clamp({0}, -1.0, {1})"];

/// Reductions of floats whose gradient is smooth.
const SMOOTH_REDUCTIONS: &[&str] = &[
    "sum[{}]({0})",
    "sum[{}]({0})",
    "sum[{}]({0})",
    "mean[{}]({0})",
    "var[{}]({0})",
    "logsumexp[{}]({0})",
    "prod[{}](1.0 + 0.05 * sin({0}))",
];

/// The other reductions of floats.
const ROUGH_REDUCTIONS: &[&str] = &["max[{}]({0})", "min[{}]({0})"];

const COMPARISONS: &[&str] = &["<", "<=", ">", ">=", "==", "!="];

/// Axes of float parameters: those of vectors, matrices, and products of them.
const SHAPES: &[&str] =
    &["NC", "NC", "CK", "KC", "NK", "N", "C", "K", "KNC", "MN", "MC", "MNC", "NMC", "MKNC", "NCM", ""];

/// A kernel of one or two outputs.
pub(crate) fn kernel(seed: u64, language: Language) -> Kernel {
    let numbers = Numbers::new(seed);
    let mut generator =
        Generator { numbers, language, turn: 5 * (seed / 2) as usize, params: vec![], lets: vec![], rest: false };
    generator.choose_params();
    for _ in 0..generator.numbers.below(3) {
        let value = generator.value(3);
        generator.lets.push(value);
    }
    let results = (0..1 + usize::from(generator.numbers.one_in(4))).map(|_| generator.result()).collect();
    let Generator { params, lets, rest, .. } = generator;
    let mut kernel = Kernel { params, lets, results, rest };
    for local in (0..kernel.lets.len()).rev() {
        if !kernel.exprs().any(|expr| expr.reads(local)) {
            kernel.inline(local);
        }
    }
    kernel
}

struct Generator {
    numbers: Numbers,
    language: Language,
    /// Which of the functions of one operand is next: neighboring seeds go through all of them.
    turn: usize,
    params: Vec<Param>,
    lets: Vec<Expr>,
    rest: bool,
}

impl Generator {
    /// The next function in turn.
    fn next(&mut self, functions: &[&'static str]) -> &'static str {
        self.turn += 1;
        functions[self.turn % functions.len()]
    }

    fn whole(&self) -> bool {
        self.language == Language::Whole
    }

    /// One to three float parameters, and now and then integers and conditions along their axes.
    fn choose_params(&mut self) {
        for name in ["a", "b", "c"].into_iter().take(1 + self.numbers.below(3)) {
            let shape = self.numbers.choose(SHAPES);
            let axes = (0..shape.len()).map(|place| Axes::of(&shape[place..=place])).collect();
            self.params.push(Param { name, element: "", axes });
        }
        let all = self.declared();
        self.rest = all.intersection(Axes::LAST) == Axes::LAST && self.numbers.one_in(3);
        if !self.whole() {
            return;
        }
        let named: Vec<Axes> = self.indices().each().collect();
        let positions: Vec<(&'static str, Axes)> = [("ids_n", Axes::of("N")), ("ids_c", Axes::of("C"))]
            .into_iter()
            .filter(|(_, axis)| named.contains(axis))
            .collect();
        if !positions.is_empty() && self.numbers.one_in(2) {
            let (name, _) = self.numbers.choose(&positions);
            let element = self.numbers.choose(&["i64", "i64", "i32", "u8"]);
            let axes = vec![self.numbers.choose(&named)];
            self.params.push(Param { name, element, axes });
        }
        if !named.is_empty() && self.numbers.one_in(4) {
            let axes = vec![self.numbers.choose(&named)];
            self.params.push(Param { name: "on", element: "bool", axes });
        }
    }

    /// The axes of all parameters.
    fn declared(&self) -> Axes {
        self.params.iter().fold(Axes::default(), |all, param| all.union(param.axes()))
    }

    /// The axes whose index is a value.
    fn indices(&self) -> Axes {
        if self.rest { self.declared().without(Axes::LAST) } else { self.declared() }
    }

    /// One of the axes whose index is a value, if there is any.
    fn index(&mut self) -> Option<Axes> {
        let axes: Vec<Axes> = self.indices().each().collect();
        if axes.is_empty() { None } else { Some(self.numbers.choose(&axes)) }
    }

    /// What an output is: most often a float.
    fn result(&mut self) -> (Expr, bool) {
        let reversed = self.numbers.one_in(3);
        let result = match self.numbers.below(12) {
            0 if self.whole() => self.int(3),
            1 if self.whole() => self.condition(3),
            _ => {
                let mut value = self.value(3);
                if let Some(local) = self.lets.len().checked_sub(1).filter(|&local| !value.reads(local)) {
                    let read = self.local(local);
                    value = Expr::new(Kind::Float, self.numbers.choose(SMOOTH_PAIRS), vec![value, read]);
                }
                // A result of few axes has more reductions in it.
                match self.numbers.below(3) {
                    0 => self.reduced(value),
                    _ => value,
                }
            }
        };
        (result, reversed)
    }

    /// A float.
    fn value(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.numbers.one_in(10) {
            return self.leaf();
        }
        match self.numbers.below(if self.whole() { 30 } else { 19 }) {
            0..=3 => {
                let x = self.value(depth - 1);
                Expr::new(Kind::Float, self.next(SMOOTH), vec![x])
            }
            4..=8 => {
                let (x, y) = (self.value(depth - 1), self.value(depth - 1));
                Expr::new(Kind::Float, self.numbers.choose(SMOOTH_PAIRS), vec![x, y])
            }
            9..=12 => {
                let body = self.value(depth - 1);
                self.reduced(body)
            }
            13..=15 => self.product(),
            16 => {
                let args = (0..3).map(|_| self.value(depth - 1)).collect();
                Expr::new(Kind::Float, "fma({0}, {1}, {2})", args)
            }
            17 => self.triangle(depth),
            18 => self.element(),
            19..=21 => {
                let x = self.value(depth - 1);
                Expr::new(Kind::Float, self.next(ROUGH), vec![x]).rough()
            }
            22..=23 => {
                let (x, y) = (self.value(depth - 1), self.value(depth - 1));
                Expr::new(Kind::Float, self.numbers.choose(ROUGH_PAIRS), vec![x, y]).rough()
            }
            24..=26 => {
                let (condition, x) = (self.condition(depth - 1), self.value(depth - 1));
                match self.numbers.below(3) {
                    0 => Expr::new(Kind::Float, "(if {0} {{ {1} }} else {{ 0.0 }})", vec![condition, x]),
                    choice => {
                        let template = ["(if {0} {{ {1} }} else {{ {2} }})", "select({0}, {1}, {2})"][choice - 1];
                        let y = self.value(depth - 1);
                        Expr::new(Kind::Float, template, vec![condition, x, y])
                    }
                }
            }
            27 => self.segment_sum(depth),
            28 => {
                let int = self.int(depth - 1);
                Expr::new(Kind::Float, "({0} as float)", vec![int])
            }
            _ => {
                let x = self.value(depth - 1);
                match self.numbers.one_in(4) {
                    true => Expr::new(Kind::Float, self.numbers.choose(ROUNDING), vec![x]).rough(),
                    false => Expr::new(Kind::Float, "(0.3 * pi * {0})", vec![x]),
                }
            }
        }
    }

    fn leaf(&mut self) -> Expr {
        match self.numbers.below(12) {
            0 => Expr::new(Kind::Float, self.numbers.choose(&["0.5", "1.25", "-0.75"]), vec![]),
            1 if self.whole() => Expr::new(Kind::Float, "t", vec![]),
            2 => match self.index() {
                Some(axis) => Expr::new(Kind::Float, format!("(0.25 * {axis})"), vec![]).over(axis),
                None => self.param(),
            },
            3 if !self.declared().is_empty() => {
                let axes: Vec<Axes> = self.declared().each().collect();
                let axis = self.numbers.choose(&axes);
                Expr::new(Kind::Float, format!("(0.25 * size({axis}))"), vec![])
            }
            4..=6 if !self.lets.is_empty() => {
                let local = self.numbers.below(self.lets.len());
                self.local(local)
            }
            _ => self.param(),
        }
    }

    fn local(&self, local: usize) -> Expr {
        Expr { local: Some(local), ..Expr::new(Kind::Float, format!("v{local}"), vec![]) }
    }

    fn float_param(&mut self) -> Param {
        let floats: Vec<usize> = (0..self.params.len()).filter(|&at| self.params[at].element.is_empty()).collect();
        let position = self.numbers.choose(&floats);
        self.params[position].clone()
    }

    /// A bare parameter. `..` has no bare form: it is written with its axes.
    fn param(&mut self) -> Expr {
        let param = self.float_param();
        Expr::new(Kind::Float, param.name, vec![]).over(param.axes())
    }

    /// An element of a parameter at other indices than its own.
    fn element(&mut self) -> Expr {
        let param = self.float_param();
        let named = self.indices();
        let changeable: Vec<usize> = (0..param.axes.len()).filter(|&at| param.axes[at].is_within(named)).collect();
        if changeable.is_empty() {
            return Expr::new(Kind::Float, param.name, vec![]).over(param.axes());
        }
        let place = self.numbers.choose(&changeable);
        let axis = param.axes[place];
        let (mut args, mut own, mut guard) = (vec![], axis, None);
        let index = match self.numbers.below(if self.whole() { 9 } else { 5 }) {
            0 => format!("size({axis}) - 1 - {axis}"),
            1 => {
                guard = Some(format!("(if {axis} > 0 {{{{ # }}}} else {{{{ 0.0 }}}})"));
                format!("{axis} - 1")
            }
            2 => {
                guard = Some("pad_with(#, 0.5)".to_owned());
                let shifted = self.numbers.choose(&["# - 1", "# + 1", "2 * #", "2 * # - 1"]);
                shifted.replace('#', &axis.to_string())
            }
            3 => format!("{axis} / 2"),
            4 => format!("min({axis} + 1, size({axis}) - 1)"),
            5 => {
                own = Axes::default();
                args.push(self.int(1));
                format!("clamp({{0}}, 0, size({axis}) - 1)")
            }
            _ => match self.ids(axis) {
                Some(ids) => {
                    own = Axes::default();
                    args.push(ids);
                    "{0}".to_owned()
                }
                None => format!("(7 * {axis} + 3) % size({axis})"),
            },
        };
        let index = if args.is_empty() { index.replace('{', "{{") } else { index };
        let others = param.axes.iter().enumerate();
        let indices: Vec<String> =
            others.map(|(at, axis)| if at == place { index.clone() } else { list(&[*axis]) }).collect();
        let own = own.union(param.axes().without(axis));
        let element = format!("{}[{}]", param.name, indices.join(", "));
        let template = match guard {
            Some(guard) => guard.replace('#', &element),
            None => element,
        };
        Expr::new(Kind::Float, template, args).over(own)
    }

    /// The positions along an axis, if a parameter has them.
    fn ids(&self, axis: Axes) -> Option<Expr> {
        let name = format!("ids_{}", axis.to_string().to_lowercase());
        let param = self.params.iter().find(|param| param.name == name)?;
        let text = if param.element == "i64" { name } else { format!("({name} as i64)") };
        Some(Expr::new(Kind::Int, text, vec![]).over(param.axes()))
    }

    /// A reduction over some of the free axes.
    fn reduced(&mut self, body: Expr) -> Expr {
        let free: Vec<Axes> = body.axes(&self.lets).each().collect();
        if free.is_empty() {
            return body;
        }
        let mut bound = self.numbers.choose(&free);
        for axis in free {
            if self.numbers.one_in(3) {
                bound = bound.union(axis);
            }
        }
        let rough = self.whole() && self.numbers.one_in(4);
        let template = self.numbers.choose(if rough { ROUGH_REDUCTIONS } else { SMOOTH_REDUCTIONS });
        // Sums of sums of products grow.
        let body = if self.numbers.one_in(2) { Expr::new(Kind::Float, "tanh({0})", vec![body]) } else { body };
        let reduced =
            Expr::new(Kind::Float, template.replacen("{}", &bound.to_string(), 1), vec![body]).reducing(bound);
        if rough { reduced.rough() } else { reduced }
    }

    /// A sum of a product or of another function of parameters: a contraction if each has an axis of its own.
    fn product(&mut self) -> Expr {
        let x = self.param();
        let others = self.params.iter().filter(|param| param.element.is_empty() && x.template != param.name);
        let sharing: Vec<Param> =
            others.filter(|other| !other.axes().intersection(x.own).is_empty()).cloned().collect();
        let y = match sharing.is_empty() {
            true => self.param(),
            false => {
                let param = &sharing[self.numbers.below(sharing.len())];
                Expr::new(Kind::Float, param.name, vec![]).over(param.axes())
            }
        };
        let common: Vec<Axes> = x.own.intersection(y.own).each().collect();
        if common.is_empty() {
            return Expr::new(Kind::Float, "({0} * {1})", vec![x, y]);
        }
        let bound = self.numbers.choose(&common);
        let mut args = vec![x, y];
        let body = match self.numbers.below(8) {
            0..=2 => "{0} * {1}",
            3 => "sin({0} - {1})",
            4 => "{0} * ({1} + 0.5)",
            5 => {
                args.push(self.param());
                "{0} * {1} * {2}"
            }
            6 if self.whole() => {
                args.push(self.condition(1));
                "if {2} {{ {0} * {1} }} else {{ 0.0 }}"
            }
            _ => {
                args.push(self.value(1));
                "{0} * {2} * {1}"
            }
        };
        Expr::new(Kind::Float, format!("sum[{bound}]({body})"), args).reducing(bound)
    }

    /// What stands on one side of a diagonal.
    fn triangle(&mut self, depth: usize) -> Expr {
        let value = self.value(depth - 1);
        let Some(first) = self.index() else { return value };
        let others: Vec<Axes> = self.indices().without(first).each().collect();
        if others.is_empty() {
            return value;
        }
        let second = self.numbers.choose(&others);
        let comparison = self.numbers.choose(COMPARISONS);
        let template = format!("(if {first} {comparison} {second} {{{{ {{0}} }}}} else {{{{ 0.0 }}}})");
        Expr::new(Kind::Float, template, vec![value]).over(first.union(second))
    }

    /// A sum of a select on an axis and the positions along it: a scatter, or a gather if the axis itself is summed.
    fn segment_sum(&mut self, depth: usize) -> Expr {
        let value = self.value(depth - 1);
        let axes: Vec<Axes> = self.indices().each().collect();
        for axis in axes {
            let Some(ids) = self.ids(axis) else { continue };
            let bound = if self.numbers.one_in(3) { axis } else { ids.own };
            let template = format!("sum[{bound}](if {axis} == {{0}} {{{{ {{1}} }}}} else {{{{ 0.0 }}}})");
            return Expr::new(Kind::Float, template, vec![ids, value]).over(axis).reducing(bound);
        }
        value
    }

    /// An integer.
    fn int(&mut self, depth: usize) -> Expr {
        let kind = Kind::Int;
        if depth == 0 || self.numbers.one_in(6) {
            return match (self.numbers.below(5), self.index()) {
                (0, _) => Expr::new(kind, self.numbers.choose(&["1", "2", "3"]), vec![]),
                (1, _) => Expr::new(kind, "n", vec![]),
                (2, Some(axis)) => {
                    self.ids(axis).unwrap_or_else(|| Expr::new(kind, axis.to_string(), vec![]).over(axis))
                }
                (3, Some(axis)) => Expr::new(kind, format!("size({axis})"), vec![]),
                (_, Some(axis)) => Expr::new(kind, axis.to_string(), vec![]).over(axis),
                (_, None) => Expr::new(kind, "n", vec![]),
            };
        }
        match self.numbers.below(12) {
            0..=3 => {
                let (x, y) = (self.int(depth - 1), self.int(depth - 1));
                let template = self.numbers.choose(&[
                    "({0} + {1})",
                    "({0} - {1})",
                    "({0} * {1})",
                    "min({0}, {1})",
                    "max({0}, {1})",
                    "({0} / (abs({1}) + 1))",
                    "({0} % (abs({1}) + 2))",
                ]);
                Expr::new(kind, template, vec![x, y])
            }
            4 => {
                let x = self.int(depth - 1);
                Expr::new(
                    kind,
                    self.numbers.choose(&["abs({0})", "sign({0})", "(-{0})", "({0} as i32 as i64)"]),
                    vec![x],
                )
            }
            5 => {
                let x = self.value(depth - 1);
                Expr::new(kind, "((4.0 * {0} + 0.1) as i64)", vec![x]).rough()
            }
            6..=7 => {
                let body = self.int(depth - 1);
                self.int_reduction(body, &["sum[{}]({0})", "max[{}]({0})", "min[{}]({0})", "prod[{}]({0} % 3)"])
            }
            8..=10 => {
                let body = self.value(depth - 1);
                self.int_reduction(body, &["argmax[{}]({0})", "argmin[{}]({0})"])
            }
            _ => {
                let condition = self.condition(depth - 1);
                let (x, y) = (self.int(depth - 1), self.int(depth - 1));
                Expr::new(kind, "(if {0} {{ {1} }} else {{ {2} }})", vec![condition, x, y])
            }
        }
    }

    /// A reduction over one free axis whose result is an integer.
    fn int_reduction(&mut self, body: Expr, templates: &[&str]) -> Expr {
        let free: Vec<Axes> = body.axes(&self.lets).each().collect();
        if free.is_empty() {
            return Expr::new(Kind::Int, "n", vec![]);
        }
        let bound = self.numbers.choose(&free);
        let template = self.numbers.choose(templates).replacen("{}", &bound.to_string(), 1);
        Expr::new(Kind::Int, template, vec![body]).reducing(bound).rough()
    }

    /// A condition.
    fn condition(&mut self, depth: usize) -> Expr {
        let kind = Kind::Bool;
        if depth == 0 {
            if let Some(on) = self.params.iter().find(|param| param.name == "on") {
                let on = Expr::new(kind, "on", vec![]).over(on.axes());
                if self.numbers.one_in(2) {
                    return on;
                }
            }
            return match self.index() {
                Some(axis) => {
                    let template = self.numbers.choose(&["{} > 0", "{} % 2 == 0", "{} < n", "{} + 1 < size({})"]);
                    let template = template.replace("{}", &axis.to_string());
                    match template.contains('n') {
                        true => {
                            let n = Expr::new(Kind::Int, "n", vec![]);
                            Expr::new(kind, template.replace('n', "{0}"), vec![n]).over(axis)
                        }
                        false => Expr::new(kind, template, vec![]).over(axis),
                    }
                }
                None => Expr::new(kind, "flag", vec![]),
            };
        }
        match self.numbers.below(16) {
            0..=3 => {
                let (x, y) = (self.value(depth - 1), self.value(depth - 1));
                Expr::new(kind, format!("{{0}} {} {{1}}", self.numbers.choose(COMPARISONS)), vec![x, y]).rough()
            }
            4..=5 => {
                let (x, y) = (self.int(depth - 1), self.int(depth - 1));
                Expr::new(kind, format!("{{0}} {} {{1}}", self.numbers.choose(COMPARISONS)), vec![x, y])
            }
            6..=7 => {
                let (x, y) = (self.condition(depth - 1), self.condition(depth - 1));
                Expr::new(kind, self.numbers.choose(&["({0} && {1})", "({0} || {1})"]), vec![x, y])
            }
            8..=9 => {
                let x = self.condition(depth - 1);
                Expr::new(kind, "!({0})", vec![x])
            }
            10..=12 => {
                let x = self.value(depth - 1);
                Expr::new(kind, self.numbers.choose(&["is_nan({0})", "is_finite({0})"]), vec![x])
            }
            _ => {
                let body = self.condition(depth - 1);
                let free: Vec<Axes> = body.axes(&self.lets).each().collect();
                if free.is_empty() {
                    return body;
                }
                let bound = self.numbers.choose(&free);
                let template = self.numbers.choose(&["any[{}]({0})", "all[{}]({0})"]);
                Expr::new(kind, template.replacen("{}", &bound.to_string(), 1), vec![body]).reducing(bound)
            }
        }
    }
}
