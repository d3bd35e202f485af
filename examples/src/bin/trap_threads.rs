//! Trap: threads that edit one tensor.

#![forbid(unsafe_code)]

use std::sync::Mutex;
use std::thread;

use examples::trap;
use tensor_rt::prelude::*;

const THREADS: usize = 2;
const EDITS: usize = 1000;

fn main() -> Result<()> {
    trap::pytorch(
        "x = torch.zeros(1)\n\
         def work():\n\
         \x20   for _ in range(1000): x.add_(1)\n\
         # two threads run work(): x is often below 2000, and nothing says so",
    );

    trap::here("An edit needs `&mut`, and two threads cannot both have one.");
    trap::refused(
        include_str!("../../../tests/ui/fail/threads/two_threads_edit_one_tensor.rs"),
        include_str!("../../../tests/ui/fail/threads/two_threads_edit_one_tensor.stderr"),
    );

    trap::here("The legal form has a lock, and loses nothing:");
    let x = Mutex::new(Tensor::zeros(&Cpu, [1])?);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..EDITS {
                    *x.lock().expect("no thread panics") += 1.0;
                }
            });
        }
    });
    let x = x.into_inner().expect("no thread panics");
    println!("    {THREADS} threads, {EDITS} edits each: x = {x}\n");

    trap::here("Reading needs no lock: a tensor is `Sync`.");
    let sums = thread::scope(|scope| {
        let readers: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| x.sum()?.item())).collect();
        readers.into_iter().map(|reader| reader.join().expect("no thread panics")).collect::<Result<Vec<f32>>>()
    })?;
    println!("    every thread reads {sums:?}");
    Ok(())
}
