//! Trap: threads that edit one tensor.

#![forbid(unsafe_code)]

use std::sync::Mutex;
use std::thread;

use examples::trap;
use tensor_rt::prelude::*;

const THREADS: usize = 2;
const EDITS: usize = 1000;

tensor_fn! {
    fn add(acc: &atomic Tensor[N], x: &Tensor[N]) { acc += x; }
}

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

    trap::here("Threads that only add need no lock: an `&atomic` parameter takes them all at once.");
    let (acc, one) = (x.into_atomic()?, Tensor::ones(&Cpu, [1])?);
    thread::scope(|scope| {
        let adds = || (0..EDITS).try_for_each(|_| add(&acc, &one));
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(adds)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    let x = acc.into_tensor();
    println!("    {THREADS} threads, {EDITS} additions each: x = {x}\n");

    trap::here("Reading needs no lock: a tensor is `Sync`.");
    let sums = thread::scope(|scope| {
        let readers: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| x.sum()?.item())).collect();
        readers.into_iter().map(|reader| reader.join().expect("no thread panics")).collect::<Result<Vec<f32>>>()
    })?;
    println!("    every thread reads {sums:?}");
    Ok(())
}
