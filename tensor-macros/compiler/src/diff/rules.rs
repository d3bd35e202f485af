//! The rule table: what each operation contributes to its operands.

use crate::ir::{AxisSet, Binary, Literal, NodeId, Op, Reduction, Ty, Unary};
use crate::simplify::Algebra;
use crate::simplify::mutation::{self, Mutation};

/// The contribution of the node `z` with the cotangent `g` to the cotangent of its operand number `operand`, before it is
/// summed over the axes that the operand lacks; `None` without a differentiable path.
pub(super) fn contribution(a: &mut Algebra<'_>, z: NodeId, operand: usize, g: NodeId) -> Option<NodeId> {
    let args = a.graph.args(z).to_vec();
    if !a.graph.ty(args[operand]).is_float() {
        return None;
    }
    let first = operand == 0;
    match a.graph.op(z).clone() {
        Op::Const(_) | Op::Scalar(_) | Op::Size(_) | Op::Index(_) | Op::Load { .. } => None,
        Op::Stop | Op::Random { .. } => None,
        Op::Unary(op) => unary(a, op, args[0], z, g),
        Op::Binary(op) => binary(a, op, [args[0], args[1]], z, first, g),
        Op::Fma => match operand {
            0 => Some(a.product(&[(g, 1), (args[1], 1)])),
            1 => Some(a.product(&[(g, 1), (args[0], 1)])),
            _ => Some(g),
        },
        Op::Select => match operand {
            _ if mutation::is(Mutation::UnguardedBranch) => Some(g),
            1 => Some(a.guard(args[0], g)),
            _ => {
                let otherwise = a.not(args[0]);
                Some(a.guard(otherwise, g))
            }
        },
        Op::Cast(_) | Op::Convert(_) => match a.graph.ty(z).is_float() {
            true => Some(a.graph.convert(a.graph.ty(args[0]), g)),
            false => None,
        },
        Op::Reduce { op, axes } => reduction(a, op, &axes.into_iter().collect(), args[0], z, g),
        Op::Sum { .. } | Op::Product { .. } => unreachable!("derived operations are not differentiated"),
    }
}

