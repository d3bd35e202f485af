//! Special registers.

use super::LaunchConfig;
use super::registers::{LANES, Row};
use crate::code::{Program, Special};

/// The values of a special register in one warp of one block.
pub(super) fn row(special: Special, config: &LaunchConfig, program: &Program, block: [u32; 3], warp: u32) -> Row<u32> {
    let [x, y, _] = config.block;
    let lanes = |value: fn(u32) -> u32| std::array::from_fn(|lane| value(lane as u32));
    match special {
        Special::Thread(axis) => std::array::from_fn(|lane| {
            let thread = warp * LANES as u32 + lane as u32;
            [thread % x, thread / x % y, thread / x / y][axis]
        }),
        Special::BlockSize(axis) => [config.block[axis]; LANES],
        Special::Block(axis) => [block[axis]; LANES],
        Special::GridSize(axis) => [config.grid[axis]; LANES],
        Special::Lane => lanes(|lane| lane),
        Special::Warp => [warp; LANES],
        Special::Warps => [config.block.iter().product::<u32>().div_ceil(LANES as u32); LANES],
        Special::LaneMaskEq => lanes(|lane| 1 << lane),
        Special::LaneMaskLt => lanes(|lane| (1 << lane) - 1),
        Special::LaneMaskLe => lanes(|lane| u32::MAX >> (31 - lane)),
        Special::LaneMaskGt => lanes(|lane| !(u32::MAX >> (31 - lane))),
        Special::LaneMaskGe => lanes(|lane| !((1 << lane) - 1)),
        Special::DynamicShared => [config.shared as u32; LANES],
        Special::TotalShared => [(program.shared_bytes + config.shared) as u32; LANES],
        Special::Zero => [0; LANES],
        Special::One => [1; LANES],
    }
}
