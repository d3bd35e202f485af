//! What a training step takes from the system. The figures are those of the process, so this file has one test.
//!
//! Buffers return to the pool and are used again, so that a step in the steady state asks the system for no tensor's memory,
//! and the largest resident size is that of the tensors that live at once.

#![cfg(target_os = "linux")]

use std::fs::read_to_string;

use tensor_rt::prelude::*;
use tensor_rt_kernels::activation::relu;
use tensor_rt_kernels::contraction::matmul;
use tensor_rt_kernels::layer::Linear;
use tensor_rt_kernels::loss::mse;
use tensor_rt_kernels::optimizer::{AdamW, Optimizer};

/// Of the layers.
const WIDTH: usize = 1536;

struct Net([Linear<Cpu>; 2]);

impl Net {
    fn new(width: usize) -> Result<Net> {
        Ok(Net([Linear::new(&Cpu, width, width, 1)?, Linear::new(&Cpu, width, width, 2)?]))
    }

    fn step(&mut self, x: &Tensor, target: &Tensor, optimizer: &mut AdamW<Cpu>) -> Result<()> {
        let [first, second] = &self.0;
        let hidden = relu(&first.forward::<Grad, _>(x)?)?;
        let gradients = mse(&second.forward::<Grad, _>(&hidden)?, target)?.backward()?;
        let mut parameters: Vec<_> = self.0.iter_mut().flat_map(Linear::parameters).collect();
        optimizer.step(&mut parameters, &gradients)?;
        Ok(())
    }
}

fn train(width: usize, batch: usize, steps: usize, after: impl Fn(usize)) -> Result<()> {
    let (x, target) = (Tensor::rand(&Cpu, [batch, width], 3)?, Tensor::rand(&Cpu, [batch, width], 4)?);
    let (mut net, mut optimizer) = (Net::new(width)?, AdamW::new(1e-3));
    for step in 0..steps {
        net.step(&x, &target, &mut optimizer)?;
        after(step);
    }
    Ok(())
}

/// The largest resident size so far, in bytes.
fn peak_resident() -> usize {
    let status = read_to_string("/proc/self/status").expect("the system tells of its processes");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak of the resident size");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number of kibibytes") * 1024
}

/// Page faults so far that needed no disk.
fn page_faults() -> usize {
    let stat = read_to_string("/proc/self/stat").expect("the system tells of its processes");
    // After the name, which is in parentheses: state, parent, group, session, terminal, its group, flags, minor faults.
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    fields.split(' ').nth(7).and_then(|faults| faults.parse().ok()).expect("a number of faults")
}

#[test]
fn a_training_step_takes_no_more_memory_than_its_tensors() -> Result<()> {
    // Threads, their stacks and staging buffers, what a matrix product packs its operands into, and the code itself.
    train(256, 64, 3, |_| ())?;
    matmul(&Tensor::rand(&Cpu, [64, WIDTH], 1)?, &Tensor::rand(&Cpu, [WIDTH, WIDTH], 2)?)?;
    Cpu.release_cached_memory();
    let (base, small) = (peak_resident(), Cpu.memory_stats().peak);

    const WARM: usize = 3;
    const STEPS: usize = 8;
    let faults = std::cell::Cell::new(0);
    train(WIDTH, 64, STEPS, |step| {
        if step == WARM {
            faults.set(page_faults());
        }
    })?;
    let faults = page_faults() - faults.get();
    let (resident, live) = (peak_resident(), Cpu.memory_stats().peak);
    assert!(live > 60 << 20, "the larger net has {live} bytes of tensors");
    let grown = resident - (base - small);
    assert!(grown as f64 <= 1.1 * live as f64, "{grown} bytes are resident for {live} bytes of tensors");
    let steps = STEPS - 1 - WARM;
    // A matrix product asks the system for what it packs its operands into; nothing else does.
    assert!(faults <= 256 * steps, "{faults} page faults in {steps} steps");
    Ok(())
}
