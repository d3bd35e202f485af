//! A deliberate fault, for the test that shows that its absence is seen.

use std::sync::atomic::{AtomicBool, Ordering};

static SKIP_JOINS: AtomicBool = AtomicBool::new(false);

/// Lets streams no longer wait for each other, which is a data race on the device.
#[doc(hidden)]
pub fn skip_joins(skip: bool) {
    SKIP_JOINS.store(skip, Ordering::Relaxed);
}

pub(super) fn joins_are_skipped() -> bool {
    SKIP_JOINS.load(Ordering::Relaxed)
}
