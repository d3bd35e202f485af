#[track_caller]
pub fn batch_norm<
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
        &batch_norm::PROGRAM,
        batch_norm::Passes::<T>::BODIES,
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
pub mod batch_norm {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[PassFn::of::<Forward0Level0<T>>(), PassFn::of::<Forward0Outer<T>>()],
                &[PassFn::of::<Forward1Outer<T>>()],
            ],
            backward: &[
                &[PassFn::of::<Backward0Level0<T>>(), PassFn::of::<Backward0Outer<T>>()],
                &[PassFn::of::<Backward1Outer<T>>()],
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
            let deviation1_terms = &mut block.values::<T::Compute>(1)[..n];
            for i in 0..n {
                let x = xs[i].widen();
                sum0_terms[i] = x;
                deviation1_terms[i] = x;
            }
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved0_out = &mut block.output::<T::Compute>(0)[..n];
            let saved1_out = &mut block.output::<T::Compute>(1)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let deviation1s = &block.row::<T::Compute>(1)[..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                let deviation1 = deviation1s[i];
                saved0_out[i] = sum0;
                saved1_out[i] = deviation1;
            }
        }
    }
    struct Forward1Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward1Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let saved0s = &block.input::<T::Compute>(1)[..n];
            let saved1s = &block.input::<T::Compute>(2)[..n];
            let gammas = &block.input::<T>(3)[..n];
            let betas = &block.input::<T>(4)[..n];
            let out = &mut block.output::<T>(0)[..n];
            let size_n = block.size(0);
            let size_h = block.size(2);
            let size_w = block.size(3);
            let v0 = <T::Compute as Compute>::from_i64(
                size_n.wrapping_mul(size_h).wrapping_mul(size_w),
            );
            let eps = block.float::<T::Compute>(0);
            for i in 0..n {
                let x = xs[i].widen();
                let gamma = gammas[i].widen();
                let beta = betas[i].widen();
                let saved1 = saved1s[i];
                let saved0 = saved0s[i];
                let v1 = (x - saved0 / v0) * Compute::rsqrt::<I>(saved1 / v0 + eps);
                out[i] = T::narrow(v1 * gamma + beta);
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
            let saved0s = &block.input::<T::Compute>(2)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let sum1_terms = &mut block.values::<T::Compute>(1)[..n];
            let size_n = block.size(0);
            let size_h = block.size(2);
            let size_w = block.size(3);
            let v0 = <T::Compute as Compute>::from_i64(
                size_n.wrapping_mul(size_h).wrapping_mul(size_w),
            );
            for i in 0..n {
                let x = xs[i].widen();
                let g = gs[i];
                let saved0 = saved0s[i];
                sum0_terms[i] = g;
                sum1_terms[i] = (x - saved0 / v0) * g;
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved1s = &block.input::<T::Compute>(3)[..n];
            let dgamma = &mut block.output::<T>(0)[..n];
            let dbeta = &mut block.output::<T>(1)[..n];
            let temp0_out = &mut block.output::<T::Compute>(2)[..n];
            let temp1_out = &mut block.output::<T::Compute>(3)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let sum1s = &block.row::<T::Compute>(1)[..n];
            let size_n = block.size(0);
            let size_h = block.size(2);
            let size_w = block.size(3);
            let v0 = <T::Compute as Compute>::from_i64(
                size_n.wrapping_mul(size_h).wrapping_mul(size_w),
            );
            let eps = block.float::<T::Compute>(0);
            for i in 0..n {
                let sum0 = sum0s[i];
                let saved1 = saved1s[i];
                let sum1 = sum1s[i];
                dgamma[i] = T::narrow(Compute::rsqrt::<I>(saved1 / v0 + eps) * sum1);
                dbeta[i] = T::narrow(sum0);
                temp0_out[i] = sum0;
                temp1_out[i] = sum1;
            }
        }
    }
    struct Backward1Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward1Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved1s = &block.input::<T::Compute>(0)[..n];
            let gammas = &block.input::<T>(1)[..n];
            let gs = &block.input::<T::Compute>(2)[..n];
            let temp0s = &block.input::<T::Compute>(3)[..n];
            let temp1s = &block.input::<T::Compute>(4)[..n];
            let xs = &block.input::<T>(5)[..n];
            let saved0s = &block.input::<T::Compute>(6)[..n];
            let dx = &mut block.output::<T>(0)[..n];
            let size_n = block.size(0);
            let size_h = block.size(2);
            let size_w = block.size(3);
            let v0 = <T::Compute as Compute>::from_i64(
                size_n.wrapping_mul(size_h).wrapping_mul(size_w),
            );
            let eps = block.float::<T::Compute>(0);
            for i in 0..n {
                let x = xs[i].widen();
                let gamma = gammas[i].widen();
                let g = gs[i];
                let saved1 = saved1s[i];
                let v1 = Compute::rsqrt::<I>(saved1 / v0 + eps);
                let saved0 = saved0s[i];
                let temp0 = temp0s[i];
                let temp1 = temp1s[i];
                let v2 = v1 * v1 * temp1 * (x - saved0 / v0);
                let v3 = v1 * gamma * (-g + (temp0 + v2) / v0);
                dx[i] = T::narrow(-v3);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "batch_norm",
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
                name: "H",
                extent: 2,
                rest: false,
            },
            Axis {
                name: "W",
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
                name: "x",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 1, 2, 3],
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
                axes: &[0, 1, 2, 3],
            },
        ],
        assertions: &[],
        saved: &[
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[1],
                },
                output: ::core::option::Option::None,
            },
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[1],
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
            temps: &[
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[1],
                },
                ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[1],
                },
            ],
            kernels: &[BACKWARD_0, BACKWARD_1],
            elementwise: false,
            passed_on: &[],
        }),
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Column,
        free: &[1],
        reduced: &[0, 2, 3],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2), Index::Axis(3)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::Some(0),
                name: "sum[N, H, W]",
            },
            Reduction {
                level: 0,
                op: ReduceOp::SquaredDeviation,
                value: Elem::Compute,
                operand: ::core::option::Option::Some(0),
                name: "deviation[N, H, W]",
            },
        ],
        writes: &[
            Write {
                array: Array::Saved(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[1],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Saved(1),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[1],
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
                reductions: &[0, 1],
                writes: &[],
                cost: 3,
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
        lines: ::core::option::Option::None,
        contraction: ::core::option::Option::None,
        cuda: CudaText {
            entry: "",
            source: "",
            scalars: &[],
            extents: &[],
        },
    };
    const FORWARD_1: Kernel = Kernel {
        class: Class::Pointwise,
        free: &[0, 1, 2, 3],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2), Index::Axis(3)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(1)],
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
        reductions: &[],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 1, 2, 3],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Outer,
                operands: &[0, 1, 2, 3, 4],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 46,
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
        class: Class::Column,
        free: &[1],
        reduced: &[0, 2, 3],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2), Index::Axis(3)],
            },
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2), Index::Axis(3)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(1)],
            },
        ],
        reductions: &[
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::Some(0),
                name: "sum[N, H, W]",
            },
            Reduction {
                level: 0,
                op: ReduceOp::Sum,
                value: Elem::Compute,
                operand: ::core::option::Option::None,
                name: "sum[N, H, W]",
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
            Write {
                array: Array::Temp(0),
                elem: Elem::Compute,
                kind: WriteKind::Own {
                    axes: &[1],
                    reads_old: false,
                },
            },
            Write {
                array: Array::Temp(1),
                elem: Elem::Compute,
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
                reductions: &[0, 1],
                writes: &[],
                cost: 19,
            },
            Pass {
                kind: PassKind::Outer,
                operands: &[3],
                axes: &[],
                rows: &[0, 1],
                bodies: &[],
                reductions: &[],
                writes: &[0, 1, 2, 3],
                cost: 37,
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
        class: Class::Pointwise,
        free: &[0, 1, 2, 3],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Saved(1),
                elem: Elem::Compute,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2), Index::Axis(3)],
            },
            Operand {
                array: Array::Temp(0),
                elem: Elem::Compute,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Temp(1),
                elem: Elem::Compute,
                index: &[Index::Axis(1)],
            },
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1), Index::Axis(2), Index::Axis(3)],
            },
            Operand {
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(1)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Gradient(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 1, 2, 3],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Outer,
                operands: &[0, 1, 2, 3, 4, 5, 6],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 66,
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
