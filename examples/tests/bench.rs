//! The bench prints what a harness reads, and what a person reads.

use std::process::Command;

fn bench(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bench")).args(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

#[test]
fn json_has_one_object_per_case() {
    let text = bench(&["--json", "--only", "overhead", "--budget", "1", "--rounds", "2", "--peer", "here"]);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    let variants: Vec<&str> = lines.iter().filter_map(|line| line["variant"].as_str()).collect();
    assert_eq!(variants, ["add4/nograd", "add4/grad-fwd", "add4/grad-fwd+bwd"]);
    for line in &lines {
        assert_eq!((&line["peer"], &line["workload"]), (&"here".into(), &"overhead".into()));
        let [min, median, max] = ["min_ns", "median_ns", "max_ns"].map(|key| line[key].as_f64().expect("a number"));
        assert!(0.0 < min && min <= median && median <= max, "{line}");
    }
}

#[test]
fn the_table_has_one_row_per_case() {
    let text = bench(&["--only", "overhead", "--budget", "1", "--threads", "1"]);
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[0].starts_with("workload") && rows[0].contains("median"), "{text}");
    assert_eq!(rows.len(), 4, "{text}");
}
