/// The root mean square of each row of positive numbers.
#[track_caller]
fn positive_rms<D: ::tensor_rt::Device, G: ::tensor_rt::GradMode, T: ::tensor_rt::Float>(
    x: &::tensor_rt::Tensor<D, G, T>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &positive_rms::PROGRAM,
        positive_rms::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
mod positive_rms {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[
                &[PassFn::of::<Forward0Level0<T>>(), PassFn::of::<Forward0Outer<T>>()],
            ],
            backward: &[&[PassFn::of::<Backward0Outer<T>>()]],
        };
    }
    struct Forward0Level0<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Level0<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let sum0_terms = &mut block.values::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.0);
            let holds = &mut [true; BLOCK][..n];
            for i in 0..n {
                let x = xs[i].widen();
                sum0_terms[i] = x * x;
                holds[i] = x > c0;
            }
            block.assert(0, holds);
        }
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let out = &mut block.output::<T>(0)[..n];
            let saved0_out = &mut block.output::<T::Compute>(1)[..n];
            let sum0s = &block.row::<T::Compute>(0)[..n];
            let c0: T::Compute = Compute::from_f64(1000000.0);
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            let holds = &mut [true; BLOCK][..n];
            for i in 0..n {
                let sum0 = sum0s[i];
                let s = sum0 / v0;
                let v1 = Compute::sqrt::<I>(s);
                out[i] = T::narrow(v1);
                saved0_out[i] = v1;
                holds[i] = s < c0;
            }
            block.assert(1, holds);
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let saved0s = &block.input::<T::Compute>(0)[..n];
            let gs = &block.input::<T::Compute>(1)[..n];
            let xs = &block.input::<T>(2)[..n];
            let dx = &mut block.output::<T>(0)[..n];
            let c0: T::Compute = Compute::from_f64(1.0);
            let size_c = block.size(1);
            let v0 = <T::Compute as Compute>::from_i64(size_c);
            let reciprocal = c0 / v0;
            for i in 0..n {
                let x = xs[i].widen();
                let g = gs[i];
                let saved0 = saved0s[i];
                dx[i] = T::narrow(reciprocal * g * x / saved0);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "positive_rms",
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
                axes: &[0],
            },
        ],
        assertions: &[
            Assertion {
                text: "x is positive",
                kernel: 0,
                axes: &[0, 1],
            },
            Assertion {
                text: "the rows are small",
                kernel: 0,
                axes: &[0],
            },
        ],
        saved: &[
            Saved {
                array: ArrayDecl {
                    elem: Elem::Compute,
                    axes: &[0],
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
                    axes: &[0],
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
                operands: &[0],
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
                writes: &[0, 1],
                cost: 21,
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
                array: Array::Saved(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
            },
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
            },
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1)],
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
                operands: &[0, 1, 2],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 17,
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
