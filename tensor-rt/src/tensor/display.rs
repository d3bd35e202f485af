//! Printing a tensor's elements.
