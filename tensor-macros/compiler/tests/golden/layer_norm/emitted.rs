#[track_caller]
pub fn layer_norm<
    D: ::tensor_rt::Device,
    XMode: ::tensor_rt::GradMode + ::tensor_rt::Join<G2, Out = G>,
    T: ::tensor_rt::Float,
    GammaDevice: ::tensor_rt::SameDevice<D>,
    GammaMode: ::tensor_rt::GradMode + ::tensor_rt::Join<BetaMode, Out = G2>,
    GammaElement: ::tensor_rt::SameElement<T>,
    BetaDevice: ::tensor_rt::SameDevice<D>,
    BetaMode: ::tensor_rt::GradMode,
    BetaElement: ::tensor_rt::SameElement<T>,
    G2: ::tensor_rt::GradMode,
    G: ::tensor_rt::GradMode,
>(
    x: &::tensor_rt::Tensor<D, XMode, T>,
    gamma: &::tensor_rt::Tensor<GammaDevice, GammaMode, GammaElement>,
    beta: &::tensor_rt::Tensor<BetaDevice, BetaMode, BetaElement>,
    eps: f64,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &layer_norm::PROGRAM,
        layer_norm::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    call.tensor(gamma);
    call.tensor(beta);
    call.float(eps);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
pub mod layer_norm {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[
                    PassFn::of::<Forward0Level0<T>>(),
                    PassFn::of_lines::<Forward0Level1<T>>(),
                    PassFn::of_lines::<Forward0Inner<T>>(),
                    PassFn::of::<Forward0Outer<T>>(),
                ],
            ],
            backward: &[
                &[
                    PassFn::of_lines::<Backward0Level0<T>>(),
                    PassFn::of::<Backward0Outer<T>>(),
                ],
                &[
                    PassFn::of_lines::<Backward1Level0<T>>(),
                    PassFn::of_lines::<Backward1Inner<T>>(),
                ],
            ],
        };
    }
    struct Forward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let x = xs[i].widen();
                sum0_terms[i] = x;
            }
        }
    }
    struct Forward0Level1<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Forward0Level1<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let sum0s = block.line_row::<T::Compute, L>(0);
            let sum1_terms = &mut block.values::<T::Compute>(1)[..n];
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let xs = line.of(xs);
                let sum0s = line.values(sum0s);
                let sum1_terms = line.of_mut(sum1_terms);
                let i = 0;
                let sum0 = sum0s[i];
                let v1 = sum0 / v0;
                for i in 0..n {
                    let v1 = if L::SHARED {
                        v1
                    } else {
                        let sum0 = sum0s[i];
                        let v1 = sum0 / v0;
                        v1
                    };
                    let x = xs[i].widen();
                    let d = x - v1;
                    sum1_terms[i] = d * d;
                }
            }
        }
    }
    struct Forward0Inner<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Forward0Inner<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let gammas = &block.input::<T>(1)[..n];
            let betas = &block.input::<T>(2)[..n];
            let out = &mut block.output::<T>(0)[..n];
            let sum0s = block.line_row::<T::Compute, L>(0);
            let sum1s = block.line_row::<T::Compute, L>(1);
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            let eps = block.float::<T::Compute>(0);
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let xs = line.of(xs);
                let gammas = line.of(gammas);
                let betas = line.of(betas);
                let out = line.of_mut(out);
                let sum0s = line.values(sum0s);
                let sum1s = line.values(sum1s);
                let i = 0;
                let sum0 = sum0s[i];
                let v1 = sum0 / v0;
                let sum1 = sum1s[i];
                let v2 = Compute::rsqrt::<I>(sum1 / v0 + eps);
                for i in 0..n {
                    let (v1, v2) = if L::SHARED {
                        (v1, v2)
                    } else {
                        let sum0 = sum0s[i];
                        let v1 = sum0 / v0;
                        let sum1 = sum1s[i];
                        let v2 = Compute::rsqrt::<I>(sum1 / v0 + eps);
                        (v1, v2)
                    };
                    let x = xs[i].widen();
                    let d = x - v1;
                    let gamma = gammas[i].widen();
                    let beta = betas[i].widen();
                    out[i] = T::narrow(d * v2 * gamma + beta);
                }
            }
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved0_out = &mut block.output::<T::Compute>(1)[..n];
            let saved1_out = &mut block.output::<T::Compute>(2)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let sum1s = &block.row::<T::Compute>(1)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                let sum1 = sum1s[i];
                saved0_out[i] = sum0;
                saved1_out[i] = sum1;
            }
        }
    }
    struct Backward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Backward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let xs = &block.input::<T>(1)[..n];
            let saved0s = block.line_input::<T::Compute, L>(2);
            let saved1s = block.line_input::<T::Compute, L>(3);
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let sum1_terms = &mut block.values::<T::Compute>(1)[..n];
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            let eps = block.float::<T::Compute>(0);
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let gs = line.of(gs);
                let xs = line.of(xs);
                let saved0s = line.values(saved0s);
                let saved1s = line.values(saved1s);
                let sum0_terms = line.of_mut(sum0_terms);
                let sum1_terms = line.of_mut(sum1_terms);
                let i = 0;
                let saved1 = saved1s[i];
                let v1 = Compute::rsqrt::<I>(saved1 / v0 + eps);
                let saved0 = saved0s[i];
                let v2 = saved0 / v0;
                for i in 0..n {
                    let (v1, v2) = if L::SHARED {
                        (v1, v2)
                    } else {
                        let saved1 = saved1s[i];
                        let v1 = Compute::rsqrt::<I>(saved1 / v0 + eps);
                        let saved0 = saved0s[i];
                        let v2 = saved0 / v0;
                        (v1, v2)
                    };
                    let x = xs[i].widen();
                    let g = gs[i];
                    sum0_terms[i] = g;
                    sum1_terms[i] = (x - v2) * v1 * g;
                }
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dgamma = &mut block.output::<T>(0)[..n];
            let dbeta = &mut block.output::<T>(1)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let sum1s = &block.row::<T::Compute>(1)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                let sum1 = sum1s[i];
                dgamma[i] = T::narrow(sum1);
                dbeta[i] = T::narrow(sum0);
            }
        }
    }
    struct Backward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Backward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let gammas = &block.input::<T>(0)[..n];
            let gs = &block.input::<T::Compute>(1)[..n];
            let xs = &block.input::<T>(2)[..n];
            let saved0s = block.line_input::<T::Compute, L>(3);
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let sum1_terms = &mut block.values::<T::Compute>(1)[..n];
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let gammas = line.of(gammas);
                let gs = line.of(gs);
                let xs = line.of(xs);
                let saved0s = line.values(saved0s);
                let sum0_terms = line.of_mut(sum0_terms);
                let sum1_terms = line.of_mut(sum1_terms);
                let i = 0;
                let saved0 = saved0s[i];
                let v1 = saved0 / v0;
                for i in 0..n {
                    let v1 = if L::SHARED {
                        v1
                    } else {
                        let saved0 = saved0s[i];
                        let v1 = saved0 / v0;
                        v1
                    };
                    let x = xs[i].widen();
                    let gamma = gammas[i].widen();
                    let g = gs[i];
                    sum0_terms[i] = gamma * g;
                    sum1_terms[i] = gamma * (x - v1) * g;
                }
            }
        }
    }
    struct Backward1Inner<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Backward1Inner<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let gammas = &block.input::<T>(0)[..n];
            let gs = &block.input::<T::Compute>(1)[..n];
            let xs = &block.input::<T>(2)[..n];
            let saved0s = block.line_input::<T::Compute, L>(3);
            let saved1s = block.line_input::<T::Compute, L>(4);
            let dx = &mut block.output::<T>(0)[..n];
            let sum0s = block.line_row::<T::Compute, L>(0);
            let sum1s = block.line_row::<T::Compute, L>(1);
            let c0: T::Compute = Compute::from_f64(1.0);
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            let eps = block.float::<T::Compute>(0);
            let reciprocal = c0 / v0;
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let gammas = line.of(gammas);
                let gs = line.of(gs);
                let xs = line.of(xs);
                let saved0s = line.values(saved0s);
                let saved1s = line.values(saved1s);
                let dx = line.of_mut(dx);
                let sum0s = line.values(sum0s);
                let sum1s = line.values(sum1s);
                let i = 0;
                let sum0 = sum0s[i];
                let saved1 = saved1s[i];
                let v1 = Compute::rsqrt::<I>(saved1 / v0 + eps);
                let saved0 = saved0s[i];
                let v2 = saved0 / v0;
                let sum1 = sum1s[i];
                for i in 0..n {
                    let (sum0, v1, v2, sum1) = if L::SHARED {
                        (sum0, v1, v2, sum1)
                    } else {
                        let sum0 = sum0s[i];
                        let saved1 = saved1s[i];
                        let v1 = Compute::rsqrt::<I>(saved1 / v0 + eps);
                        let saved0 = saved0s[i];
                        let v2 = saved0 / v0;
                        let sum1 = sum1s[i];
                        (sum0, v1, v2, sum1)
                    };
                    let x = xs[i].widen();
                    let gamma = gammas[i].widen();
                    let g = gs[i];
                    let v3 = sum0 + v1 * v1 * sum1 * (x - v2);
                    let v4 = v1 * (-(gamma * g) + reciprocal * v3);
                    dx[i] = T::narrow(-v4);
                }
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "layer_norm",
        axes: &[
            Axis {
                name: "..",
                extent: 0,
                rest: true,
            },
            Axis {
                name: "C",
                extent: 1,
                rest: false,
            },
        ],
        extents: &[Extent::Declared, Extent::Declared],
        tensors: &[
            TensorParam {
                name: "x",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 1],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "gamma",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[1],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "beta",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[1],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[ScalarParam { name: "eps" }],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[0, 1],
            },
        ],
        assertions: &[],
        saved: &[
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0],
                },
                output: ::core::option::Option::None,
            },
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0],
                },
                output: ::core::option::Option::None,
            },
        ],
        forward: Schedule {
            temps: &[],
            kernels: &[FORWARD_0],
            elementwise: false,
            passed_on: &[],
        },
        backward: ::core::option::Option::Some(Schedule {
            temps: &[],
            kernels: &[BACKWARD_0, BACKWARD_1],
            elementwise: false,
            passed_on: &[],
        }),
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Row,
        free: &[0],
        reduced: &[1],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Param(2),
                elem: Elem::Generic,
                index: &[Index::Axis(1)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::Some(0),
                name: "sum[C]",
            },
            Reduction {
                level: 1,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[C]",
            },
        ],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 1],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Saved(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Saved(1),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Level(0),
                operands: &[0],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 2,
            },
            Pass {
                kind: PassKind::Level(1),
                operands: &[0],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[1],
                writes: &[],
                cost: 14,
            },
            Pass {
                kind: PassKind::Inner,
                operands: &[0, 1, 2],
                axes: &[],
                rows: &[0, 1],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 44,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0, 1],
                bodies: &[],
                reductions: &[],
                writes: &[1, 2],
                cost: 4,
            },
        ],
        lines: ::core::option::Option::Some(Lines {
            along: Along::Reduced,
            operands: &[],
        }),
        contraction: ::core::option::Option::None,
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
    const BACKWARD_0: Kernel = Kernel {
        class: Class::Column,
        free: &[1],
        reduced: &[0],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
            },
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::Some(0),
                name: "sum[..]",
            },
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[..]",
            },
        ],
        writes: &[
            Write {
                array: Array::Gradient(1),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[1],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Gradient(2),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[1],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Level(0),
                operands: &[0, 1, 2, 3],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[0, 1],
                writes: &[],
                cost: 44,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0, 1],
                bodies: &[],
                reductions: &[],
                writes: &[0, 1],
                cost: 4,
            },
        ],
        lines: ::core::option::Option::Some(Lines {
            along: Along::Free,
            operands: &[2, 3],
        }),
        contraction: ::core::option::Option::None,
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
    const BACKWARD_1: Kernel = Kernel {
        class: Class::Row,
        free: &[0],
        reduced: &[1],
        operands: &[
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
            },
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[C]",
            },
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[C]",
            },
        ],
        writes: &[
            Write {
                array: Array::Gradient(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 1],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Level(0),
                operands: &[0, 1, 2, 3],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[0, 1],
                writes: &[],
                cost: 21,
            },
            Pass {
                kind: PassKind::Inner,
                operands: &[0, 1, 2, 3, 4],
                axes: &[],
                rows: &[0, 1],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 65,
            },
        ],
        lines: ::core::option::Option::Some(Lines {
            along: Along::Reduced,
            operands: &[3, 4],
        }),
        contraction: ::core::option::Option::None,
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
}
