//! Random integers and conditions.

use crate::expr::{Axes, Expr, Kind};
use crate::generate::Generator;
use crate::templates::COMPARISONS;

impl Generator {
    /// An integer.
    pub(crate) fn int(&mut self, depth: usize) -> Expr {
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
    pub(crate) fn condition(&mut self, depth: usize) -> Expr {
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
