//! Trap: operands on two devices.

#![forbid(unsafe_code)]

use examples::trap;
use tensor_rt::prelude::*;

fn main() -> Result<()> {
    trap::pytorch(
        "x = torch.ones(3)                       # cpu\n\
         y = torch.ones(3, device=\"cuda\")\n\
         x + y\n\
         RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!\n\
         \n\
         The error comes when the line runs: after the data was loaded, sometimes after an hour of training.",
    );

    trap::here(
        "The device is part of the type, so operands on two devices are a type error. Devices of one kind are two\ntypes as well: `Cuda<0>` and `Cuda<1>`.",
    );
    trap::refused(
        include_str!("../../../tests/ui/fail/device/kernel_on_two_devices.rs"),
        include_str!("../../../tests/ui/fail/device/kernel_on_two_devices.stderr"),
    );

    trap::here("The legal form moves one operand, and the move is a word in the program:");
    let x = Tensor::new(&Cpu, [1.0, 2.0, 3.0])?;
    let y = Tensor::ones(&Cpu, [3])?;
    println!("    (x.to(&Cpu)? + &y)? = {}\n", (x.to(&Cpu)? + &y)?);

    trap::here("Without a CUDA device, opening one is a value of type `Error`, not a panic:");
    match Cuda::new() {
        Ok(device) => println!("    {device:?}"),
        Err(error) => println!("    {error}"),
    }
    Ok(())
}
