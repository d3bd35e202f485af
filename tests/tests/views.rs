//! Any chain of views gives the elements that counting indices gives.

use proptest::prelude::*;
use tensor_rt::Slice;
use tensor_rt::prelude::*;

type Numbers = Tensor<Cpu, NoGrad, i64>;

/// A tensor as a shape and, in row-major order, the number at each index.
#[derive(Clone, Debug, PartialEq)]
struct Oracle {
    shape: Vec<usize>,
    numbers: Vec<i64>,
}

/// One operation, whose numbers are taken modulo what the tensor allows.
#[derive(Clone, Debug)]
enum Step {
    Transpose(usize, usize),
    Permute(u64),
    Slice { axis: usize, start: usize, end: usize, step: usize },
    Narrow { axis: usize, start: usize, length: usize },
    Select { axis: usize, index: usize },
    Flip(usize),
    Unsqueeze(usize),
    Squeeze(usize),
    Broadcast { axis: usize, size: usize },
    BroadcastInFront(usize),
    Reshape(u64),
    Flatten,
    Contiguous,
    Chunk { axis: usize, count: usize, part: usize },
    CatWithItself(usize),
    StackWithItself(usize),
}

impl Oracle {
    fn counting(shape: Vec<usize>) -> Oracle {
        let numbers = (0..shape.iter().product::<usize>() as i64).collect();
        Oracle { shape, numbers }
    }

    /// The number at an index.
    fn at(&self, index: &[usize]) -> i64 {
        let position = index.iter().zip(&self.shape).fold(0, |position, (index, size)| position * size + index);
        self.numbers[position]
    }

    /// A tensor of another shape whose number at an index is that at `from(index)` here.
    fn gather(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Oracle {
        let numbers = indices(&shape).map(|index| self.at(&from(&index))).collect();
        Oracle { shape, numbers }
    }
}

/// Every index of a shape in row-major order.
fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let count: usize = shape.iter().product();
    let shape = shape.to_vec();
    (0..count).map(move |mut position| {
        let mut index = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            index[axis] = position % shape[axis];
            position /= shape[axis];
        }
        index
    })
}

/// The order of axes number `seed`.
fn order(rank: usize, mut seed: u64) -> Vec<usize> {
    let mut left: Vec<usize> = (0..rank).collect();
    let mut axes = Vec::new();
    while !left.is_empty() {
        axes.push(left.remove((seed % left.len() as u64) as usize));
        seed /= 7;
    }
    axes
}

/// A shape of `count` elements.
fn factors(mut count: usize, mut seed: u64) -> Vec<usize> {
    if count == 0 {
        return if seed.is_multiple_of(2) { vec![0, 3] } else { vec![2, 0, 1] };
    }
    let mut shape = Vec::new();
    while count > 1 && shape.len() < 4 {
        let divisors: Vec<usize> = (1..=count).filter(|&divisor| count.is_multiple_of(divisor)).collect();
        let size = divisors[(seed % divisors.len() as u64) as usize];
        shape.push(size);
        count /= size;
        seed /= 5;
    }
    if count > 1 {
        shape.push(count);
    }
    shape
}

