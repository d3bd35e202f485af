#[track_caller]
pub fn softmax<D: ::tensor_rt::Device, G: ::tensor_rt::GradMode, T: ::tensor_rt::Float>(
    x: &::tensor_rt::Tensor<D, G, T>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &softmax::PROGRAM,
        softmax::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
pub mod softmax {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[
                    PassFn::of::<Forward0Level0<T>>(),
                    PassFn::of_lines::<Forward0Level1<T>>(),
                    PassFn::of_lines::<Forward0Inner<T>>(),
                ],
            ],
            backward: &[
                &[
                    PassFn::of::<Backward0Level0<T>>(),
                    PassFn::of_lines::<Backward0Inner<T>>(),
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
            let max0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let x = xs[i].widen();
                max0_terms[i] = x;
            }
        }
    }
    struct Forward0Level1<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Forward0Level1<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let max0s = block.line_row::<T::Compute, L>(0);
            let sum1_terms = &mut block.values::<T::Compute>(1)[..n];
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let xs = line.of(xs);
                let max0s = line.values(max0s);
                let sum1_terms = line.of_mut(sum1_terms);
                let i = 0;
                let max0 = max0s[i];
                for i in 0..n {
                    let max0 = if L::SHARED {
                        max0
                    } else {
                        let max0 = max0s[i];
                        max0
                    };
                    let x = xs[i].widen();
                    let e = Compute::exp::<I>(x - max0);
                    sum1_terms[i] = e;
                }
            }
        }
    }
    struct Forward0Inner<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Forward0Inner<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let out = &mut block.output::<T>(0)[..n];
            let saved0_out = &mut block.output::<T::Compute>(1)[..n];
            let sum1_terms = &block.body::<T::Compute>(1)[..n];
            let sum1s = block.line_row::<T::Compute, L>(1);
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let out = line.of_mut(out);
                let saved0_out = line.of_mut(saved0_out);
                let sum1_terms = line.of(sum1_terms);
                let sum1s = line.values(sum1s);
                let i = 0;
                let sum1 = sum1s[i];
                for i in 0..n {
                    let sum1 = if L::SHARED {
                        sum1
                    } else {
                        let sum1 = sum1s[i];
                        sum1
                    };
                    let e = sum1_terms[i];
                    let v0 = e / sum1;
                    out[i] = T::narrow(v0);
                    saved0_out[i] = v0;
                }
            }
        }
    }
    struct Backward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved0s = &block.input::<T::Compute>(0)[..n];
            let gs = &block.input::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let g = gs[i];
                let saved0 = saved0s[i];
                sum0_terms[i] = saved0 * g;
            }
        }
    }
    struct Backward0Inner<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Backward0Inner<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let saved0s = &block.input::<T::Compute>(0)[..n];
            let gs = &block.input::<T::Compute>(1)[..n];
            let dx = &mut block.output::<T>(0)[..n];
            let sum0s = block.line_row::<T::Compute, L>(0);
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let saved0s = line.of(saved0s);
                let gs = line.of(gs);
                let dx = line.of_mut(dx);
                let sum0s = line.values(sum0s);
                let i = 0;
                let sum0 = sum0s[i];
                for i in 0..n {
                    let sum0 = if L::SHARED {
                        sum0
                    } else {
                        let sum0 = sum0s[i];
                        sum0
                    };
                    let g = gs[i];
                    let saved0 = saved0s[i];
                    dx[i] = T::narrow(-(saved0 * (sum0 - g)));
                }
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "softmax",
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
        ],
        scalars: &[],
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
            kernels: &[BACKWARD_0],
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
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Max,
                value: Elem::Compute,
                operand: ::core::option::Option::Some(0),
                name: "max[C]",
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
                    axes: &[0, 1],
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
                cost: 20,
            },
            Pass {
                kind: PassKind::Inner,
                operands: &[],
                axes: &[],
                rows: &[1],
                bodies: &[1],
                reductions: &[],
                writes: &[0, 1],
                cost: 12,
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
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Cotangent(0),
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
                operands: &[0, 1],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 5,
            },
            Pass {
                kind: PassKind::Inner,
                operands: &[0, 1],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 9,
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
}
