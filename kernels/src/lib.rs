//! A library of kernels, layers, losses and optimizers written with `tensor_fn!`.
