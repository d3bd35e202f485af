//! Runs one instruction over vectors of operands.

use cuda_sim::exec::{self, LaunchConfig};
use cuda_sim::memory::{Kind, Memory};
use cuda_sim::module::Module;

/// A type of operands and results.
pub trait Value: Copy + std::fmt::Debug + 'static {
    /// Bits of its register.
    const WIDTH: usize;

    fn to_word(self) -> u64;

    fn from_word(word: u64) -> Self;

    /// Equal bits; two NaN are equal.
    fn same(self, other: Self) -> bool {
        self.to_word() == other.to_word()
    }

    /// Values at which instructions are special.
    fn samples() -> Vec<Self>;
}

macro_rules! impl_int {
    ($($int:ty, $width:expr);*) => {$(
        impl Value for $int {
            const WIDTH: usize = $width;

            fn to_word(self) -> u64 {
                self as u64 & (u64::MAX >> (64 - $width))
            }

            fn from_word(word: u64) -> Self {
                word as Self
            }

            fn samples() -> Vec<Self> {
                let near = [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100];
                let wide = 0x1234_5678_9abc_def1_u64;
                let bits = [wide as Self, (wide >> 17) as Self, (wide << 5) as Self];
                let edges = [<$int>::MIN, <$int>::MAX, <$int>::MIN / 2, <$int>::MAX / 2, !0, !1, !0 << 4];
                near.into_iter().chain(bits).chain(edges).collect()
            }
        }
    )*};
}

impl_int!(u8, 16; i8, 16; u16, 16; i16, 16; u32, 32; i32, 32; u64, 64; i64, 64);

macro_rules! impl_float {
    ($float:ty, $bits:ty, $width:expr, $($more:expr),*) => {
        impl Value for $float {
            const WIDTH: usize = $width;

            fn to_word(self) -> u64 {
                self.to_bits().into()
            }

            fn from_word(word: u64) -> Self {
                Self::from_bits(word as $bits)
            }

            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }

            fn samples() -> Vec<Self> {
                let signless = [
                    0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 0.1, 1e-3, 255.5, 256.5, 32767.5, 65519.0, 65520.0, 2147483648.0, 4294967296.0,
                    9.2e18, 1.9e19, Self::MIN_POSITIVE, Self::MIN_POSITIVE / 4.0, Self::EPSILON, Self::MAX, Self::INFINITY,
                    Self::NAN, Self::from_bits(1), Self::from_bits(0x1234567) $(, $more)*
                ];
                signless.into_iter().flat_map(|x| [x, -x]).collect()
            }
        }
    };
}

impl_float!(f32, u32, 32, 16777217.0);
impl_float!(f64, u64, 64, 1.0 + 1e-9, 1e-40, 1e39, 2147483647.5, 9007199254740993.0);

