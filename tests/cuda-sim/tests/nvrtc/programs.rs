//! Whole programs: calls, local memory, structures as parameters, variables of the module, halves, `printf`.

use crate::device::{Element, all_agree, on_every_device};

#[test]
fn functions_of_f64_call_slow_paths() {
    let source = r#"
        extern "C" __global__ void f(double *out, const double *in, int n) {
            int i = threadIdx.x;
            if (i < n) {
                double x = in[i];
                out[i] = sin(x); out[n + i] = pow(fabs(x), 1.7); out[2 * n + i] = exp(x); out[3 * n + i] = log(fabs(x));
                out[4 * n + i] = tanh(x); out[5 * n + i] = x / 3.0; out[6 * n + i] = sqrt(fabs(x)); out[7 * n + i] = cos(x);
                out[8 * n + i] = fmod(x, 0.7); out[9 * n + i] = rsqrt(fabs(x)); out[10 * n + i] = cbrt(x);
            }
        }"#;
    let functions: [fn(f64) -> f64; 11] = [
        f64::sin,
        |x| x.abs().powf(1.7),
        f64::exp,
        |x| x.abs().ln(),
        f64::tanh,
        |x| x / 3.0,
        |x| x.abs().sqrt(),
        f64::cos,
        |x| x % 0.7,
        |x| 1.0 / x.abs().sqrt(),
        f64::cbrt,
    ];
    let inputs = [
        0.0,
        -0.0,
        0.5,
        -1.0,
        3.25,
        100.0,
        -700.0,
        1e6,
        3e9,
        -1e15,
        1e22,
        1e300,
        1e-300,
        5e-324,
        f64::INFINITY,
        f64::NAN,
        2.0,
        0.1,
        -0.3,
        7.0,
        12.5,
    ];
    on_every_device(source, |device| {
        let n = inputs.len();
        let (from, to) = (device.upload(&inputs), device.room::<f64>(11 * n));
        device.launch("f", 1, 32, &[to.to_bytes(), from.to_bytes(), (n as i32).to_bytes()]);
        let found = device.download::<f64>(to, 11 * n);
        for (place, (function, found)) in functions.iter().zip(found.chunks(n)).enumerate() {
            for (&x, &found) in inputs.iter().zip(found) {
                let expected = function(x);
                let close = (found - expected).abs() <= 4e-16 * expected.abs();
                let equal = found == expected || found.is_nan() && expected.is_nan();
                assert!(equal || close, "function {place} of {x}: {found}, expected {expected}");
            }
        }
    });
}

#[test]
fn device_functions_call_one_another() {
    let source = r#"
        __device__ __noinline__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
        __device__ __noinline__ void both(int a, int b, int *sum, int *product) { *sum = a + b; *product = a * b; }
        extern "C" __global__ void f(int *out) {
            int t = threadIdx.x, sum, product;
            both(t, 3, &sum, &product);
            if (t % 2) out[t] = gcd(t * 6, 42); else out[t] = sum * 1000 + product;
        }"#;
    on_every_device(source, |device| {
        let out = device.room::<i32>(40);
        device.launch("f", 1, 40, &[out.to_bytes()]);
        let gcd = |mut a: i32, mut b: i32| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let expected = (0..40).map(|t| if t % 2 == 1 { gcd(t * 6, 42) } else { (t + 3) * 1000 + t * 3 });
        assert!(device.download::<i32>(out, 40).into_iter().eq(expected));
    });
}

#[test]
fn structures_are_parameters_and_arrays_are_local() {
    let source = r#"
        struct Shape { int sizes[4]; long long strides[4]; };
        extern "C" __global__ void f(float *out, const float *in, const Shape shape, int rank, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            int index[4], rest = i;
            for (int axis = rank - 1; axis >= 0; --axis) { index[axis] = rest % shape.sizes[axis]; rest /= shape.sizes[axis]; }
            long long offset = 0;
            for (int axis = 0; axis < rank; ++axis) offset += index[axis] * shape.strides[axis];
            out[i] = in[offset];
        }"#;
    on_every_device(source, |device| {
        let input: Vec<f32> = (0..24).map(|place| place as f32).collect();
        let (from, to) = (device.upload(&input), device.room::<f32>(24));
        // A transposed tensor of 4 x 3 x 2.
        let sizes = [4_i32, 3, 2, 1].iter().flat_map(|size| size.to_bytes());
        let strides = [1_i64, 4, 12, 0].iter().flat_map(|stride| stride.to_bytes());
        let shape: Vec<u8> = sizes.chain(strides).collect();
        device.launch("f", 1, 32, &[to.to_bytes(), from.to_bytes(), shape, 3.to_bytes(), 24.to_bytes()]);
        let expected = (0..24).map(|i| (i / 6 + i / 2 % 3 * 4 + i % 2 * 12) as f32);
        assert!(device.download::<f32>(to, 24).into_iter().eq(expected));
    });
}

