//! What goes wrong on CUDA devices and leaves them usable, and what a training step costs, on the simulated machine.

mod simulated;

use cuda_sim::Knob;
use simulated::{kind, machine, read};
use tensor_rt::accounting::{Counters, measure};
use tensor_rt::prelude::*;
use tensor_rt::{Error, ErrorKind};

tensor_fn! {
    fn pick(x: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[N] { x[N, target] }
    fn quotient(x: &Tensor<i64>[N], y: &Tensor<i64>[N]) -> Tensor<i64>[N] { x / y }
    fn positive(x: &Tensor[N]) -> Tensor[N] { assert!(x > 0.0, "must be positive"); x * 2.0 }
    fn matvec(a: &Tensor[B, I, K], v: &Tensor[K]) -> Tensor[B, I] { sum[K](a * v) }

    #[cpu(on_cpu_only)]
    #[cuda(file = "handwritten/cumsum.cu", entry = "cumsum", grid = (size(..) + 255) / 256, block = 256)]
    fn cumsum(x: &Tensor[.., C]) -> Tensor[.., C];

    #[cpu(on_cpu_only)]
    fn without_cuda(x: &Tensor[.., C]) -> Tensor[.., C];

    #[cpu(on_cpu_only)]
    #[cuda(file = "handwritten/cumsum.cu", entry = "cumsum", grid = 1, block = 2048)]
    fn too_many_threads(x: &Tensor[.., C]) -> Tensor[.., C];
}

fn on_cpu_only<T: Float>(_x: TensorView<'_, T>, _y: TensorViewMut<'_, T>) -> Result<()> {
    panic!("the kernel of the device runs")
}

#[test]
fn hand_written_kernels_run_as_their_attributes_say() {
    let Some(machine) = machine() else { return };
    let x = Tensor::from_vec(&machine.gpu, vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3]).unwrap();
    assert_eq!(read(&cumsum(&x).unwrap()), [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]);
    // A strided tensor is made dense first.
    assert_eq!(read(&cumsum(&x.transpose(0, 1).unwrap()).unwrap()), [1.0, 5.0, 2.0, 7.0, 3.0, 9.0]);
    assert_eq!(read(&cumsum(&x.cast::<f64>().unwrap()).unwrap()), [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]);
    let halves = read(&cumsum(&x.cast::<bf16>().unwrap()).unwrap());
    assert_eq!(halves.iter().map(|half| half.to_f32()).collect::<Vec<_>>(), [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]);
    assert_eq!(read(&cumsum(&Tensor::zeros(&machine.gpu, [0, 3]).unwrap()).unwrap()).len(), 0);
    assert_eq!(kind(without_cuda(&x)), Some(ErrorKind::NoCudaKernel));
    let error = too_many_threads(&x).unwrap_err();
    assert!(matches!(error, Error::LaunchLimit { name: "block.x", found: 2048, bound: 1024, .. }), "{error}");
}

fn works(gpu: &Cuda) {
    let one = Tensor::ones(gpu, [1]).unwrap();
    assert_eq!(read(&(&one + &one).unwrap()), [2.0]);
}

#[test]
fn case_d7_index_out_of_range_names_the_call() {
    let Some(machine) = machine() else { return };
    for lazy in [false, true] {
        if lazy {
            machine.simulator.lazy();
        }
        let x = Tensor::zeros(&machine.gpu, [3, 3]).unwrap();
        let target = Tensor::from_vec(&machine.gpu, vec![0_i64, 1, 3], [3]).unwrap();
        let (picked, line) = (pick(&x, &target).unwrap(), line!());
        let after = (&x + 1.0).unwrap();
        let error = after.to_host().unwrap_err();
        let Error::IndexOutOfRange { op, param, axis, value, bound, position, at } = error else { panic!("{error}") };
        assert_eq!((op, param, axis, value, bound), ("pick", Some("x"), Some("C"), 3, 3));
        assert_eq!((&*position, at.line()), (&[2][..], line));
        // The element that could not be read is NaN, and the device goes on.
        let picked = read(&picked);
        assert!(picked[..2] == [0.0, 0.0] && picked[2].is_nan());
        works(&machine.gpu);
    }
}

