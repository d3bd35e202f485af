//! Random elements of parameters: at their own index, or at others.

use crate::expr::{Axes, Expr, Kind};
use crate::generate::Generator;
use crate::kernel::{Param, list};

impl Generator {
    fn float_param(&mut self) -> Param {
        let floats: Vec<usize> = (0..self.params.len()).filter(|&at| self.params[at].element.is_empty()).collect();
        let position = self.numbers.choose(&floats);
        self.params[position].clone()
    }

    /// A bare parameter. `..` has no bare form: it is written with its axes.
    pub(crate) fn param(&mut self) -> Expr {
        let param = self.float_param();
        Expr::new(Kind::Float, param.name, vec![]).over(param.axes())
    }

    /// An element of a parameter at other indices than its own.
    pub(crate) fn element(&mut self) -> Expr {
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
    pub(crate) fn ids(&self, axis: Axes) -> Option<Expr> {
        let name = format!("ids_{}", axis.to_string().to_lowercase());
        let param = self.params.iter().find(|param| param.name == name)?;
        let text = if param.element == "i64" { name } else { format!("({name} as i64)") };
        Some(Expr::new(Kind::Int, text, vec![]).over(param.axes()))
    }
}