/// Contributions of `z = op(x)`.
fn unary(a: &mut Algebra<'_>, op: Unary, x: NodeId, z: NodeId, g: NodeId) -> Option<NodeId> {
    use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10};
    let ty = a.graph.ty(x);
    let one = a.graph.float(1.0, ty);
    Some(match op {
        Unary::Neg => a.scale(-1.0, g),
        Unary::Exp => a.product(&[(g, 1), (z, 1)]),
        Unary::Exp2 => {
            let product = a.product(&[(g, 1), (z, 1)]);
            a.scale(LN_2, product)
        }
        Unary::Ln => a.product(&[(g, 1), (x, -1)]),
        Unary::Log2 => {
            let quotient = a.product(&[(g, 1), (x, -1)]);
            a.scale(LN_2.recip(), quotient)
        }
        Unary::Log10 => {
            let quotient = a.product(&[(g, 1), (x, -1)]);
            a.scale(LN_10.recip(), quotient)
        }
        Unary::Log1p => {
            let sum = a.add(ty, &[one, x]);
            a.product(&[(g, 1), (sum, -1)])
        }
        Unary::Expm1 => {
            let exp = a.add(ty, &[one, z]);
            a.product(&[(g, 1), (exp, 1)])
        }
        Unary::Sqrt => {
            let quotient = a.product(&[(g, 1), (z, -1)]);
            a.scale(0.5, quotient)
        }
        Unary::Rsqrt => {
            let product = a.product(&[(g, 1), (z, 3)]);
            a.scale(-0.5, product)
        }
        Unary::Cbrt => {
            let quotient = a.product(&[(g, 1), (z, -2)]);
            a.scale(1.0 / 3.0, quotient)
        }
        Unary::Sin => {
            let cos = a.graph.unary(Unary::Cos, x);
            a.product(&[(g, 1), (cos, 1)])
        }
        Unary::Cos => {
            let sin = a.graph.unary(Unary::Sin, x);
            let product = a.product(&[(g, 1), (sin, 1)]);
            a.scale(-1.0, product)
        }
        Unary::Tan => {
            let slope = one_plus(a, 1.0, z);
            a.product(&[(g, 1), (slope, 1)])
        }
        Unary::Asin => {
            let square = one_plus(a, -1.0, x);
            let slope = a.graph.unary(Unary::Rsqrt, square);
            a.product(&[(g, 1), (slope, 1)])
        }
        Unary::Acos => {
            let square = one_plus(a, -1.0, x);
            let slope = a.graph.unary(Unary::Rsqrt, square);
            let product = a.product(&[(g, 1), (slope, 1)]);
            a.scale(-1.0, product)
        }
        Unary::Atan => {
            let slope = one_plus(a, 1.0, x);
            a.product(&[(g, 1), (slope, -1)])
        }
        Unary::Sinh => {
            let cosh = a.graph.unary(Unary::Cosh, x);
            a.product(&[(g, 1), (cosh, 1)])
        }
        Unary::Cosh => {
            let sinh = a.graph.unary(Unary::Sinh, x);
            a.product(&[(g, 1), (sinh, 1)])
        }
        Unary::Tanh => {
            let slope = one_plus(a, -1.0, z);
            a.product(&[(g, 1), (slope, 1)])
        }
        Unary::Sigmoid => {
            let minus = a.scale(-1.0, z);
            let other = a.add(ty, &[one, minus]);
            a.product(&[(g, 1), (z, 1), (other, 1)])
        }
        Unary::Softplus => {
            let sigmoid = a.graph.unary(Unary::Sigmoid, x);
            a.product(&[(g, 1), (sigmoid, 1)])
        }
        Unary::Erf => {
            let bell = bell(a, x);
            let product = a.product(&[(g, 1), (bell, 1)]);
            a.scale(FRAC_2_SQRT_PI, product)
        }
        Unary::Erfc => {
            let bell = bell(a, x);
            let product = a.product(&[(g, 1), (bell, 1)]);
            a.scale(-FRAC_2_SQRT_PI, product)
        }
        Unary::Abs => {
            let sign = a.graph.unary(Unary::Sign, x);
            a.product(&[(g, 1), (sign, 1)])
        }
        // Constant almost everywhere.
        Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc => return None,
        Unary::Not | Unary::IsNan | Unary::IsFinite => return None,
    })
}

/// `1 + sign * x * x`.
fn one_plus(a: &mut Algebra<'_>, sign: f64, x: NodeId) -> NodeId {
    let ty = a.graph.ty(x);
    let one = a.graph.float(1.0, ty);
    let square = a.product(&[(x, 2)]);
    let square = a.scale(sign, square);
    a.add(ty, &[one, square])
}

/// `exp(-x * x)`.
fn bell(a: &mut Algebra<'_>, x: NodeId) -> NodeId {
    let square = a.product(&[(x, 2)]);
    let minus = a.scale(-1.0, square);
    a.graph.unary(Unary::Exp, minus)
}

