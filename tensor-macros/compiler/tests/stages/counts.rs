//! Kernels, passes over the data, and temps of schedules.

use crate::corpus::{CASES, compile, counts};

#[test]
fn counts_are_those_of_the_table() {
    let mut wrong = String::new();
    for case in CASES {
        let compiled = compile(case.source);
        let forward = counts(&compiled.kernel, &compiled.forward_schedule);
        let backward = compiled.backward_schedule.as_ref().map(|schedule| counts(&compiled.kernel, schedule));
        if (forward, backward) != (case.forward, case.backward) {
            let name = &compiled.kernel.name;
            wrong += &format!("{name}: {forward:?} {backward:?}, not {:?} {:?}\n", case.forward, case.backward);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
