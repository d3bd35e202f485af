//! Sizes: from the shapes of the arguments to the size of every axis.
//!
//! Every extent of a program gets one size: from the dimensions of the parameters that declare it, which must agree, from
//! a literal, or from an expression over sizes and integer scalars. `..` gets the shape that it stands for.
//!
//! Invariants: arithmetic is in `i64` and checked, so an overflow or a division by zero is an error and never a wrong
//! size; resolved sizes are not negative.

use smallvec::SmallVec;

use super::block::Scalar;
use super::program::{Array, Extent, Program, SizeExpr};
use crate::error::{Error, Origin, Result};
use crate::shape::{PerAxis, Shape};

/// Sizes of the extents, by position.
pub(crate) type ExtentSizes = SmallVec<[i64; 4]>;

/// The size of everything in a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolved {
    /// Of the extents; for `..`, the number of its points.
    pub sizes: ExtentSizes,
    /// Of `..`.
    pub rest: PerAxis<usize>,
}

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SizeFault {
    Overflow,
    DivisionByZero,
}

/// The value of `expr`, given the sizes of the extents and the scalar arguments.
pub(crate) fn evaluate(expr: &SizeExpr, sizes: &[i64], scalars: &[Scalar]) -> Result<i64, SizeFault> {
    let value = |expr| evaluate(expr, sizes, scalars);
    let exact = |result: Option<i64>| result.ok_or(SizeFault::Overflow);
    match *expr {
        SizeExpr::Const(value) => Ok(value),
        SizeExpr::Extent(extent) => Ok(sizes[extent as usize]),
        SizeExpr::Scalar(scalar) => match scalars[scalar as usize] {
            Scalar::Int(value) => Ok(value),
            Scalar::U64(value) => exact(i64::try_from(value).ok()),
            Scalar::Bool(value) => Ok(value.into()),
            other => unreachable!("bug in a program: {other:?} in a size"),
        },
        SizeExpr::Add(a, b) => exact(value(a)?.checked_add(value(b)?)),
        SizeExpr::Sub(a, b) => exact(value(a)?.checked_sub(value(b)?)),
        SizeExpr::Mul(a, b) => exact(value(a)?.checked_mul(value(b)?)),
        SizeExpr::Div(a, b) => divide(value(a)?, value(b)?, i64::checked_div),
        SizeExpr::Rem(a, b) => divide(value(a)?, value(b)?, i64::checked_rem),
        SizeExpr::Min(a, b) => Ok(value(a)?.min(value(b)?)),
        SizeExpr::Max(a, b) => Ok(value(a)?.max(value(b)?)),
    }
}

fn divide(a: i64, b: i64, operation: fn(i64, i64) -> Option<i64>) -> Result<i64, SizeFault> {
    if b == 0 { Err(SizeFault::DivisionByZero) } else { operation(a, b).ok_or(SizeFault::Overflow) }
}

