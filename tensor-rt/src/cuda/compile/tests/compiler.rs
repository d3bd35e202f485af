//! What a compiler makes of a source.

use super::*;
use crate::error::ErrorKind;

/// A compiler that may use both versions.
fn compiler(capability: u32, driver: CudaVersion) -> Option<Compiler> {
    let found = installed()?;
    let compiler = Compiler::among(found, own_cache(), Capability::of_number(capability), driver);
    Some(compiler.expect("both versions serve the device"))
}

/// The image of each form that is offered.
fn images(compiler: &Compiler) -> Vec<Arc<Image>> {
    compiler.forms().map(|form| compiler.compile(Origin::of("scale"), SCALE, form).expect("a legal source")).collect()
}

fn ptx(image: &Image) -> &str {
    match &image.code {
        Code::Ptx(text) => text,
        Code::Cubin(_) => panic!("machine code in the place of PTX"),
    }
}

#[test]
fn both_versions_compile() {
    for (driver, version) in [(CUDA_13_5, ".version 9.5"), (CUDA_12_9, ".version 8.8")] {
        for (capability, target) in [(80, ".target sm_80"), (100, ".target sm_100")] {
            let Some(compiler) = compiler(capability, driver) else { return };
            let images = images(&compiler);
            assert!(matches!(&images[0].code, Code::Cubin(code) if code.starts_with(b"\x7fELF")));
            let text = ptx(&images[1]);
            assert!(text.contains(version) && text.contains(target) && text.contains(".entry scale("), "{text}");
            assert!(!text.contains('\0'));
        }
    }
}

#[test]
fn a_product_and_a_sum_are_rounded_apart() {
    let Some(compiler) = compiler(80, CUDA_13_5) else { return };
    let text = compiler.compile(Origin::of("scale"), SCALE, Form::Ptx(Capability::of_number(80))).unwrap();
    assert!(!ptx(&text).contains("fma"), "{}", ptx(&text));
    assert!(ptx(&text).contains("mul") && ptx(&text).contains("add"));
}

#[test]
fn tests_have_the_lines_of_the_source() {
    let Some(compiler) = compiler(80, CUDA_13_5) else { return };
    let text = compiler.compile(Origin::of("scale"), SCALE, Form::Ptx(Capability::of_number(80))).unwrap();
    assert!(ptx(&text).contains(".loc") && ptx(&text).contains("scale.cu"));
}

#[test]
fn a_driver_that_refuses_machine_code_gets_ptx_and_is_not_asked_again() {
    let Some(compiler) = compiler(80, CUDA_12_4) else { return };
    let mut offered = Vec::new();
    let mut load = |image: &Image| match &image.code {
        Code::Cubin(_) => {
            offered.push("machine code".to_owned());
            Err(Refusal::Form)
        }
        Code::Ptx(text) => {
            offered.push(text.lines().find(|line| line.starts_with(".version")).unwrap_or_default().to_owned());
            Ok(())
        }
    };
    compiler.load(Origin::of("scale"), SCALE, &mut load).unwrap();
    compiler.load(Origin::of("scale"), SCALE, &mut load).unwrap();
    // NVRTC 12.9 writes 8.8, which a driver of 12.4 does not read.
    assert_eq!(offered, ["machine code", ".version 8.4", ".version 8.4"]);
}

#[test]
fn a_driver_that_refuses_every_form_is_too_old() {
    let Some(compiler) = compiler(80, CUDA_12_4) else { return };
    let error = compiler.load(Origin::of("scale"), SCALE, |_| Err::<(), _>(Refusal::Form)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DriverTooOld);
    assert!(error.to_string().starts_with("the driver knows CUDA 12.4 and loads nothing that NVRTC 12.9 writes"));
}

#[test]
fn another_failure_of_the_driver_is_returned_as_it_is() {
    let Some(compiler) = compiler(80, CUDA_13_5) else { return };
    let mut calls = 0;
    let load = |_: &Image| {
        calls += 1;
        Err::<(), _>(Refusal::Other(Error::UnknownDevice { name: "x".into() }))
    };
    let error = compiler.load(Origin::of("scale"), SCALE, load).unwrap_err();
    assert_eq!((error.kind(), calls), (ErrorKind::UnknownDevice, 1));
}

#[test]
fn a_refused_source_shows_the_log_and_the_lines() {
    for driver in [CUDA_13_5, CUDA_12_9] {
        let Some(compiler) = compiler(90, driver) else { return };
        let source = SCALE.replace("+ b", "+ c");
        let error = compiler.load(Origin::of("scale"), &source, |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CompileFailed);
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("scale: NVRTC {driver} refuses the source for `sm_90`, at {}", file!())),
            "{text}"
        );
        assert!(text.contains("scale.cu(4): error: identifier \"c\" is undefined"), "{text}");
        assert!(text.contains("\n>    4 |         y[i] = a * y[i] + c;\n"), "{text}");
    }
}

#[test]
fn what_only_the_assembler_refuses_is_an_error_too() {
    let Some(compiler) = compiler(75, CUDA_13_5) else { return };
    // Inline assembly is not read when PTX is written; the conversion came with 8.0.
    let source = "extern \"C\" __global__ void half(unsigned short* y, float x) {
        asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(y[0]) : \"f\"(x));
    }";
    let compiled = |form| compiler.compile(Origin::of("half"), source, form);
    let error = compiled(Form::Cubin(Capability::of_number(75))).unwrap_err();
    assert!(error.to_string().contains("sm_80"), "{error}");
    assert!(compiled(Form::Ptx(Capability::of_number(75))).is_ok());
}

#[test]
fn a_source_with_a_nul_byte_is_refused() {
    let Some(compiler) = compiler(80, CUDA_13_5) else { return };
    let error = compiler.load(Origin::of("scale"), "\0", |_| Ok(())).unwrap_err();
    assert!(error.to_string().contains("holds a NUL byte"), "{error}");
}

#[test]
fn threads_compile_one_source_once() {
    let Some(compiler) = compiler(80, CUDA_13_5) else { return };
    let images: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| images(&compiler))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    for others in &images {
        assert!(images[0].iter().zip(others).all(|(first, other)| Arc::ptr_eq(first, other)));
    }
}
