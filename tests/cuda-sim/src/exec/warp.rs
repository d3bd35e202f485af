//! One warp: where its lanes are, and what they wait for.
//!
//! Lanes that are at one place form a group, a program counter and a mask. The group with the lowest counter runs, up to
//! where the next one stands; there they merge. No analysis of the control flow is needed: code is laid out so that
//! lanes that left a loop wait behind it. Where that starves a lane (a lock held by a lane that is further on), every
//! slice begins with another group.
//!
//! A call opens a frame with registers of its own; the lanes of lower frames wait until it returns. So a barrier inside a
//! called function is reached only by the lanes that called together.
//!
//! Invariants: the groups of a frame have disjoint, nonempty masks; their union over all frames is `live`.

use super::LaunchConfig;
use super::registers::{LANES, Registers, Row};
use super::spaces::{LaneFault, Local, Spaces, each};
use super::specials;
use crate::code::{Code, Control, Instruction, Program, Step};
use crate::fault::FaultKind;

/// Calls nested deeper than this are a fault.
const MAX_DEPTH: usize = 64;
/// Instructions of one slice, after which another group or warp may run.
const SLICE: u64 = 1 << 16;

pub(super) struct Warp {
    pub index: u32,
    pub frames: Vec<Frame>,
    /// Lanes that have not ended.
    pub live: u32,
    pub local: Local,
    /// Slices that ended because they were long.
    slices: usize,
}

pub(super) struct Frame {
    pub function: usize,
    pub registers: Registers,
    pub groups: Vec<Group>,
    /// Where it begins in the local memory of each lane.
    base: usize,
    /// Lanes that have returned.
    returned: u32,
}

pub(super) struct Group {
    pub pc: u32,
    pub mask: u32,
    pub state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// At a barrier of the block.
    Barrier,
    /// At an instruction that waits for other lanes of the warp.
    Converge,
}

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Ended,
    /// Every group waits.
    Waiting,
    /// It has run for long; others may go first.
    SliceEnded,
}

/// A fault and the instruction that it happened at.
pub(super) struct WarpFault {
    pub fault: LaneFault,
    pub function: usize,
    pub pc: u32,
}

/// What the warps of a launch share beside memory.
pub(super) struct Run<'a> {
    pub program: &'a Program,
    pub config: &'a LaunchConfig,
    /// Registers of ended frames, by function.
    pub spare: Vec<Vec<Registers>>,
    pub spare_local: Vec<Local>,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    pub output: String,
    /// Index of the running block.
    pub block: [u32; 3],
}

impl Run<'_> {
    pub(super) fn code(&self, function: usize) -> &Code {
        &self.program.functions[function]
    }

    fn registers(&mut self, function: usize, warp: u32) -> Registers {
        let spare = self.spare[function].pop();
        let code = &self.program.functions[function];
        let mut registers = spare.unwrap_or_else(|| code.registers.clone());
        for &(special, row) in &code.specials {
            registers.b32[row as usize] = specials::row(special, self.config, self.program, self.block, warp);
        }
        registers
    }
}

impl Warp {
    pub(super) fn new(run: &mut Run<'_>, index: u32, live: u32) -> Self {
        let mut local = run.spare_local.pop().unwrap_or_default();
        local.reserve(run.code(0).frame_bytes);
        local.frame = 0;
        let groups = vec![Group { pc: 0, mask: live, state: State::Ready }];
        let registers = run.registers(0, index);
        let frame = Frame { function: 0, registers, groups, base: 0, returned: 0 };
        Self { index, frames: vec![frame], live, local, slices: 0 }
    }

    /// The frame that runs.
    pub(super) fn top(&self) -> &Frame {
        self.frames.last().expect("a warp that has not ended has a frame")
    }