impl Resolved {
    /// The sizes that arguments of these shapes make, given by parameter.
    pub fn of<'s>(
        program: &Program,
        shape: impl Fn(usize) -> &'s [usize],
        scalars: &[Scalar],
        origin: Origin,
    ) -> Result<Resolved> {
        let mut resolved =
            Resolved { sizes: SmallVec::from_elem(UNKNOWN, program.extents.len()), rest: SmallVec::new() };
        for (extent, size) in program.extents.iter().zip(&mut resolved.sizes) {
            if let Extent::Literal(literal) = extent {
                *size = *literal as i64;
            }
        }
        resolved.declare(program, &shape, origin)?;
        resolved.compute(program, &shape, scalars, origin)?;
        Ok(resolved)
    }

    /// The shape of an array with these axes.
    pub fn shape(&self, program: &Program, axes: &[u16]) -> Shape {
        if let [axis] = axes
            && program.axes[*axis as usize].rest
        {
            return Shape::of(PerAxis::from_slice(&self.rest));
        }
        let mut shape = PerAxis::new();
        for &axis in axes {
            let axis = &program.axes[axis as usize];
            if axis.rest {
                shape.extend_from_slice(&self.rest);
            } else {
                shape.push(self.sizes[axis.extent as usize] as usize);
            }
        }
        Shape::of(shape)
    }

    /// The number of points of some axes.
    pub fn points(&self, program: &Program, axes: &[u16]) -> i128 {
        axes.iter().map(|&axis| self.sizes[program.axes[axis as usize].extent as usize] as i128).product()
    }

    /// Takes sizes from the dimensions of the parameters.
    fn declare<'s>(&mut self, program: &Program, shape: &impl Fn(usize) -> &'s [usize], origin: Origin) -> Result<()> {
        let Origin { op, at } = origin;
        let mut rest_owner: Option<usize> = None;
        for (position, param) in program.tensors.iter().enumerate() {
            let shape = shape(position);
            let rest = rest_rank(program, param.axes, shape, param.name, origin)?;
            let mut dim = 0;
            for &axis_id in param.axes {
                let axis = &program.axes[axis_id as usize];
                let extent = axis.extent as usize;
                if axis.rest {
                    let found = &shape[dim..dim + rest];
                    dim += rest;
                    match rest_owner {
                        None => {
                            let product =
                                found.iter().try_fold(1i64, |product, &size| product.checked_mul(size as i64));
                            self.sizes[extent] = if found.contains(&0) {
                                0
                            } else {
                                product.ok_or_else(|| Error::ShapeOverflow { op, shape: shape.into(), at })?
                            };
                            self.rest = SmallVec::from_slice(found);
                            rest_owner = Some(position);
                        }
                        Some(owner) if self.rest.as_slice() != found => {
                            let lhs = program.tensors[owner].name;
                            let (lhs_shape, rhs_shape) = (self.rest.as_slice().into(), found.into());
                            return Err(Error::RestMismatch { op, lhs, lhs_shape, rhs: param.name, rhs_shape, at });
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                let found = shape[dim];
                dim += 1;
                match program.extents[extent] {
                    Extent::Computed(_) => {}
                    _ if self.sizes[extent] == UNKNOWN => self.sizes[extent] = found as i64,
                    _ if self.sizes[extent] == found as i64 => {}
                    Extent::Literal(literal) => {
                        let (param, expected) = (param.name, literal as usize);
                        return Err(Error::AxisSize { op, axis: axis.name, param, expected, found, at });
                    }
                    Extent::Declared => {
                        let lhs = owner(program, extent);
                        let lhs_size = self.sizes[extent] as usize;
                        let (rhs, rhs_size) = (param.name, found);
                        return Err(Error::AxisMismatch { op, axis: axis.name, lhs, lhs_size, rhs, rhs_size, at });
                    }
                }
            }
        }
        Ok(())
    }

    /// Evaluates the computed extents, and compares parameters that declare them.
    fn compute<'s>(
        &mut self,
        program: &Program,
        shape: &impl Fn(usize) -> &'s [usize],
        scalars: &[Scalar],
        origin: Origin,
    ) -> Result<()> {
        let Origin { op, at } = origin;
        let mut computed = false;
        for (position, extent) in program.extents.iter().enumerate() {
            let Extent::Computed(expr) = extent else { continue };
            computed = true;
            let value = evaluate(expr, &self.sizes, scalars).map_err(|fault| size_error(fault, origin))?;
            if value < 0 {
                let named = program.axes.iter().find(|axis| axis.extent as usize == position);
                let axis = named.map_or("..", |axis| axis.name);
                return Err(Error::NegativeSize { op, axis, value, at });
            }
            self.sizes[position] = value;
        }
        if !computed {
            return Ok(());
        }
        for (position, param) in program.tensors.iter().enumerate() {
            let shape = shape(position);
            let mut dim = 0;
            for &axis in param.axes {
                let axis = &program.axes[axis as usize];
                let size = self.sizes[axis.extent as usize];
                if !axis.rest && shape[dim] as i64 != size {
                    let (param, expected, found) = (param.name, size as usize, shape[dim]);
                    return Err(Error::AxisSize { op, axis: axis.name, param, expected, found, at });
                }
                dim += if axis.rest { self.rest.len() } else { 1 };
            }
        }
        Ok(())
    }

    /// True if an output or an edited parameter has elements.
    pub fn writes_something(&self, program: &Program) -> bool {
        let edited =
            program.forward.kernels.iter().flat_map(|kernel| kernel.writes).filter_map(|write| match write.array {
                Array::Param(param) => Some(program.tensors[param as usize].axes),
                _ => None,
            });
        program.outputs.iter().map(|output| output.axes).chain(edited).any(|axes| self.points(program, axes) != 0)
    }
}

/// The size of an extent that is not known yet.
const UNKNOWN: i64 = -1;

/// The error that a size without a value is.
pub(crate) fn size_error(fault: SizeFault, origin: Origin) -> Error {
    let Origin { op, at } = origin;
    match fault {
        SizeFault::Overflow => Error::ShapeOverflow { op, shape: [].into(), at },
        SizeFault::DivisionByZero => Error::DivisionByZero { op, position: [].into(), at },
    }
}

/// The number of dimensions that `..` takes in a parameter.
fn rest_rank(program: &Program, axes: &[u16], shape: &[usize], param: &'static str, origin: Origin) -> Result<usize> {
    let Origin { op, at } = origin;
    let at_least = axes.iter().any(|&axis| program.axes[axis as usize].rest);
    let expected = axes.len() - usize::from(at_least);
    let found = shape.len();
    if found < expected || (!at_least && found != expected) {
        return Err(Error::RankMismatch { op, param: Some(param), expected, at_least, found, at });
    }
    Ok(found - expected)
}

/// The first parameter that declares an axis of an extent.
fn owner(program: &Program, extent: usize) -> &'static str {
    let declares = |axes: &[u16]| axes.iter().any(|&axis| program.axes[axis as usize].extent as usize == extent);
    program.tensors.iter().find(|param| declares(param.axes)).map_or("", |param| param.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::DType;
    use crate::error::ErrorKind;
    use crate::kernel::program::{ArrayDecl, Axis, Elem, Intent, Schedule, TensorParam};

    #[test]
    fn convolution_size_follows_its_formula() {
        use SizeExpr::{Add, Const, Div, Extent, Mul, Scalar as Argument, Sub};
        // (L + 2 * pad - W) / stride + 1
        static DOUBLE: SizeExpr = Mul(&Const(2), &Argument(1));
        static PADDED: SizeExpr = Add(&Extent(0), &DOUBLE);
        static ROOM: SizeExpr = Sub(&PADDED, &Extent(1));
        static STEPS: SizeExpr = Div(&ROOM, &Argument(0));
        static SIZE: SizeExpr = Add(&STEPS, &Const(1));
        assert_eq!(evaluate(&SIZE, &[5, 3], &[Scalar::Int(2), Scalar::Int(1)]), Ok(3));
        assert_eq!(evaluate(&SIZE, &[5, 3], &[Scalar::Int(0), Scalar::Int(1)]), Err(SizeFault::DivisionByZero));
        assert_eq!(evaluate(&SIZE, &[i64::MAX, 3], &[Scalar::Int(1), Scalar::Int(1)]), Err(SizeFault::Overflow));
    }

    const ELEM: Elem = Elem::Fixed(DType::F32);
    /// `f(x: [.., C], gamma: [C], w: [4, D]) -> [.., D, M = C - 3]`.
    static PROGRAM: Program = Program {
        name: "f",
        axes: &[
            Axis { name: "..", extent: 0, rest: true },
            Axis { name: "C", extent: 1, rest: false },
            Axis { name: "4", extent: 2, rest: false },
            Axis { name: "D", extent: 3, rest: false },
            Axis { name: "M", extent: 4, rest: false },
        ],
        extents: &[
            Extent::Declared,
            Extent::Declared,
            Extent::Literal(4),
            Extent::Declared,
            Extent::Computed(SizeExpr::Sub(&SizeExpr::Extent(1), &SizeExpr::Const(3))),
        ],
        tensors: &[
            TensorParam { name: "x", intent: Intent::Read, elem: ELEM, axes: &[0, 1], blocked: None },
            TensorParam { name: "gamma", intent: Intent::Read, elem: ELEM, axes: &[1], blocked: None },
            TensorParam { name: "w", intent: Intent::Read, elem: ELEM, axes: &[2, 3], blocked: None },
        ],
        scalars: &[],
        outputs: &[ArrayDecl { elem: ELEM, axes: &[0, 3, 4] }],
        assertions: &[],
        saved: &[],
        forward: Schedule { temps: &[], kernels: &[], elementwise: false, passed_on: &[] },
        backward: None,
    };

    fn resolve(shapes: [&[usize]; 3]) -> Result<Resolved> {
        let origin = Origin::of("f");
        Resolved::of(&PROGRAM, |param| shapes[param], &[], origin)
    }

    fn message(shapes: [&[usize]; 3]) -> String {
        let text = resolve(shapes).unwrap_err().to_string();
        text.split(", at ").next().unwrap().to_owned()
    }

    #[test]
    fn sizes_come_from_shapes() {
        let resolved = resolve([&[2, 3, 9], &[9], &[4, 5]]).unwrap();
        assert_eq!(resolved.sizes.as_slice(), [6, 9, 4, 5, 6]);
        assert_eq!(&*resolved.shape(&PROGRAM, &[0, 3, 4]), [2, 3, 5, 6]);
        let resolved = resolve([&[9], &[9], &[4, 0]]).unwrap();
        assert_eq!(&*resolved.shape(&PROGRAM, &[0, 3, 4]), [0, 6]);
    }

    #[test]
    fn mismatches_name_axis_parameters_and_sizes() {
        assert_eq!(message([&[2, 9], &[8], &[4, 5]]), "f: axis `C` is 9 in `x` and 8 in `gamma`");
        assert_eq!(message([&[2, 9], &[9], &[3, 5]]), "f: axis `4` of `w` must be 4, found 3");
        let kind = |shapes| resolve(shapes).unwrap_err().kind();
        assert_eq!(kind([&[2, 9], &[9, 1], &[4, 5]]), ErrorKind::RankMismatch);
        assert_eq!(kind([&[], &[9], &[4, 5]]), ErrorKind::RankMismatch);
        assert_eq!(kind([&[2], &[2], &[4, 5]]), ErrorKind::NegativeSize);
    }
}
