//! The walk, on calls whose adjoints are written by hand.

#![expect(clippy::cloned_ref_to_slice_refs, reason = "the inputs of a check are a list of tensors")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::element::{Element, Float, bf16};
use crate::error::{ErrorKind, Origin, Result};
use crate::mode::{Grad, NoGrad};
use crate::param::Param;
use crate::tensor::Tensor;
use crate::tensor::raw::Raw;
use crate::{Cpu, Error};

/// The adjoint of a call that multiplies elementwise by what it holds, one factor per input.
struct Factors(Vec<Vec<f32>>);

impl Adjoint for Factors {
    fn cotangents(&self, outputs: &[Option<Raw>], wanted: &[bool], origin: Origin) -> Result<Cotangents> {
        let cotangent = outputs[0].as_ref().expect("a cotangent");
        let elements = cotangent.as_slice::<f32>().expect("dense");
        let part = |(factors, wanted): (&Vec<f32>, &bool)| {
            let product: Vec<f32> = elements.iter().zip(factors).map(|(x, y)| x * y).collect();
            wanted.then(|| Raw::from_slice(cotangent.home(), cotangent.shape(), &product, origin)).transpose()
        };
        self.0.iter().zip(wanted).map(part).collect()
    }
}

type Tracked = Tensor<Cpu, Grad, f32>;

fn vector(elements: &[f32]) -> Tensor<Cpu, NoGrad, f32> {
    Tensor::from_vec(&Cpu, elements.to_vec(), [elements.len()]).unwrap()
}

/// `x^2`, elementwise.
#[track_caller]
fn square(x: &Tracked) -> Tracked {
    let origin = Origin::of("square");
    let elements = x.raw.as_slice::<f32>().unwrap();
    let value = vector(&elements.iter().map(|x| x * x).collect::<Vec<_>>());
    let factors = Factors(vec![elements.iter().map(|x| 2.0 * x).collect()]);
    let node = record(origin, [x.raw.node()], 1, factors).remove(0);
    Tensor::from_raw(value.raw.with_node(Some(node)))
}

/// `x y`, elementwise.
#[track_caller]
fn product(x: &Tracked, y: &Tracked) -> Tracked {
    let origin = Origin::of("product");
    let (a, b) = (x.raw.as_slice::<f32>().unwrap(), y.raw.as_slice::<f32>().unwrap());
    let value = vector(&a.iter().zip(b).map(|(x, y)| x * y).collect::<Vec<_>>());
    let node = record(origin, [x.raw.node(), y.raw.node()], 1, Factors(vec![b.to_vec(), a.to_vec()])).remove(0);
    Tensor::from_raw(value.raw.with_node(Some(node)))
}

fn gradient<L: Leaf<Device = Cpu>>(gradients: &Gradients, leaf: &L) -> Vec<L::Element> {
    gradients.get(leaf).expect("a gradient").to_vec().unwrap()
}

#[test]
fn uses_of_one_tensor_add_up() {
    let x = vector(&[3.0]).requires_grad();
    // x * x^2, whose derivative is 3 x^2.
    let y = product(&x, &square(&x));
    assert_eq!(gradient(&y.backward().unwrap(), &x), [27.0]);
}

#[test]
fn leaf_is_its_own_loss() {
    let x = vector(&[3.0]).requires_grad();
    assert_eq!(gradient(&x.clone().backward().unwrap(), &x), [1.0]);
}

#[test]
fn diamond_runs_each_node_once() {
    let x = vector(&[2.0]).requires_grad();
    let a = square(&x);
    let y = product(&square(&a), &square(&a));
    // y = x^8.
    assert_eq!(gradient(&y.backward().unwrap(), &x), [8.0 * 128.0]);
}

