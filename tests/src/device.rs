//! Tests that every device runs.
//!
//! Such a test is a function of a device, and [`on_each_device!`](crate::on_each_device) lists those of a file. One that is
//! in no list is never used, which the lints refuse. Elements are read by copying them to the host ([`Read`]); an error of a
//! kernel may come at the call or at the next synchronisation ([`failure`]).
//!
//! The CUDA device is the simulated one, which runs work as late as it may with `CUDASIM_LAZY=1`, or the machine's own with
//! `TENSOR_GPU=real`. Each test has a stream of its own, so that an error is found by the test that made it.

use std::fmt::Debug;
use std::sync::{Mutex, OnceLock, PoisonError};

use cuda_sim::client::{self, Simulator};
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

        mod cuda {
            $(#[test]
            fn $test() {
                $crate::device::on_cuda(super::$test);
            })+
        }
    };
}

/// Runs a test on the CUDA device. Without NVRTC it says so and passes; where `CI` is set it fails instead.
///
/// # Panics
/// Panics if the test fails, if it leaves an error behind on its stream, or if the simulated driver has something to report.
pub fn on_cuda<R: Outcome>(test: impl FnOnce(&Cuda) -> R) {
    // One test at a time: what the driver reports is then about this one.
    static RUNNING: Mutex<()> = Mutex::new(());
    let _running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let simulator = simulator();
    let main = match Cuda::new() {
        Err(error @ Error::NvrtcNotFound { .. }) if std::env::var_os("CI").is_none() => {
            return skip(&error);
        }
        opened => opened.expect("the device opens"),
    };
    let device = main.fork().expect("a stream can be made");
    test(&device).check();
    device.synchronize().expect("the test leaves no error behind");
    if let Some(simulator) = simulator {
        simulator.assert_clean();
    }
}

/// The simulated driver, unless the real one is asked for.
fn simulator() -> Option<&'static Simulator> {
    static SIMULATOR: OnceLock<Option<Simulator>> = OnceLock::new();
    let install = || {
        let real = std::env::var_os("TENSOR_GPU").is_some_and(|value| value == "real");
        (!real).then(|| client::install().unwrap_or_else(|reason| panic!("{reason}")))
    };
    SIMULATOR.get_or_init(install).as_ref()
}

/// Says once in each process why the tests of CUDA do nothing.
fn skip(reason: &Error) {
    static SAID: OnceLock<()> = OnceLock::new();
    SAID.get_or_init(|| eprintln!("the tests on CUDA are skipped: {reason}"));
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
