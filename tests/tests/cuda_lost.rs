//! A CUDA device that stops: a process of its own, since nothing on the device works afterwards.

mod simulated;

use cuda_sim::{Code, Knob};
use simulated::machine;
use tensor_rt::prelude::*;
use tensor_rt::{Error, ErrorKind};

/// The driver stops a kernel; the error names the calls that may have launched it, and every later call says why it fails.
#[test]
fn a_lost_device_is_a_state_with_a_cause() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let x = Tensor::ones(&machine.gpu, [4]).unwrap();
    machine.gpu.synchronize().unwrap();
    let (y, line) = ((&x + 1.0).unwrap(), line!());
    machine.simulator.lose_context(0, Code(700));
    let error = y.to_host().unwrap_err();
    let Error::LaunchFailed { status, launches, .. } = &error else { panic!("{error}") };
    assert_eq!((*status, launches.len(), launches[0].op, launches[0].at.line()), (700, 1, "add", line), "{error}");
    assert!(error.to_string().contains("illegal"), "{error}");

    for result in [(&x + 1.0).map(drop), x.to_host().map(drop), machine.gpu.fork().map(drop), machine.gpu.synchronize()]
    {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ContextLost, "{error}");
        let cause = std::error::Error::source(&error).expect("a lost device has a cause").to_string();
        assert!(cause.contains("status 700"), "{cause}");
    }
    // Memory of a lost device is dropped without a word, and the host goes on.
    drop((x, y));
    assert_eq!(Tensor::ones(&Cpu, [1]).unwrap().item().unwrap(), 1.0);
    // The other device is not concerned.
    let second = Cuda::<1>::open().unwrap();
    assert_eq!(Tensor::ones(&second, [1]).unwrap().item().unwrap(), 1.0);
    assert_eq!(machine.simulator.get(Knob::Devices), 2);
    // What the machine's own end would ask for is lost too.
    std::mem::forget(machine);
}
