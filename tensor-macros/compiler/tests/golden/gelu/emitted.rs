#[track_caller]
pub fn gelu<D: ::tensor_rt::Device, G: ::tensor_rt::GradMode, T: ::tensor_rt::Float>(
    x: &::tensor_rt::Tensor<D, G, T>,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &gelu::PROGRAM,
        gelu::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
pub mod gelu {
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
            let xs = &block.input::<T>(0)[..n];
            let out = &mut block.output::<T>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.5);
            let c1: T::Compute = Compute::from_f64(1.0);
            let c2: T::Compute = Compute::from_f64(0.7978845608028654);
            let c3: T::Compute = Compute::from_f64(0.044715);
            for i in 0..n {
                let x = xs[i].widen();
                let v0 = c2 * (x + c3 * x * x * x);
                out[i] = T::narrow(c0 * x * (c1 + Compute::tanh::<I>(v0)));
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let xs = &block.input::<T>(1)[..n];
            let dx = &mut block.output::<T>(0)[..n];
            let c0: T::Compute = Compute::from_f64(0.5);
            let c1: T::Compute = Compute::from_f64(1.0);
            let c2: T::Compute = Compute::from_f64(0.7978845608028654);
            let c3: T::Compute = Compute::from_f64(0.044715);
            let c4: T::Compute = Compute::from_f64(0.035677408136300125);
            for i in 0..n {
                let x = xs[i].widen();
                let v0 = c3 * x;
                let v1 = v0 * x;
                let v2 = Compute::tanh::<I>(c2 * (x + v1 * x));
                let g = gs[i];
                let v3 = c2 + c2 * v1 + x * (c2 * v0 + c4 * x);
                let v4 = c0 * x * (c1 - v2 * v2) * v3;
                dx[i] = T::narrow(g * (c0 * (c1 + v2) + v4));
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "gelu",
        axes: &[
            Axis {
                name: "..",
                extent: 0,
                rest: true,
            },
        ],
        extents: &[Extent::Declared],
        tensors: &[
            TensorParam {
                name: "x",
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: &[0],
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
        assertions: &[],
        saved: &[],
        forward: Schedule {
            temps: &[],
            kernels: &[FORWARD_0],
            elementwise: true,
            passed_on: &[],
        },
        backward: ::core::option::Option::Some(Schedule {
            temps: &[],
            kernels: &[BACKWARD_0],
            elementwise: true,
            passed_on: &[],
        }),
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Pointwise,
        free: &[0],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Output(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0],
                    reads_old: false,
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
        class: Class::Pointwise,
        free: &[0],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Cotangent(0),
                elem: Elem::Compute,
                index: &[Index::Axis(0)],
            },
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Gradient(0),
                elem: Elem::Generic,
                kind: WriteKind::Own {
                    axes: &[0],
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
                cost: 43,
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
