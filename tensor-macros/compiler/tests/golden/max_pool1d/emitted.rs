#[track_caller]
pub fn max_pool1d<
    D: ::tensor_rt::Device,
    G: ::tensor_rt::GradMode,
    T: ::tensor_rt::Float,
>(
    x: &::tensor_rt::Tensor<D, G, T>,
    window: usize,
    stride: usize,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &max_pool1d::PROGRAM,
        max_pool1d::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    call.usize(window);
    call.usize(stride);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
pub mod max_pool1d {
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
            let max0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let x = xs[i].widen();
                max0_terms[i] = x;
            }
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let out = &mut block.output::<T>(0)[..n];
            let saved0_out = &mut block.output::<T::Compute>(1)[..n];
            let max0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let max0 = max0s[i];
                out[i] = T::narrow(max0);
                saved0_out[i] = max0;
            }
        }
    }
    struct Backward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let saved0s = &block.input::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(1.0);
            let c1: T::Compute = Compute::from_f64(0.0);
            for i in 0..n {
                let x = xs[i].widen();
                let saved0 = saved0s[i];
                let v0 = if x == saved0 { c0 } else { c1 };
                sum0_terms[i] = v0;
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let temp0_out = &mut block.output::<T::Compute>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                temp0_out[i] = sum0;
            }
        }
    }
    struct Backward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let saved0s = &block.input::<T::Compute>(1)[..n];
            let gs = &block.input::<T::Compute>(2)[..n];
            let temp0s = &block.input::<T::Compute>(3)[..n];
            let ws = &block.axis(1)[..n];
            let ls = &block.axis(0)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(1.0);
            let c1: T::Compute = Compute::from_f64(0.0);
            let stride = block.int(1);
            let size_p = block.size(3);
            for i in 0..n {
                let w = ws[i];
                let l = ls[i];
                let x = xs[i].widen();
                let v0 = l.wrapping_sub(w);
                let v1 = block.divide(i, v0, stride);
                let v2 = (v1.wrapping_mul(stride) == v0) & (v1 >= 0i64) & (v1 < size_p);
                let saved0 = saved0s[i];
                let g = gs[i];
                let temp0 = temp0s[i];
                let v3 = g / Compute::nan_max::<I>(temp0, c0);
                let v4 = if v2 & (x == saved0) { v3 } else { c1 };
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
        name: "max_pool1d",
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
                name: "P",
                extent: 3,
                rest: false,
            },
            Axis {
                name: "W",
                extent: 4,
                rest: false,
            },
        ],
        extents: &[
            Extent::Declared,
            Extent::Declared,
            Extent::Declared,
            Extent::Computed(
                SizeExpr::Add(
                    &SizeExpr::Div(
                        &SizeExpr::Sub(&SizeExpr::Extent(2), &SizeExpr::Scalar(0)),
                        &SizeExpr::Scalar(1),
                    ),
                    &SizeExpr::Const(1),
                ),
            ),
            Extent::Computed(SizeExpr::Scalar(0)),
        ],
        tensors: &[
            TensorParam {
                name: "x",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 1, 2],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[ScalarParam { name: "window" }, ScalarParam { name: "stride" }],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[0, 1, 3],
            },
        ],
        assertions: &[],
        saved: &[
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1, 3],
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
            temps: &[
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1, 3],
                },
            ],
            kernels: &[BACKWARD_0, BACKWARD_1],
            elementwise: false,
            passed_on: &[],
        }),
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::StridedRow,
        free: &[0, 1, 3],
        reduced: &[4],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[
                    Index::Axis(0),
                    Index::Axis(1),
                    Index::Affine {
                        terms: &[(3, SizeExpr::Scalar(1)), (4, SizeExpr::Const(1))],
                        offset: SizeExpr::Const(0),
                    },
                ],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Max,
                value: Elem::Compute,
                operand: ::core::option::Option::Some(0),
                name: "max[W]",
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
            Write {
                array: Array::Saved(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0, 1, 3],
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
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0, 1],
                cost: 3,
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
        class: Class::StridedRow,
        free: &[0, 1, 3],
        reduced: &[4],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[
                    Index::Axis(0),
                    Index::Axis(1),
                    Index::Affine {
                        terms: &[(3, SizeExpr::Scalar(1)), (4, SizeExpr::Const(1))],
                        offset: SizeExpr::Const(0),
                    },
                ],
            },
            Operand {
                array: Array::Saved(0),
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
                name: "sum[W]",
            },
        ],
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
        contraction: ::core::option::Option::None,
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
    const BACKWARD_1: Kernel = Kernel {
        class: Class::StridedRow,
        free: &[0, 1, 2],
        reduced: &[4],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[
                    Index::Axis(0),
                    Index::Axis(1),
                    Index::Clipped {
                        terms: &[(2, SizeExpr::Const(1)), (4, SizeExpr::Const(-1))],
                        offset: SizeExpr::Const(0),
                        divisor: SizeExpr::Scalar(1),
                    },
                ],
            },
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[
                    Index::Axis(0),
                    Index::Axis(1),
                    Index::Clipped {
                        terms: &[(2, SizeExpr::Const(1)), (4, SizeExpr::Const(-1))],
                        offset: SizeExpr::Const(0),
                        divisor: SizeExpr::Scalar(1),
                    },
                ],
            },
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[
                    Index::Axis(0),
                    Index::Axis(1),
                    Index::Clipped {
                        terms: &[(2, SizeExpr::Const(1)), (4, SizeExpr::Const(-1))],
                        offset: SizeExpr::Const(0),
                        divisor: SizeExpr::Scalar(1),
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
                name: "sum[W]",
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
                operands: &[0, 1, 2, 3],
                axes: &[2, 4],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 52,
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
        contraction: ::core::option::Option::None,
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
}
