//! `train_digits` as a user starts it.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Starts the program with a picture of its own.
fn train(name: &str, threads: usize, arguments: &[&str]) -> (Output, PathBuf) {
    let curve = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg"));
    let output = Command::new(env!("CARGO_BIN_EXE_train_digits"))
        .env("RAYON_NUM_THREADS", threads.to_string())
        .env_remove("TENSOR_DEVICE")
        .args(arguments)
        .arg("--curve")
        .arg(&curve)
        .output()
        .expect("the program starts");
    (output, curve)
}

/// What stands behind `label` in the final table.
fn field<'o>(output: &'o str, label: &str) -> &'o str {
    let line = output.lines().find(|line| line.starts_with(label));
    line.unwrap_or_else(|| panic!("no `{label}` in:\n{output}"))[label.len()..].trim()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("the program prints text")
}

#[test]
fn the_same_seed_gives_the_same_weights_for_any_number_of_threads() {
    let weights = |threads: usize, seed: &str| {
        let (output, _) = train(&format!("threads-{threads}-{seed}"), threads, &["--seed", seed, "--epochs", "2"]);
        field(&text(&output), "weights").to_owned()
    };
    let one = weights(1, "7");
    assert_eq!(one.len(), 16);
    assert_eq!(weights(2, "7"), one);
    assert_eq!(weights(4, "7"), one);
    assert_ne!(weights(1, "8"), one);
}

#[test]
fn a_short_run_reads_most_of_the_digits_it_has_not_seen() {
    let (output, curve) = train("short", 2, &["--epochs", "6", "--device", "cpu"]);
    let output = text(&output);
    let accuracy = field(&output, "held-out accuracy").trim_end_matches('%').parse::<f64>().unwrap();
    // A whole run reaches 98 %; six epochs are enough for what a linear classifier cannot do.
    assert!(accuracy > 95.5, "{output}");
    assert!(output.contains("true \\ predicted") && output.contains("of 359"), "{output}");
    let picture = std::fs::read_to_string(curve).unwrap();
    assert!(picture.contains("<svg") && picture.contains("held-out accuracy"));
}

#[test]
fn no_epochs_are_an_untrained_network() {
    let (output, _) = train("none", 2, &["--epochs", "0"]);
    let output = text(&output);
    assert!(field(&output, "held-out accuracy").trim_end_matches('%').parse::<f64>().unwrap() < 40.0, "{output}");
}

#[test]
fn an_unknown_device_is_an_error_that_says_what_there_is() {
    let (output, _) = train("tpu", 2, &["--device", "tpu"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("tpu") && message.contains("cuda:N"), "{message}");
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn a_device_without_an_engine_is_an_error() {
    for device in ["cuda:0", "cuda:7"] {
        let (output, _) = train("cuda", 2, &["--device", device]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(device), "{message}");
        assert!(!message.contains("panicked"), "{message}");
    }
}

#[test]
fn a_folder_that_does_not_exist_is_an_error_that_names_it() {
    let output = Command::new(env!("CARGO_BIN_EXE_train_digits"))
        .args(["--epochs", "0", "--curve", "/no/such/folder/curve.svg"])
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("/no/such/folder/curve.svg"), "{message}");
}
