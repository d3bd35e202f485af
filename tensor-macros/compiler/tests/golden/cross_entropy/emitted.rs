#[track_caller]
pub fn cross_entropy<
    D: ::tensor_rt::Device,
    LogitsMode: ::tensor_rt::GradMode,
    T: ::tensor_rt::Float,
    TargetDevice: ::tensor_rt::SameDevice<D>,
>(
    logits: &::tensor_rt::Tensor<D, LogitsMode, T>,
    target: &::tensor_rt::Tensor<TargetDevice, ::tensor_rt::NoGrad, i64>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, LogitsMode, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &cross_entropy::PROGRAM,
        cross_entropy::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(logits);
    call.tensor(target);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, LogitsMode, T>())
}
#[doc(hidden)]
pub mod cross_entropy {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[
                    PassFn::of::<Forward0Level0<T>>(),
                    PassFn::of_lines::<Forward0Level1<T>>(),
                    PassFn::of::<Forward0Outer<T>>(),
                ],
                &[PassFn::of::<Forward1Level0<T>>(), PassFn::of::<Forward1Outer<T>>()],
            ],
            backward: &[&[PassFn::of::<Backward0Outer<T>>()]],
        };
    }
    struct Forward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let logits_slice = &block.input::<T>(0)[..n];
            let m_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let logits = logits_slice[i].widen();
                m_terms[i] = logits;
            }
        }
    }
    struct Forward0Level1<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Forward0Level1<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let logits_slice = &block.input::<T>(0)[..n];
            let ms = block.line_row::<T::Compute, L>(0);
            let sum1_terms = &mut block.values::<T::Compute>(1)[..n];
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let logits_slice = line.of(logits_slice);
                let ms = line.values(ms);
                let sum1_terms = line.of_mut(sum1_terms);
                let i = 0;
                let m = ms[i];
                for i in 0..n {
                    let m = if L::SHARED {
                        m
                    } else {
                        let m = ms[i];
                        m
                    };
                    let logits = logits_slice[i].widen();
                    sum1_terms[i] = Compute::exp::<I>(logits - m);
                }
            }
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let m_out = &mut block.output::<T::Compute>(0)[..n];
            let saved1_out = &mut block.output::<T::Compute>(1)[..n];
            let ms = &block.row::<T::Compute>(0)[..n];
            let sum1s = &block.row::<T::Compute>(1)[..n];
            for i in 0..n {
                let m = ms[i];
                let sum1 = sum1s[i];
                m_out[i] = m;
                saved1_out[i] = sum1;
            }
        }
    }
    struct Forward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let ms = &block.input::<T::Compute>(0)[..n];
            let saved1s = &block.input::<T::Compute>(1)[..n];
            let targets = &block.input::<i64>(3)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let logits_slice = block.gather::<T>(2);
            for i in 0..n {
                let target = targets[i];
                let logits = logits_slice.get(i, [target]).widen();
                let saved1 = saved1s[i];
                let m = ms[i];
                sum0_terms[i] = m + Compute::ln::<I>(saved1) - logits;
            }
        }
    }
    struct Forward1Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward1Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let out = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let size_n = block.size(0);
            let v0 = <T::Compute as Compute>::from_i64(size_n);
            for i in 0..n {
                let sum0 = sum0s[i];
                out[i] = T::narrow(sum0 / v0);
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let saved1s = &block.input::<T::Compute>(1)[..n];
            let logits_slice = &block.input::<T>(2)[..n];
            let ms = &block.input::<T::Compute>(3)[..n];
            let targets = &block.input::<i64>(4)[..n];
            let dlogits = &mut block.output::<T>(0)[..n];
            let cs = &block.axis(0)[..n];
            let c0: T::Compute = Compute::from_f64(1.0);
            let c1: T::Compute = Compute::from_f64(0.0);
            let size_n = block.size(0);
            let v0 = <T::Compute as Compute>::from_i64(size_n);
            let reciprocal = c0 / v0;
            for i in 0..n {
                let c = cs[i];
                let logits = logits_slice[i].widen();
                let target = targets[i];
                let g = gs[i];
                let v1 = if c == target { c0 } else { c1 };
                let saved1 = saved1s[i];
                let m = ms[i];
                dlogits[i] = T::narrow(
                    reciprocal * g * (Compute::exp::<I>(logits - m) / saved1 - v1),
                );
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "cross_entropy",
        axes: &[
            Axis {
                name: "N",
                extent: 0,
                rest: false,
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
                name: "logits",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 1],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "target",
                intent: Intent::Read,
                elem: Elem::Fixed(DType::I64),
                axes: &[0],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[],
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
            kernels: &[FORWARD_0, FORWARD_1],
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
                cost: 20,
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
    const FORWARD_1: Kernel = Kernel {
        class: Class::Full,
        free: &[],
        reduced: &[0],
        operands: &[
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
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Dynamic],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Fixed(DType::I64),
                index: &[Index::Axis(0)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[N]",
            },
        ],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[],
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
                reductions: &[0],
                writes: &[],
                cost: 46,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 11,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::None,
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
    const BACKWARD_0: Kernel = Kernel {
        class: Class::Pointwise,
        free: &[0, 1],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[],
            },
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
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
                array: Array::Param(1),
                elem: Elem::Fixed(DType::I64),
                index: &[Index::Axis(0)],
            },
        ],
        reductions: &[],
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
                kind: PassKind::Outer,
                operands: &[0, 1, 2, 3, 4],
                axes: &[1],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 50,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::None,
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
}
