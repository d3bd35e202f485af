#[track_caller]
pub fn attention<
    D: ::tensor_rt::Device,
    QMode: ::tensor_rt::GradMode + ::tensor_rt::Join<G2, Out = G>,
    T: ::tensor_rt::Float,
    KDevice: ::tensor_rt::SameDevice<D>,
    KMode: ::tensor_rt::GradMode + ::tensor_rt::Join<VMode, Out = G2>,
    KElement: ::tensor_rt::SameElement<T>,
    VDevice: ::tensor_rt::SameDevice<D>,
    VMode: ::tensor_rt::GradMode,
    VElement: ::tensor_rt::SameElement<T>,
    G2: ::tensor_rt::GradMode,
    G: ::tensor_rt::GradMode,
>(
    q: &::tensor_rt::Tensor<D, QMode, T>,
    k: &::tensor_rt::Tensor<KDevice, KMode, KElement>,
    v: &::tensor_rt::Tensor<VDevice, VMode, VElement>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &attention::PROGRAM,
        attention::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(q);
    call.tensor(k);
    call.tensor(v);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
pub mod attention {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[PassFn::of::<Forward0Level0<T>>(), PassFn::of::<Forward0Outer<T>>()],
                &[
                    PassFn::of::<Forward1Level0<T>>(),
                    PassFn::of_lines::<Forward1Level1<T>>(),
                    PassFn::of::<Forward1Outer<T>>(),
                ],
                &[PassFn::of::<Forward2Level0<T>>(), PassFn::of::<Forward2Outer<T>>()],
            ],
            backward: &[
                &[
                    PassFn::of_lines::<Backward0Level0<T>>(),
                    PassFn::of::<Backward0Outer<T>>(),
                ],
                &[PassFn::of::<Backward1Level0<T>>(), PassFn::of::<Backward1Outer<T>>()],
                &[PassFn::of::<Backward2Level0<T>>(), PassFn::of::<Backward2Outer<T>>()],
                &[PassFn::of::<Backward3Level0<T>>(), PassFn::of::<Backward3Outer<T>>()],
                &[PassFn::of::<Backward4Level0<T>>(), PassFn::of::<Backward4Outer<T>>()],
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
            let temp0_out = &mut block.output::<T::Compute>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                temp0_out[i] = sum0;
            }
        }
    }
    struct Forward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let temp0s = &block.input::<T::Compute>(0)[..n];
            let ss = &block.axis(1)[..n];
            let ts = &block.axis(0)[..n];
            let max0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(-f64::INFINITY);
            let size_k = block.size(2);
            let v0 = Compute::sqrt::<I>(<T::Compute as Compute>::from_i64(size_k));
            for i in 0..n {
                let s = ss[i];
                let t = ts[i];
                let temp0 = temp0s[i];
                let v1 = temp0 / v0;
                let v2 = if s <= t { v1 } else { c0 };
                max0_terms[i] = v2;
            }
        }
    }
    struct Forward1Level1<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Forward1Level1<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let e_out = &mut block.output::<T::Compute>(1)[..n];
            let max0_terms = &block.body::<T::Compute>(0)[..n];
            let max0s = block.line_row::<T::Compute, L>(0);
            let sum1_terms = &mut block.values::<T::Compute>(1)[..n];
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let e_out = line.of_mut(e_out);
                let max0_terms = line.of(max0_terms);
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
                    let v0 = max0_terms[i];
                    let v1 = Compute::exp::<I>(v0 - max0);
                    sum1_terms[i] = v1;
                    e_out[i] = v1;
                }
            }
        }
    }
    struct Forward1Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward1Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved0_out = &mut block.output::<T::Compute>(0)[..n];
            let sum1s = &block.row::<T::Compute>(1)[..n];
            for i in 0..n {
                let sum1 = sum1s[i];
                saved0_out[i] = sum1;
            }
        }
    }
    struct Forward2Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward2Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let es = &block.input::<T::Compute>(0)[..n];
            let vs = &block.input::<T>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let v = vs[i].widen();
                let e = es[i];
                sum0_terms[i] = e * v;
            }
        }
    }
    struct Forward2Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward2Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved0s = &block.input::<T::Compute>(2)[..n];
            let out = &mut block.output::<T>(0)[..n];
            let saved2_out = &mut block.output::<T::Compute>(1)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            let size_s = block.size(3);
            let v0 = size_s > 0i64;
            for i in 0..n {
                let saved0 = saved0s[i];
                let sum0 = sum0s[i];
                let v1 = sum0 / saved0;
                let v2 = if v0 { v1 } else { c0 };
                out[i] = T::narrow(v2);
                saved2_out[i] = v2;
            }
        }
    }
    struct Backward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> LineBody for Backward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa, L: LineValues>(block: &Block<'_>) {
            let n = block.len();
            let saved2s = &block.input::<T::Compute>(0)[..n];
            let gs = &block.input::<T::Compute>(1)[..n];
            let saved0s = block.line_input::<T::Compute, L>(2);
            let temp0_out = &mut block.output::<T::Compute>(0)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            let size_s = block.size(3);
            let v0 = size_s > 0i64;
            for number in 0..block.lines::<L>() {
                let line = block.line::<L>(number);
                let n = line.len();
                let saved2s = line.of(saved2s);
                let gs = line.of(gs);
                let saved0s = line.values(saved0s);
                let temp0_out = line.of_mut(temp0_out);
                let sum0_terms = line.of_mut(sum0_terms);
                let i = 0;
                let saved0 = saved0s[i];
                for i in 0..n {
                    let saved0 = if L::SHARED {
                        saved0
                    } else {
                        let saved0 = saved0s[i];
                        saved0
                    };
                    let g = gs[i];
                    let v1 = g / saved0;
                    let v2 = if v0 { v1 } else { c0 };
                    let saved2 = saved2s[i];
                    sum0_terms[i] = saved2 * g;
                    temp0_out[i] = v2;
                }
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let temp2_out = &mut block.output::<T::Compute>(1)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                temp2_out[i] = sum0;
            }
        }
    }
    struct Backward1Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let vs = &block.input::<T>(0)[..n];
            let temp0s = &block.input::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let v = vs[i].widen();
                let temp0 = temp0s[i];
                sum0_terms[i] = v * temp0;
            }
        }
    }
    struct Backward1Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let es = &block.input::<T::Compute>(2)[..n];
            let saved0s = &block.input::<T::Compute>(3)[..n];
            let temp2s = &block.input::<T::Compute>(4)[..n];
            let temp1_out = &mut block.output::<T::Compute>(0)[..n];
            let ss = &block.axis(1)[..n];
            let ts = &block.axis(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            let size_k = block.size(2);
            let v0 = Compute::sqrt::<I>(<T::Compute as Compute>::from_i64(size_k));
            let size_s = block.size(3);
            let v1 = size_s > 0i64;
            for i in 0..n {
                let s = ss[i];
                let t = ts[i];
                let saved0 = saved0s[i];
                let e = es[i];
                let sum0 = sum0s[i];
                let temp2 = temp2s[i];
                let v2 = temp2 / saved0;
                let v3 = if v1 { v2 } else { c0 };
                let v4 = -(e * (v3 - sum0) / v0);
                let v5 = if s <= t { v4 } else { c0 };
                temp1_out[i] = v5;
            }
        }
    }
    struct Backward2Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward2Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let ks = &block.input::<T>(0)[..n];
            let temp1s = &block.input::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let k = ks[i].widen();
                let temp1 = temp1s[i];
                sum0_terms[i] = k * temp1;
            }
        }
    }
    struct Backward2Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward2Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dq = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                dq[i] = T::narrow(sum0);
            }
        }
    }
    struct Backward3Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward3Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let qs = &block.input::<T>(0)[..n];
            let temp1s = &block.input::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let q = qs[i].widen();
                let temp1 = temp1s[i];
                sum0_terms[i] = q * temp1;
            }
        }
    }
    struct Backward3Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward3Outer<T> {
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
    struct Backward4Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward4Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let es = &block.input::<T::Compute>(0)[..n];
            let temp0s = &block.input::<T::Compute>(1)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            for i in 0..n {
                let temp0 = temp0s[i];
                let e = es[i];
                sum0_terms[i] = e * temp0;
            }
        }
    }
    struct Backward4Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward4Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let dv = &mut block.output::<T>(0)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                dv[i] = T::narrow(sum0);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "attention",
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
            Axis {
                name: "V",
                extent: 4,
                rest: false,
            },
        ],
        extents: &[
            Extent::Declared,
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
            TensorParam {
                name: "v",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 3, 4],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[0, 1, 4],
            },
        ],
        assertions: &[],
        saved: &[
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1],
                },
                output: ::core::option::Option::None,
            },
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1, 3],
                },
                output: ::core::option::Option::None,
            },
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1, 4],
                },
                output: ::core::option::Option::Some(0),
            },
        ],
        forward: Schedule {
            temps: &[
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1, 3],
                },
            ],
            kernels: &[FORWARD_0, FORWARD_1, FORWARD_2],
            elementwise: false,
            passed_on: &[],
        },
        backward: ::core::option::Option::Some(Schedule {
            temps: &[
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1, 4],
                },
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1, 3],
                },
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0, 1],
                },
            ],
            kernels: &[BACKWARD_0, BACKWARD_1, BACKWARD_2, BACKWARD_3, BACKWARD_4],
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
            batch: &[0],
            m: &[1],
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
    const FORWARD_1: Kernel = Kernel {
        class: Class::Row,
        free: &[0, 1],
        reduced: &[3],
        operands: &[
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(3)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Max,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "max[S]",
            },
            Reduction {
                level: 1,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[S]",
            },
        ],
        writes: &[
            Write {
                array: Array::Saved(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0, 1],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Saved(1),
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
                axes: &[1, 3],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[],
                cost: 23,
            },
            Pass {
                kind: PassKind::Level(1),
                operands: &[],
                axes: &[],
                rows: &[0],
                bodies: &[0],
                reductions: &[1],
                writes: &[1],
                cost: 21,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[1],
                bodies: &[],
                reductions: &[],
                writes: &[0],
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
    const FORWARD_2: Kernel = Kernel {
        class: Class::Contraction,
        free: &[0, 1, 4],
        reduced: &[3],
        operands: &[
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(3)],
            },
            Operand {
                array: Array::Param(2),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(3), Index::Axis(4)],
            },
            Operand {
                array: Array::Saved(0),
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
                name: "sum[S]",
            },
        ],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 1, 4],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Saved(2),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0, 1, 4],
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
                cost: 14,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 0,
            rhs: 1,
            batch: &[0],
            m: &[1],
            n: &[4],
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
        class: Class::Row,
        free: &[0, 1],
        reduced: &[4],
        operands: &[
            Operand {
                array: Array::Saved(2),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(4)],
            },
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(4)],
            },
            Operand {
                array: Array::Saved(0),
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
                name: "sum[V]",
            },
        ],
        writes: &[
            Write {
                array: Array::Temp(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[0, 1, 4],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Temp(2),
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
                operands: &[0, 1, 2],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[0],
                writes: &[0],
                cost: 19,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[],
                axes: &[],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[1],
                cost: 2,
            },
        ],
        lines: ::core::option::Option::Some(Lines {
            along: Along::Reduced,
            operands: &[2],
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
        class: Class::Contraction,
        free: &[0, 1, 3],
        reduced: &[4],
        operands: &[
            Operand {
                array: Array::Param(2),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(3), Index::Axis(4)],
            },
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(4)],
            },
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(3)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
            Operand {
                array: Array::Temp(2),
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
                name: "sum[V]",
            },
        ],
        writes: &[
            Write {
                array: Array::Temp(1),
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
                cost: 4,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[2, 3, 4],
                axes: &[1, 3],
                rows: &[0],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 44,
            },
        ],
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::Some(Contraction {
            lhs: 1,
            rhs: 0,
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
    const BACKWARD_2: Kernel = Kernel {
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
                array: Array::Temp(1),
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
            batch: &[0],
            m: &[1],
            n: &[2],
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
    const BACKWARD_3: Kernel = Kernel {
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
                array: Array::Temp(1),
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
            batch: &[0],
            m: &[3],
            n: &[2],
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
    const BACKWARD_4: Kernel = Kernel {
        class: Class::Contraction,
        free: &[0, 3, 4],
        reduced: &[1],
        operands: &[
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(3)],
            },
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(4)],
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
                array: Array::Gradient(2),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 3, 4],
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
            batch: &[0],
            m: &[3],
            n: &[4],
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
