//! Modules: what is refused, with which code, and what is found in what is loaded.

mod common;

use common::{Kernel, Value, code, context, download, kernel, load, machine};
use cuda_sim::{Category, Knob};
use cudarc::driver::{result, sys};

/// A kernel without parameters, with a header.
fn empty(version: &str, target: &str) -> String {
    format!(".version {version}\n.target {target}\n.address_size 64\n.visible .entry nothing()\n{{\nret;\n}}\n")
}

#[test]
fn ptx_newer_than_the_driver_is_refused() {
    let machine = machine();
    let _context = context(0);
    machine.simulator.set(Knob::DriverVersion, 12_040);
    assert!(load(&empty("8.4", "sm_80")).is_ok());
    assert_eq!(code(load(&empty("8.5", "sm_80"))), 222);
    machine.simulator.set(Knob::DriverVersion, 13_050);
    assert!(load(&empty("9.5", "sm_80")).is_ok());
    assert_eq!(code(load(&empty("9.6", "sm_80"))), 222);
    machine.simulator.assert_clean();
}

#[test]
fn ptx_for_a_newer_device_is_refused() {
    let machine = machine();
    let _context = context(0);
    machine.simulator.set(Knob::Capability, 75);
    assert!(load(&empty("8.0", "sm_75")).is_ok());
    assert_eq!(code(load(&empty("8.0", "sm_80"))), 209);
}

#[test]
fn machine_code_is_refused_with_the_chosen_code() {
    let machine = machine();
    let _context = context(0);
    let elf = b"\x7fELF\x02\x01\x01";
    // SAFETY: the simulator looks at the first four bytes.
    let load_elf = || unsafe { result::module::load_data(elf.as_ptr().cast()) };
    assert_eq!(code(load_elf()), 209);
    machine.simulator.set(Knob::CubinCode, 200);
    assert_eq!(code(load_elf()), 200);
}

#[test]
fn what_is_no_ptx_is_an_invalid_image_and_what_is_not_known_is_reported() {
    let machine = machine();
    let _context = context(0);
    assert_eq!(code(load("__global__ void f() {}")), 200);
    let unknown = empty("8.0", "sm_80").replace("ret;", "frobnicate.u32 %r1;\nret;");
    assert_eq!(code(load(&unknown)), 218);
    let reports = machine.simulator.reports_of(Category::Unsupported);
    assert!(reports[0].contains("frobnicate"), "{reports:?}");
}

#[test]
fn the_log_of_the_compiler_says_why() {
    let machine = machine();
    let _context = context(0);
    machine.simulator.set(Knob::DriverVersion, 12_000);
    let text = std::ffi::CString::new(empty("8.8", "sm_80")).expect("no zero byte");
    let mut log = [0_u8; 64];
    let mut names = [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len())];
    let mut module = std::ptr::null_mut();
    // SAFETY: the image is terminated, both lists have two elements, the buffer is of the size that is given.
    let status = unsafe {
        sys::cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, names.as_mut_ptr(), values.as_mut_ptr())
    };
    assert_eq!(status as u32, 222);
    let log = std::ffi::CStr::from_bytes_until_nul(&log).expect("terminated").to_str().expect("a text");
    assert_eq!(log, "PTX .version 8.8 is newer than this driver's 8.0");
}

#[test]
fn functions_are_found_by_name_until_their_module_is_unloaded() {
    let _machine = machine();
    let _context = context(0);
    let module = load(&empty("8.0", "sm_80")).expect("it is PTX");
    assert_eq!(code(Kernel::of(module, "something").map(|_| ())), 500);
    let nothing = Kernel::of(module, "nothing").expect("it is there");
    nothing.launch(&[]).expect("nothing to check");
    // SAFETY: the simulator checks the handle.
    unsafe { result::module::unload(module) }.expect("loaded");
    assert_eq!(code(nothing.launch(&[])), 400);
}

#[test]
fn parameters_have_offsets_and_sizes() {
    let _machine = machine();
    let _context = context(0);
    let function = kernel("takes_many").function;
    let layout = |index| {
        let (mut offset, mut bytes) = (0, 0);
        // SAFETY: both results go to live variables; the simulator checks the handle.
        let status = unsafe { sys::cuFuncGetParamInfo(function, index, &mut offset, &mut bytes) };
        if status == common::SUCCESS { Some((offset, bytes)) } else { None }
    };
    // A pointer, a byte, a structure aligned to eight, a double, a short.
    assert_eq!([0, 1, 2, 3, 4].map(layout), [(0, 8), (8, 1), (16, 32), (48, 8), (56, 2)].map(Some));
    assert_eq!(layout(5), None);
}

#[test]
fn values_of_all_sizes_arrive() {
    let _machine = machine();
    let _context = context(0);
    let out = common::upload(&[0_i64; 5]);
    let mut shape = [0_u8; 32];
    shape[16..24].copy_from_slice(&7_i64.to_le_bytes());
    shape[24] = 3;
    let shape: &'static [u8] = Box::leak(Box::new(shape));
    let values = [
        Value::Pointer(out),
        Value::Bytes(&[200]),
        Value::Bytes(shape),
        Value::Bytes(&[0, 0, 0, 0, 0, 0, 0x14, 0xc0]), // -5.0
        Value::Bytes(&[0xfe, 0xff]),
    ];
    kernel("takes_many").launch(&values).expect("one thread");
    assert_eq!(download::<i64, 5>(out), Ok([200, 7, 3, -5, -2]));
}

#[test]
fn variables_of_a_module_are_its_own() {
    let _machine = machine();
    let _context = context(0);
    let modules = [(); 2].map(|()| load(include_str!("kernels/faults.ptx")).expect("the interpreter knows all of it"));
    for count in [6, 7] {
        let counts = Kernel::of(modules[0], "counts").expect("it is in the file");
        counts.launch(&[]).expect("one thread");
        // SAFETY: the simulator checks the handle.
        let (address, bytes) = unsafe { result::module::get_global(modules[0], c"calls".into()) }.expect("a variable");
        assert_eq!((download::<i32, 1>(address), bytes), (Ok([count]), 4));
    }
    // SAFETY: as above.
    let (address, _) = unsafe { result::module::get_global(modules[1], c"calls".into()) }.expect("a variable");
    assert_eq!(download::<i32, 1>(address), Ok([5]));
}
