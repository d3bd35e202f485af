//! The form of backward expressions.
