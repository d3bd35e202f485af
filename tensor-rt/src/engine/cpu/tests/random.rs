//! Random numbers in a pass: the same bits for every layout, number of threads and instruction set.

use super::*;
use crate::math::random;

/// `out[N, ..] = uniform + normal`, counted row-major.
struct Noise<T>(PhantomData<T>);
impl<T: Float> PassBody for Noise<T> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        let n = block.len();
        let (outer, rest) = (&block.axis(0)[..n], &block.axis(1)[..n]);
        let (seed, size) = (block.u64(0), block.size(REST));
        let out = &mut block.output::<T>(0)[..n];
        for i in 0..n {
            let counter = outer[i].wrapping_mul(size).wrapping_add(rest[i]) as u64;
            out[i] = T::narrow(T::Compute::uniform(seed, 0, counter) + T::Compute::normal(seed, 1, counter));
        }
    }
}

const NOISE: Kernel = Kernel {
    class: Class::Pointwise,
    free: &[N, REST],
    reduced: &[],
    operands: &[],
    reductions: &[],
    writes: &[own(0, Elem::Generic, &[N, REST])],
    passes: &[Pass {
        kind: PassKind::Outer,
        operands: &[],
        axes: &[N, REST],
        rows: &[],
        bodies: &[],
        reductions: &[],
        writes: &[0],
        cost: 4,
    }],
    lines: None,
    contraction: None,
    cuda: CudaText::NONE,
};

const SEED: u64 = 0x0123_4567_89ab_cdef;

fn noisy<T: Float>(engine: CpuEngine, mut out: Host<T>) -> Vec<T> {
    let shape = out.shape.clone();
    let sizes =
        Sizes { extents: &[shape[0] as i64, 1, 1, shape[1..].iter().product::<usize>() as i64], rest: &shape[1..] };
    let scalars = [Scalar::U64(SEED)];
    run(engine, &NOISE, &[PassFn::of::<Noise<T>>()], T::DTYPE, &sizes, &scalars, &[], &[out.array_mut()]).unwrap();
    out.values()
}

#[test]
fn a_number_depends_on_its_counter_alone() {
    for shape in [&[7, 3, 5][..], &[300, 70, 4], &[1, 1, 1], &[5, 0, 2], &[4]] {
        let points: usize = shape.iter().product();
        let counted = 0..points as u64;
        let single: Vec<u32> = counted
            .clone()
            .map(|i| (random::uniform_single(SEED, 0, i) + random::normal_single(SEED, 1, i)).to_bits())
            .collect();
        let double: Vec<u64> = counted
            .map(|i| (random::uniform_double(SEED, 0, i) + random::normal_double(SEED, 1, i)).to_bits())
            .collect();
        let out = Host::<f32>::empty(shape);
        let backwards: Vec<usize> = (0..shape.len()).rev().collect();
        for out in [out.clone(), out.laid_out(&backwards), out.scattered()] {
            everywhere(|engine| assert_eq!(bits(&noisy(engine, out.clone())), single, "{shape:?}"));
        }
        everywhere(|engine| {
            let found: Vec<u64> = noisy(engine, Host::<f64>::empty(shape)).iter().map(|x| x.to_bits()).collect();
            assert_eq!(found, double, "{shape:?}");
        });
    }
}
