//! Where libraries are found.

use super::super::discovery::{Place, is_library_name};
use super::*;
use crate::error::ErrorKind;

/// The places, with these variables only, as text: those below the root without it.
fn places(root: &Folder, variables: &[(&str, PathBuf)]) -> Vec<String> {
    let variable = |name: &str| Some(variables.iter().find(|(key, _)| *key == name)?.1.clone().into_os_string());
    let text = |place: &Place| {
        let path = place.path.strip_prefix(&root.0).unwrap_or(&place.path).display();
        format!("{path} ({})", place.origin)
    };
    places_of(&variable, &root.0).iter().map(text).collect()
}

#[test]
fn the_variable_excludes_other_places() {
    let root = Folder::new();
    root.touch("usr/local/cuda/lib64/libnvrtc.so.12");
    let named = std::env::join_paths([root.0.join("one"), root.0.join("two")]).unwrap();
    assert_eq!(places(&root, &[("TENSOR_NVRTC", named.into())]), ["one (TENSOR_NVRTC)", "two (TENSOR_NVRTC)"]);
}

#[test]
fn environments_come_before_toolkits_and_the_system_comes_last() {
    let root = Folder::new();
    root.touch("env/lib/python3.11/site-packages/x");
    root.touch("home/.local/lib/python3.12/site-packages/x");
    root.touch("python/bin/python3");
    root.touch("python/lib/python3.13/site-packages/x");
    root.touch("usr/lib/python3/dist-packages/x");
    root.touch("usr/local/lib/python3.10/dist-packages/x");
    root.touch("usr/local/cuda/x");
    root.touch("usr/local/cuda-12.4/x");
    let path = std::env::join_paths([root.0.join("nowhere"), root.0.join("python/bin")]).unwrap();
    let variables = [
        ("VIRTUAL_ENV", root.0.join("env")),
        ("HOME", root.0.join("home")),
        ("PATH", path.into()),
        ("CUDA_HOME", root.0.join("toolkit")),
    ];
    let expected = [
        "env/lib/python3.11/site-packages (VIRTUAL_ENV)",
        "env (VIRTUAL_ENV)",
        "home/.local/lib/python3.12/site-packages (Python packages of the user)",
        "python/lib/python3.13/site-packages (`python3` in `PATH`)",
        "python (`python3` in `PATH`)",
        "usr/local/lib/python3.10/dist-packages (Python packages of the system)",
        "usr/lib/python3/dist-packages (Python packages of the system)",
        "toolkit (CUDA_HOME)",
        "usr/local/cuda (CUDA toolkit)",
        "usr/local/cuda-12.4 (CUDA toolkit)",
        "libnvrtc.so.13 (the system)",
        "libnvrtc.so.12 (the system)",
        "libnvrtc.so.11.2 (the system)",
        "libnvrtc.so (the system)",
    ];
    assert_eq!(places(&root, &variables), expected);
}

#[test]
fn only_the_compiler_itself_is_taken() {
    for name in ["libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.12.9.86", "nvrtc64_120_0.dll", "nvrtc64_130.dll"] {
        assert!(is_library_name(name), "{name}");
    }
    for name in ["libnvrtc-builtins.so.12.9", "libnvrtc.alt.so.12", "libnvrtc_static.a", "nvrtc-builtins64_129.dll"] {
        assert!(!is_library_name(name), "{name}");
    }
}

#[test]
fn every_layout_leads_to_the_library_and_links_count_once() {
    let Some(_) = installed() else { return };
    let both = both_versions();
    let wheels: Vec<_> = std::env::split_paths(&both).collect();
    for layout in ["lib64", "targets/x86_64-linux/lib", "nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"] {
        let root = Folder::new();
        for wheel in &wheels {
            for library in library_files_of(wheel) {
                let link = root.touch(&format!("{layout}/{}", library.file_name().unwrap().display()));
                std::fs::remove_file(&link).unwrap();
                std::os::unix::fs::symlink(library, &link).unwrap();
            }
        }
        let places =
            places_of(&|name| (name == "TENSOR_NVRTC").then(|| root.0.clone().into_os_string()), Path::new("/"));
        let twice: Vec<_> = [places.clone(), places].concat();
        let found = Found::at(&twice);
        assert_eq!(found.compilers.len(), 2, "{layout}: {:?}", found.tried);
    }
}

fn library_files_of(wheel: &Path) -> Vec<PathBuf> {
    super::super::discovery::library_files(wheel).expect("the tests have found it before")
}

#[test]
fn what_is_no_library_is_named_with_its_reason() {
    let root = Folder::new();
    let text = root.touch("text/libnvrtc.so.12");
    std::fs::create_dir(root.0.join("empty")).unwrap();
    // A library, but another one: the C library that this program runs with.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let other = maps.split_whitespace().find(|word| word.contains("libc.so.6")).expect("a program has a C library");
    let named =
        std::env::join_paths([text.as_path(), &root.0.join("empty"), &root.0.join("none"), Path::new(other)]).unwrap();
    let found = Found::at(&places_of(&|name| (name == "TENSOR_NVRTC").then(|| named.clone()), Path::new("/")));
    let found: &'static Found = Box::leak(Box::new(found));
    let compiler = Compiler::among(found, own_cache(), Capability::of_number(80), CUDA_13_5);
    let error = compiler.map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NvrtcNotFound);
    let message = error.to_string().replace(&*root.0.to_string_lossy(), "ROOT");
    let mut lines = message.lines();
    assert_eq!(
        lines.next().unwrap(),
        "NVRTC, which compiles kernels for CUDA devices, was not found; `pip install nvidia-cuda-nvrtc`, or let \
         `TENSOR_NVRTC` name the library or its folder"
    );
    let tried: Vec<_> = lines.collect();
    assert!(tried[0].starts_with("  tried `ROOT/text/libnvrtc.so.12` (TENSOR_NVRTC): "), "{message}");
    assert_eq!(tried[1], "  tried `ROOT/empty` (TENSOR_NVRTC): no `libnvrtc.so` there");
    assert_eq!(tried[2], "  tried `ROOT/none` (TENSOR_NVRTC): no such file or folder");
    assert!(tried[3].contains("libc.so.6` (TENSOR_NVRTC): ") && tried[3].contains("nvrtc"), "{message}");
}
