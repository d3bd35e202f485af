//! Copies, streams and memory of CUDA devices, on the simulated machine.

mod simulated;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use cuda_sim::Category;
use simulated::{machine, read};
use tensor_rt::accounting::measure;
use tensor_rt::prelude::*;
use tensor_rt::{PinnedTensor, bf16, f16};

#[test]
fn elements_come_back_as_they_went() {
    let Some(machine) = machine() else { return };
    let numbers: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let x = Tensor::from_slice(&machine.gpu, &numbers, [10, 100]).unwrap();
    assert_eq!(read(&x), numbers);
    assert_eq!(read(&x.transpose(0, 1).unwrap().slice((1..3, ..)).unwrap()).len(), 20);
    let transposed = x.transpose(0, 1).unwrap().contiguous().unwrap();
    let expected: Vec<f32> = (0..1000).map(|i| (i % 10 * 100 + i / 10) as f32).collect();
    assert_eq!(read(&transposed), expected);
    assert_eq!(read(&x.flip(1).unwrap())[..3], [99.0, 98.0, 97.0]);
    let bools = Tensor::from_vec(&machine.gpu, vec![true, false, true], [3]).unwrap();
    assert_eq!(read(&bools), [true, false, true]);
}

#[test]
fn constructors_make_on_a_device_what_they_make_on_the_host() {
    let Some(machine) = machine() else { return };
    let gpu = &machine.gpu;
    assert_eq!(read(&Tensor::zeros(gpu, [3]).unwrap()), [0.0; 3]);
    assert_eq!(read(&Tensor::full(gpu, [2, 2], 2.5).unwrap()), [2.5; 4]);
    assert_eq!(read(&Tensor::full_of(gpu, [3], -7_i64).unwrap()), [-7; 3]);
    assert_eq!(read(&Tensor::eye_of::<f64>(gpu, 2).unwrap()), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(read(&Tensor::arange(gpu, 0.0, 3.0, 1.0).unwrap()), [0.0, 1.0, 2.0]);
    let (here, there) = (Tensor::randn(&Cpu, [100], 7).unwrap(), Tensor::randn(gpu, [100], 7).unwrap());
    assert_eq!(read(&there), read(&here));
    assert_eq!(Tensor::zeros(gpu, [0, 3]).unwrap().to_host().unwrap().len(), 0);
}

#[test]
fn conversions_agree_with_those_of_the_host() {
    let Some(machine) = machine() else { return };
    let special =
        [0.0, -0.0, 1.5, -1.5, 0.1, 255.9, 256.0, -1.0, 3e9, -3e9, 1e19, -1e19, 65504.0, 65520.0, 1e-8, 5e-324];
    let wide: Vec<f64> = special.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0 + 2e-9]).collect();
    let host = Tensor::from_vec(&Cpu, wide.clone(), [wide.len()]).unwrap();
    let there = host.to(&machine.gpu).unwrap();
    macro_rules! agrees {
        ($from:ident: $($to:ty)*) => {$(
            let (expected, found) = ($from.0.to_element::<$to>().unwrap(), $from.1.to_element::<$to>().unwrap());
            // Compared as texts, so that a NaN is equal to itself.
            assert_eq!(format!("{:?}", read(&found)), format!("{:?}", read(&expected)), stringify!($from $to));
        )*};
    }
    let doubles = (&host, &there);
    agrees!(doubles: f32 f16 bf16 i64 i32 u32 u8 bool);
    let (host32, there32) = (host.cast::<f32>().unwrap(), there.cast::<f32>().unwrap());
    let singles = (&host32, &there32);
    agrees!(singles: f64 f16 bf16 i64 i32 u32 u8 bool);
    let integers = vec![0_i64, 1, -1, i64::MAX, i64::MIN, 1 << 24 | 1, -(1 << 53) - 1, 65519, 65521, 300];
    let host64 = Tensor::from_vec(&Cpu, integers.clone(), [integers.len()]).unwrap();
    let there64 = host64.to(&machine.gpu).unwrap();
    let longs = (&host64, &there64);
    agrees!(longs: f32 f64 f16 bf16 i32 u32 u8 bool);
}

