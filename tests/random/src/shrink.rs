//! Smaller kernels.

use crate::expr::{Axes, Expr, Kind};
use crate::kernel::Kernel;

/// Every kernel with one part less.
pub(crate) fn smaller(kernel: &Kernel) -> Vec<Kernel> {
    let mut found = vec![];
    for position in 0..kernel.results.len() {
        if kernel.results.len() > 1 {
            let mut fewer = kernel.clone();
            fewer.results.remove(position);
            found.push(fewer);
        }
    }
    for position in 0..kernel.params.len() {
        let mut fewer = kernel.clone();
        fewer.params.remove(position);
        found.push(fewer);
    }
    // A `let` that nothing reads is dropped, one that is read is written out.
    for local in 0..kernel.lets.len() {
        let mut fewer = kernel.clone();
        fewer.inline(local);
        found.push(fewer);
    }
    for position in 0..kernel.results.len() {
        for result in smaller_exprs(&kernel.results[position].0) {
            let mut other = kernel.clone();
            other.results[position].0 = result;
            found.push(other);
        }
    }
    for position in 0..kernel.lets.len() {
        for value in smaller_exprs(&kernel.lets[position]) {
            let mut other = kernel.clone();
            other.lets[position] = value;
            found.push(other);
        }
    }
    for (position, param) in kernel.params.iter().enumerate() {
        for place in 0..param.axes.len() {
            let mut other = kernel.clone();
            let axis = other.params[position].axes.remove(place);
            for expr in other.exprs_mut() {
                drop_axis(expr, param.name, axis);
            }
            found.push(other);
        }
    }
    if kernel.rest {
        found.push(Kernel { rest: false, ..kernel.clone() });
    }
    for position in 0..kernel.results.len() {
        if kernel.results[position].1 {
            let mut other = kernel.clone();
            other.results[position].1 = false;
            found.push(other);
        }
    }
    found
}

/// A bare parameter no longer varies along an axis that it lost.
fn drop_axis(expr: &mut Expr, param: &str, axis: Axes) {
    if expr.template == param {
        expr.own = expr.own.without(axis);
    }
    expr.args.iter_mut().for_each(|arg| drop_axis(arg, param, axis));
}

/// An expression with one part replaced by an operand of its kind, or by a number.
fn smaller_exprs(expr: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = expr.args.iter().filter(|arg| arg.kind == expr.kind).cloned().collect();
    if !expr.args.is_empty() && expr.kind == Kind::Float {
        found.push(Expr::new(Kind::Float, "0.5", vec![]));
    }
    for position in 0..expr.args.len() {
        for arg in smaller_exprs(&expr.args[position]) {
            let mut other = expr.clone();
            other.args[position] = arg;
            found.push(other);
        }
    }
    found
}
