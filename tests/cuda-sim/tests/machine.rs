//! Devices: how many, how big, what they answer, and copies between them.

mod common;

use common::{code, context, machine};
use cuda_sim::Knob;
use cudarc::driver::{CudaContext, result, sys};

#[test]
fn without_devices_initialization_fails() {
    let machine = machine();
    machine.simulator.set(Knob::Devices, 0);
    assert_eq!(code(result::init()), 100);
}

#[test]
fn only_the_devices_that_are_there_can_be_opened() {
    let machine = machine();
    assert_eq!(CudaContext::device_count().expect("initialized"), 2);
    assert_eq!(code(CudaContext::new(2)), 101);
    machine.simulator.set(Knob::Devices, 3);
    assert_eq!(CudaContext::new(2).expect("now it is there").ordinal(), 2);
}

#[test]
fn the_answers_are_those_that_were_chosen() {
    let machine = machine();
    machine.simulator.set(Knob::Capability, 120);
    machine.simulator.set(Knob::DriverVersion, 12_020);
    machine.simulator.set(Knob::Memory, 1000);
    let context = context(1);
    assert_eq!(context.compute_capability().expect("two attributes"), (12, 0));
    let mut version = 0;
    // SAFETY: the version goes to a live variable.
    assert_eq!(unsafe { sys::cuDriverGetVersion(&mut version) }, common::SUCCESS);
    assert_eq!(version, 12_020);
    assert_eq!(context.mem_get_info().expect("current"), (1000, 1000));
    let limit = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y;
    assert_eq!(context.attribute(limit).expect("an attribute"), 65_535);
    assert_ne!(
        context.uuid().expect("current").bytes,
        CudaContext::new(0).expect("a device").uuid().expect("current").bytes
    );
}

#[test]
fn a_copy_between_devices_arrives() {
    let machine = machine();
    let [first, second] = [0, 1].map(|device| context(device).new_stream().expect("a stream"));
    let there = first.clone_htod(&[1_u8, 2, 3]).expect("enough memory");
    let here = second.clone_dtod(&there).expect("a peer copy");
    assert_eq!(second.clone_dtoh(&here).expect("copied"), [1, 2, 3]);
    assert_eq!(machine.simulator.calls_of("cuMemcpyPeerAsync"), 1);
    drop((there, here));
    machine.simulator.assert_clean();
}

#[test]
fn peers_can_be_denied() {
    let machine = machine();
    let [first, second] = [0, 1].map(context);
    first.bind_to_thread().expect("alive");
    // SAFETY: a context of the test.
    let enable = || unsafe { sys::cuCtxEnablePeerAccess(second.cu_ctx(), 0) } as u32;
    assert_eq!(enable(), 0);
    assert_eq!(enable(), 704, "once is enough");
    // SAFETY: as above.
    assert_eq!(unsafe { sys::cuCtxDisablePeerAccess(second.cu_ctx()) }, common::SUCCESS);
    machine.simulator.set(Knob::Peers, 0);
    assert_eq!(enable(), 101);
}
