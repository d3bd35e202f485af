//! A device with one module, and vectors on it.

use cuda_sim::exec::{self, LaunchConfig, Touched};
use cuda_sim::fault::Fault;
use cuda_sim::memory::{Kind, Memory};
use cuda_sim::module::Module;

use crate::compiler::compile_everywhere;

/// A device.
pub struct Device {
    pub memory: Memory,
    pub module: Module,
}

/// An element of a vector on the device.
pub trait Element: Copy + PartialEq + std::fmt::Debug {
    fn to_bytes(self) -> Vec<u8>;

    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! impl_element {
    ($($element:ty),*) => {$(
        impl Element for $element {
            fn to_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("the size of the element"))
            }
        }
    )*};
}

impl_element!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// Runs a test on a device for each way to compile a source. Their names are printed, to be seen if it fails.
pub fn on_every_device(source: &str, test: impl Fn(&mut Device)) {
    for (name, ptx) in compile_everywhere(source, &[]) {
        eprintln!("{name}");
        let mut memory = Memory::new();
        memory.track_initialised(true);
        let module = Module::load(&ptx, 0, &mut memory).unwrap_or_else(|error| panic!("{name}: {error}\n{ptx}"));
        test(&mut Device { memory, module });
    }
}

/// Runs a test that gives outputs, and checks that their bits are the same each way.
pub fn all_agree<T: Element>(source: &str, outputs: impl Fn(&mut Device) -> Vec<T>) {
    let first = std::cell::OnceCell::new();
    on_every_device(source, |device| {
        let found = outputs(device);
        let expected = first.get_or_init(|| found.clone());
        for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
            let same = found.to_bytes() == expected.to_bytes();
            assert!(same, "element {place}: {found:?}, {expected:?} when first compiled");
        }
    });
}

impl Device {
    pub fn upload<T: Element>(&mut self, values: &[T]) -> u64 {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_bytes()).collect();
        let address = self.memory.allocate(bytes.len(), 0, Kind::Device);
        self.memory.bytes_mut(address, bytes.len()).expect("just allocated").copy_from_slice(&bytes);
        address
    }

    /// Room for values that nobody wrote.
    pub fn room<T: Element>(&mut self, len: usize) -> u64 {
        self.memory.allocate(len * size_of::<T>(), 0, Kind::Device)
    }

    pub fn download<T: Element>(&self, address: u64, len: usize) -> Vec<T> {
        let bytes = self.memory.bytes(address, len * size_of::<T>()).expect("inside");
        bytes.chunks_exact(size_of::<T>()).map(T::from_bytes).collect()
    }

    /// Launches a kernel with all checks on. Parameters are given as the bytes of each.
    pub fn try_launch(
        &mut self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        parameters: &[Vec<u8>],
    ) -> Result<Touched, Fault> {
        let checks = exec::Checks { uninitialised: true, races: true };
        self.launch_with(kernel, &LaunchConfig { grid, block, checks, ..LaunchConfig::default() }, parameters)
    }

    pub fn launch_with(
        &mut self,
        kernel: &str,
        config: &LaunchConfig,
        parameters: &[Vec<u8>],
    ) -> Result<Touched, Fault> {
        let function = self.module.function(kernel).unwrap_or_else(|| panic!("no kernel `{kernel}`"));
        let mut bytes = vec![0; function.parameter_bytes()];
        assert_eq!(function.parameters().len(), parameters.len(), "parameters of `{kernel}`");
        for (place, value) in function.parameters().iter().zip(parameters) {
            assert_eq!(place.bytes, value.len(), "a parameter of `{kernel}`");
            bytes[place.offset..][..place.bytes].copy_from_slice(value);
        }
        exec::launch(&function, config, &bytes, &mut self.memory)
    }

    /// Launches a kernel that must not fail.
    #[track_caller]
    pub fn launch(&mut self, kernel: &str, blocks: u32, threads: u32, parameters: &[Vec<u8>]) -> Touched {
        let launched = self.try_launch(kernel, [blocks, 1, 1], [threads, 1, 1], parameters);
        launched.unwrap_or_else(|fault| panic!("{fault}"))
    }
}