#[test]
fn integers_of_every_width() {
    let source = r#"
        extern "C" __global__ void f(long long *out, const signed char *a, const unsigned char *b, const short *c, int n) {
            int i = threadIdx.x;
            if (i >= n) return;
            long long x = a[i], y = b[i], z = c[i];
            out[i] = x * y + z - (x << 3) + (z >> 2) + (y ? x / y : 0) + (z ? x % z : 0);
            out[n + i] = (signed char)(x + y) + (unsigned char)(x - z) + (short)(y * z) + (unsigned short)x;
            out[2 * n + i] = __popcll(x) + __clzll(y) + __ffsll(z) + __brev((unsigned)x) + __byte_perm(x, y, 0x3715);
            out[3 * n + i] = __mul64hi(x * 0x123456789ll, z * 0x987654321ll) + __umulhi(x, y) + abs((int)z) + min((int)x, (int)z);
        }"#;
    all_agree(source, |device| {
        let n = 30;
        let a: Vec<i8> = (0..n).map(|i| (i * 37 % 256) as u8 as i8).collect();
        let b: Vec<u8> = (0..n).map(|i| (i * 91 % 256) as u8).collect();
        let c: Vec<i16> = (0..n).map(|i| (i * 7919 % 65536) as u16 as i16).collect();
        let out = device.room::<i64>(4 * n as usize);
        let parameters =
            [out, device.upload(&a), device.upload(&b), device.upload(&c)].map(|address| address.to_bytes());
        device.launch("f", 1, 32, &[parameters.to_vec(), vec![n.to_bytes()]].concat());
        let found = device.download::<i64>(out, 4 * n as usize);
        for i in 0..n as usize {
            let (x, y, z) = (i64::from(a[i]), i64::from(b[i]), i64::from(c[i]));
            let quotients = if y == 0 { 0 } else { x / y } + if z == 0 { 0 } else { x % z };
            assert_eq!(found[i], x * y + z - (x << 3) + (z >> 2) + quotients, "{i}");
            let narrow = i64::from((x + y) as i8) + i64::from((x - z) as u8) + i64::from((y * z) as i16);
            assert_eq!(found[n as usize + i], narrow + i64::from(x as u16), "{i}");
        }
        found
    });
}

#[test]
fn halves_without_headers() {
    let source = r#"
        extern "C" __global__ void f(unsigned short *out, const unsigned short *in, int n) {
            int i = threadIdx.x;
            if (i >= n) return;
            float x, y = __int_as_float(in[i] << 16);
            unsigned short h, b;
            asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(in[i]));
            asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x * 3.0f));
            asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(y * 3.0f));
            out[i] = h; out[n + i] = b;
            unsigned packed; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(x), "f"(1.0f));
            out[2 * n + i] = packed >> 16; out[3 * n + i] = packed & 0xffff;
        }"#;
    on_every_device(source, |device| {
        let input = [0_u16, 0x3c00, 0xbc00, 0x0001, 0x7bff, 0x7c00, 0x3555, 0x4248];
        let n = input.len();
        let (from, to) = (device.upload(&input), device.room::<u16>(4 * n));
        device.launch("f", 1, 32, &[to.to_bytes(), from.to_bytes(), (n as i32).to_bytes()]);
        let found = device.download::<u16>(to, 4 * n);
        assert_eq!(found[..n], [0, 0x4200, 0xc200, 0x0003, 0x7c00, 0x7c00, 0x3c00, 0x48b6]);
        assert_eq!(found[2 * n..3 * n], input);
        assert_eq!(found[3 * n..], [0x3c00; 8]);
    });
}

#[test]
fn variables_of_the_module_have_their_initial_values() {
    let source = r#"
        __constant__ float weights[4] = { 0.5f, 1.5f, -2.0f, 8.0f };
        __device__ int table[3] = { 7, 8, 9 };
        __device__ int *pointer = &table[1];
        extern "C" __global__ void f(float *out, int n) {
            int i = threadIdx.x;
            if (i < n) out[i] = weights[i % 4] * table[i % 3] + *pointer;
        }"#;
    on_every_device(source, |device| {
        let out = device.room::<f32>(12);
        device.launch("f", 1, 32, &[out.to_bytes(), 12.to_bytes()]);
        let expected = (0..12).map(|i| [0.5, 1.5, -2.0, 8.0][i % 4] * [7.0, 8.0, 9.0][i % 3] + 8.0);
        assert!(device.download::<f32>(out, 12).into_iter().eq(expected));
        let (weights, bytes) = device.module.global("weights").expect("a constant of the module");
        assert_eq!(bytes, 16);
        device.memory.bytes_mut(weights, 4).expect("inside").copy_from_slice(&4.0_f32.to_le_bytes());
        device.launch("f", 1, 32, &[out.to_bytes(), 12.to_bytes()]);
        assert_eq!(device.download::<f32>(out, 1), [36.0]);
    });
}

