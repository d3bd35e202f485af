#[track_caller]
pub fn two<
    D: ::tensor_rt::Device,
    XMode: ::tensor_rt::GradMode + ::tensor_rt::Join<G2, Out = G>,
    T: ::tensor_rt::Float,
    RDevice: ::tensor_rt::SameDevice<D>,
    RMode: ::tensor_rt::GradMode + ::tensor_rt::Join<GammaMode, Out = G2>,
    RElement: ::tensor_rt::SameElement<T>,
    GammaDevice: ::tensor_rt::SameDevice<D>,
    GammaMode: ::tensor_rt::GradMode,
    GammaElement: ::tensor_rt::SameElement<T>,
    G2: ::tensor_rt::GradMode,
    G: ::tensor_rt::GradMode,
>(
    x: &::tensor_rt::Tensor<D, XMode, T>,
    r: &::tensor_rt::Tensor<RDevice, RMode, RElement>,
    gamma: &::tensor_rt::Tensor<GammaDevice, GammaMode, GammaElement>,
    eps: f64,
) -> ::core::result::Result<
    (::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Tensor<D, G, T>),
    ::tensor_rt::Error,
> {
    let mut call = ::tensor_rt::__private::Call::new(
        &two::PROGRAM,
        two::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    call.tensor(r);
    call.tensor(gamma);
    call.float(eps);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok((outputs.take::<D, G, T>(), outputs.take::<D, G, T>()))
}
#[doc(hidden)]
pub mod two {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[
                    PassFn::of::<Forward0Level0<T>>(),
                    PassFn::of_lines::<Forward0Inner<T>>(),
                    PassFn::of::<Forward0Outer<T>>(),
                ],
            ],
            backward: &[
                &[
                    PassFn::of::<Backward0Level0<T>>(),
                    PassFn::of_lines::<Backward0Inner<T>>(),
                ],
                &[
                    PassFn::of_lines::<Backward1Level0<T>>(),
                    PassFn::of::<Backward1Outer<T>>(),
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
            let rs = &block.input::<T>(1)[..n];
            let out0 = &mut block.output::<T>(0)[..n];
            let h_out = &mut block.output::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let x = xs[i].widen();
                let r = rs[i].widen();
                let h = x + r;
                sum0_terms[i] = h * h;
                out0[i] = T::narrow(h);
                h_out[i] = h;
            }
        }
    }
    struct Forward0Inner<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Forward0Inner<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let rs = &block.input::<T>(1)[..n];
            let gammas = &block.input::<T>(2)[..n];
            let out1 = &mut block.output::<T>(2)[..n];
            let sum0s = block.line_row::<T::Compute, L>(0);
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            let eps = block.float::<T::Compute>(0);
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let xs = line.of(xs);
                let rs = line.of(rs);
                let gammas = line.of(gammas);
                let out1 = line.of_mut(out1);
                let sum0s = line.values(sum0s);
                let i = 0;
                let sum0 = sum0s[i];
                let v1 = Compute::rsqrt::<I>(sum0 / v0 + eps);
                for i in 0..n {
                    let v1 = if L::SHARED {
                        v1
                    } else {
                        let sum0 = sum0s[i];
                        let v1 = Compute::rsqrt::<I>(sum0 / v0 + eps);
                        v1
                    };
                    let x = xs[i].widen();
                    let r = rs[i].widen();
                    let h = x + r;
                    let gamma = gammas[i].widen();
                    out1[i] = T::narrow(h * v1 * gamma);
                }
            }
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved0_out = &mut block.output::<T::Compute>(3)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                saved0_out[i] = sum0;
            }
        }
    }
    struct Backward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gammas = &block.input::<T>(0)[..n];
            let hs = &block.input::<T::Compute>(1)[..n];
            let g1s = &block.input::<T::Compute>(2)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let gamma = gammas[i].widen();
                let g1 = g1s[i];
                let h = hs[i];
                sum0_terms[i] = gamma * h * g1;
            }
        }
    }
    struct Backward0Inner<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Backward0Inner<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let gammas = &block.input::<T>(0)[..n];
            let hs = &block.input::<T::Compute>(1)[..n];
            let g1s = &block.input::<T::Compute>(2)[..n];
            let g0s = &block.input::<T::Compute>(3)[..n];
            let saved0s = block.line_input::<T::Compute, L>(4);
            let dx = &mut block.output::<T>(0)[..n];
            let dr = &mut block.output::<T>(1)[..n];
            let sum0s = block.line_row::<T::Compute, L>(0);
            let c0: T::Compute = Compute::from_f64(1.0);
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            let eps = block.float::<T::Compute>(0);
            let reciprocal = c0 / v0;
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let gammas = line.of(gammas);
                let hs = line.of(hs);
                let g1s = line.of(g1s);
                let g0s = line.of(g0s);
                let saved0s = line.values(saved0s);
                let dx = line.of_mut(dx);
                let dr = line.of_mut(dr);
                let sum0s = line.values(sum0s);
                let i = 0;
                let saved0 = saved0s[i];
                let v1 = Compute::rsqrt::<I>(saved0 / v0 + eps);
                let sum0 = sum0s[i];
                for i in 0..n {
                    let (v1, sum0) = if L::SHARED {
                        (v1, sum0)
                    } else {
                        let saved0 = saved0s[i];
                        let v1 = Compute::rsqrt::<I>(saved0 / v0 + eps);
                        let sum0 = sum0s[i];
                        (v1, sum0)
                    };
                    let gamma = gammas[i].widen();
                    let g0 = g0s[i];
                    let g1 = g1s[i];
                    let h = hs[i];
                    let v2 = gamma * g1 - reciprocal * v1 * v1 * sum0 * h;
                    let v3 = g0 + v1 * v2;
                    dx[i] = T::narrow(v3);
                    dr[i] = T::narrow(v3);
                }
            }
        }
    }
    struct Backward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Backward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let hs = &block.input::<T::Compute>(0)[..n];
            let saved0s = block.line_input::<T::Compute, L>(1);
            let g1s = &block.input::<T::Compute>(2)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            let eps = block.float::<T::Compute>(0);
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let hs = line.of(hs);
                let saved0s = line.values(saved0s);
                let g1s = line.of(g1s);
                let sum0_terms = line.of_mut(sum0_terms);
                let i = 0;
                let saved0 = saved0s[i];
                let v1 = Compute::rsqrt::<I>(saved0 / v0 + eps);
                for i in 0..n {
                    let v1 = if L::SHARED {
                        v1
                    } else {
                        let saved0 = saved0s[i];
                        let v1 = Compute::rsqrt::<I>(saved0 / v0 + eps);
                        v1
                    };
                    let g1 = g1s[i];
                    let h = hs[i];
                    sum0_terms[i] = h * v1 * g1;
                }
            }
        }
    }
    struct Backward1Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dgamma = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                dgamma[i] = T::narrow(sum0);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "two",
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
                name: "r",
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
        ],
        scalars: &[ScalarParam { name: "eps" }],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[0, 1],
            },
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
                    axes: &[0, 1],
                },
                output: ::core::option::Option::Some(0),
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
                index: &[Index::Axis(0), Index::Axis(1)],
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
                array: Array::Saved(1),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0, 1],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Output(1),
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
        ],
        passes: &[
            Pass {
                kind: PassKind::Level(0),
                operands: &[0, 1],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[0, 1],
                cost: 7,
            },
            Pass {
                kind: PassKind::Inner,
                operands: &[0, 1, 2],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[2],
                cost: 34,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[3],
                cost: 2,
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
        class: Class::Row,
        free: &[0],
        reduced: &[1],
        operands: &[
            Operand {
                array: Array::Param(2),
                elem: Elem::Generic,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Cotangent(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Saved(0),
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
            Write {
                array: Array::Gradient(1),
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
                operands: &[0, 1, 2],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 7,
            },
            Pass {
                kind: PassKind::Inner,
                operands: &[0, 1, 2, 3, 4],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0, 1],
                cost: 54,
            },
        ],
        lines: ::core::option::Option::Some(Lines {
            along: Along::Reduced,
            operands: &[4],
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
        class: Class::Column,
        free: &[1],
        reduced: &[0],
        operands: &[
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
            },
            Operand {
                array: Array::Cotangent(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
        ],
        reductions: &[
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
                operands: &[0, 1, 2],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 33,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 2,
            },
        ],
        lines: ::core::option::Option::Some(Lines {
            along: Along::Free,
            operands: &[1],
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
