//! Tests that every device runs.
//!
//! Such a test is a function of a device, and [`on_each_device!`](crate::on_each_device) lists those of a file. One that is
//! in no list is never used, which the lints refuse. Elements are read by copying them to the host ([`Read`]); an error of a
//! kernel may come at the call or at the next synchronisation ([`failure`]).

use std::fmt::Debug;

use tensor_rt::Error;
use tensor_rt::prelude::*;

/// Makes a test of each function for each device. The tests of a device are in a module of its name.
#[macro_export]
macro_rules! on_each_device {
    ($($test:ident),+ $(,)?) => {
        mod cpu {
            $(#[test]
            fn $test() {
                $crate::device::Outcome::check(super::$test(&::tensor_rt::Cpu));
            })+
        }
    };
}

/// What a test returns.
pub trait Outcome {
    /// Fails the test if it is an error.
    fn check(self);
}

impl Outcome for () {
    fn check(self) {}
}

impl<E: Debug> Outcome for Result<(), E> {
    #[track_caller]
    fn check(self) {
        self.expect("the test succeeds");
    }
}

/// Reads what may be on any device.
pub trait Read {
    /// The element.
    type Element;

    /// The elements, in the order of the indices.
    ///
    /// # Errors
    /// Fails as a copy to the host does.
    fn read(&self) -> Result<Vec<Self::Element>>;
}

impl<D: Device, G: GradMode, T: Element> Read for Tensor<D, G, T> {
    type Element = T;

    fn read(&self) -> Result<Vec<T>> {
        self.detach().to_host()?.to_vec()
    }
}

/// The error of a kernel: of the call, or of the work that it gave to the device.
///
/// # Panics
/// Panics if there is none.
#[track_caller]
pub fn failure<D: Device, R>(device: &D, result: Result<R>) -> Error {
    match result.and_then(|_| device.synchronize()) {
        Err(error) => error,
        Ok(()) => panic!("an error was expected"),
    }
}
