//! An engine that runs every launch twice, on the CPU and on the simulated device, and compares.
//!
//! Arrays are copied to the device where the kernel may read them; what it only writes stays uninitialised there, so that a
//! read of it is found. The bytes of arrays that overlap on the host are shared on the device.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use cuda_sim::exec::{Checks, LaunchConfig, launch};
use cuda_sim::memory::{Kind, Memory};
use cuda_sim::module::Module;

use crate::cuda::compile::tests::ptx;
use crate::cuda::record::ErrorRecord;
use crate::element::{DType, Element, bf16, f16};
use crate::engine::cpu::CpuEngine;
use crate::engine::cuda::fault::kind_of;
use crate::engine::cuda::scatter::depends_on_order;
use crate::engine::cuda::source::Source;
use crate::engine::cuda::{KernelLaunch, prepare_in_order};
use crate::engine::{ArrayRef, Engine, Launch, LaunchError};
use crate::kernel::body::InstructionSet;
use crate::kernel::program::WriteKind;

thread_local! {
    /// The number of launches compared on this thread; none while launches are the CPU's alone.
    static COMPARED: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Runs `test` with every launch of this thread compared; false if there is no NVRTC.
pub(crate) fn mirrored(test: impl FnOnce()) -> bool {
    if ptx("", 80).is_none() {
        return false;
    }
    COMPARED.set(Some(0));
    test();
    let compared = COMPARED.replace(None);
    assert_ne!(compared, Some(0), "nothing was launched");
    true
}

/// The engine of this thread's launches, if they are compared.
pub(crate) fn engine() -> Option<&'static dyn Engine> {
    COMPARED.get().is_some().then_some(&Mirror as &dyn Engine)
}

struct Mirror;

/// Bytes of the host, and where they are on the device.
struct Region {
    host: Range<usize>,
    device: u64,
}

impl Engine for Mirror {
    fn launch(&self, launch: &Launch<'_>) -> Result<(), LaunchError> {
        COMPARED.set(COMPARED.get().map(|count| count + 1));
        let mut devices = vec![Device::run(launch, false)];
        if depends_on_order(launch) {
            devices.push(Device::run(launch, true));
        }
        let cpu = CpuEngine::new(*InstructionSet::available().last().expect("a baseline"));
        let result = cpu.launch(launch);
        devices.iter().for_each(|device| device.agree(launch, &result));
        result
    }
}

/// A device after a launch.
struct Device {
    memory: Memory,
    record: ErrorRecord,
    /// Where each written array is.
    writes: Vec<u64>,
}

impl Device {
    fn run(launch: &Launch<'_>, deterministic: bool) -> Self {
        let mut memory = Memory::new();
        memory.track_initialised(true);
        let regions = regions(launch, &mut memory);
        let address = |array: &ArrayRef<'_>| device_address(&regions, array);
        let operands: Vec<u64> = launch.operands.iter().map(address).collect();
        let writes: Vec<u64> = launch.writes.iter().map(address).collect();
        let record = run(launch, deterministic, &operands, &writes, &mut memory);
        Self { memory, record, writes }
    }

    /// Asserts that the launch gave on the device what it gave on the CPU.
    fn agree(&self, launch: &Launch<'_>, result: &Result<(), LaunchError>) {
        let entry = launch.kernel.cuda.entry;
        match (result, (self.record.launch != 0).then(|| kind_of(&self.record))) {
            (Err(LaunchError::Fault(fault)), found) => {
                assert_eq!(found, Some(fault.kind), "{entry}: another fault");
                let position = launch.position(self.record.free as usize, self.record.reduced as usize);
                assert_eq!(position, fault.position, "{entry}: a fault elsewhere");
            }
            (Ok(()), None) => {
                for (array, &device) in launch.writes.iter().zip(&self.writes) {
                    compare(entry, array, device, &self.memory);
                }
            }
            (result, found) => panic!("{entry}: {result:?} and {found:?}"),
        }
    }
}

