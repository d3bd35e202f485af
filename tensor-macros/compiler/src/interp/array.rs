//! Values and dense arrays of them.

use crate::ir::Ty;

/// The value of an expression at one point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// Of any float type.
    Float(f64),
    /// Of any integer type, already wrapped to its width.
    Int(i64),
    /// Of type `Bool`.
    Bool(bool),
}

impl Value {
    /// What a faulty element holds: NaN, 0 or false.
    pub fn poison(ty: Ty) -> Self {
        match ty {
            Ty::Float | Ty::F32 | Ty::F64 => Value::Float(f64::NAN),
            Ty::I64 | Ty::I32 | Ty::U32 | Ty::U8 | Ty::U64 => Value::Int(0),
            Ty::Bool => Value::Bool(false),
        }
    }

    /// Zero or false.
    pub fn zero(ty: Ty) -> Self {
        match ty {
            Ty::Float | Ty::F32 | Ty::F64 => Value::Float(0.0),
            Ty::I64 | Ty::I32 | Ty::U32 | Ty::U8 | Ty::U64 => Value::Int(0),
            Ty::Bool => Value::Bool(false),
        }
    }

    /// The value of a float expression.
    ///
    /// # Panics
    /// If it is another kind of value, which is a mistake of the caller; so for the two below.
    pub fn float(self) -> f64 {
        match self {
            Value::Float(value) => value,
            other => panic!("a float was expected, found {other:?}"),
        }
    }

    /// The value of an integer expression.
    pub fn int(self) -> i64 {
        match self {
            Value::Int(value) => value,
            other => panic!("an integer was expected, found {other:?}"),
        }
    }

    /// The value of a boolean expression.
    pub fn bool(self) -> bool {
        match self {
            Value::Bool(value) => value,
            other => panic!("a boolean was expected, found {other:?}"),
        }
    }
}

/// A dense row-major array.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    /// One size per dimension; `..` is one dimension.
    pub shape: Vec<usize>,
    /// The elements in row-major order.
    pub values: Vec<Value>,
}

impl Array {
    /// An array of one value.
    pub fn filled(shape: &[usize], value: Value) -> Self {
        Self { shape: shape.to_vec(), values: vec![value; shape.iter().product()] }
    }

    /// An array of floats.
    ///
    /// # Panics
    /// If the number of values is not that of the shape; so for the two below.
    pub fn floats(shape: &[usize], values: &[f64]) -> Self {
        Self::new(shape, values.iter().map(|&value| Value::Float(value)).collect())
    }

    /// An array of integers.
    pub fn ints(shape: &[usize], values: &[i64]) -> Self {
        Self::new(shape, values.iter().map(|&value| Value::Int(value)).collect())
    }

    /// An array of booleans.
    pub fn bools(shape: &[usize], values: &[bool]) -> Self {
        Self::new(shape, values.iter().map(|&value| Value::Bool(value)).collect())
    }

    fn new(shape: &[usize], values: Vec<Value>) -> Self {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "one value per element of {shape:?}");
        Self { shape: shape.to_vec(), values }
    }

    /// The elements of a float array.
    pub fn to_floats(&self) -> Vec<f64> {
        self.values.iter().map(|value| value.float()).collect()
    }

    /// The position of an index, or the first dimension in which it lies outside.
    pub fn position(&self, index: &[i64]) -> Result<usize, usize> {
        let mut position = 0;
        for (dimension, (&index, &size)) in index.iter().zip(&self.shape).enumerate() {
            if index < 0 || index >= size as i64 {
                return Err(dimension);
            }
            position = position * size + index as usize;
        }
        Ok(position)
    }
}