#[test]
fn second_walk_names_the_first() {
    let x = vector(&[3.0]).requires_grad();
    let y = square(&x);
    let line = line!() + 1;
    y.clone().backward().unwrap();
    let Err(Error::GraphConsumed { first, op, .. }) = y.backward() else { panic!("the graph was consumed") };
    assert_eq!((first.line(), first.file(), op), (line, file!(), "backward"));
}

#[test]
fn walk_over_a_consumed_part_changes_nothing() {
    let x = vector(&[3.0]).requires_grad();
    let shared = square(&x);
    let (a, b) = (square(&shared), product(&shared, &x));
    let mut gradients = a.backward().unwrap();
    let before = gradient(&gradients, &x);
    assert_eq!(b.backward_into(&mut gradients).unwrap_err().kind(), ErrorKind::GraphConsumed);
    assert_eq!(gradient(&gradients, &x), before);
}

#[test]
fn walk_that_fails_at_its_start_leaves_every_record() {
    let [x, y] = [2.0, 3.0].map(|value| vector(&[value]).requires_grad());
    let (shared, own) = (square(&x), square(&square(&y)));
    let both = product(&own, &product(&shared, &shared));
    shared.backward().unwrap();
    // The walk takes the records of `both` and `own` before it finds that of `shared` gone.
    assert_eq!(both.clone().backward().unwrap_err().kind(), ErrorKind::GraphConsumed);
    assert_eq!(both.backward().unwrap_err().kind(), ErrorKind::GraphConsumed);
    // d(y^4)/dy.
    assert_eq!(gradient(&own.backward().unwrap(), &y), [108.0]);
}

#[test]
fn backward_into_adds() {
    let x = vector(&[3.0]).requires_grad();
    let mut gradients = square(&x).backward().unwrap();
    square(&x).backward_into(&mut gradients).unwrap();
    assert_eq!(gradient(&gradients, &x), [12.0]);
}

#[test]
fn loss_has_one_element() {
    let x = vector(&[1.0, 2.0]).requires_grad();
    assert_eq!(square(&x).backward().unwrap_err().kind(), ErrorKind::NotAScalar);
    let gradients = square(&x).backward_with(&vector(&[1.0, 10.0])).unwrap();
    assert_eq!(gradient(&gradients, &x), [2.0, 40.0]);
    assert_eq!(square(&x).backward_with(&vector(&[1.0])).unwrap_err().kind(), ErrorKind::ShapeMismatch);
}

#[test]
fn leaf_without_a_part_is_reported() {
    let (x, y) = (vector(&[1.0]).requires_grad(), vector(&[1.0]).requires_grad());
    let gradients = square(&x).backward().unwrap();
    assert!(gradients.get(&y).is_none() && !gradients.contains(&y) && gradients.contains(&x));
    assert_eq!(gradients.missing([&x, &y]).len(), 1);
    assert_eq!(gradients.len(), 1);
}

#[test]
fn parameter_has_one_gradient_however_often_it_is_taken() {
    let (mut p, unused) = (Param::new(vector(&[3.0])), Param::new(vector(&[1.0])));
    let y = product(&p.tracked(), &p.tracked());
    let mut gradients = y.backward().unwrap();
    square(&p.get::<Grad>()).backward_into(&mut gradients).unwrap();
    assert_eq!(gradient(&gradients, &p), [12.0]);
    assert!(gradients.get(&unused).is_none());
    let taken = gradients.take(&p).unwrap();
    assert!(gradients.is_empty());
    gradients.set(&p, taken).unwrap();
    assert!(gradients.contains(&p));
    *p.value_mut() = vector(&[5.0]);
    assert_eq!(gradient(&square(&p.tracked()).backward().unwrap(), &p), [10.0]);
}

#[test]
fn tracked_result_has_no_gradient_of_its_own() {
    let x = vector(&[3.0]).requires_grad();
    let y = square(&x);
    let mut gradients = square(&y).backward().unwrap();
    assert!(gradients.get(&y).is_none());
    assert_eq!(gradients.set(&y, vector(&[1.0])).unwrap_err().kind(), ErrorKind::NoGradient);
}