#[test]
fn an_edit_is_seen_through_no_other_handle() {
    let Some(machine) = machine() else { return };
    let a = Tensor::from_vec(&machine.gpu, vec![1.0_f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
    let mut b = a.clone();
    b.fill(9.0).unwrap();
    assert_eq!((read(&a), read(&b)), (vec![1.0, 2.0, 3.0, 4.0], vec![9.0; 4]));
    let mut c = a.clone();
    c.view_mut().unwrap().select(1, 0).unwrap().fill(0.0).unwrap();
    assert_eq!((read(&a), read(&c)), (vec![1.0, 2.0, 3.0, 4.0], vec![0.0, 2.0, 0.0, 4.0]));
    let joined = Tensor::cat(&[&a, &c], 1).unwrap();
    assert_eq!(read(&joined), [1.0, 2.0, 0.0, 2.0, 3.0, 4.0, 0.0, 4.0]);
}

#[test]
fn case_c1_copy_to_the_host_gives_no_data_before_it_is_done() {
    let Some(machine) = machine() else { return };
    for lazy in [false, true] {
        if lazy {
            machine.simulator.lazy();
        }
        for _ in 0..50 {
            let numbers = Tensor::arange(&machine.gpu, 0.0, 1000.0, 1.0).unwrap();
            let pending = numbers.to_host_async().unwrap();
            drop(numbers);
            let host = pending.wait().unwrap();
            assert_eq!(host.to_vec().unwrap().iter().sum::<f32>(), 499_500.0);
        }
    }
}

#[test]
fn case_c3_source_of_a_copy_is_not_reused_before_it_is_done() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let mut kept = Vec::new();
    for i in 0..100 {
        let pinned = PinnedTensor::from_slice(&machine.gpu, &[i as f32; 256], [256]).unwrap();
        let (there, pending) = machine.gpu.upload(pinned).unwrap();
        // Neither forgetting nor dropping gives the buffer to the next one.
        if i % 2 == 0 {
            drop(pending)
        } else {
            std::mem::forget(pending)
        }
        let mut other = PinnedTensor::zeros(&machine.gpu, [256]).unwrap();
        other.as_mut_slice().fill(-1.0);
        kept.push((i, there));
    }
    for (i, there) in kept {
        assert_eq!(read(&there), [i as f32; 256]);
    }
}

#[test]
fn case_c5_memory_waits_for_its_readers_on_other_streams() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let (a, b) = (machine.gpu.clone(), machine.gpu.fork().unwrap());
    for _ in 0..50 {
        let x = Tensor::arange(&a, 1.0, 1025.0, 1.0).unwrap();
        let mut slow = x.on(&b);
        for _ in 0..8 {
            slow = (&slow + 0.0).unwrap();
        }
        let sum = (&slow + &x.on(&b)).unwrap();
        drop((x, slow));
        let poison = Tensor::full(&a, [1024], f32::NAN).unwrap();
        assert_eq!(read(&sum).iter().sum::<f32>(), 2.0 * 524_800.0);
        drop(poison);
    }
}

#[test]
fn case_c7_host_memory_is_copied() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    for length in [1, 100, 1_000_000] {
        let mut x: Vec<f32> = (0..length).map(|i| i as f32).collect();
        let t = Tensor::from_slice(&machine.gpu, &x, [length]).unwrap();
        x[0] = -1.0;
        assert_eq!(read(&t)[0], 0.0);
    }
}

#[test]
fn case_c9_losses_are_summed_without_a_sync() {
    let Some(machine) = machine() else { return };
    let (total, report) = measure(|| {
        let mut total = Tensor::zeros(&machine.gpu, []).unwrap();
        for _ in 0..100 {
            let loss = Tensor::full(&machine.gpu, [], 0.5).unwrap();
            total += &loss;
        }
        total.item().unwrap()
    });
    assert_eq!(total, 50.0);
    assert_eq!(report.total().syncs, 1);
}

#[test]
fn case_c11_many_tensors_at_once_keep_their_elements() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let rows = |i: usize| i % 7 + 1;
    let tensors: Vec<_> = (0..300)
        .map(|i| Tensor::from_vec(&machine.gpu, vec![i as f32; rows(i) * 64], [rows(i), 64]).unwrap())
        .collect();
    for (i, tensor) in tensors.iter().enumerate() {
        assert_eq!(read(tensor).iter().sum::<f32>(), (i * 64 * rows(i)) as f32);
    }
}

#[test]
fn one_stream_records_no_events() {
    let Some(machine) = machine() else { return };
    machine.simulator.clear();
    let x = Tensor::arange(&machine.gpu, 0.0, 64.0, 1.0).unwrap();
    let y = ((&x * &x).unwrap() + &x).unwrap();
    assert_eq!(read(&y)[3], 12.0);
    for call in ["cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"] {
        assert_eq!(machine.simulator.calls_of(call), 0, "{call}");
    }
}

