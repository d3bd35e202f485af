//! Elementwise calls: the shortest way from arguments to results.
//!
//! Most calls of operators are elementwise on few elements, where finding out what to do can cost more than doing it. Of a
//! schedule that is [`elementwise`](Schedule::elementwise) there is nothing to find out if the arrays are dense: its one
//! kernel runs over runs of elements, and no index needs a proof. Arrays that lie otherwise, and devices that have no such
//! launch, take the general way of a [`Frame`](super::launch::Frame), which gives the same results.

use smallvec::{SmallVec, smallvec};

use super::block::Slot;
use super::body::PassFn;
use super::launch::{Setting, cpu_engine, error_of};
use super::program::{Array, Program, Schedule};
use super::sizes::Resolved;
use crate::accounting;
use crate::engine::{LaunchError, LaunchFault, RunLaunch, unravel};
use crate::error::Result;
use crate::shape::PerAxis;
use crate::tensor::raw::Raw;

/// The sizes of a call of a program whose forward schedule is elementwise, if its arguments have one shape that makes them.
pub(super) fn sizes<'r>(program: &Program, mut arguments: impl Iterator<Item = &'r Raw>) -> Option<Resolved> {
    let first = arguments.next()?;
    let (shape, rest) = (first.shape(), program.axes[0].rest);
    if !(rest || shape.rank() == 1) || !arguments.all(|raw| raw.shape() == shape) {
        return None;
    }
    let rest = if rest { PerAxis::from_slice(shape) } else { PerAxis::new() };
    Some(Resolved { sizes: smallvec![first.elements() as i64], rest })
}

/// Runs the kernel of an elementwise schedule, whose arrays `raw` gives (none for a write that nobody wants). False if
/// nothing was decided: the arrays are not dense, or lie on another device.
pub(super) fn run<'r>(
    setting: &Setting<'_>,
    schedule: &Schedule,
    bodies: &[&[PassFn]],
    raw: impl Fn(Array) -> Option<&'r Raw>,
) -> Result<bool> {
    let kernel = &schedule.kernels[0];
    let Setting { resolved, scalars, origin, .. } = *setting;
    let (sizes, points) = (resolved.sizes.as_slice(), resolved.sizes[0] as usize);
    #[cfg(test)]
    if crate::engine::cuda::tests::mirror::engine().is_some() {
        return Ok(false);
    }
    if points == 0 || !setting.home.is_cpu() {
        return Ok(false);
    }
    let (mut operands, mut writes) = (SmallVec::<[Slot; 4]>::new(), SmallVec::<[Slot; 2]>::new());
    for operand in kernel.operands {
        let raw = raw(operand.array).expect("bug in a program: an elementwise kernel reads what is not there");
        if !raw.is_dense() {
            return Ok(false);
        }
        operands.push(slot(raw));
    }
    for write in kernel.writes {
        let slot = match raw(write.array) {
            Some(raw) if !raw.is_dense() => return Ok(false),
            Some(raw) => slot(raw),
            None => Slot { dtype: write.elem.dtype(setting.generic), ..Slot::VACANT },
        };
        writes.push(slot);
    }
    if writes.iter().all(|write| write.pointer.is_null()) {
        return Ok(true);
    }
    accounting::launch(origin.at, 1);
    // SAFETY: as in `Frame::launch`; every array has the one axis of the program, so each is a run of `points` elements.
    let launch = unsafe { RunLaunch::new(kernel, bodies[0][0], points, &operands, &writes, scalars, sizes) };
    let Some((point, kind)) = cpu_engine()?.launch_over_runs(&launch) else { return Ok(true) };
    let position = if setting.program.axes[0].rest { unravel(point, &resolved.rest) } else { vec![point] };
    let fault = LaunchFault { kind, position: position.into() };
    Err(error_of(LaunchError::Fault(fault), schedule, kernel, *setting))
}

fn slot(raw: &Raw) -> Slot {
    Slot::of_points(raw.pointer().cast_mut(), raw.dtype())
}
