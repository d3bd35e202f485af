//! A naive interpreter of the IR: what an expression means, without any idea of how it is computed.
//!
//! Floats of every type are `f64` here, integers are `i64` that wrap at their type's width, `..` is one axis. A node is
//! evaluated at a *point*, which gives an index to each of its free axes; results are remembered per point, so that a
//! graph costs no more than its nodes times their elements.
//!
//! Typical use: [`sizes`] from the arguments, then [`forward`] and [`backward`] for whole kernels, or an
//! [`Interpreter`] of one's own for single expressions and schedules:
//!
//! ```
//! use tensor_rt_compiler::interp::{Array, Interpreter, Value};
//! use tensor_rt_compiler::ir::{Extent, Graph, Reduction, Source, Ty};
//!
//! let mut graph = Graph::new();
//! let extent = graph.add_extent(Extent::Declared);
//! let axis = graph.add_axis("C", extent, false);
//! let x = graph.load_own(Source::Param(0), &[axis], Ty::Float);
//! let sum = graph.reduce(Reduction::Sum, vec![axis], x);
//! let mut interpreter = Interpreter::new(&graph, vec![3], vec![]);
//! interpreter.set_array(Source::Param(0), Array::floats(&[3], &[1.0, 2.0, 4.0]));
//! assert_eq!(interpreter.value(sum, &[]), Value::Float(7.0));
//! ```
//!
//! Invariant: nothing here panics on the values of a verified graph; what the run-time library reports as an error is
//! a [`Fault`], and the value is then NaN, 0 or false.

mod array;
mod evaluate;
mod function;
mod random;
mod run;
mod schedule;
mod special;

pub use array::{Array, Value};
pub use evaluate::{Fault, Interpreter};
pub use run::{Outcome, backward, forward, sizes};
pub use schedule::{backward_schedule, forward_schedule};