/// Contributions of `z = op(x, y)` to `x` (`first`) or `y`.
fn binary(a: &mut Algebra<'_>, op: Binary, [x, y]: [NodeId; 2], z: NodeId, first: bool, g: NodeId) -> Option<NodeId> {
    let ty = a.graph.ty(x);
    Some(match op {
        Binary::Add => g,
        Binary::Sub => a.scale(if first { 1.0 } else { -1.0 }, g),
        Binary::Mul => a.product(&[(g, 1), (if first { y } else { x }, 1)]),
        Binary::Div if first => a.product(&[(g, 1), (y, -1)]),
        Binary::Div => {
            let product = a.product(&[(g, 1), (z, 1), (y, -1)]);
            a.scale(-1.0, product)
        }
        Binary::Rem if first => g,
        Binary::Rem => {
            let quotient = a.graph.binary(Binary::Div, x, y);
            let whole = a.graph.unary(Unary::Trunc, quotient);
            let product = a.product(&[(g, 1), (whole, 1)]);
            a.scale(-1.0, product)
        }
        Binary::Powf if first => power_base(a, x, y, g),
        Binary::Powf => power_exponent(a, x, y, z, g),
        Binary::Powi => integer_power(a, x, y, g),
        // z = atan2(x, y): the angle of the point (y, x).
        Binary::Atan2 => {
            let squares = [a.product(&[(x, 2)]), a.product(&[(y, 2)])];
            let squares = a.add(ty, &squares);
            let product = a.product(&[(g, 1), (if first { y } else { x }, 1), (squares, -1)]);
            a.scale(if first { 1.0 } else { -1.0 }, product)
        }
        Binary::Xlogy => {
            let zero = a.zero(ty);
            let partial = if first { a.graph.unary(Unary::Ln, y) } else { a.product(&[(x, 1), (y, -1)]) };
            let product = a.product(&[(g, 1), (partial, 1)]);
            // Where x is 0, the result is 0 for every y, also where the logarithm does not exist.
            let vanishes = a.graph.binary(Binary::Eq, x, zero);
            let vanishes = match first {
                true => {
                    let no_logarithm = a.graph.binary(Binary::Le, y, zero);
                    a.graph.binary(Binary::And, vanishes, no_logarithm)
                }
                false => vanishes,
            };
            let counts = a.not(vanishes);
            if mutation::is(Mutation::LogarithmAtZero) { product } else { a.guard(counts, product) }
        }
        Binary::Max => extremum(a, Binary::Gt, Binary::Ge, [x, y], first, g),
        Binary::Min => extremum(a, Binary::Lt, Binary::Le, [x, y], first, g),
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::And | Binary::Or => {
            return None;
        }
    })
}

/// The winner of `max` or `min` takes the cotangent, two equal operands half of it each; an operand without a tensor in it
/// is a constant and keeps what it wins, ties included. NaN wins against a constant.
fn extremum(
    a: &mut Algebra<'_>,
    wins: Binary,
    wins_or_ties: Binary,
    [x, y]: [NodeId; 2],
    first: bool,
    g: NodeId,
) -> NodeId {
    let (own, other) = if first { (x, y) } else { (y, x) };
    if !a.loads(other) {
        let constant_wins = if mutation::is(Mutation::LosingConstant) { wins } else { wins_or_ties };
        let constant_wins = a.graph.binary(constant_wins, other, own);
        // Not the opposite comparison, which does not hold for NaN either.
        let wins = a.not(constant_wins);
        return a.guard(wins, g);
    }
    let ties = a.graph.binary(Binary::Eq, own, other);
    let half = if mutation::is(Mutation::WholeTies) { g } else { a.scale(0.5, g) };
    let share = a.graph.select(ties, half, g);
    let not_lost = a.graph.binary(wins_or_ties, own, other);
    a.guard(not_lost, share)
}

/// d(x^y)/dx = y x^(y-1), and 0 where y is 0 (also at x = 0).
fn power_base(a: &mut Algebra<'_>, x: NodeId, y: NodeId, g: NodeId) -> NodeId {
    let ty = a.graph.ty(x);
    if let Some(exponent) = a.graph.as_float(y) {
        if exponent == 0.0 {
            return a.zero(ty);
        }
        let partial = match exponent.fract() == 0.0 && exponent.abs() <= 4.0 {
            // x^1 has no factor left; powers of 0 and below are quotients.
            true if exponent == 1.0 => return g,
            true => a.product(&[(x, exponent as i32 - 1)]),
            false => {
                let less = a.graph.float(exponent - 1.0, ty);
                a.graph.binary(Binary::Powf, x, less)
            }
        };
        let product = a.product(&[(g, 1), (partial, 1)]);
        return a.scale(exponent, product);
    }
    let (zero, minus_one) = (a.zero(ty), a.graph.float(-1.0, ty));
    let less = a.add(ty, &[y, minus_one]);
    let power = a.graph.binary(Binary::Powf, x, less);
    let product = a.product(&[(g, 1), (y, 1), (power, 1)]);
    let counts = a.graph.binary(Binary::Ne, y, zero);
    if mutation::is(Mutation::PowerOfZero) { product } else { a.guard(counts, product) }
}