#[test]
fn the_fault_of_another_stream_comes_with_what_waited_for_it() {
    let Some(machine) = machine() else { return };
    machine.simulator.lazy();
    let other = machine.gpu.fork().unwrap();
    let x = Tensor::zeros(&other, [1, 3]).unwrap();
    let target = Tensor::from_vec(&other, vec![-1_i64], [1]).unwrap();
    let picked = pick(&x, &target).unwrap().on(&machine.gpu);
    let error = (&picked + 1.0).unwrap().item().unwrap_err();
    assert!(matches!(error, Error::IndexOutOfRange { value: -1, .. }), "{error}");
    works(&machine.gpu);
}

#[test]
fn divisions_and_assertions_are_errors_with_a_position() {
    let Some(machine) = machine() else { return };
    let x = Tensor::from_vec(&machine.gpu, vec![6_i64, 7, 8], [3]).unwrap();
    let y = Tensor::from_vec(&machine.gpu, vec![2_i64, 0, 0], [3]).unwrap();
    let z = quotient(&x, &y).unwrap();
    let error = z.to_host().unwrap_err();
    assert!(matches!(&error, Error::DivisionByZero { position, .. } if **position == [1]), "{error}");
    assert_eq!(read(&z), [3, 0, 0]);
    let w = Tensor::from_vec(&machine.gpu, vec![1.0_f32, -1.0], [2]).unwrap();
    let error = positive(&w).unwrap().to_host().unwrap_err();
    assert!(
        matches!(&error, Error::Assertion { text: "must be positive", position, .. } if **position == [1]),
        "{error}"
    );
    works(&machine.gpu);
}

#[test]
fn case_d13_many_batches_fit_the_grid() {
    let Some(machine) = machine() else { return };
    let v = Tensor::from_vec(&machine.gpu, vec![1.0_f32, 2.0], [2]).unwrap();
    for batches in [65_535, 65_536, 100_000] {
        let a = Tensor::ones(&machine.gpu, [batches, 1, 2]).unwrap();
        assert!(read(&matvec(&a, &v).unwrap()).iter().all(|&sum| sum == 3.0));
    }
}

#[test]
fn case_d15_no_elements_launch_nothing() {
    let Some(machine) = machine() else { return };
    let mut nothing = Tensor::zeros(&machine.gpu, [0, 0]).unwrap();
    nothing.fill(1.0).unwrap();
    let a = Tensor::from_vec(&machine.gpu, vec![1.0_f32, 2.0], [2]).unwrap();
    let b = Tensor::from_vec(&machine.gpu, vec![3.0_f32, 4.0], [2]).unwrap();
    assert_eq!(read(&(&a + &b).unwrap()), [4.0, 6.0]);
}

#[test]
fn case_d1_cached_memory_is_given_back_before_a_request_fails() {
    const MIB: usize = 1 << 20;
    let Some(machine) = machine() else { return };
    let gpu = &machine.gpu;
    gpu.release_cached_memory().unwrap();
    let cap = gpu.memory_stats().cap;
    gpu.set_memory_cap(gpu.memory_stats().live + 100 * MIB).unwrap();
    let block = |mebibytes: usize| Tensor::zeros(gpu, [mebibytes * MIB / 4]);
    let mut blocks: Vec<_> = (0..100).map(|_| Some(block(1).unwrap())).collect();
    let error = block(2).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { requested: 2_097_152, .. }), "{error}");
    blocks.iter_mut().step_by(2).for_each(|block| drop(block.take()));
    drop(block(2).unwrap());
    drop(blocks);
    drop(block(90).unwrap());
    gpu.set_memory_cap(cap).unwrap();
}

#[test]
fn case_d3_requests_that_no_device_serves_are_errors() {
    let Some(machine) = machine() else { return };
    assert_eq!(kind(Tensor::zeros(&machine.gpu, [1 << 48])), Some(ErrorKind::OutOfMemory));
    assert_eq!(kind(Tensor::zeros(&machine.gpu, [1 << 40, 1 << 40])), Some(ErrorKind::ShapeOverflow));
    works(&machine.gpu);
}

