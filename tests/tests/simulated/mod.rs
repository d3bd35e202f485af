//! The simulated CUDA machine, for tests of one process.
//!
//! The driver is one for the whole process, so a test holds it while it runs; what the driver noticed is looked at when the
//! test gives it back. Without a compiler for CUDA C such tests say so and pass, unless the variable `CI` is set.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_sim::client::{self, Simulator};
use tensor_rt::prelude::*;
use tensor_rt::{Error, ErrorKind};

/// The machine, held by one test.
pub struct Machine {
    pub simulator: Simulator,
    pub gpu: Cuda,
    /// Whether a report fails the test.
    clean: bool,
    _held: MutexGuard<'static, ()>,
}

/// The machine for one test, or nothing if kernels cannot be compiled here.
pub fn machine() -> Option<Machine> {
    static HELD: Mutex<()> = Mutex::new(());
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let simulator = client::install().unwrap_or_else(|reason| panic!("{reason}"));
    let gpu = match Cuda::new() {
        Err(Error::NvrtcNotFound { .. }) if std::env::var_os("CI").is_none() => {
            eprintln!("skipped: no NVRTC is installed");
            return None;
        }
        opened => opened.expect("the simulated device opens"),
    };
    gpu.synchronize().expect("nothing is pending");
    simulator.eager();
    simulator.clear();
    Some(Machine { simulator, gpu, clean: true, _held: held })
}

impl Machine {
    /// Lets the test look at the reports itself.
    #[allow(dead_code, reason = "not every test makes the driver report something")]
    pub fn expect_reports(&mut self) {
        self.clean = false;
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.gpu.synchronize().expect("nothing is wrong in the end");
        if self.clean {
            self.simulator.assert_clean();
        }
        self.simulator.eager();
    }
}

/// The elements, copied to the host.
#[allow(dead_code, reason = "not every file reads")]
pub fn read<D: Device, G: GradMode, T: Element>(tensor: &Tensor<D, G, T>) -> Vec<T> {
    tensor.detach().to_host().and_then(|host| host.to_vec()).expect("elements can be read")
}

#[allow(dead_code, reason = "not every file looks for errors")]
pub fn kind<R>(result: Result<R>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}
