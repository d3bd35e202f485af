//! Where the first NaN or infinity came from.

use std::cell::Cell;

use crate::element::{DType, Element, Float, bf16, f16};
use crate::error::{Error, Origin, Result};
use crate::home::Home;
use crate::tensor::raw::Raw;
use crate::tensor::view::Movement;

thread_local! {
    static DETECTING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`; within it, on this thread, the first tracked result and the first gradient that holds a NaN or an infinity
/// is [`Error::NotFinite`], which names the forward call. Slow: every such result is read.
pub fn detect_anomaly<R>(body: impl FnOnce() -> R) -> R {
    let outer = Detecting(DETECTING.replace(true));
    let result = body();
    drop(outer);
    result
}

/// Restores the outer state, after a panic too.
struct Detecting(bool);

impl Drop for Detecting {
    fn drop(&mut self) {
        DETECTING.set(self.0);
    }
}

/// Checks a result of the tracked call `origin`.
pub(crate) fn check_forward(result: &Raw, origin: Origin) -> Result<()> {
    check(result, "a result", origin, origin)
}

/// Checks a cotangent that the adjoint of the call `forward` made.
pub(super) fn check_backward(cotangent: &Raw, forward: Origin, origin: Origin) -> Result<()> {
    check(cotangent, "a gradient", forward, origin)
}

fn check(result: &Raw, what: &'static str, forward: Origin, origin: Origin) -> Result<()> {
    if !DETECTING.get() {
        return Ok(());
    }
    let dense = Movement::Transfer(Home::CPU).apply(result, origin)?.dense(origin)?;
    let finite = match dense.dtype() {
        DType::F32 => all_finite::<f32>(&dense),
        DType::F64 => all_finite::<f64>(&dense),
        DType::F16 => all_finite::<f16>(&dense),
        DType::Bf16 => all_finite::<bf16>(&dense),
        DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => true,
    };
    if finite {
        return Ok(());
    }
    Err(Error::NotFinite { op: forward.op, what, forward: forward.at, at: origin.at })
}

fn all_finite<T: Float>(dense: &Raw) -> bool {
    let elements = dense.as_slice::<T>().unwrap_or_default();
    elements.iter().all(|element| crate::element::Compute::is_finite(Element::widen(*element)))
}