#[test]
fn a_switch_may_be_a_jump_table() {
    let source = r#"
        extern "C" __global__ void f(int *out) {
            int t = threadIdx.x, x;
            switch (t % 9) {
                case 0: x = t * 3; break; case 1: x = t - 100; break; case 2: x = t ^ 55; break; case 3: x = -t; break;
                case 4: x = t << 4; break; case 5: x = t * t; break; case 6: x = 17 / (t + 1); break; case 7: x = t % 5; break;
                default: x = 1;
            }
            out[t] = x;
        }"#;
    on_every_device(source, |device| {
        let out = device.room::<i32>(40);
        device.launch("f", 1, 40, &[out.to_bytes()]);
        let expected = (0..40_i32).map(|t| match t % 9 {
            0 => t * 3,
            1 => t - 100,
            2 => t ^ 55,
            3 => -t,
            4 => t << 4,
            5 => t * t,
            6 => 17 / (t + 1),
            7 => t % 5,
            _ => 1,
        });
        assert!(device.download::<i32>(out, 40).into_iter().eq(expected));
    });
}

#[test]
fn vectors_are_loaded_at_once() {
    let source = r#"
        struct alignas(16) Four { float x, y, z, w; };
        struct alignas(8) Two { float x, y; };
        extern "C" __global__ void f(Four *out, const Four *in, Two *pairs) {
            int i = threadIdx.x;
            Four v = in[i];
            out[i] = Four { v.w, v.z, v.y, v.x };
            pairs[i] = Two { v.x + v.y, v.z * v.w };
        }"#;
    on_every_device(source, |device| {
        let input: Vec<f32> = (0..128).map(|place| place as f32).collect();
        let addresses = [device.room::<f32>(128), device.upload(&input), device.room::<f32>(64)];
        device.launch("f", 1, 32, &addresses.map(|address| address.to_bytes()));
        let reversed: Vec<f32> = input.chunks(4).flat_map(|four| four.iter().rev().copied()).collect();
        assert_eq!(device.download::<f32>(addresses[0], 128), reversed);
        let pairs: Vec<f32> = input.chunks(4).flat_map(|four| [four[0] + four[1], four[2] * four[3]]).collect();
        assert_eq!(device.download::<f32>(addresses[2], 64), pairs);
    });
}

#[test]
fn printf_is_collected() {
    let source = r#"
        extern "C" __global__ void f(int n) {
            if (threadIdx.x < n) printf("lane %d of %s: %f, %lld, %x%%\n", (int)threadIdx.x, "three", 0.5, -5ll, 255u);
        }"#;
    on_every_device(source, |device| {
        let touched = device.launch("f", 1, 32, &[2.to_bytes()]);
        assert_eq!(touched.output, "lane 0 of three: 0.500000, -5, ff%\nlane 1 of three: 0.500000, -5, ff%\n");
    });
}

/// Philox4x32-10, as random numbers are drawn: wide products and wrap-around.
#[test]
fn philox_gives_its_published_numbers() {
    let source = r#"
        extern "C" __global__ void f(unsigned *out, unsigned counter, unsigned key) {
            unsigned c[4] = { counter, counter, counter, counter }, k[2] = { key, key };
            for (int round = 0; round < 10; ++round) {
                unsigned long long p = 0xD2511F53ull * c[0], q = 0xCD9E8D57ull * c[2];
                unsigned n[4] = { (unsigned)(q >> 32) ^ c[1] ^ k[0], (unsigned)q, (unsigned)(p >> 32) ^ c[3] ^ k[1], (unsigned)p };
                for (int i = 0; i < 4; ++i) c[i] = n[i];
                k[0] += 0x9E3779B9u; k[1] += 0xBB67AE85u;
            }
            for (int i = 0; i < 4; ++i) out[i] = c[i];
        }"#;
    on_every_device(source, |device| {
        let out = device.room::<u32>(4);
        device.launch("f", 1, 1, &[out.to_bytes(), 0_u32.to_bytes(), 0_u32.to_bytes()]);
        assert_eq!(device.download::<u32>(out, 4), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        device.launch("f", 1, 1, &[out.to_bytes(), u32::MAX.to_bytes(), u32::MAX.to_bytes()]);
        assert_eq!(device.download::<u32>(out, 4), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    });
}