/// The step done to both; `None` where the tensor does not allow it.
fn apply(tensor: &Numbers, oracle: &Oracle, step: &Step) -> Option<(Numbers, Oracle)> {
    let shape = oracle.shape.clone();
    let rank = shape.len();
    let axis_of = |axis: usize| (rank > 0).then(|| axis % rank);
    let changed = |axis: usize, size: usize| {
        let mut shape = shape.clone();
        shape[axis] = size;
        shape
    };
    Some(match *step {
        Step::Transpose(first, second) => {
            let (first, second) = (axis_of(first)?, axis_of(second)?);
            let swapped = |index: &[usize]| {
                let mut index = index.to_vec();
                index.swap(first, second);
                index
            };
            (tensor.transpose(first, second).unwrap(), oracle.gather(swapped(&shape), swapped))
        }
        Step::Permute(seed) => {
            let axes = order(rank, seed);
            let permuted = axes.iter().map(|axis| shape[*axis]).collect();
            let from = |index: &[usize]| {
                let mut from = vec![0; rank];
                for (to, axis) in axes.iter().enumerate() {
                    from[*axis] = index[to];
                }
                from
            };
            (tensor.permute(&axes).unwrap(), oracle.gather(permuted, from))
        }
        Step::Slice { axis, start, end, step } => {
            let axis = axis_of(axis)?;
            let start = start % (shape[axis] + 1);
            let end = start + end % (shape[axis] - start + 1);
            let ranges: Vec<Slice> = (0..=axis)
                .map(|other| if other == axis { Slice::from(start..end).step_by(step) } else { (..).into() })
                .collect();
            let from = |index: &[usize]| {
                let mut index = index.to_vec();
                index[axis] = start + index[axis] * step;
                index
            };
            let sliced = changed(axis, (end - start).div_ceil(step));
            (tensor.slice(ranges.as_slice()).unwrap(), oracle.gather(sliced, from))
        }
        Step::Narrow { axis, start, length } => {
            let axis = axis_of(axis)?;
            let start = start % (shape[axis] + 1);
            let length = length % (shape[axis] - start + 1);
            let from = |index: &[usize]| {
                let mut index = index.to_vec();
                index[axis] += start;
                index
            };
            (tensor.narrow(axis, start, length).unwrap(), oracle.gather(changed(axis, length), from))
        }
        Step::Select { axis, index } => {
            let axis = axis_of(axis).filter(|axis| shape[*axis] > 0)?;
            let selected = index % shape[axis];
            let mut without = shape.clone();
            without.remove(axis);
            let from = |index: &[usize]| {
                let mut index = index.to_vec();
                index.insert(axis, selected);
                index
            };
            (tensor.select(axis, selected).unwrap(), oracle.gather(without, from))
        }
        Step::Flip(axis) => {
            let axis = axis_of(axis)?;
            let from = |index: &[usize]| {
                let mut index = index.to_vec();
                index[axis] = shape[axis] - 1 - index[axis];
                index
            };
            (tensor.flip(axis).unwrap(), oracle.gather(shape.clone(), from))
        }
        Step::Unsqueeze(axis) => {
            let axis = axis % (rank + 1);
            let mut with = shape.clone();
            with.insert(axis, 1);
            (tensor.unsqueeze(axis).unwrap(), Oracle { shape: with, numbers: oracle.numbers.clone() })
        }
        Step::Squeeze(axis) => {
            let axis = axis_of(axis).filter(|axis| shape[*axis] == 1)?;
            let mut without = shape.clone();
            without.remove(axis);
            (tensor.squeeze(axis).unwrap(), Oracle { shape: without, numbers: oracle.numbers.clone() })
        }
        Step::Broadcast { axis, size } => {
            let axis = axis_of(axis).filter(|axis| shape[*axis] == 1)?;
            let target = changed(axis, size);
            let from = |index: &[usize]| {
                let mut index = index.to_vec();
                index[axis] = 0;
                index
            };
            (tensor.broadcast_to(target.clone()).unwrap(), oracle.gather(target, from))
        }
        Step::BroadcastInFront(size) => {
            let target: Vec<usize> = [size].into_iter().chain(shape.iter().copied()).collect();
            (tensor.broadcast_to(target.clone()).unwrap(), oracle.gather(target, |index| index[1..].to_vec()))
        }
        Step::Reshape(seed) => {
            let target = factors(oracle.numbers.len(), seed);
            let reshaped = tensor.reshape(target.clone()).unwrap();
            if let Ok(view) = tensor.try_view(target.clone()) {
                assert_eq!(view.to_vec().unwrap(), reshaped.to_vec().unwrap());
            }
            (reshaped, Oracle { shape: target, numbers: oracle.numbers.clone() })
        }
        Step::Flatten => {
            let numbers = oracle.numbers.clone();
            (tensor.flatten().unwrap(), Oracle { shape: vec![numbers.len()], numbers })
        }
        Step::Contiguous => (tensor.contiguous().unwrap(), oracle.clone()),
        Step::Chunk { axis, count, part } => {
            let axis = axis_of(axis)?;
            let parts = tensor.chunk(axis, count).unwrap();
            let sizes: Vec<usize> = parts.iter().map(|part| part.shape()[axis]).collect();
            assert_eq!(sizes.iter().sum::<usize>(), shape[axis]);
            assert!(sizes.len() <= count && !sizes.is_empty());
            let part = part % parts.len();
            let start: usize = sizes[..part].iter().sum();
            let from = |index: &[usize]| {
                let mut index = index.to_vec();
                index[axis] += start;
                index
            };
            (parts[part].clone(), oracle.gather(changed(axis, sizes[part]), from))
        }
        Step::CatWithItself(axis) => {
            let axis = axis_of(axis)?;
            let from = |index: &[usize]| {
                let mut index = index.to_vec();
                index[axis] %= shape[axis];
                index
            };
            (Tensor::cat(&[tensor, tensor], axis).unwrap(), oracle.gather(changed(axis, 2 * shape[axis]), from))
        }
        Step::StackWithItself(axis) => {
            let axis = axis % (rank + 1);
            let mut with = shape.clone();
            with.insert(axis, 2);
            let from = |index: &[usize]| {
                let mut index = index.to_vec();
                index.remove(axis);
                index
            };
            (Tensor::stack(&[tensor, tensor], axis).unwrap(), oracle.gather(with, from))
        }
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let axis = 0..8usize;
    let number = 0..12usize;
    let step =
        prop_oneof![
            (axis.clone(), axis.clone()).prop_map(|(first, second)| Step::Transpose(first, second)),
            any::<u64>().prop_map(Step::Permute),
            (axis.clone(), number.clone(), number.clone(), 1..4usize)
                .prop_map(|(axis, start, end, step)| Step::Slice { axis, start, end, step }),
            (axis.clone(), number.clone(), number.clone()).prop_map(|(axis, start, length)| Step::Narrow {
                axis,
                start,
                length
            }),
            (axis.clone(), number.clone()).prop_map(|(axis, index)| Step::Select { axis, index }),
            axis.clone().prop_map(Step::Flip),
            axis.clone().prop_map(Step::Unsqueeze),
            axis.clone().prop_map(Step::Squeeze),
            (axis.clone(), 0..4usize).prop_map(|(axis, size)| Step::Broadcast { axis, size }),
            (0..3usize).prop_map(Step::BroadcastInFront),
            any::<u64>().prop_map(Step::Reshape),
            Just(Step::Flatten),
            Just(Step::Contiguous),
            (axis.clone(), 1..4usize, number.clone()).prop_map(|(axis, count, part)| Step::Chunk { axis, count, part }),
            axis.clone().prop_map(Step::CatWithItself),
            axis.prop_map(Step::StackWithItself),
        ];
    prop::collection::vec(step, 0..8)
}

fn shapes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![1 => Just(0usize), 4 => Just(1usize), 12 => 2..6usize], 0..5)
}

