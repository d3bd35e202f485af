#[track_caller]
pub fn embedding<
    D: ::tensor_rt::Device,
    TableMode: ::tensor_rt::GradMode,
    T: ::tensor_rt::Float,
    IdsDevice: ::tensor_rt::SameDevice<D>,
>(
    table: &::tensor_rt::Tensor<D, TableMode, T>,
    ids: &::tensor_rt::Tensor<IdsDevice, ::tensor_rt::NoGrad, i64>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, TableMode, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &embedding::PROGRAM,
        embedding::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(table);
    call.tensor(ids);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, TableMode, T>())
}
#[doc(hidden)]
pub mod embedding {
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
            let ids_slice = &block.input::<i64>(1)[..n];
            let out = &mut block.output::<T>(0)[..n];
            let tables = block.gather::<T>(0);
            for i in 0..n {
                let ids = ids_slice[i];
                let table = tables.get(i, [ids]).widen();
                out[i] = T::narrow(table);
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let ids_slice = &block.input::<i64>(1)[..n];
            let dtable_index0 = &mut block.indices(0, 0)[..n];
            let dtable_values = &mut block.output::<T::Compute>(0)[..n];
            for i in 0..n {
                let ids = ids_slice[i];
                let g = gs[i];
                dtable_index0[i] = ids;
                dtable_values[i] = g;
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "embedding",
        axes: &[
            Axis {
                name: "V",
                extent: 0,
                rest: false,
            },
            Axis {
                name: "C",
                extent: 1,
                rest: false,
            },
            Axis {
                name: "..",
                extent: 2,
                rest: true,
            },
        ],
        extents: &[Extent::Declared, Extent::Declared, Extent::Declared],
        tensors: &[
            TensorParam {
                name: "table",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0, 1],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "ids",
                intent: Intent::Read,
                elem: Elem::Fixed(DType::I64),
                axes: &[2],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
                axes: &[2, 1],
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
        free: &[2, 1],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Dynamic, Index::Axis(1)],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Fixed(DType::I64),
                index: &[Index::Axis(2)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[2, 1],
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
        free: &[2, 1],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(2), Index::Axis(1)],
            },
            Operand {
                array: Array::Param(1),
                elem: Elem::Fixed(DType::I64),
                index: &[Index::Axis(2)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Gradient(0),
                elem: Elem::Generic,
                kind: WriteKind::Scatter {
                    index: &[Index::Dynamic, Index::Axis(1)],
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
