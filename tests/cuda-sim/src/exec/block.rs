//! One block: its warps in turn, and the barriers between them.

use std::collections::BTreeMap;

use super::spaces::{LaneFault, Spaces, each};
use super::warp::{Run, State, Stop, Warp, WarpFault};
use crate::code::{Barrier, Control, Step};
use crate::fault::FaultKind;

/// Runs a block to its end. Warps run one after the other, each until it waits.
pub(super) fn run(run: &mut Run<'_>, spaces: &mut Spaces<'_>) -> Result<(), WarpFault> {
    let threads: u32 = run.config.block.iter().product();
    let lanes_of = |warp: u32| match threads - warp * 32 {
        rest if rest >= 32 => u32::MAX,
        rest => (1 << rest) - 1,
    };
    // A warp is made when its turn comes: without barriers, all use the registers of the first.
    let mut to_come = 0..threads.div_ceil(32);
    let mut waiting: Vec<Warp> = Vec::new();
    let mut ready: Vec<Warp> = Vec::new();
    loop {
        let started = to_come.next().map(|index| Warp::new(run, index, lanes_of(index)));
        let mut turn: Vec<Warp> = started.into_iter().chain(ready.drain(..)).collect();
        if turn.is_empty() {
            if waiting.is_empty() {
                return Ok(());
            }
            release(run, spaces, &mut waiting)?;
            (ready, waiting) = waiting.into_iter().partition(Warp::can_run);
            continue;
        }
        for mut warp in turn.drain(..) {
            spaces.warp = warp.index;
            std::mem::swap(&mut spaces.local, &mut warp.local);
            let stop = warp.run(run, spaces)?;
            std::mem::swap(&mut spaces.local, &mut warp.local);
            match stop {
                Stop::Ended => {}
                Stop::Waiting => waiting.push(warp),
                Stop::SliceEnded => ready.push(warp),
            }
            if run.warp_instructions > run.config.max_instructions {
                let instructions = run.config.max_instructions;
                return Err(WarpFault::outside(FaultKind::Timeout { instructions }.into()));
            }
        }
    }
}

impl Warp {
    fn can_run(&self) -> bool {
        self.frames.last().is_none_or(|frame| frame.groups.iter().any(|group| group.state == State::Ready))
    }

    /// The groups at a barrier of the block: their index, lanes, number of the barrier, and threads it waits for.
    fn at_barriers<'a>(&'a self, run: &'a Run<'_>) -> impl Iterator<Item = (usize, u32, u32, Option<u32>)> + 'a {
        let frame = self.top();
        let code = run.code(frame.function);
        frame.groups.iter().enumerate().filter(|(_, group)| group.state == State::Barrier).map(move |(index, group)| {
            let Step::Control(Control::Barrier(barrier)) = &code.instructions[group.pc as usize].step else {
                unreachable!("a group waits for a barrier only at one");
            };
            let lane = group.mask.trailing_zeros() as usize;
            let of = |row: u32| frame.registers.row::<u32>(row)[lane];
            (index, group.mask, of(barrier.id), barrier.threads.map(of))
        })
    }
}

/// Lets the threads at complete barriers go on.
///
/// # Errors
/// Fails if no barrier is complete: the block can never go on.
fn release(run: &mut Run<'_>, spaces: &mut Spaces<'_>, warps: &mut [Warp]) -> Result<(), WarpFault> {
    let live: u32 = warps.iter().map(|warp| warp.live.count_ones()).sum();
    let mut arrived: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (_, mask, id, threads) in warps.iter().flat_map(|warp| warp.at_barriers(run)) {
        let barrier = arrived.entry(id).or_insert((0, threads.unwrap_or(live)));
        barrier.0 += mask.count_ones();
    }
    let complete =
        arrived.iter().find(|(_, (arrived, wanted))| arrived >= wanted).map(|(&id, &(arrived, _))| (id, arrived));
    let Some((id, arrived)) = complete else {
        let waiting = warps.iter().map(|warp| warp.waiting(run)).collect::<Vec<_>>().join("; ");
        return Err(WarpFault::outside(FaultKind::Deadlock { waiting }.into()));
    };
    if arrived == live
        && let Some(races) = &mut spaces.warp_races
    {
        races.next_epoch();
    }
    let reduced = reduce(run, warps, id);
    for warp in warps {
        let here: Vec<usize> = warp.at_barriers(run).filter(|found| found.2 == id).map(|found| found.0).collect();
        let frame = warp.top_mut();
        for index in here {
            let group = &mut frame.groups[index];
            if let (Some(reduced), Some(reduce)) = (reduced, &barrier(run, frame.function, group.pc).reduce) {
                frame.registers.write_truncated(reduce.to, &[u64::from(reduced); 32], group.mask);
            }
            group.state = State::Ready;
            group.pc += 1;
        }
    }
    Ok(())
}

/// The reduction of a predicate over the threads at a barrier, if it has one.
fn reduce(run: &Run<'_>, warps: &[Warp], id: u32) -> Option<u32> {
    let mut total = None;
    for warp in warps {
        for (index, mask, ..) in warp.at_barriers(run).filter(|found| found.2 == id) {
            let frame = warp.top();
            let reduce = barrier(run, frame.function, frame.groups[index].pc).reduce.as_ref()?;
            let predicate = reduce.predicate.mask(&frame.registers);
            for lane in each(mask) {
                let bit = predicate >> lane & 1;
                total = Some(total.map_or(bit, |total| (reduce.function)(total, bit)));
            }
        }
    }
    total
}

fn barrier<'a>(run: &Run<'a>, function: usize, pc: u32) -> &'a Barrier {
    match &run.program.functions[function].instructions[pc as usize].step {
        Step::Control(Control::Barrier(barrier)) => barrier,
        _ => unreachable!("a group waits for a barrier only at one"),
    }
}

impl WarpFault {
    /// A fault of the block, which no instruction is to blame for.
    fn outside(fault: crate::fault::Fault) -> Self {
        Self { fault: LaneFault { fault, lane: 0, address: None }, function: 0, pc: 0 }
    }
}
