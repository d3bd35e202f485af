//! The loops of kernels are vector loops: their machine code is read, and its instructions are counted.
//!
//! A loop that stopped being one (a branch that is not a select, a call, a check of bounds, a float sum in one chain)
//! still gives the same results, slower by the width of a vector. One kernel stands here for each family, with the number of
//! arithmetic instructions that each of its loops has at the least; 0 for a loop that only moves.
//!
//! Only optimized code has vector loops: `cargo test --release -p tensor-rt --lib vector_code`.

mod disassembly;

use disassembly::{Loop, Program};

use super::monoid::{Add, Max, Min, Mul};
use super::reduce;
use crate::isa::{Avx2, Avx512, Isa};
use crate::kernel::{InstructionSet, PassFn};
use crate::tensor_fn;

tensor_fn! {
    fn gelu(x: &Tensor[..]) -> Tensor[..] {
        0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    }

    fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }

    fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
        let e = exp(x - max[C](x));
        e / sum[C](e)
    }

    fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
        let d = x - mean[C](x);
        d * rsqrt(mean[C](d * d) + eps) * gamma + beta
    }

    fn masked(x: &Tensor[..], mask: &Tensor<bool>[..]) -> Tensor[..] { if mask { sqrt(x) } else { x * x } }

    fn causal(x: &Tensor[T, S]) -> Tensor[T, S] { if S <= T { 2.0 * x } else { -inf } }

    fn sgd_momentum(p: &mut Tensor[..], v: &mut Tensor[..], g: &Tensor[..], rate: float, momentum: float) {
        v = momentum * v + g;
        p -= rate * v;
    }
}

/// Asserts for every instruction set that the code has a loop with so many arithmetic instructions on its vectors.
#[track_caller]
fn assert_vector_loop(name: &str, least: usize, code: impl Fn(InstructionSet) -> *const ()) {
    let program = Program::this();
    for set in InstructionSet::available() {
        let loops = program.loops(code(set));
        // In AVX-512 the compiler takes vectors of 64 or of 32 bytes.
        let wide = |found: &Loop| match set.name() {
            Avx512::NAME => found.zmm + found.ymm,
            Avx2::NAME => found.ymm,
            _ => found.xmm,
        };
        let best = loops.iter().copied().max_by_key(wide).unwrap_or_default();
        println!("{name:28} {:9} {best}", set.name());
        assert!(wide(&best) >= least, "`{name}` on {}: {least} vector instructions expected, found {best}", set.name());
    }
}

/// Asserts the same of each pass of each launch.
#[track_caller]
fn assert_vector_passes(name: &str, bodies: &[&[PassFn]], least: &[&[usize]]) {
    let passes = |bodies: &[&[PassFn]]| bodies.iter().map(|launch| launch.len()).collect::<Vec<_>>();
    assert_eq!(passes(bodies), least.iter().map(|launch| launch.len()).collect::<Vec<_>>(), "passes of `{name}`");
    for (launch, (bodies, least)) in bodies.iter().zip(least).enumerate() {
        for (pass, (body, &least)) in bodies.iter().zip(*least).enumerate() {
            assert_vector_loop(&format!("{name}, launch {launch}, pass {pass}"), least, |set| body.code(set));
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "only optimized code has vector loops: run it with --release")]
fn pointwise_passes_are_vector_loops() {
    let bodies = gelu::Passes::<f32>::BODIES;
    assert_vector_passes("gelu", bodies.forward, &[&[24]]);
    assert_vector_passes("gelu's gradient", bodies.backward, &[&[30]]);
    assert_vector_passes("masked", masked::Passes::<f32>::BODIES.forward, &[&[2]]);
    assert_vector_passes("causal", causal::Passes::<f32>::BODIES.forward, &[&[1]]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "only optimized code has vector loops: run it with --release")]
fn passes_in_place_are_vector_loops() {
    assert_vector_passes("axpy", axpy::Passes::<f32>::BODIES.forward, &[&[2]]);
    assert_vector_passes("sgd_momentum", sgd_momentum::Passes::<f32>::BODIES.forward, &[&[4]]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "only optimized code has vector loops: run it with --release")]
fn row_passes_are_vector_loops() {
    let bodies = softmax::Passes::<f32>::BODIES;
    // The last pass multiplies the exponentials that the one before kept.
    assert_vector_passes("softmax", bodies.forward, &[&[0, 16, 1]]);
    assert_vector_passes("softmax's gradient", bodies.backward, &[&[1, 2]]);
    let bodies = layer_norm::Passes::<f32>::BODIES;
    assert_vector_passes("layer_norm", bodies.forward, &[&[0, 2, 4, 0]]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "only optimized code has vector loops: run it with --release")]
fn reductions_are_vector_loops() {
    /// The loops of a reduction over rows and over columns.
    type Loops = fn(InstructionSet) -> [*const (); 2];
    let folds: [(&str, Loops); 4] = [
        ("sum", reduce::code::<f32, Add>),
        ("product", reduce::code::<f32, Mul>),
        ("max", reduce::code::<f32, Max>),
        ("min", reduce::code::<f32, Min>),
    ];
    for (name, code) in folds {
        assert_vector_loop(&format!("{name} of rows"), 4, |set| code(set)[0]);
        assert_vector_loop(&format!("{name} of columns"), 1, |set| code(set)[1]);
    }
}
