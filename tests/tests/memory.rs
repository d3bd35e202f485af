//! The cap on the processor's memory. The cap belongs to the process, so this file has one test.

use tensor_rt::prelude::*;
use tensor_rt::{Error, ErrorKind};

const MIB: usize = 1 << 20;

fn bytes(count: usize) -> Result<Tensor<Cpu, NoGrad, u8>> {
    Tensor::zeros_of(&Cpu, [count])
}

/// Cases D1 and D3.
#[test]
fn running_out_of_memory_is_an_error_that_programs_survive() {
    Cpu.set_memory_cap(100 * MIB);
    let mut blocks: Vec<_> = (0..100).map(|_| Some(bytes(MIB).unwrap())).collect();
    let error = bytes(2 * MIB).unwrap_err();
    let line = line!() - 1;
    let Error::OutOfMemory { requested, free, device, op, at, .. } = error else { panic!("{error}") };
    assert_eq!((requested, free, op), (2 * MIB as u64, 0, "zeros_of"));
    assert_eq!(device, tensor_rt::DeviceId::Cpu);
    // The call site is that of the helper above, which is not `#[track_caller]`.
    assert!(at.file().ends_with("memory.rs") && at.line() < line);

    for block in blocks.iter_mut().step_by(2) {
        *block = None;
    }
    // Fifty free blocks of one MiB make room for one of two.
    let two = bytes(2 * MIB).unwrap();
    let error = bytes(60 * MIB).unwrap_err();
    let Error::OutOfMemory { requested, free, largest_block, .. } = error else { panic!("{error}") };
    assert_eq!((requested, free, largest_block), (60 * MIB as u64, 48 * MIB as u64, 48 * MIB as u64));
    assert_eq!(Cpu.memory_stats().live, 52 * MIB);
    drop((blocks, two));
    assert_eq!(Cpu.memory_stats().live, 0);
    drop(bytes(90 * MIB).unwrap());

    assert_eq!(bytes(1 << 50).unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert_eq!(Tensor::zeros(&Cpu, [1 << 40, 1 << 40]).unwrap_err().kind(), ErrorKind::ShapeOverflow);
    assert_eq!(Tensor::zeros(&Cpu, [1 << 62]).unwrap_err().kind(), ErrorKind::ShapeOverflow);
    let one = Tensor::ones(&Cpu, [1]).unwrap();
    assert_eq!(one.broadcast_to([1 << 40, 1 << 40]).unwrap_err().kind(), ErrorKind::ShapeOverflow);

    // A copy on write that finds no room changes nothing.
    let mut full = Tensor::full_of(&Cpu, [60 * MIB], 1u8).unwrap();
    let other = full.clone();
    assert_eq!(full.fill(2).unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert_eq!((full.get([0]).unwrap(), other.get([0]).unwrap()), (1, 1));
    drop(other);
    full.fill(2).unwrap();
    assert_eq!(full.get([60 * MIB - 1]).unwrap(), 2);
}