#[test]
fn streams_wait_for_each_other_once() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let other = machine.gpu.fork().unwrap();
    let x = Tensor::arange(&machine.gpu, 0.0, 64.0, 1.0).unwrap();
    let moved = x.on(&other);
    machine.simulator.clear();
    let (y, z) = ((&moved + 1.0).unwrap(), (&moved + 2.0).unwrap());
    assert_eq!(machine.simulator.calls_of("cuStreamWaitEvent"), 1);
    assert_eq!((read(&y)[1], read(&z)[1]), (2.0, 3.0));
    assert_eq!(y.device(), other);
}

/// The check that the waits are there can fail: without them the simulated driver reports a race.
#[test]
fn missing_waits_are_seen() {
    let Some(mut machine) = machine() else { return };
    machine.expect_reports();
    machine.simulator.lazy();
    let other = machine.gpu.fork().unwrap();
    let x = Tensor::arange(&machine.gpu, 0.0, 64.0, 1.0).unwrap();
    tensor_rt::__private::skip_joins(true);
    let y = (&x.on(&other) + 1.0).unwrap();
    tensor_rt::__private::skip_joins(false);
    let _ = y.to_host();
    machine.gpu.synchronize().unwrap();
    assert!(!machine.simulator.reports_of(Category::Race).is_empty());
}

#[test]
fn tensors_are_dropped_on_any_thread() {
    let Some(machine) = machine() else { return };
    let tensors: Vec<_> = (0..8).map(|i| Tensor::full(&machine.gpu, [1 << 10], i as f32).unwrap()).collect();
    std::thread::scope(|scope| {
        for tensor in tensors {
            scope.spawn(move || drop(tensor));
        }
    });
    machine.gpu.release_cached_memory().unwrap();
    assert_eq!(machine.gpu.memory_stats().cached, 0);
}

#[test]
fn the_same_threads_share_a_stream() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let x = Tensor::arange(&machine.gpu, 0.0, 256.0, 1.0).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let x = &x;
            scope.spawn(move || {
                for _ in 0..10 {
                    let y = (x * f64::from(thread)).unwrap();
                    assert_eq!(read(&y)[5], (5 * thread) as f32);
                }
            });
        }
    });
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn pending_values_are_futures() {
    let Some(machine) = machine() else { return };
    let x = Tensor::arange(&machine.gpu, 0.0, 8.0, 1.0).unwrap();
    let mut pending = std::pin::pin!(x.to_host_async().unwrap());
    let flag = Arc::new(Flag(AtomicBool::new(false)));
    let waker = Waker::from(flag.clone());
    let host = loop {
        match pending.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(host) => break host.unwrap(),
            Poll::Pending => {
                while !flag.0.swap(false, Ordering::SeqCst) {
                    std::thread::yield_now();
                }
            }
        }
    };
    assert_eq!(host.to_vec().unwrap()[7], 7.0);
}

#[test]
fn uploaded_tensors_are_usable_at_once() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let copies = machine.gpu.fork().unwrap();
    let mut batch = PinnedTensor::zeros(&machine.gpu, [128]).unwrap();
    for step in 0..5 {
        batch.as_mut_slice().fill(step as f32);
        let (x, pending) = copies.upload(batch).unwrap();
        let y = (&x.on(&machine.gpu) * 2.0).unwrap();
        assert_eq!(read(&y)[127], 2.0 * step as f32);
        batch = pending.wait().unwrap();
    }
}

#[test]
fn devices_exchange_tensors() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let second = Cuda::<1>::open().unwrap();
    let x = Tensor::arange(&machine.gpu, 0.0, 100.0, 1.0).unwrap();
    let there = x.to(&second).unwrap();
    let back = (&there + 1.0).unwrap().to(&machine.gpu).unwrap();
    assert_eq!(read(&back)[99], 100.0);
}

#[test]
fn gradients_cross_devices() {
    let Some(machine) = machine() else { return };
    let w = Tensor::from_vec(&Cpu, vec![1.0_f32, 2.0, 3.0], [3]).unwrap().requires_grad();
    let there = w.to(&machine.gpu).unwrap();
    let loss = (&there * &there).unwrap().sum().unwrap();
    assert_eq!(loss.item().unwrap(), 14.0);
    let gradients = loss.backward().unwrap();
    assert_eq!(gradients.get(&w).unwrap().to_vec().unwrap(), [2.0, 4.0, 6.0]);
}
