/// Each element is dropped with probability `p`.
#[track_caller]
fn dropout<D: ::tensor_rt::Device, G: ::tensor_rt::GradMode, T: ::tensor_rt::Float>(
    x: &::tensor_rt::Tensor<D, G, T>,
    p: f64,
    seed: u64,
) -> ::core::result::Result<::tensor_rt::Tensor<D, G, T>, ::tensor_rt::Error> {
    let mut call = ::tensor_rt::__private::Call::new(
        &dropout::PROGRAM,
        dropout::Passes::<T>::BODIES,
        <T as ::tensor_rt::__private::Element>::DTYPE,
    );
    call.tensor(x);
    call.float(p);
    call.u64(seed);
    let mut outputs = call.run()?;
    ::core::result::Result::Ok(outputs.take::<D, G, T>())
}
#[doc(hidden)]
mod dropout {
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
            let s = &block.axis(0)[..n];
            let cs = &block.axis(1)[..n];
            let c0: T::Compute = Compute::from_f64(1.0);
            let c1: T::Compute = Compute::from_f64(0.0);
            let seed = block.u64(1);
            let size_c = block.size(1);
            let p = block.float::<T::Compute>(0);
            let v0 = c0 - p;
            for i in 0..n {
                let v = s[i];
                let c = cs[i];
                let x = xs[i].widen();
                let v1 = x / v0;
                let v2 = if <T::Compute as Compute>::uniform(
                    seed,
                    0,
                    v.wrapping_mul(size_c).wrapping_add(c) as u64,
                ) >= p
                {
                    v1
                } else {
                    c1
                };
                out[i] = T::narrow(v2);
            }
        }
    }
    struct Backward0Outer<T>(::core::marker::PhantomData<T>);
    impl<T: Float> PassBody for Backward0Outer<T> {
        #[inline(always)]
        fn run<I: Isa>(block: &Block<'_>) {
            let n = block.len();
            let gs = &block.input::<T::Compute>(0)[..n];
            let dx = &mut block.output::<T>(0)[..n];
            let s = &block.axis(0)[..n];
            let cs = &block.axis(1)[..n];
            let c0: T::Compute = Compute::from_f64(1.0);
            let c1: T::Compute = Compute::from_f64(0.0);
            let seed = block.u64(1);
            let size_c = block.size(1);
            let p = block.float::<T::Compute>(0);
            let v0 = c0 - p;
            for i in 0..n {
                let v = s[i];
                let c = cs[i];
                let g = gs[i];
                let v1 = g / v0;
                let v2 = if <T::Compute as Compute>::uniform(
                    seed,
                    0,
                    v.wrapping_mul(size_c).wrapping_add(c) as u64,
                ) >= p
                {
                    v1
                } else {
                    c1
                };
                dx[i] = T::narrow(v2);
            }
        }
    }
    pub(super) static PROGRAM: Program = Program {
        name: "dropout",
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
        scalars: &[ScalarParam { name: "p" }, ScalarParam { name: "seed" }],
        outputs: &[
            ArrayDecl {
                elem: Elem::Generic,
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
        backward: ::core::option::Option::Some(Schedule {
            temps: &[],
            kernels: &[BACKWARD_0],
            elementwise: false,
            passed_on: &[],
        }),
    };
    const FORWARD_0: Kernel = Kernel {
        class: Class::Pointwise,
        free: &[0, 1],
        reduced: &[],
        operands: &[
            Operand {
                array: Array::Param(0),
                elem: Elem::Generic,
                index: &[Index::Axis(0), Index::Axis(1)],
            },
        ],
        reductions: &[],
        writes: &[
            Write {
                array: Array::Output(0),
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
                operands: &[0],
                axes: &[0, 1],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 65,
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
                array: Array::Cotangent(0),
                elem: Elem::Compute,
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
                operands: &[0],
                axes: &[0, 1],
                rows: &[],
                bodies: &[],
                reductions: &[],
                writes: &[0],
                cost: 67,
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