    pub(super) fn top_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a warp that has not ended has a frame")
    }

    /// Runs until every lane has ended or waits, or for a slice. `spaces.local` is that of this warp.
    pub(super) fn run(&mut self, run: &mut Run<'_>, spaces: &mut Spaces<'_>) -> Result<Stop, WarpFault> {
        let end = run.warp_instructions + SLICE;
        loop {
            while self.frames.last().is_some_and(|frame| frame.groups.is_empty()) {
                self.leave_frame(run, spaces);
            }
            if self.frames.is_empty() {
                return Ok(Stop::Ended);
            }
            if run.warp_instructions >= end {
                self.slices += 1;
                return Ok(Stop::SliceEnded);
            }
            let live = self.live;
            let skipped = self.slices;
            let frame = self.top_mut();
            frame.merge();
            let Some(group) = frame.choose(skipped) else {
                let released = frame.release_converged(run.code(frame.function), live);
                if released {
                    continue;
                }
                return Ok(Stop::Waiting);
            };
            self.run_group(group, end, run, spaces)?;
        }
    }

    /// Runs the group at an index until it merges, waits, splits, or leaves its frame.
    fn run_group(
        &mut self,
        index: usize,
        end: u64,
        run: &mut Run<'_>,
        spaces: &mut Spaces<'_>,
    ) -> Result<(), WarpFault> {
        let live = self.live;
        let frame = self.top_mut();
        let function = frame.function;
        let program = run.program;
        let code = &program.functions[function];
        let Group { mut pc, mask, .. } = frame.groups[index];
        // Only a group further on can be met without a jump.
        let meeting = frame.groups.iter().map(|group| group.pc).filter(|&other| other > pc).min().unwrap_or(u32::MAX);
        let alone = frame.groups.len() == 1;
        let (mut warp_instructions, mut thread_instructions) = (0, 0);
        let budget = end.saturating_sub(run.warp_instructions).max(1);
        let outcome = loop {
            if pc == meeting || warp_instructions >= budget {
                break Ok(None);
            }
            let Instruction { guard, step } = &code.instructions[pc as usize];
            let active = match guard {
                None => mask,
                Some(guard) => mask & guard.mask(&frame.registers),
            };
            warp_instructions += 1;
            thread_instructions += u64::from(active.count_ones());
            match step {
                Step::Lanes(step) => {
                    step(&mut frame.registers, active);
                    pc += 1;
                }
                Step::Memory(step) => {
                    if active != 0
                        && let Err(fault) = step(&mut frame.registers, spaces, active)
                    {
                        break Err(fault);
                    }
                    pc += 1;
                }
                Step::Control(_) if active == 0 => pc += 1,
                Step::Control(Control::Branch(target)) if active == mask => {
                    pc = *target;
                    if !alone {
                        break Ok(None);
                    }
                }
                Step::Control(Control::Converge { members, run: step, .. })
                    if are_here(&frame.registers, *members, active, live) =>
                {
                    if let Some(step) = step {
                        step(&mut frame.registers, active);
                    }
                    pc += 1;
                }
                Step::Control(control) => break Ok(Some((control, active))),
            }
        };
        run.warp_instructions += warp_instructions;
        run.thread_instructions += thread_instructions;
        frame.groups[index].pc = pc;
        match outcome {
            Ok(None) => Ok(()),
            Ok(Some((control, active))) => {
                self.control(control, index, active, run, spaces).map_err(|fault| WarpFault { fault, function, pc })
            }
            Err(fault) => Err(WarpFault { fault, function, pc }),
        }
    }

    /// Executes a control instruction with the active lanes of a group, at least one.
    fn control(
        &mut self,
        control: &Control,
        index: usize,
        active: u32,
        run: &mut Run<'_>,
        spaces: &mut Spaces<'_>,
    ) -> Result<(), LaneFault> {
        let frame = self.top_mut();
        let Group { pc, mask, .. } = frame.groups[index];
        let lane = active.trailing_zeros();
        let fault = |kind: FaultKind| Err(LaneFault { fault: kind.into(), lane, address: None });
        // Lanes whose guard is false go on behind the instruction.
        frame.groups[index].mask = active;
        if mask != active {
            frame.groups.push(Group { pc: pc + 1, mask: mask & !active, state: State::Ready });
        }
        match control {
            Control::Branch(target) => frame.groups[index].pc = *target,
            Control::BranchTable { index: row, targets } => {
                frame.groups.remove(index);
                let row = frame.registers.row::<u32>(*row);
                for lane in each(active) {
                    let Some(&pc) = targets.get(row[lane] as usize) else {
                        let kind = FaultKind::BranchTable { index: row[lane], targets: targets.len() };
                        return Err(LaneFault { fault: kind.into(), lane: lane as u32, address: None });
                    };
                    frame.groups.push(Group { pc, mask: 1 << lane, state: State::Ready });
                }
            }
            Control::Return => {
                frame.groups.remove(index);
                frame.returned |= active;
                if self.frames.len() == 1 {
                    self.live &= !active;
                }
            }
            Control::Exit => {
                self.live &= !active;
                for frame in &mut self.frames {
                    frame.groups.iter_mut().for_each(|group| group.mask &= !active);
                    frame.groups.retain(|group| group.mask != 0);
                }
            }
            Control::Trap => return fault(FaultKind::Trap),
            Control::Assert(parameters) => return fault(super::syscalls::failed_assert(spaces, lane, parameters)),
            Control::Print(parameters) => {
                frame.groups[index].pc += 1;
                for lane in each(active) {
                    super::syscalls::print(spaces, lane as u32, parameters, &mut run.output);
                }
            }
            Control::Call { function, arguments, .. } => {
                frame.groups[index].pc += 1;
                let base = frame.base + run.code(frame.function).frame_bytes;
                if self.frames.len() == MAX_DEPTH {
                    return fault(FaultKind::StackOverflow { depth: MAX_DEPTH });
                }
                let from = self.top().base;
                spaces.local.reserve(base + run.code(*function).frame_bytes);
                for lane in each(active) {
                    let memory = spaces.local.lane(lane);
                    for copied in arguments {
                        let from = from + copied.from as usize;
                        memory.copy_within(from..from + copied.bytes as usize, base + copied.to as usize);
                    }
                }
                spaces.local.frame = base;
                let registers = run.registers(*function, self.index);
                let groups = vec![Group { pc: 0, mask: active, state: State::Ready }];
                self.frames.push(Frame { function: *function, registers, groups, base, returned: 0 });
            }
            Control::Barrier(_) => frame.groups[index].state = State::Barrier,
            // Were all members here, it had run.
            Control::Converge { .. } => frame.groups[index].state = State::Converge,
        }
        Ok(())
    }

    /// Goes back to the caller of a frame that has no lanes any more.
    fn leave_frame(&mut self, run: &mut Run<'_>, spaces: &mut Spaces<'_>) {
        let Some(frame) = self.frames.pop() else { return };
        let called = frame.function;
        run.spare[called].push(frame.registers);
        let Some(caller) = self.frames.last() else {
            run.spare_local.push(std::mem::take(&mut spaces.local));
            return;
        };
        spaces.local.frame = caller.base;
        // The lanes that returned are behind the call now, and no other lane of this frame has run since.
        let group = caller.groups.iter().find(|group| group.mask & frame.returned != 0);
        let Some(group) = group else { return };
        let call = &run.program.functions[caller.function].instructions[group.pc as usize - 1];
        let Step::Control(Control::Call { results, .. }) = &call.step else { return };
        for lane in each(frame.returned) {
            let memory = spaces.local.lane(lane);
            for copied in results {
                let from = frame.base + copied.from as usize;
                memory.copy_within(from..from + copied.bytes as usize, caller.base + copied.to as usize);
            }
        }
    }

    /// What the groups wait for, for a report.
    pub(super) fn waiting(&self, run: &Run<'_>) -> String {
        let describe = |frame: &Frame| {
            let code = run.code(frame.function);
            let groups = frame.groups.iter().map(|group| {
                let at = match &code.instructions[group.pc as usize].step {
                    Step::Control(Control::Barrier(_)) => "a barrier of the block",
                    Step::Control(Control::Converge { name, .. }) => name,
                    _ => "the return of a call",
                };
                let line = code.lines[group.pc as usize].ptx;
                format!("lanes {:08x} wait for {at} (PTX line {line})", group.mask)
            });
            groups.collect::<Vec<_>>().join(", ")
        };
        let frames: Vec<_> = self.frames.iter().rev().map(describe).filter(|text| !text.is_empty()).collect();
        format!("warp {}: {}", self.index, frames.join(", "))
    }
}

