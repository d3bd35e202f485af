//! From schedules to text: Rust for the CPU, CUDA C for devices.
//!
//! [`plan`] numbers what a schedule mentions (operands, reductions, writes, passes) once for every target; [`rust`] prints
//! tables, pass bodies and the typed function from it, [`cuda`] one function per kernel, which the tables carry as text.
//! Emission decides nothing about meaning: that is in the IR.

pub mod cuda;
pub mod plan;
pub mod rust;

use plan::Direction;

use crate::{ir, schedule::Schedule};

/// A kernel as text for a device, and which values it takes beside its arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceText {
    /// The name of the function.
    pub entry: String,
    /// The function.
    pub source: String,
    /// Scalars that are parameters, by position in the kernel's scalars.
    pub scalars: Vec<u32>,
    /// Extents whose sizes are parameters.
    pub extents: Vec<u32>,
}

/// The kernels of a function as text for a device, by position in their schedules.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DeviceTexts {
    /// Of the forward schedule.
    pub forward: Vec<DeviceText>,
    /// Of the backward schedule.
    pub backward: Vec<DeviceText>,
}

/// The CUDA C of a function.
pub fn device(kernel: &ir::Kernel, forward: &Schedule, backward: Option<(&ir::Backward, &Schedule)>) -> DeviceTexts {
    let saved = backward.map_or(&[][..], |(backward, _)| &backward.saved);
    let texts = |schedule, name| {
        let direction = Direction { kernel, saved, schedule };
        cuda::kernels(&direction, &direction.plan(), name)
    };
    let backward = backward.map_or(vec![], |(_, schedule)| texts(schedule, "backward"));
    DeviceTexts { forward: texts(forward, "forward"), backward }
}
