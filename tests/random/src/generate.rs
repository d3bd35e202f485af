//! Random kernels: parameters, `let`s, results, and floats. Every function of the language stands in `templates` or in one
//! of [`Generator`]'s methods, which `load` and `discrete` continue.

use crate::expr::{Axes, Expr, Kind};
use crate::kernel::{Kernel, Param};
use crate::numbers::Numbers;
use crate::templates::{
    COMPARISONS, ROUGH, ROUGH_PAIRS, ROUGH_REDUCTIONS, ROUNDING, SMOOTH, SMOOTH_PAIRS, SMOOTH_REDUCTIONS,
};

/// What a kernel may be made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Everything.
    Whole,
    /// Float parameters, and no templates that are rough.
    Smooth,
}

impl Language {
    /// The language of every other kernel is smooth, so that half of the gradients are confirmed by difference quotients.
    pub fn of(seed: u64) -> Self {
        if seed.is_multiple_of(2) { Language::Smooth } else { Language::Whole }
    }
}

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

pub(crate) struct Generator {
    pub(crate) numbers: Numbers,
    language: Language,
    /// Which of the functions of one operand is next: neighboring seeds go through all of them.
    turn: usize,
    pub(crate) params: Vec<Param>,
    pub(crate) lets: Vec<Expr>,
    rest: bool,
}

impl Generator {
    /// The next function in turn.
    fn next(&mut self, functions: &[&'static str]) -> &'static str {
        self.turn += 1;
        functions[self.turn % functions.len()]
    }

    pub(crate) fn whole(&self) -> bool {
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
    pub(crate) fn indices(&self) -> Axes {
        if self.rest { self.declared().without(Axes::LAST) } else { self.declared() }
    }

    /// One of the axes whose index is a value, if there is any.
    pub(crate) fn index(&mut self) -> Option<Axes> {
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
    pub(crate) fn value(&mut self, depth: usize) -> Expr {
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
}