/// d(x^y)/dy = x^y ln(x); at x = 0 it is 0 if y >= 0 else NaN.
fn power_exponent(a: &mut Algebra<'_>, x: NodeId, y: NodeId, z: NodeId, g: NodeId) -> NodeId {
    let ty = a.graph.ty(x);
    let zero = a.zero(ty);
    let nan = a.graph.float(f64::NAN, ty);
    let log = a.graph.unary(Unary::Ln, x);
    let at_zero = a.graph.binary(Binary::Eq, x, zero);
    let log = a.graph.select(at_zero, nan, log);
    let product = a.product(&[(g, 1), (z, 1), (log, 1)]);
    let not_negative = a.graph.binary(Binary::Ge, y, zero);
    let vanishes = a.graph.binary(Binary::And, at_zero, not_negative);
    let counts = a.not(vanishes);
    if mutation::is(Mutation::PowerAtZero) { product } else { a.guard(counts, product) }
}

/// d(x^n)/dx = n x^(n-1), and 0 where n is 0.
fn integer_power(a: &mut Algebra<'_>, x: NodeId, n: NodeId, g: NodeId) -> NodeId {
    let ty = a.graph.ty(x);
    if let Op::Const(Literal::Int(power)) = *a.graph.op(n) {
        return match power {
            0 => a.zero(ty),
            1 => g,
            _ => {
                let partial = match i32::try_from(power - 1) {
                    Ok(less) if less.abs() <= 4 => a.product(&[(x, less)]),
                    _ => {
                        let less = a.graph.int(power.wrapping_sub(1), Ty::I64);
                        a.graph.binary(Binary::Powi, x, less)
                    }
                };
                let product = a.product(&[(g, 1), (partial, 1)]);
                a.scale(power as f64, product)
            }
        };
    }
    let (zero, one) = (a.graph.int(0, Ty::I64), a.graph.int(1, Ty::I64));
    let less = a.graph.binary(Binary::Sub, n, one);
    let power = a.graph.binary(Binary::Powi, x, less);
    let factor = a.graph.convert(ty, n);
    let product = a.product(&[(g, 1), (factor, 1), (power, 1)]);
    let counts = a.graph.binary(Binary::Ne, n, zero);
    a.guard(counts, product)
}

/// Contributions of `z = op[axes](x)`.
fn reduction(a: &mut Algebra<'_>, op: Reduction, axes: &AxisSet, x: NodeId, z: NodeId, g: NodeId) -> Option<NodeId> {
    let ty = a.graph.ty(x);
    match op {
        Reduction::Sum => Some(g),
        Reduction::Max | Reduction::Min => {
            let hit = a.graph.binary(Binary::Eq, x, z);
            let (zero, one) = (a.zero(ty), a.graph.float(1.0, ty));
            let ones = a.graph.select(hit, one, zero);
            let count = a.graph.reduce(Reduction::Sum, axes.iter().collect(), ones);
            // A row with NaN has no hit.
            let count = a.graph.binary(Binary::Max, count, one);
            let share = if mutation::is(Mutation::UnsharedTies) { g } else { a.product(&[(g, 1), (count, -1)]) };
            Some(a.guard(hit, share))
        }
        // The product of the other elements: of all that are not 0, if there is no 0 but perhaps this one.
        Reduction::Prod => {
            let (zero, one) = (a.zero(ty), a.graph.float(1.0, ty));
            let is_zero = a.graph.binary(Binary::Eq, x, zero);
            let ones = a.graph.select(is_zero, one, zero);
            let zeros = a.graph.reduce(Reduction::Sum, axes.iter().collect(), ones);
            let nonzero = a.graph.select(is_zero, one, x);
            let rest = a.graph.reduce(Reduction::Prod, axes.iter().collect(), nonzero);
            let product = a.product(&[(g, 1), (rest, 1), (nonzero, -1)]);
            let only = a.graph.binary(Binary::Eq, zeros, ones);
            if mutation::is(Mutation::IgnoredZeros) { Some(product) } else { Some(a.guard(only, product)) }
        }
        Reduction::ArgMax | Reduction::ArgMin | Reduction::Any | Reduction::All => None,
        Reduction::SquaredDeviation => unreachable!("schedules are not differentiated"),
    }
}
