//! The simulator is found beside the test binary, and answers as the process's driver.

mod common;

use cuda_sim::{Category, Knob, client};
use cudarc::driver::{CudaContext, result, sys};

#[test]
fn cudarc_finds_the_simulator() {
    let machine = common::machine();
    // SAFETY: it only looks for the library.
    assert!(unsafe { sys::is_culib_present() });
    assert_eq!(CudaContext::new(0).expect("device 0").name().expect("a name"), "Simulated CUDA device 0");
    assert!(machine.simulator.calls_of("cuInit") > 0);
}

#[test]
fn installing_again_gives_the_same_simulator() {
    let machine = common::machine();
    machine.simulator.set(Knob::Capability, 100);
    let again = client::install().expect("installed before");
    assert_eq!(again.get(Knob::Capability), 100);
}

#[test]
fn a_function_that_is_not_simulated_says_so() {
    let machine = common::machine();
    let _context = CudaContext::new(0).expect("device 0");
    // SAFETY: nothing is allocated.
    let result = unsafe { result::malloc_managed(4, sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL) };
    assert_eq!(common::code(result), 801);
    assert_eq!(machine.simulator.reports_of(Category::Unsupported), ["cuMemAllocManaged is not simulated"]);
}

#[test]
fn functions_are_found_by_name_and_undocumented_tables_are_not() {
    let _machine = common::machine();
    let mut found = [std::ptr::null_mut(); 2];
    let mut status = sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    // SAFETY: the names are terminated, and the results go to live variables.
    unsafe {
        let code = sys::cuGetProcAddress_v2(c"cuMemAlloc".as_ptr(), &mut found[0], 13_000, 0, &mut status);
        assert_eq!(code, common::SUCCESS);
        assert_eq!(status, sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_SUCCESS);
        assert_eq!(
            sys::cuGetProcAddress_v2(c"cuMemAlloc_v2".as_ptr(), &mut found[1], 13_000, 0, &mut status),
            common::SUCCESS
        );
        assert_eq!(found[0], found[1], "the name without a version is that of the second");
        let code = sys::cuGetProcAddress_v2(c"cuNoSuchThing".as_ptr(), &mut found[0], 13_000, 0, &mut status);
        assert_eq!(code as u32, 500);
        assert_eq!(status, sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
        let mut table = std::ptr::null();
        assert_ne!(sys::cuGetExportTable(&mut table, &sys::CUuuid { bytes: [0; 16] }), common::SUCCESS);
    }
}

#[test]
fn errors_have_the_names_that_cudarc_has() {
    let _machine = common::machine();
    for code in [sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY, sys::CUresult::CUDA_ERROR_ILLEGAL_ADDRESS] {
        let error = cudarc::driver::DriverError(code);
        assert_eq!(error.error_name().expect("a name").to_str(), Ok(format!("{code:?}").as_str()));
        assert!(error.error_string().is_ok());
    }
}
