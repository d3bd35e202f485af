//! Indices that the host proves: before anything is launched, the least and the greatest value of every index that is an
//! axis of another extent, or affine in axes, is compared with the dimension it indexes; and divisors are not 0.
//!
//! The tables that the proof goes through are those that an engine reads, so what it addresses without a check of its own
//! has been proven here. A kernel without points reads nothing, and nothing is proven for it.

use super::launch::Setting;
use super::program::{Array, Index, Kernel, PassKind, Program, Schedule, WriteKind};
use super::sizes::{SizeFault, evaluate, size_error};
use crate::error::{Error, Result};

/// Proves every index of a schedule.
///
/// # Errors
/// Fails if an index leaves its dimension, or if a coefficient has no value.
pub(crate) fn check_indices(setting: &Setting<'_>, schedule: &Schedule) -> Result<()> {
    let Setting { program, resolved, .. } = *setting;
    for kernel in schedule.kernels {
        if resolved.points(program, kernel.free) == 0 {
            continue;
        }
        let no_elements = resolved.points(program, kernel.reduced) == 0;
        for (position, operand) in kernel.operands.iter().enumerate() {
            if !(no_elements && is_read_by_elements_alone(kernel, position as u16)) {
                check(setting, schedule, operand.array, operand.index)?;
            }
        }
        for write in kernel.writes {
            if let WriteKind::Scatter { index, .. } = write.kind {
                check(setting, schedule, write.array, index)?;
            }
        }
    }
    Ok(())
}

/// True if only passes over free and reduced axes read an operand.
fn is_read_by_elements_alone(kernel: &Kernel, operand: u16) -> bool {
    !kernel.passes.iter().any(|pass| pass.kind == PassKind::Outer && pass.operands.contains(&operand))
}

/// Proves the indices of one array.
fn check(setting: &Setting<'_>, schedule: &Schedule, array: Array, index: &[Index]) -> Result<()> {
    let Setting { program, resolved, scalars, origin, .. } = *setting;
    let size = |axis: u16| resolved.sizes[program.axes[axis as usize].extent as usize];
    let value = |expr| evaluate(expr, &resolved.sizes, scalars).map_err(|fault| size_error(fault, origin));
    for (index, &own) in index.iter().zip(array.axes(program, schedule)) {
        let bound = size(own);
        let (low, high) = match index {
            Index::Axis(axis) if program.axes[*axis as usize].extent == program.axes[own as usize].extent => continue,
            Index::Axis(axis) => (0, size(*axis) as i128 - 1),
            Index::Affine { terms, offset } => {
                let offset = value(offset)? as i128;
                let (mut low, mut high) = (offset, offset);
                for (axis, coefficient) in *terms {
                    let reach = (size(*axis) as i128 - 1) * value(coefficient)? as i128;
                    *(if reach < 0 { &mut low } else { &mut high }) += reach;
                }
                (low, high)
            }
            // What lies outside is not read; a divisor needs a value, and a step of 0 has no place to come from.
            Index::Clipped { terms, offset, divisor } => {
                value(offset)?;
                for (_, coefficient) in *terms {
                    value(coefficient)?;
                }
                if value(divisor)? == 0 {
                    return Err(size_error(SizeFault::DivisionByZero, origin));
                }
                continue;
            }
            // The pass checks it for each element.
            Index::Dynamic => continue,
        };
        if low < 0 || high >= bound as i128 {
            let value = if low < 0 { low } else { high };
            let value = value.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
            let (op, at) = (origin.op, origin.at);
            let (param, axis) = (array.param_name(program), Some(program.axes[own as usize].name));
            let (bound, position) = (bound as usize, [].into());
            return Err(Error::IndexOutOfRange { op, param, axis, value, bound, position, at });
        }
    }
    Ok(())
}

impl Array {
    /// The axes that the array was declared with.
    pub(crate) fn axes(self, program: &Program, schedule: &Schedule) -> &'static [u16] {
        match self {
            Array::Param(param) | Array::Gradient(param) => program.tensors[param as usize].axes,
            Array::Cotangent(output) | Array::Output(output) => program.outputs[output as usize].axes,
            Array::Saved(saved) => program.saved[saved as usize].array.axes,
            Array::Temp(temp) => schedule.temps[temp as usize].axes,
        }
    }

    /// What a user calls the array.
    pub(crate) fn param_name(self, program: &Program) -> Option<&'static str> {
        match self {
            Array::Param(param) | Array::Gradient(param) => Some(program.tensors[param as usize].name),
            Array::Cotangent(_) | Array::Output(_) | Array::Saved(_) | Array::Temp(_) => None,
        }
    }
}
