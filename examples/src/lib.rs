//! Support for the example programs.