fn check(tensor: &Numbers, oracle: &Oracle) {
    assert_eq!(tensor.shape(), &oracle.shape[..]);
    assert_eq!(tensor.to_vec().unwrap(), oracle.numbers);
    assert_eq!(tensor.contiguous().unwrap().as_slice().unwrap(), oracle.numbers);
    if tensor.is_contiguous() {
        assert_eq!(tensor.as_slice().unwrap(), oracle.numbers);
    }
    for (index, number) in indices(&oracle.shape).zip(&oracle.numbers).step_by(7) {
        assert_eq!(tensor.get(&index).unwrap(), *number);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn chains_of_views_agree_with_the_oracle(shape in shapes(), steps in steps()) {
        let mut oracle = Oracle::counting(shape.clone());
        let mut tensor = Tensor::from_vec(&Cpu, oracle.numbers.clone(), shape).unwrap();
        for step in &steps {
            if let Some((next, expected)) = apply(&tensor, &oracle, step) {
                (tensor, oracle) = (next, expected);
                prop_assume!(oracle.numbers.len() < 20_000 && oracle.shape.len() < 9);
                check(&tensor, &oracle);
            }
        }
    }

    /// An edit of a view is seen by nobody else, and by the whole view, also where elements shared an address.
    #[test]
    fn edits_of_views_stay_their_own(shape in shapes(), steps in steps(), at in any::<u64>()) {
        let counting = Oracle::counting(shape.clone());
        let base = Tensor::from_vec(&Cpu, counting.numbers.clone(), shape.clone()).unwrap();
        // The second view is the only handle on its storage: it is edited where it lies, if its elements have addresses.
        let alone = Tensor::from_vec(&Cpu, counting.numbers.clone(), shape).unwrap();
        let (mut view, mut alone, mut oracle) = (base.clone(), alone, counting.clone());
        for step in &steps {
            if let Some((next, expected)) = apply(&view, &oracle, step) {
                alone = apply(&alone, &oracle, step).unwrap().0;
                (view, oracle) = (next, expected);
                prop_assume!(oracle.numbers.len() < 20_000 && oracle.shape.len() < 9);
            }
        }
        let other = view.clone();
        if let Some(index) = indices(&oracle.shape).nth(at as usize % oracle.numbers.len().max(1)) {
            let mut edited = oracle.clone();
            edited.numbers[at as usize % oracle.numbers.len()] = -1;
            for view in [&mut view, &mut alone] {
                view.set(&index, -1).unwrap();
                check(view, &edited);
            }
        }
        check(&other, &oracle);
        check(&base, &counting);
        for mut view in [view, alone] {
            view.fill(7).unwrap();
            check(&view, &Oracle { numbers: vec![7; oracle.numbers.len()], ..oracle.clone() });
            view.copy_from(&other).unwrap();
            check(&view, &oracle);
        }
    }

    /// Writing through parts of a writable view writes the elements that the same parts of a plain view show.
    #[test]
    fn parts_of_writable_views_are_the_parts_of_views(shape in shapes(), steps in steps(), axis in 0..8usize, at in 0..6usize) {
        let counting = Oracle::counting(shape.clone());
        let base = Tensor::from_vec(&Cpu, counting.numbers, shape.clone()).unwrap();
        let mut edited = base.clone();
        let mut part = base.clone();
        {
            let mut view = edited.view_mut().unwrap();
            write_part(&mut view, &mut part, &steps, axis, at);
        }
        // What was written is the negative of what the part shows, and nothing else was.
        let mut expected = base.to_vec().unwrap();
        for number in part.to_vec().unwrap() {
            expected[number as usize] = -number;
        }
        prop_assert_eq!(edited.to_vec().unwrap(), expected);
    }
}

/// Narrows both to the same part, then negates the part before or from an index of an axis through the writable view.
fn write_part(view: &mut TensorMut<'_, Cpu, i64>, part: &mut Numbers, steps: &[Step], axis: usize, at: usize) {
    let rank = part.rank();
    let Some((step, rest)) = steps.split_first() else {
        return match rank {
            0 => negate(view, part),
            _ => {
                let (axis, size) = (axis % rank, part.shape()[axis % rank]);
                let at_index = at % (size + 1);
                let (mut low, mut high) = view.split_at_mut(axis, at_index).unwrap();
                let (half, whole) =
                    if at.is_multiple_of(2) { (&mut low, 0..at_index) } else { (&mut high, at_index..size) };
                *part = part.narrow(axis, whole.start, whole.len()).unwrap();
                negate(half, part)
            }
        };
    };
    match *step {
        Step::Transpose(first, second) if rank > 0 => {
            *part = part.transpose(first % rank, second % rank).unwrap();
            write_part(&mut view.transpose(first % rank, second % rank).unwrap(), part, rest, axis, at)
        }
        Step::Narrow { axis: along, start, length } if rank > 0 => {
            let along = along % rank;
            let start = start % (part.shape()[along] + 1);
            let length = length % (part.shape()[along] - start + 1);
            *part = part.narrow(along, start, length).unwrap();
            write_part(&mut view.narrow(along, start, length).unwrap(), part, rest, axis, at)
        }
        Step::Select { axis: along, index } if rank > 0 && part.shape()[along % rank] > 0 => {
            let (along, index) = (along % rank, index % part.shape()[along % rank]);
            *part = part.select(along, index).unwrap();
            write_part(&mut view.select(along, index).unwrap(), part, rest, axis, at)
        }
        _ => write_part(view, part, rest, axis, at),
    }
}

fn negate(view: &mut TensorMut<'_, Cpu, i64>, part: &Numbers) {
    let negated = part.to_vec().unwrap().into_iter().map(|number| -number).collect();
    view.copy_from(&Tensor::from_vec(&Cpu, negated, part.shape()).unwrap()).unwrap();
}