/// A step of training: a batch, a loss, gradients, new weights.
fn step(w: &mut Param<Cuda>, b: &mut Param<Cuda>, batch: &[f32]) -> Result<Tensor<Cuda>> {
    let x = Tensor::from_slice(&w.value().device(), batch, [8, 4])?;
    let y = (x.matmul(&w.tracked())? + &b.tracked())?.tanh()?;
    let loss = (&y * &y)?.mean()?;
    let value = loss.detach();
    let gradients = loss.backward()?;
    for param in [w, b] {
        let gradient = (gradients.get(&*param).expect("both take part") * -0.1)?;
        *param.value_mut() += &gradient;
    }
    Ok(value)
}

fn params(gpu: &Cuda) -> (Param<Cuda>, Param<Cuda>) {
    (Param::new(Tensor::full(gpu, [4, 3], 0.25).unwrap()), Param::new(Tensor::zeros(gpu, [3]).unwrap()))
}

const BATCH: [f32; 32] = [0.5; 32];

#[test]
fn a_training_step_neither_waits_nor_copies_nor_allocates() {
    let Some(machine) = machine() else { return };
    let (mut w, mut b) = params(&machine.gpu);
    for _ in 0..2 {
        step(&mut w, &mut b, &BATCH).unwrap();
    }
    machine.simulator.clear();
    let (_, report) = measure(|| step(&mut w, &mut b, &BATCH).unwrap());
    let Counters { syncs, copies, copied_bytes, driver_allocations, .. } = report.total();
    assert_eq!((syncs, copies, copied_bytes, driver_allocations), (0, 1, 128, 0), "{report}");
    let calls = machine.simulator.calls();
    let allowed =
        ["cuCtxGetCurrent", "cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuMemsetD8Async", "cuMemcpyDtoDAsync_v2"];
    let other: Vec<_> = calls.iter().filter(|(name, _)| !allowed.contains(&name.as_str())).collect();
    assert!(other.is_empty(), "{other:?}");
    assert_eq!(calls["cuMemcpyHtoDAsync_v2"], 1);
}

/// Whichever allocation of a step fails, memory is given back and the step goes on; if none is left, it is an error and the
/// next step works.
#[test]
fn running_out_of_memory_at_any_allocation_is_survived() {
    let Some(machine) = machine() else { return };
    let expected = {
        let (mut w, mut b) = params(&machine.gpu);
        read(&step(&mut w, &mut b, &BATCH).unwrap())
    };
    machine.gpu.release_cached_memory().unwrap();
    let (_, report) = measure(|| {
        let (mut w, mut b) = params(&machine.gpu);
        step(&mut w, &mut b, &BATCH).unwrap();
    });
    let allocations = report.total().driver_allocations;
    assert!(allocations > 5, "{report}");
    for nth in 1..=allocations {
        for twice in [false, true] {
            machine.gpu.release_cached_memory().unwrap();
            machine.simulator.fail_alloc(nth);
            if twice {
                // The second attempt after memory was given back fails too, once for each size that is tried.
                machine.simulator.set(Knob::Memory, 1 << 30);
            }
            let (mut w, mut b) = params(&machine.gpu);
            let loss = step(&mut w, &mut b, &BATCH);
            assert_eq!(read(&loss.unwrap()), expected, "allocation {nth}");
        }
    }
    works(&machine.gpu);
}

#[test]
fn a_refused_launch_is_an_error_and_the_device_goes_on() {
    let Some(machine) = machine() else { return };
    let x = Tensor::ones(&machine.gpu, [4]).unwrap();
    works(&machine.gpu);
    machine.simulator.fail_launch(1);
    assert_eq!(kind(&x + 1.0), Some(ErrorKind::DriverFailed));
    machine.simulator.fail_copy(1);
    assert_eq!(kind(Tensor::from_vec(&machine.gpu, vec![1.0_f32], [1])), Some(ErrorKind::DriverFailed));
    works(&machine.gpu);
}
