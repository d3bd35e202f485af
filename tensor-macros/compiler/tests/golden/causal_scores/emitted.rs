#[track_caller]
pub fn causal_scores<
    D: ::tensor_rt::Device,
    QMode: ::tensor_rt::GradMode + ::tensor_rt::Join<KMode, Out = G>,
    T: ::tensor_rt::Float,
    KDevice: ::tensor_rt::SameDevice<D>,
    KMode: ::tensor_rt::GradMode,
    KElement: ::tensor_rt::SameElement<T>,
    G: ::tensor_rt::GradMode,
>(
    q: &::tensor_rt::Tensor<D, QMode, T>,
    k: &::tensor_rt::Tensor<KDevice, KMode, KElement>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &causal_scores::PROGRAM,
        causal_scores::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(q);
    call.tensor(k);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
pub mod causal_scores {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[PassFn::of::<Forward0Level0<T>>(), PassFn::of::<Forward0Outer<T>>()],
            ],
            backward: &[
                &[PassFn::of::<Backward0Outer<T>>()],
                &[PassFn::of::<Backward1Level0<T>>(), PassFn::of::<Backward1Outer<T>>()],
                &[PassFn::of::<Backward2Level0<T>>(), PassFn::of::<Backward2Outer<T>>()],
            ],
        };
    }
    struct Forward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let qs = &block.input::<T>(0)[..n];
            let ks = &block.input::<T>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let q = qs[i].widen();
                let k = ks[i].widen();
                sum0_terms[i] = q * k;
            }
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let out = &mut block.output::<T>(0)[..n];
            let ss = &block.axis(1)[..n];
            let ts = &block.axis(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(-f64::INFINITY);
            let size_k = block.size(2);
            let v0 = Compute::sqrt::<I>(<T::Compute as Compute>::from_i64(size_k));
            for i in 0..n {
                let s = ss[i];
                let t = ts[i];
                let sum0 = sum0s[i];
                let v1 = sum0 / v0;
                let v2 = if s <= t { v1 } else { c0 };
                out[i] = T::narrow(v2);
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let temp0_out = &mut block.output::<T::Compute>(0)[..n];
            let ss = &block.axis(1)[..n];
            let ts = &block.axis(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            for i in 0..n {
                let s = ss[i];
                let t = ts[i];
                let g = gs[i];
                let v0 = if s <= t { g } else { c0 };
                temp0_out[i] = v0;
            }
        }
    }
    struct Backward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let ks = &block.input::<T>(0)[..n];
            let temp0s = &block.input::<T::Compute>(1)[..n];
            let ss = &block.axis(1)[..n];
            let ts = &block.axis(0)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            for i in 0..n {
                let s = ss[i];
                let t = ts[i];
                let k = ks[i].widen();
                let temp0 = temp0s[i];
                let v0 = k * temp0;
                let v1 = if s <= t { v0 } else { c0 };
                sum0_terms[i] = v1;
            }
        }
    }
    struct Backward1Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dq = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let size_k = block.size(2);
            let v0 = Compute::sqrt::<I>(<T::Compute as Compute>::from_i64(size_k));
            for i in 0..n {
                let sum0 = sum0s[i];
                dq[i] = T::narrow(sum0 / v0);
            }
        }
    }
    struct Backward2Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward2Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let qs = &block.input::<T>(0)[..n];
            let temp0s = &block.input::<T::Compute>(1)[..n];
            let ss = &block.axis(1)[..n];
            let ts = &block.axis(0)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            for i in 0..n {
                let s = ss[i];
                let t = ts[i];
                let q = qs[i].widen();
                let temp0 = temp0s[i];
                let v0 = q * temp0;
                let v1 = if s <= t { v0 } else { c0 };
                sum0_terms[i] = v1;
            }
        }
    }
    struct Backward2Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward2Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dk = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let size_k = block.size(2);
            let v0 = Compute::sqrt::<I>(<T::Compute as Compute>::from_i64(size_k));
            for i in 0..n {
                let sum0 = sum0s[i];
                dk[i] = T::narrow(sum0 / v0);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "causal_scores",
        axes: &[
            Axis {
                name: "B",
                extent: 0,
                rest: false,
            },
            Axis {
                name: "T",
                extent: 1,
                rest: false,
            },
            Axis {
                name: "K",
                extent: 2,
                rest: false,
            },
            Axis {
                name: "S",
                extent: 3,
                rest: false,
            },
        ],
        extents: &[
            Extent::Declared,
            Extent::Declared,
            Extent::Declared,
            Extent::Declared,
        ],
        tensors: &[
            TensorParam {
                name: "q",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 1, 2],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "k",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 3, 2],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[0, 1, 3],
            },
        ],
        assertions: &[],
        saved: &[],
        forward: Schedule {
            temps: &[],
            kernels: &[FORWARD_0],
            elementwise: false,
            passed_on: &[],
        },
        backward: ::core::option::Option::Some(Schedule {
            temps: &[
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1, 3],
                },
            ],
            kernels: &[BACKWARD_0, BACKWARD_1, BACKWARD_2],
            elementwise: false,
            passed_on: &[],
        }),
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Contraction,
        free: &[0, 1, 3],
        reduced: &[2],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2)],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(3), Index::Axis(2)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[K]",
            },
        ],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 1, 3],
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
                cost: 4,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[1, 3],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 23,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 0,
            rhs: 1,
            batch: &[0],
            m: &[1],
            n: &[3],
            guarded: false,
            bare: false,
        }),
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
    const BACKWARD_0: Kernel = Kernel {
        class: Class::Pointwise,
        free: &[0, 1, 3],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(3)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Temp(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0, 1, 3],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Outer,
                operands: &[0],
                axes: &[1, 3],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 6,
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
    const BACKWARD_1: Kernel = Kernel {
        class: Class::Contraction,
        free: &[0, 1, 2],
        reduced: &[3],
        operands: &[
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(3), Index::Axis(2)],
            },
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(3)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[S]",
            },
        ],
        writes: &[
            Write {
                array: Array::Gradient(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 1, 2],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Level(0),
                operands: &[0, 1],
                axes: &[1, 3],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 8,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 21,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 1,
            rhs: 0,
            batch: &[0],
            m: &[1],
            n: &[2],
            guarded: true,
            bare: false,
        }),
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
    const BACKWARD_2: Kernel = Kernel {
        class: Class::Contraction,
        free: &[0, 3, 2],
        reduced: &[1],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2)],
            },
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(3)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[T]",
            },
        ],
        writes: &[
            Write {
                array: Array::Gradient(1),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 3, 2],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Level(0),
                operands: &[0, 1],
                axes: &[1, 3],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 8,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 21,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 1,
            rhs: 0,
            batch: &[0],
            m: &[3],
            n: &[2],
            guarded: true,
            bare: false,
        }),
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
}
