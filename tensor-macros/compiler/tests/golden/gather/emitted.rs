#[track_caller]
pub fn gather<
    D: ::tensor_rt::Device,
    XMode: ::tensor_rt::GradMode,
    T: ::tensor_rt::Float,
    IDevice: ::tensor_rt::SameDevice<D>,
>(
    x: &::tensor_rt::Tensor<D, XMode, T>,
    i: &::tensor_rt::Tensor<IDevice, ::tensor_rt::NoGrad, i64>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, XMode, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &gather::PROGRAM,
        gather::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    call.tensor(i);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, XMode, T>())
}
#[doc(hidden)]
pub mod gather {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[&[PassFn::of::<Forward0Outer<T>>()]],
            backward: &[&[PassFn::of::<Backward0Outer<T>>()]],
        };
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let is = &block.input::<i64>(1)[..n];
            let out = &mut block.output::<T>(0)[..n];
            let xs = block.gather::<T>(0);
            for i in 0..n {
                let i2 = is[i];
                let x = xs.get(i, [i2]).widen();
                out[i] = T::narrow(x);
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let is = &block.input::<i64>(1)[..n];
            let dx_index0 = &mut block.indices(0, 0)[..n];
            let dx_values = &mut block.output::<T::Compute>(0)[..n];
            for i in 0..n {
                let i2 = is[i];
                let g = gs[i];
                dx_index0[i] = i2;
                dx_values[i] = g;
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "gather",
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
                name: "K",
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
                name: "i",
                intent: Intent::Read,
                elem: Elem::Fixed(DType::I64),
                axes: &[0, 2],
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
        saved: &[],
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
        class: Class::Pointwise,
        free: &[0, 2],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Dynamic],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Fixed(DType::I64),
                index: &[Index::Axis(0), Index::Axis(2)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0, 2],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Outer,
                operands: &[0, 1],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 26,
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
        class: Class::Scatter,
        free: &[0, 2],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0), Index::Axis(2)],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Fixed(DType::I64),
                index: &[Index::Axis(0), Index::Axis(2)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Gradient(0),
                elem: Elem::Generic,
                kind: WriteKind::Scatter {
                    index: &[Index::Axis(0), Index::Dynamic],
                    op: ReduceOp::Sum,
                    zeroed: true,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Outer,
                operands: &[0, 1],
                axes: &[],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
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
}