impl Frame {
    /// Joins groups that stand at one place in one state.
    fn merge(&mut self) {
        if self.groups.len() < 2 {
            return;
        }
        self.groups.sort_by_key(|group| group.pc);
        self.groups.dedup_by(|next, group| {
            let same = next.pc == group.pc && next.state != State::Barrier && group.state != State::Barrier;
            if same {
                group.mask |= next.mask;
                // Lanes that wait for others try again together with those that came.
                group.state = State::Ready;
            }
            same
        });
    }

    /// The ready group with the lowest counter, or one further on when slices were long.
    fn choose(&self, skipped: usize) -> Option<usize> {
        let ready = || (0..self.groups.len()).filter(|&index| self.groups[index].state == State::Ready);
        match skipped {
            0 => ready().next(),
            _ => ready().nth(skipped % ready().count().max(1)),
        }
    }

    /// Releases groups that wait at different places for one another, as threads at different `__syncwarp` may.
    fn release_converged(&mut self, code: &Code, live: u32) -> bool {
        let members = |group: &Group| match &code.instructions[group.pc as usize].step {
            Step::Control(Control::Converge { members, run: None, .. }) if group.state == State::Converge => {
                Some(self.registers.row::<u32>(*members)[group.mask.trailing_zeros() as usize] & live)
            }
            _ => None,
        };
        let waiting: Row<u32> = std::array::from_fn(|lane| {
            let group = self.groups.iter().find(|group| group.mask >> lane & 1 != 0);
            group.and_then(members).unwrap_or(0)
        });
        let complete = (0..LANES)
            .find(|&lane| waiting[lane] != 0 && each(waiting[lane]).all(|other| waiting[other] == waiting[lane]));
        let Some(lane) = complete else { return false };
        let members = waiting[lane];
        for group in self.groups.iter_mut().filter(|group| group.mask & members != 0) {
            group.state = State::Ready;
            group.pc += 1;
        }
        true
    }
}

/// Whether the active lanes are all live ones of the members that they name.
fn are_here(registers: &Registers, members: u32, active: u32, live: u32) -> bool {
    let members = registers.row::<u32>(members)[active.trailing_zeros() as usize];
    members & live & !active == 0
}
