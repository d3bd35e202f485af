//! From schedules to text: Rust for the CPU.
//!
//! [`plan`] numbers what a schedule mentions (operands, reductions, writes, passes) once for every target; [`rust`] prints
//! tables, pass bodies and the typed function from it. Emission decides nothing about meaning: that is in the IR.

pub mod plan;
pub mod rust;