/// Copies what a launch reads to the device, and makes room for what it writes.
fn regions(launch: &Launch<'_>, memory: &mut Memory) -> Vec<Region> {
    let mut ranges: Vec<(Range<usize>, bool)> = launch.operands.iter().map(|array| (bytes_of(array), true)).collect();
    for (write, array) in launch.kernel.writes.iter().zip(launch.writes) {
        let read = match write.kind {
            WriteKind::Own { reads_old, .. } => reads_old,
            WriteKind::Scatter { zeroed, .. } => !zeroed,
        };
        ranges.push((bytes_of(array), read));
    }
    ranges.retain(|(range, _)| !range.is_empty());
    ranges.sort_by_key(|(range, _)| range.start);
    let mut merged: Vec<(Range<usize>, bool)> = vec![];
    for (range, read) in ranges {
        match merged.last_mut() {
            Some((last, last_read)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                *last_read |= read;
            }
            _ => merged.push((range, read)),
        }
    }
    let place = |(host, read): (Range<usize>, bool)| {
        let device = memory.allocate(host.len(), 0, Kind::Device);
        if read {
            // SAFETY: a launch's arrays lie within this range, and the tests allocate whole ranges.
            let bytes = unsafe { std::slice::from_raw_parts(host.start as *const u8, host.len()) };
            memory.bytes_mut(device, host.len()).expect("fresh memory").copy_from_slice(bytes);
        }
        Region { host, device }
    };
    merged.into_iter().map(place).collect()
}

/// The addresses from the lowest to the highest element.
fn bytes_of(array: &ArrayRef<'_>) -> Range<usize> {
    if array.pointer.is_null() || array.shape.contains(&0) {
        return 0..0;
    }
    let size = array.dtype.size() as isize;
    let (mut low, mut high) = (0, size);
    for (&len, &stride) in array.shape.iter().zip(array.strides) {
        let reach = (len as isize - 1) * stride * size;
        low += reach.min(0);
        high += reach.max(0);
    }
    let pointer = array.pointer.addr();
    pointer.wrapping_add_signed(low)..pointer.wrapping_add_signed(high)
}

fn device_address(regions: &[Region], array: &ArrayRef<'_>) -> u64 {
    let bytes = bytes_of(array);
    match regions.iter().find(|region| region.host.start <= bytes.start && bytes.end <= region.host.end) {
        Some(region) if !bytes.is_empty() => region.device + (array.pointer.addr() - region.host.start) as u64,
        // Never followed: nobody wants the array, or it has no elements.
        _ => array.pointer.addr() as u64,
    }
}

/// Runs the kernels of a launch on the simulated device.
fn run(launch: &Launch<'_>, deterministic: bool, operands: &[u64], writes: &[u64], memory: &mut Memory) -> ErrorRecord {
    let on_device = moved(launch.operands, operands);
    let written = moved(launch.writes, writes);
    let prepared = prepare_in_order(&Launch { operands: &on_device, writes: &written, ..*launch }, deterministic);
    let scratch = memory.allocate(prepared.scratch.max(1), 0, Kind::Device);
    let record = memory.allocate(size_of::<ErrorRecord>(), 0, Kind::Device);
    memory.bytes_mut(record, size_of::<ErrorRecord>()).expect("fresh memory").fill(0);
    for kernel in prepared.kernels {
        run_kernel(kernel, scratch, record, memory);
    }
    let bytes = memory.bytes(record, size_of::<ErrorRecord>()).expect("the record is live");
    // SAFETY: a record is plain numbers, and there are as many bytes.
    unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) }
}

/// Arrays at other addresses.
fn moved<'a>(arrays: &[ArrayRef<'a>], addresses: &[u64]) -> Vec<ArrayRef<'a>> {
    let pairs = arrays.iter().zip(addresses);
    pairs.map(|(array, &address)| ArrayRef { pointer: address as *mut u8, ..*array }).collect()
}

