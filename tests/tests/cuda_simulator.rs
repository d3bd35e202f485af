//! The simulated driver is built for, and found by, a package that depends on it.

use cuda_sim::{Knob, client};

#[test]
fn a_dependent_package_finds_the_simulated_driver() {
    let simulator = client::install().unwrap_or_else(|reason| panic!("{reason}"));
    assert_eq!(simulator.get(Knob::Devices), 2);
}
