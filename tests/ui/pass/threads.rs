//! The legal twins of `fail/threads`: parts that do not overlap, a lock, and reads from everywhere.

use std::sync::Mutex;

use tensor_rt::prelude::*;

fn two_threads_edit_one_tensor(x: &mut Tensor) -> Result<()> {
    let mut view = x.view_mut()?;
    let (mut low, mut high) = view.split_at_mut(0, 1)?;
    std::thread::scope(|scope| {
        let first = scope.spawn(move || low.fill(1.0));
        let second = scope.spawn(move || high.fill(2.0));
        [first, second].into_iter().try_for_each(|thread| thread.join().expect("a thread panicked"))
    })
}

fn under_a_lock(x: Tensor) -> Result<f32> {
    let x = Mutex::new(x);
    let add_one = || -> Result<()> {
        for _ in 0..1000 {
            let mut x = x.lock().expect("a thread panicked");
            let old = x.get([0])?;
            x.set([0], old + 1.0)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(add_one), scope.spawn(add_one)];
        threads.into_iter().try_for_each(|thread| thread.join().expect("a thread panicked"))
    })?;
    x.into_inner().expect("a thread panicked").get([0])
}

fn one_thread_reads_what_another_edits(x: &Tensor) -> Result<()> {
    std::thread::scope(|scope| {
        let threads = [scope.spawn(|| x.to_vec()), scope.spawn(|| x.to_vec())];
        let [first, second] = threads.map(|thread| thread.join().expect("a thread panicked"));
        assert_eq!(first?, second?);
        Ok(())
    })
}

pub fn main() -> Result<()> {
    let mut x = Tensor::zeros(&Cpu, [2])?;
    two_threads_edit_one_tensor(&mut x)?;
    assert_eq!(x.to_vec()?, [1.0, 2.0]);
    one_thread_reads_what_another_edits(&x)?;
    assert_eq!(under_a_lock(Tensor::zeros(&Cpu, [1])?)?, 2000.0);
    Ok(())
}
