//! The stages of the compiler on whole kernels.

mod corpus;
mod counts;
mod golden;
mod in_place;
mod meaning;
