//! Kernels and parameters whose names are those of generated locals, of C and PTX, of Rust and of other kernels.

#![deny(warnings)]

use tensor_rt::prelude::*;

tensor_fn! {
    /// The names of the original report.
    fn product_of_names(out: &Tensor[N], idx: &Tensor[N], n: &Tensor[N]) -> Tensor[N] { out * idx + n }

    fn indices(i: &Tensor[N], j: &Tensor[N], k: &Tensor[N], len: &Tensor[N]) -> Tensor[N] { i + j + k + len }

    fn gradients(grad: &Tensor[N], dx: &Tensor[N], d_x: &Tensor[N], x: &Tensor[N]) -> Tensor[N] { grad * dx * d_x * x }

    fn launches(tmp: &Tensor[N], tid: &Tensor[N], self_: &Tensor[N], stream: &Tensor[N], device: &Tensor[N]) -> Tensor[N] {
        tmp + tid + self_ + stream + device
    }

    fn words_of_ptx(float: &Tensor[N], register: &Tensor[N], ret: &Tensor[N], double: &Tensor[N], int: &Tensor[N]) -> Tensor[N] {
        float + register + ret + double + int
    }

    fn locals(block: &Tensor[N], call: &Tensor[N], outputs: &Tensor[N], x__: &Tensor[N], v0: &Tensor[N], v1: &Tensor[N]) -> Tensor[N] {
        block + call + outputs + x__ + v0 + v1
    }

    fn parameters_that_differ_by_case(x_mode: &Tensor[N], x: &Tensor[N], xmode: &Tensor[N], t: &Tensor[N], d: &Tensor[N], g: &Tensor[N]) -> Tensor[N] {
        x_mode + x + xmode + t + d + g
    }

    fn edits(y: &mut Tensor[N], place: &mut Tensor[N], t: &mut Tensor[N], d: &Tensor[N], g: &Tensor[N]) {
        y += d;
        place += y + g;
        t = place;
    }

    fn scalars(x: &Tensor[N], n: usize, len: u64, idx: i64, out: f32, float: float, run: bool) -> Tensor[N] {
        if run { x + n as float + (len as i64) as float + idx as float + out as float + float } else { x }
    }

    fn axes_that_are_types(x: &Tensor[T, D, G, I]) -> Tensor[T, D] { sum[G, I](x) }

    fn axes_that_are_names(x: &Tensor[Self_, Vec, Some, None, Ok]) -> Tensor[Self_, Vec] { mean[Some, None, Ok](x) }

    fn generics<X: Device, XMode: GradMode, Element: Float>(x: &Tensor<X, XMode, Element>[N], t: &Tensor<Element>[N]) -> Tensor<Element>[N] { x * t }

    fn lets(x: &Tensor[N]) -> Tensor[N] {
        let out = 2 * x;
        let x = out + 1;
        let idx = x * x;
        let v0 = idx + out;
        v0
    }

    fn functions_as_names(exp: &Tensor[N], sum: &Tensor[N], max: float) -> Tensor[N] { exp + sum * max }

    fn raw_words(r#type: &Tensor[N], r#loop: &Tensor[N]) -> Tensor[N] { r#type + r#loop }

    fn block(block: &Tensor[N]) -> Tensor[N] { block }

    fn call(call: &Tensor[N]) -> Tensor[N] { call }

    fn run(run: &Tensor[N]) -> Tensor[N] { run }

    fn source(source: &Tensor[N]) -> Tensor[N] { source }

    fn r#match(x: &Tensor[N]) -> Tensor[N] { x }

    fn chain(x: &Tensor[N]) -> Tensor[N] {
        x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
            + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
    }
}

/// Each kernel is also a module of its name, so these stand where no path starts with such a name.
mod crates {
    use ::tensor_rt::prelude::*;

    tensor_fn! {
        pub(super) fn tensor_rt(x: &Tensor[N]) -> Tensor[N] { x }

        pub(super) fn std(x: &Tensor[N]) -> Tensor[N] { x }

        pub(super) fn core(x: &Tensor[N]) -> Tensor[N] { x }
    }
}

pub fn main() -> Result<()> {
    let of = |value: f32| Tensor::new(&Cpu, [value]).map(Tensor::requires_grad);
    let (a, b, c) = (of(2.0)?, of(3.0)?, of(4.0)?);
    let y = product_of_names(&a, &b, &c)?;
    assert_eq!(y.to_vec()?, [10.0]);
    let gradients = y.backward()?;
    let of = |x: &Tensor<Cpu, Grad>| gradients.get(x).expect("it took part").to_vec();
    assert_eq!([of(&a)?, of(&b)?, of(&c)?], [[3.0], [2.0], [1.0]]);

    let x = Tensor::new(&Cpu, [1.0])?;
    assert_eq!(indices(&x, &x, &x, &x)?.to_vec()?, [4.0]);
    assert_eq!(self::gradients(&a, &b, &x, &x)?.to_vec()?, [6.0]);
    assert_eq!(launches(&x, &x, &x, &x, &x)?.to_vec()?, [5.0]);
    assert_eq!(words_of_ptx(&x, &x, &x, &x, &x)?.to_vec()?, [5.0]);
    assert_eq!(locals(&x, &x, &x, &x, &x, &x)?.to_vec()?, [6.0]);
    assert_eq!(parameters_that_differ_by_case(&x, &a, &x, &x, &x, &x)?.to_vec()?, [7.0]);
    let (mut first, mut second, mut third) = (x.clone(), x.clone(), x.clone());
    edits(&mut first, &mut second, &mut third, &x, &x)?;
    assert_eq!([first.to_vec()?, second.to_vec()?, third.to_vec()?], [[2.0], [4.0], [4.0]]);
    assert_eq!(scalars(&x, 1, 2, 3, 4.0, 5.0, true)?.to_vec()?, [16.0]);
    assert_eq!(axes_that_are_types(&Tensor::ones(&Cpu, [1, 1, 2, 3])?)?.to_vec()?, [6.0]);
    assert_eq!(axes_that_are_names(&Tensor::ones(&Cpu, [1, 1, 1, 2, 3])?)?.to_vec()?, [1.0]);
    assert_eq!(generics(&a, &x)?.to_vec()?, [2.0]);
    assert_eq!(lets(&x)?.to_vec()?, [11.0]);
    assert_eq!(functions_as_names(&x, &x, 2.0)?.to_vec()?, [3.0]);
    assert_eq!(raw_words(&x, &x)?.to_vec()?, [2.0]);
    let same = r#match(&crates::core(&crates::std(&crates::tensor_rt(&source(&run(&call(&block(&x)?)?)?)?)?)?)?)?;
    assert_eq!(chain(&same)?.to_vec()?, [201.0]);
    assert!(chain::source().to_string().len() > 1000);
    Ok(())
}
