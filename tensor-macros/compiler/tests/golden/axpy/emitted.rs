#[track_caller]
pub fn axpy<
    Y: ::tensor_rt::InPlace,
    XDevice: ::tensor_rt::SameDevice<Y::Device>,
    XMode: ::tensor_rt::relation::UntrackedBesideEdit,
    XElement: ::tensor_rt::SameElement<Y::Element>,
>(
    y: &mut Y,
    x: &::tensor_rt::Tensor<XDevice, XMode, XElement>,
    a: f64,
) -> ::core::result::Result<(), ::tensor_rt::Error>
where
    Y::Element: ::tensor_rt::Float,
{
    let mut call = ::tensor_rt::__private::Call::new(
        &axpy::PROGRAM,
        axpy::Passes::<Y::Element>::BODIES,
        <Y::Element as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.edit(y);
    call.tensor(x);
    call.float(a);
    call.run()?;
    ::core::result::Result::Ok(())
}
#[doc(hidden)]
pub mod axpy {
    use ::tensor_rt::__private::*;
    pub(super) struct Passes<T>(::core::marker::PhantomData<T>);
    impl<T: Float> Passes<T> {
        pub(super) const BODIES: Bodies = Bodies {
            forward: &[&[PassFn::of::<Forward0Outer<T>>()]],
            backward: &[],
        };
    }
    struct Forward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Forward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let xs = &block.input::<T>(0)[..n];
            let ys = &mut block.output::<T>(0)[..n];
            let a = block.float::<T::Compute>(0);
            for i in 0..n {
                let x = xs[i].widen();
                let y = ys[i].widen();
                ys[i] = T::narrow(y + a * x);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "axpy",
        axes: &[
            Axis {
                name: "N",
                extent: 0,
                rest: false,
            },
        ],
        extents: &[Extent::Declared],
        tensors: &[
            TensorParam {
                name: "y",
                intent: Intent::Edit,
                elem: Elem::Generic,
                axes: &[0],
                blocked: ::core::option::Option::None,
            },
            TensorParam {
                name: "x",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0],
                blocked: ::core::option::Option::None,
            },
        ],
        scalars: &[ScalarParam { name: "a" }],
        outputs: &[],
        assertions: &[],
        saved: &[],
        forward: Schedule {
            temps: &[],
            kernels: &[FORWARD_0],
            elementwise: true,
            passed_on: &[],
        },
        backward: ::core::option::Option::None,
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Pointwise,
        free: &[0],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Param(1),
                elem: Elem::Generic,
                index: &[Index::Axis(0)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Param(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0],
                    reads_old: true,
                },
            },
        ],
        passes: &[
            Pass {
                kind: PassKind::Outer,
                operands: &[0],
                axes: &[],
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
