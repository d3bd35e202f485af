#[track_caller]
pub fn conv1d<
    D: ::tensor_rt::Device,
    XMode: ::tensor_rt::GradMode + ::tensor_rt::Join<KMode, Out = G>,
    T: ::tensor_rt::Float,
    KDevice: ::tensor_rt::SameDevice<D>,
    KMode: ::tensor_rt::GradMode,
    KElement: ::tensor_rt::SameElement<T>,
    G: ::tensor_rt::GradMode,
>(
    x: &::tensor_rt::Tensor<D, XMode, T>,
    k: &::tensor_rt::Tensor<KDevice, KMode, KElement>,
    stride: usize,
    pad: usize,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &conv1d::PROGRAM,
        conv1d::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    call.tensor(k);
    call.usize(stride);
    call.usize(pad);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
pub mod conv1d {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[PassFn::of::<Forward0Level0<T>>(), PassFn::of::<Forward0Outer<T>>()],
            ],
            backward: &[
                &[PassFn::of::<Backward0Level0<T>>(), PassFn::of::<Backward0Outer<T>>()],
                &[PassFn::of::<Backward1Level0<T>>(), PassFn::of::<Backward1Outer<T>>()],
            ],
        };
    }
    struct Forward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let ks = &block.input::<T>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let x = xs[i].widen();
                let k = ks[i].widen();
                sum0_terms[i] = x * k;
            }
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let out = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                out[i] = T::narrow(sum0);
            }
        }
    }
    struct Backward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let xs = &block.input::<T>(1)[..n];
            let ps = &block.axis(1)[..n];
            let ws = &block.axis(0)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            let size_l = block.size(2);
            let pad = block.int(1);
            let stride = block.int(0);
            for i in 0..n {
                let p = ps[i];
                let w = ws[i];
                let v0 = p.wrapping_mul(stride).wrapping_add(w).wrapping_sub(pad);
                let x = xs[i].widen();
                let g = gs[i];
                let v1 = g * x;
                let v2 = if (v0 >= 0i64) & (v0 < size_l) { v1 } else { c0 };
                sum0_terms[i] = v2;
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dk = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                dk[i] = T::narrow(sum0);
            }
        }
    }
    struct Backward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let ks = &block.input::<T>(0)[..n];
            let gs = &block.input::<T::Compute>(1)[..n];
            let ws = &block.axis(1)[..n];
            let ls = &block.axis(0)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            let pad = block.int(1);
            let stride = block.int(0);
            let size_p = block.size(5);
            for i in 0..n {
                let w = ws[i];
                let k = ks[i].widen();
                let l = ls[i];
                let v0 = l.wrapping_sub(w).wrapping_add(pad);
                let v1 = block.divide(i, v0, stride);
                let v2 = (v1.wrapping_mul(stride) == v0) & (v1 >= 0i64) & (v1 < size_p);
                let g = gs[i];
                let v3 = k * g;
                let v4 = if v2 { v3 } else { c0 };
                sum0_terms[i] = v4;
            }
        }
    }
    struct Backward1Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dx = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                dx[i] = T::narrow(sum0);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "conv1d",
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
            Axis {
                name: "L",
                extent: 2,
                rest: false,
            },
            Axis {
                name: "O",
                extent: 3,
                rest: false,
            },
            Axis {
                name: "W",
                extent: 4,
                rest: false,
            },
            Axis {
                name: "P",
                extent: 5,
                rest: false,
            },
        ],
        extents: &[
            Extent::Declared,
            Extent::Declared,
            Extent::Declared,
            Extent::Declared,
            Extent::Declared,
            Extent::Computed(
                SizeExpr::Add(
                    &SizeExpr::Div(
                        &SizeExpr::Sub(
                            &SizeExpr::Add(
                                &SizeExpr::Extent(2),
                                &SizeExpr::Mul(&SizeExpr::Const(2), &SizeExpr::Scalar(1)),
                            ),
                            &SizeExpr::Extent(4),
                        ),
                        &SizeExpr::Scalar(0),
                    ),
                    &SizeExpr::Const(1),
                ),
            ),
        ],
        tensors: &[
            TensorParam {
                name: "x",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 1, 2],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "k",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[3, 1, 4],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[ScalarParam { name: "stride" }, ScalarParam { name: "pad" }],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[0, 3, 5],
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
            temps: &[],
            kernels: &[BACKWARD_0, BACKWARD_1],
            elementwise: false,
            passed_on: &[],
        }),
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Contraction,
        free: &[0, 3, 5],
        reduced: &[1, 4],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[
                    Index::Axis(0),
                    Index::Axis(1),
                    Index::Clipped {
                        terms: &[(5, SizeExpr::Scalar(0)), (4, SizeExpr::Const(1))],
                        offset: SizeExpr::Sub(&SizeExpr::Const(0), &SizeExpr::Scalar(1)),
                        divisor: SizeExpr::Const(1),
                    },
                ],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(3), Index::Axis(1), Index::Axis(4)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[C, W]",
            },
        ],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 3, 5],
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
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 2,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 0,
            rhs: 1,
            batch: &[],
            m: &[0, 5],
            n: &[3],
            guarded: false,
            bare: true,
        }),
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
    const BACKWARD_0: Kernel = Kernel {
        class: Class::Contraction,
        free: &[3, 1, 4],
        reduced: &[0, 5],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(3), Index::Axis(5)],
            },
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[
                    Index::Axis(0),
                    Index::Axis(1),
                    Index::Clipped {
                        terms: &[(5, SizeExpr::Scalar(0)), (4, SizeExpr::Const(1))],
                        offset: SizeExpr::Sub(&SizeExpr::Const(0), &SizeExpr::Scalar(1)),
                        divisor: SizeExpr::Const(1),
                    },
                ],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[N, P]",
            },
        ],
        writes: &[
            Write {
                array: Array::Gradient(1),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[3, 1, 4],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Level(0),
                operands: &[0, 1],
                axes: &[4, 5],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 13,
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
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 0,
            rhs: 1,
            batch: &[],
            m: &[3],
            n: &[1, 4],
            guarded: true,
            bare: true,
        }),
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
        reduced: &[3, 4],
        operands: &[
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(3), Index::Axis(1), Index::Axis(4)],
            },
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[
                    Index::Axis(0),
                    Index::Axis(3),
                    Index::Clipped {
                        terms: &[(2, SizeExpr::Const(1)), (4, SizeExpr::Const(-1))],
                        offset: SizeExpr::Scalar(1),
                        divisor: SizeExpr::Scalar(0),
                    },
                ],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[O, W]",
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
                axes: &[2, 4],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 39,
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
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 1,
            rhs: 0,
            batch: &[],
            m: &[0, 2],
            n: &[1],
            guarded: true,
            bare: true,
        }),
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
}
