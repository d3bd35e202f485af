//! The procedural macro `tensor_fn!`.