#[test]
fn long_chain_is_walked_and_dropped() {
    let x = vector(&[1.0]).requires_grad();
    let chain = || (0..200_000).fold(square(&x), |y, _| product(&y, &x));
    drop(chain());
    assert_eq!(gradient(&chain().backward().unwrap(), &x), [200_002.0]);
}

/// Counts its own drop.
struct Counted(Arc<AtomicUsize>);

impl Adjoint for Counted {
    fn cotangents(&self, outputs: &[Option<Raw>], _wanted: &[bool], _origin: Origin) -> Result<Cotangents> {
        // Two outputs: the first is passed on, the second is not.
        Ok([outputs[0].clone()].into_iter().collect())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Two results of one call.
fn pair(x: &Tracked, drops: &Arc<AtomicUsize>) -> (Tracked, Tracked) {
    let nodes = record(Origin::of("pair"), [x.raw.node()], 2, Counted(drops.clone()));
    let mut tensors = nodes.into_iter().map(|node| Tensor::from_raw(x.raw.clone().with_node(Some(node))));
    (tensors.next().unwrap(), tensors.next().unwrap())
}

#[test]
fn case_h17_results_without_backward_leave_no_node() {
    let drops = Arc::new(AtomicUsize::new(0));
    let x = vector(&[1.0]).requires_grad();
    for _ in 0..1000 {
        let (a, b) = pair(&x, &drops);
        drop(product(&a, &b));
    }
    assert_eq!(drops.load(Ordering::Relaxed), 1000);
}

#[test]
fn call_with_two_results_runs_once_for_both() {
    let drops = Arc::new(AtomicUsize::new(0));
    let x = vector(&[3.0]).requires_grad();
    let (a, b) = pair(&x, &drops);
    // The second result passes nothing on: only its factor counts.
    assert_eq!(gradient(&product(&a, &b).backward().unwrap(), &x), [3.0]);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    // A loss of the second result alone: the first has no cotangent, and the walk still ends at the leaf.
    let (_, b) = pair(&x, &drops);
    assert!(square(&b).backward().unwrap().is_empty());
    let (a, b) = pair(&x, &drops);
    a.backward().unwrap();
    assert_eq!(b.backward().unwrap_err().kind(), ErrorKind::GraphConsumed);
}

#[test]
fn walk_frees_what_the_forward_pass_kept() {
    let drops = Arc::new(AtomicUsize::new(0));
    let x = vector(&[3.0]).requires_grad();
    let (a, _b) = pair(&x, &drops);
    let y = square(&a);
    y.clone().backward().unwrap();
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn anomaly_names_the_forward_call() {
    let x = vector(&[1e30]).requires_grad();
    let line = line!() + 1;
    let y = square(&square(&x));
    // The forward results here are made by hand and not checked; the gradient is.
    let error = detect_anomaly(|| y.backward()).unwrap_err();
    let Error::NotFinite { op, what, forward, .. } = error else { panic!("{error}") };
    assert_eq!((op, what, forward.line()), ("square", "a gradient", line));
    // The scope has ended.
    assert!(square(&square(&x)).backward().is_ok());
    let result = vector(&[f32::NAN]);
    let origin = Origin::of("made");
    assert!(check_forward(&result.raw, origin).is_ok());
    assert_eq!(detect_anomaly(|| check_forward(&result.raw, origin)).unwrap_err().kind(), ErrorKind::NotFinite);
}

#[test]
fn half_precision_leaf_accumulates_in_single() {
    let x = Tensor::from_vec(&Cpu, vec![bf16::narrow(1.0)], [1]).unwrap().requires_grad();
    let wide: Tracked = x.cast().unwrap();
    // 256 uses of gradient 1, then one more, which bf16 could not hold apart from 256 if it came last.
    let y = (0..257).fold(wide.clone(), |y, _| product(&y, &wide));
    assert_eq!(gradient(&y.backward().unwrap(), &x), [bf16::narrow(258.0)]);
}

#[test]
fn views_pass_gradients_on() {
    let x = Tensor::from_vec(&Cpu, (0..6).map(|i| i as f32).collect(), [2, 3]).unwrap().requires_grad();
    let y = x.transpose(0, 1).unwrap().reshape([6]).unwrap();
    let gradients = square(&y.contiguous().unwrap()).backward_with(&vector(&[1.0, 1.0, 1.0, 1.0, 1.0, 10.0])).unwrap();
    assert_eq!(gradient(&gradients, &x), [0.0, 2.0, 4.0, 6.0, 8.0, 100.0]);
}

#[test]
fn broadcast_gradient_is_summed() {
    let x = Tensor::from_vec(&Cpu, vec![1.0f64, 2.0], [2, 1]).unwrap().requires_grad();
    let y = x.broadcast_to([3, 2, 4]).unwrap();
    let ones: Vec<f64> = (0..24).map(f64::from).collect();
    let gradients = y.backward_with(&Tensor::from_vec(&Cpu, ones, [3, 2, 4]).unwrap()).unwrap();
    assert_eq!(gradients.get(&x).unwrap().shape().sizes()[..], [2, 1]);
    assert_eq!(gradient(&gradients, &x), [114.0, 162.0]);
}

#[test]
fn concatenation_gives_each_part_its_own() {
    let (x, y) = (vector(&[1.0]).requires_grad(), vector(&[2.0, 3.0]).requires_grad());
    let both = Tensor::cat(&[&x, &y], 0).unwrap();
    let gradients = both.backward_with(&vector(&[5.0, 6.0, 7.0])).unwrap();
    assert_eq!((gradient(&gradients, &x), gradient(&gradients, &y)), (vec![5.0], vec![6.0, 7.0]));
}

#[test]
fn gradcheck_finds_a_wrong_derivative() {
    fn cubed(x: &Tensor<Cpu, Grad, f64>, factor: f64) -> Result<Tensor<Cpu, Grad, f64>> {
        struct Cube(Vec<f64>);
        impl Adjoint for Cube {
            fn cotangents(&self, outputs: &[Option<Raw>], _: &[bool], origin: Origin) -> Result<Cotangents> {
                let cotangent = outputs[0].as_ref().expect("a cotangent");
                let elements = cotangent.as_slice::<f64>().expect("dense").iter().zip(&self.0);
                let product: Vec<f64> = elements.map(|(x, y)| x * y).collect();
                Ok([Some(Raw::from_slice(cotangent.home(), cotangent.shape(), &product, origin)?)]
                    .into_iter()
                    .collect())
            }
        }
        let values = x.detach().to_vec()?;
        let cubes = Tensor::from_vec(&Cpu, values.iter().map(|x| x * x * x).collect(), x.shape())?;
        let slopes = values.iter().map(|x| factor * x * x).collect();
        let node = record(Origin::of("cubed"), [x.raw.node()], 1, Cube(slopes)).remove(0);
        Ok(Tensor::from_raw(cubes.raw.with_node(Some(node))))
    }
    let x = Tensor::from_vec(&Cpu, vec![0.5, -1.5, 2.0], [3]).unwrap();
    gradcheck(|x| cubed(&x[0], 3.0), &[x.clone()]).unwrap();
    let error = gradcheck(|x| cubed(&x[0], 3.001), &[x]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::GradientMismatch);
}

const _: () = {
    const fn assert_shared_between_threads<T: Send + Sync>() {}
    assert_shared_between_threads::<Gradients>();
    assert_shared_between_threads::<Node>();
};

/// The bound that code generic over leaves writes.
fn _generic<L: Leaf<Element: Float>>(leaf: &L, gradients: &Gradients) -> bool {
    gradients.contains(leaf)
}