/// Runs a text with `{o}` the result and `{a}`, `{b}`, `{c}` the operands, each row of which is one thread's.
pub fn run<R: Value>(text: &str, widths: &[usize], operands: &[Vec<u64>]) -> Vec<R> {
    let count = operands.first().map_or(0, Vec::len);
    let register = |place: usize, width: usize| format!("%v{width}_{place}");
    let mut body = text.replace("{o}", &register(9, R::WIDTH));
    let mut loads = String::new();
    for (place, (name, &width)) in ["{a}", "{b}", "{c}"].iter().zip(widths).enumerate() {
        let register = register(place, width);
        body = body.replace(name, &register);
        loads += &format!("ld.global.b{width} {register}, [%in + {}];\n", 8 * place);
    }
    let ptx = format!(
        ".version 8.8\n.target sm_80\n.address_size 64\n.visible .entry f(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .pred %p<4>;\n.reg .b16 %v16_<10>;\n.reg .b32 %v32_<10>;\n.reg .b64 %v64_<10>;\n\
         .reg .b16 %h<4>;\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .b64 %in;\n.reg .b64 %out;\n\
         ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\n\
         mad.lo.u32 %r0, %r0, 32, %r1;\nmul.wide.u32 %d0, %r0, 24;\nadd.s64 %in, %in, %d0;\n\
         mul.wide.u32 %d0, %r0, 8;\nadd.s64 %out, %out, %d0;\n{loads}{body}\n\
         st.global.b{} [%out], {};\nret;\n}}\n",
        R::WIDTH,
        register(9, R::WIDTH),
    );
    let mut memory = Memory::new();
    let module = Module::load(&ptx, 0, &mut memory).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let rows = count.next_multiple_of(32);
    let mut words = vec![0_u64; 3 * rows];
    for (place, operand) in operands.iter().enumerate() {
        operand.iter().enumerate().for_each(|(row, &word)| words[3 * row + place] = word);
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let input = memory.allocate(bytes.len(), 0, Kind::Device);
    memory.bytes_mut(input, bytes.len()).expect("allocated").copy_from_slice(&bytes);
    let output = memory.allocate(8 * rows, 0, Kind::Device);
    let config = LaunchConfig { grid: [rows as u32 / 32, 1, 1], block: [32, 1, 1], ..LaunchConfig::default() };
    let params: Vec<u8> = [input, output].iter().flat_map(|address| address.to_le_bytes()).collect();
    let function = module.function("f").expect("the kernel is there");
    exec::launch(&function, &config, &params, &mut memory).unwrap_or_else(|fault| panic!("{fault}\n{ptx}"));
    let found = memory.bytes(output, 8 * count).expect("allocated");
    found.chunks_exact(8).map(|word| R::from_word(u64::from_le_bytes(word.try_into().expect("eight bytes")))).collect()
}

/// Checks an instruction of one operand over all samples.
pub fn check1<A: Value, R: Value>(text: &str, expected: impl Fn(A) -> R) {
    let samples = A::samples();
    let found = run::<R>(text, &[A::WIDTH], &[samples.iter().map(|a| a.to_word()).collect()]);
    for (&a, found) in samples.iter().zip(found) {
        let expected = expected(a);
        assert!(found.same(expected), "{text} of {a:?}: {found:?}, expected {expected:?}");
    }
}

/// Checks an instruction of two operands over all pairs of samples.
pub fn check2<A: Value, B: Value, R: Value>(text: &str, expected: impl Fn(A, B) -> R) {
    let pairs: Vec<(A, B)> = A::samples().iter().flat_map(|&a| B::samples().into_iter().map(move |b| (a, b))).collect();
    let operands =
        [pairs.iter().map(|pair| pair.0.to_word()).collect(), pairs.iter().map(|pair| pair.1.to_word()).collect()];
    let found = run::<R>(text, &[A::WIDTH, B::WIDTH], &operands);
    for (&(a, b), found) in pairs.iter().zip(found) {
        let expected = expected(a, b);
        assert!(found.same(expected), "{text} of {a:?}, {b:?}: {found:?}, expected {expected:?}");
    }
}

/// Checks an instruction of three operands over all triples of samples.
pub fn check3<A: Value, B: Value, C: Value, R: Value>(text: &str, expected: impl Fn(A, B, C) -> R) {
    let mut triples = Vec::new();
    for a in A::samples() {
        for b in B::samples() {
            triples.extend(C::samples().into_iter().map(|c| (a, b, c)));
        }
    }
    let operands = [
        triples.iter().map(|triple| triple.0.to_word()).collect(),
        triples.iter().map(|triple| triple.1.to_word()).collect(),
        triples.iter().map(|triple| triple.2.to_word()).collect(),
    ];
    let found = run::<R>(text, &[A::WIDTH, B::WIDTH, C::WIDTH], &operands);
    for (&(a, b, c), found) in triples.iter().zip(found) {
        let expected = expected(a, b, c);
        assert!(found.same(expected), "{text} of {a:?}, {b:?}, {c:?}: {found:?}, expected {expected:?}");
    }
}
