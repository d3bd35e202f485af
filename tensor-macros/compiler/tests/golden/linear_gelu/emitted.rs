#[track_caller]
pub fn linear_gelu<
    D: ::tensor_rt::Device,
    XMode: ::tensor_rt::GradMode + ::tensor_rt::Join<G2, Out = G>,
    T: ::tensor_rt::Float,
    WDevice: ::tensor_rt::SameDevice<D>,
    WMode: ::tensor_rt::GradMode + ::tensor_rt::Join<BMode, Out = G2>,
    WElement: ::tensor_rt::SameElement<T>,
    BDevice: ::tensor_rt::SameDevice<D>,
    BMode: ::tensor_rt::GradMode,
    BElement: ::tensor_rt::SameElement<T>,
    G2: ::tensor_rt::GradMode,
    G: ::tensor_rt::GradMode,
>(
    x: &::tensor_rt::Tensor<D, XMode, T>,
    w: &::tensor_rt::Tensor<WDevice, WMode, WElement>,
    b: &::tensor_rt::Tensor<BDevice, BMode, BElement>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &linear_gelu::PROGRAM,
        linear_gelu::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    call.tensor(w);
    call.tensor(b);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
pub mod linear_gelu {
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
                &[PassFn::of::<Backward2Level0<T>>(), PassFn::of::<Backward2Outer<T>>()],
            ],
        };
    }
    struct Forward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let ws = &block.input::<T>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let x = xs[i].widen();
                let w = ws[i].widen();
                sum0_terms[i] = x * w;
            }
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let bs = &block.input::<T>(2)[..n];
            let out = &mut block.output::<T>(0)[..n];
            let saved0_out = &mut block.output::<T::Compute>(1)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.5);
            let c1: T::Compute = Compute::from_f64(1.0);
            let c2: T::Compute = Compute::from_f64(0.79788);
            let c3: T::Compute = Compute::from_f64(0.044715);
            for i in 0..n {
                let sum0 = sum0s[i];
                let b = bs[i].widen();
                let z = sum0 + b;
                let v0 = c2 * (z + c3 * z * z * z);
                out[i] = T::narrow(c0 * z * (c1 + Compute::tanh::<I>(v0)));
                saved0_out[i] = sum0;
            }
        }
    }
    struct Backward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let saved0s = &block.input::<T::Compute>(1)[..n];
            let bs = &block.input::<T>(2)[..n];
            let temp0_out = &mut block.output::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.5);
            let c1: T::Compute = Compute::from_f64(1.0);
            let c2: T::Compute = Compute::from_f64(0.79788);
            let c3: T::Compute = Compute::from_f64(0.044715);
            let c4: T::Compute = Compute::from_f64(0.0356772042);
            for i in 0..n {
                let b = bs[i].widen();
                let g = gs[i];
                let saved0 = saved0s[i];
                let v0 = saved0 + b;
                let v1 = c3 * v0;
                let v2 = v1 * v0;
                let v3 = Compute::tanh::<I>(c2 * (v0 + v2 * v0));
                let v4 = c2 + c2 * v2 + v0 * (c2 * v1 + c4 * v0);
                let v5 = c0 * v0 * (c1 - v3 * v3) * v4;
                let v6 = g * (c0 * (c1 + v3) + v5);
                sum0_terms[i] = v6;
                temp0_out[i] = v6;
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let db = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                db[i] = T::narrow(sum0);
            }
        }
    }
    struct Backward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let ws = &block.input::<T>(0)[..n];
            let temp0s = &block.input::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let w = ws[i].widen();
                let temp0 = temp0s[i];
                sum0_terms[i] = w * temp0;
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
    struct Backward2Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward2Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let temp0s = &block.input::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let x = xs[i].widen();
                let temp0 = temp0s[i];
                sum0_terms[i] = x * temp0;
            }
        }
    }
    struct Backward2Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward2Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dw = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                dw[i] = T::narrow(sum0);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "linear_gelu",
        axes: &[
            Axis {
                name: "..",
                extent: 0,
                rest: true,
            },
            Axis {
                name: "I",
                extent: 1,
                rest: false,
            },
            Axis {
                name: "O",
                extent: 2,
                rest: false,
            },
        ],
        extents: &[Extent::Declared, Extent::Declared, Extent::Declared],
        tensors: &[
            TensorParam {
                name: "x",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 1],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "w",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[2, 1],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "b",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[2],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[0, 2],
            },
        ],
        assertions: &[],
        saved: &[
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 2],
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
            temps: &[
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 2],
                },
            ],
            kernels: &[BACKWARD_0, BACKWARD_1, BACKWARD_2],
            elementwise: false,
            passed_on: &[],
        }),
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Contraction,
        free: &[0, 2],
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
                index: &[Index::Axis(2), Index::Axis(1)],
            },
            Operand {
                array: Array::Param(2),
                elem: Elem::Generic,
                index: &[Index::Axis(2)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[I]",
            },
        ],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 2],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Saved(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0, 2],
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
                operands: &[2],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0, 1],
                cost: 29,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 0,
            rhs: 1,
            batch: &[],
            m: &[0],
            n: &[2],
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
        class: Class::Column,
        free: &[2],
        reduced: &[0],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(2)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(2)],
            },
            Operand {
                array: Array::Param(2),
                elem: Elem::Generic,
                index: &[Index::Axis(2)],
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
                    axes: &[2],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Temp(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0, 2],
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
                writes: &[1],
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
        class: Class::Contraction,
        free: &[0, 1],
        reduced: &[2],
        operands: &[
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(2), Index::Axis(1)],
            },
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(2)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[O]",
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
            lhs: 1,
            rhs: 0,
            batch: &[],
            m: &[0],
            n: &[1],
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
    const BACKWARD_2: Kernel = Kernel {
        class: Class::Contraction,
        free: &[2, 1],
        reduced: &[0],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(2)],
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
                array: Array::Gradient(1),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[2, 1],
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
            lhs: 1,
            rhs: 0,
            batch: &[],
            m: &[2],
            n: &[1],
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
}