fn run_kernel(mut kernel: KernelLaunch, scratch: u64, record: u64, memory: &mut Memory) {
    static COMPILED: Mutex<Option<HashMap<Source, String>>> = Mutex::new(None);
    let entry = kernel.entry;
    let text = {
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = compiled.get_or_insert_default();
        let compile = || ptx(&kernel.source.text(), 80).expect("NVRTC was there before");
        compiled.entry(kernel.source).or_insert_with(compile).clone()
    };
    let module = Module::load(&text, 0, memory).unwrap_or_else(|error| panic!("{entry}: {error}"));
    let function = module.function(entry).unwrap_or_else(|| panic!("no `{entry}`"));
    kernel.arguments.bind(scratch, record, 1);
    let starts: Vec<usize> = function.parameters().iter().map(|parameter| parameter.offset).collect();
    let given: Vec<usize> = kernel.arguments.starts().iter().map(|&start| start as usize).collect();
    assert_eq!(given, starts, "{entry}: parameters\n{}", kernel.source.text());
    let mut bytes = kernel.arguments.bytes().to_vec();
    assert!(bytes.len() <= function.parameter_bytes(), "{entry}: too many bytes");
    bytes.resize(function.parameter_bytes(), 0);
    let config = LaunchConfig {
        grid: kernel.grid,
        block: kernel.block,
        shared: kernel.shared as usize,
        seed: Some(7),
        checks: Checks { uninitialised: true, races: true },
        ..LaunchConfig::default()
    };
    if let Err(fault) = launch(&function, &config, &bytes, memory) {
        panic!("{entry}: {fault}\n{}", kernel.source.text());
    }
    module.unload(memory).expect("the module's own memory");
}

/// Compares an array of the host with its copy on the device.
fn compare(entry: &str, array: &ArrayRef<'_>, device: u64, memory: &Memory) {
    if array.pointer.is_null() || array.shape.contains(&0) {
        return;
    }
    match array.dtype {
        DType::F32 => floats::<f32>(entry, array, device, memory, 2e-5, f64::from),
        DType::F64 => floats::<f64>(entry, array, device, memory, 1e-12, |x| x),
        DType::F16 => floats::<f16>(entry, array, device, memory, 2e-3, f64::from),
        DType::Bf16 => floats::<bf16>(entry, array, device, memory, 1e-2, f64::from),
        DType::I64 => exact::<i64>(entry, array, device, memory),
        DType::I32 => exact::<i32>(entry, array, device, memory),
        DType::U32 => exact::<u32>(entry, array, device, memory),
        DType::U8 => exact::<u8>(entry, array, device, memory),
        DType::Bool => exact::<bool>(entry, array, device, memory),
    }
}

/// Both values of each element.
fn pairs<E: Element>(array: &ArrayRef<'_>, device: u64, memory: &Memory) -> Vec<(E, E)> {
    let points: usize = array.shape.iter().product();
    let pair = |point: usize| {
        let (mut rest, mut at) = (point, 0);
        for dim in (0..array.shape.len()).rev() {
            at += (rest % array.shape[dim]) as isize * array.strides[dim];
            rest /= array.shape[dim];
        }
        let place = device.wrapping_add_signed(at as i64 * size_of::<E>() as i64);
        let bytes = memory.bytes(place, size_of::<E>()).expect("an element of the array");
        // SAFETY: an element of a launch's array, which is of this type; a device's `bool` is 0 or 1.
        unsafe { (array.pointer.cast::<E>().offset(at).read(), std::ptr::read_unaligned(bytes.as_ptr().cast())) }
    };
    (0..points).map(pair).collect()
}

fn exact<E: Element>(entry: &str, array: &ArrayRef<'_>, device: u64, memory: &Memory) {
    for (point, (host, device)) in pairs::<E>(array, device, memory).into_iter().enumerate() {
        assert_eq!(host, device, "{entry}: element {point}");
    }
}

/// Functions differ by some units in the last place, sums by the order of additions.
fn floats<E: Element>(
    entry: &str,
    array: &ArrayRef<'_>,
    device: u64,
    memory: &Memory,
    tolerance: f64,
    wide: impl Fn(E) -> f64,
) {
    let pairs: Vec<(f64, f64)> =
        pairs::<E>(array, device, memory).into_iter().map(|(host, device)| (wide(host), wide(device))).collect();
    let finite = pairs.iter().map(|pair| pair.0.abs()).filter(|size| size.is_finite());
    let largest = finite.fold(0.0, f64::max);
    for (point, (host, device)) in pairs.into_iter().enumerate() {
        let same = host == device
            || host.is_nan() && device.is_nan()
            || (host - device).abs() <= tolerance * (host.abs() + 0.1 * largest);
        assert!(same, "{entry}: element {point} is {host} on the CPU and {device} on the device");
    }
}
