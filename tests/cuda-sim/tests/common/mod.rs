//! What the test binaries share: one fresh simulated machine at a time.

#![allow(dead_code, reason = "each test binary uses some of it")]

use std::{
    ffi::{CString, c_void},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cuda_sim::{client, client::Simulator};
use cudarc::driver::{
    CudaContext, DriverError, result,
    sys::{CUfunction, CUmodule, CUresult, CUstream},
};

/// The simulator as after a start of the process; no other test of the binary runs meanwhile.
pub struct Machine {
    pub simulator: Simulator,
    _alone: MutexGuard<'static, ()>,
}

/// Takes the machine and resets it.
pub fn machine() -> Machine {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let simulator = client::install().unwrap_or_else(|reason| panic!("{reason}"));
    simulator.reset();
    cudarc::driver::result::init().expect("there are devices");
    simulator.clear();
    Machine { simulator, _alone: alone }
}

/// The primary context of a device, without cudarc's own events between streams.
pub fn context(device: usize) -> Arc<CudaContext> {
    let context = CudaContext::new(device).expect("a simulated device");
    // SAFETY: the tests order their streams themselves, or mean not to.
    unsafe { context.disable_event_tracking() };
    context
}

/// The code of a failed call.
#[track_caller]
pub fn code<T>(result: Result<T, DriverError>) -> u32 {
    match result {
        Ok(_) => panic!("the call succeeded"),
        Err(error) => error.0 as u32,
    }
}

/// A module in the current context.
pub fn load(text: &str) -> Result<CUmodule, DriverError> {
    let text = CString::new(text).expect("a text has no zero byte");
    // SAFETY: the image is a terminated text.
    unsafe { result::module::load_data(text.as_ptr().cast()) }
}

/// A kernel of `kernels/faults.cu`, loaded into the current context.
pub fn kernel(name: &str) -> Kernel {
    let module = load(include_str!("../kernels/faults.ptx")).expect("the interpreter knows all of it");
    Kernel::of(module, name).expect("it is in the file")
}

/// A kernel, and how it is launched.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub function: CUfunction,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub stream: CUstream,
}

/// The value of a parameter.
#[derive(Clone, Copy)]
pub enum Value {
    Pointer(u64),
    F32(f32),
    U32(u32),
    Bytes(&'static [u8]),
}

impl Kernel {
    pub fn of(module: CUmodule, name: &str) -> Result<Self, DriverError> {
        let name = CString::new(name).expect("a name has no zero byte");
        // SAFETY: the simulator checks the handle.
        let function = unsafe { result::module::get_function(module, name) }?;
        Ok(Self { function, grid: [1; 3], block: [1; 3], shared: 0, stream: DEFAULT })
    }

    /// Blocks and threads along x.
    pub fn on(self, blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], ..self }
    }

    pub fn launch(self, values: &[Value]) -> Result<(), DriverError> {
        let pointer = |value: &Value| match value {
            Value::Pointer(value) => (&raw const *value).cast::<c_void>(),
            Value::F32(value) => (&raw const *value).cast(),
            Value::U32(value) => (&raw const *value).cast(),
            Value::Bytes(bytes) => bytes.as_ptr().cast(),
        };
        let mut pointers: Vec<*mut c_void> = values.iter().map(|value| pointer(value).cast_mut()).collect();
        let [grid, block] = [self.grid, self.block].map(|[x, y, z]| (x, y, z));
        // SAFETY: the tests pass as many values as the kernel has parameters, of their sizes; they live until the end.
        unsafe { result::launch_kernel(self.function, grid, block, self.shared, self.stream, &mut pointers) }
    }
}

/// Device memory of the default stream that holds these values.
pub fn upload<T: Copy>(values: &[T]) -> u64 {
    // SAFETY: the memory is of the size of the values.
    unsafe {
        let address = result::malloc_async(DEFAULT, size_of_val(values)).expect("enough memory");
        result::memcpy_htod_async(address, values, DEFAULT).expect("in bounds");
        address
    }
}

/// What device memory holds.
pub fn download<T: Copy + Default, const N: usize>(address: u64) -> Result<[T; N], DriverError> {
    let mut values = [T::default(); N];
    // SAFETY: the simulator checks the address; the call returns when the values are there.
    unsafe { result::memcpy_dtoh_async(&mut values, address, DEFAULT) }?;
    Ok(values)
}

/// The default stream of the current context.
pub const DEFAULT: CUstream = std::ptr::null_mut();

pub const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
