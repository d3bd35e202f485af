#[track_caller]
pub fn one_hot<D: ::tensor_rt::Device>(
    ids: &::tensor_rt::Tensor<D, ::tensor_rt::NoGrad, i64>,
    classes: usize,
) -> ::core::result::Result<
    ::tensor_rt::Tensor<D, ::tensor_rt::NoGrad, f32>,
    ::tensor_rt::Error,
> {
    let mut call = ::tensor_rt::__private::Call::new(
        &one_hot::PROGRAM,
        one_hot::Passes::BODIES,
        <f32 as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(ids);
    call.usize(classes);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, ::tensor_rt::NoGrad, f32>())
}
#[doc(hidden)]
pub mod one_hot {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes;
    impl Passes {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[&[PassFn::of::<Forward0Outer>()]],
            backward: &[],
        };
    }
    struct Forward0Outer;
    impl PassBody for Forward0Outer {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let ids_slice = &block.input::<i64>(0)[..n];
            let out = &mut block.output::<f32>(0)[..n];
            let cs = &block.axis(0)[..n];
            for i in 0..n {
                let c = cs[i];
                let ids = ids_slice[i];
                let v0 = if c == ids { 1.0f32 } else { 0.0f32 };
                out[i] = v0;
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "one_hot",
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
        extents: &[Extent::Declared, Extent::Computed(SizeExpr::Scalar(0))],
        tensors: &[
            TensorParam {
                name: "ids",
                intent: Intent::Read,
                elem: Elem::Fixed(DType::I64),
                axes: &[0],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[ScalarParam { name: "classes" }],
        outputs: &[
            ArrayDecl {
                elem: Elem::Fixed(DType::F32),
                axes: &[0, 1],
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
        backward: ::core::option::Option::None,
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Pointwise,
        free: &[0, 1],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Fixed(DType::I64),
                index: &[Index::Axis(0)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Fixed(DType::F32),
                kind: WriteKind::Own {
                    axes: &[0, 1],
                    reads_old: false,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Outer,
                operands: &[0],
                axes: &[1],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 5,
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
