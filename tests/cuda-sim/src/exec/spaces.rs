//! The memories that a warp can reach, and the checks of every access.
//!
//! An access is located first: all lanes that fall into one memory (one allocation, or shared, local or parameter
//! memory) are checked together against its bounds, and come back as offsets into its bytes. Only when that fails are
//! the lanes looked at one by one, to name the first that is wrong.

use std::ops::Range;

use super::race::{BlockRaces, Race, WarpRaces};
use super::registers::{Class, LANES, Register, Registers, Row};
use crate::fault::{Access, Fault, FaultKind, Space};
use crate::memory::{LOCAL_BASE, Memory, PARAM_BASE, SHARED_BASE, window};

/// What an address of an instruction is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressSpace {
    /// The address says it.
    Generic,
    Global,
    Shared,
    Local,
    /// The frame of the running function, in local memory.
    Frame,
    /// The parameters of the kernel.
    Param,
}

/// `[base + offset]`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub space: AddressSpace,
    pub base: Option<Register>,
    pub offset: i64,
}

/// A fault and the lane that it happened in.
pub(crate) struct LaneFault {
    pub fault: Fault,
    pub lane: u32,
    /// The address concerned, if the fault is one of memory.
    pub address: Option<u64>,
}

/// What the running warp can reach.
pub(crate) struct Spaces<'a> {
    pub memory: &'a mut Memory,
    pub device: u32,
    pub params: Vec<u8>,
    pub shared: Vec<u8>,
    pub local: Local,
    pub warp: u32,
    pub check_initialised: bool,
    pub block_races: Option<BlockRaces>,
    pub warp_races: Option<WarpRaces>,
    pub touched: Vec<TouchedAllocation>,
}

/// What a launch did to an allocation.
pub(crate) struct TouchedAllocation {
    pub window: u64,
    pub read: Range<u64>,
    pub written: Range<u64>,
}

/// A range that any address extends.
const NOTHING: Range<u64> = Range { start: u64::MAX, end: 0 };

/// Local memory of a warp: `stride` bytes for each lane, one lane after the other.
#[derive(Default)]
pub(crate) struct Local {
    bytes: Vec<u8>,
    stride: usize,
    /// Where the frame of the running function begins in a lane's memory.
    pub frame: usize,
}

/// Checked lanes of one access, as offsets into the memory that they fall into.
pub(crate) struct Located<'a> {
    pub bytes: &'a mut [u8],
    /// Those of other lanes mean nothing, but are in bounds.
    pub offsets: Row<usize>,
    pub lanes: u32,
    /// All lanes are there, and each follows the one before.
    pub contiguous: bool,
}

impl Local {
    /// Grows the memory of each lane to at least this size.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        if bytes <= self.stride {
            return;
        }
        let stride = bytes.next_power_of_two();
        let mut grown = vec![0; stride * LANES];
        for lane in 0..LANES {
            grown[lane * stride..][..self.stride].copy_from_slice(&self.bytes[lane * self.stride..][..self.stride]);
        }
        (self.bytes, self.stride) = (grown, stride);
    }

    /// The memory of a lane.
    pub(crate) fn lane(&mut self, lane: usize) -> &mut [u8] {
        &mut self.bytes[lane * self.stride..][..self.stride]
    }
}

impl Address {
    pub(crate) fn row(&self, registers: &Registers, spaces: &Spaces<'_>) -> Row<u64> {
        let mut offset = self.offset as u64;
        if self.space == AddressSpace::Frame {
            offset = offset.wrapping_add(spaces.local.frame as u64);
        }
        match self.base {
            None => [offset; LANES],
            Some(Register { class: Class::B64, index }) => {
                registers.row::<u64>(index).map(|base| base.wrapping_add(offset))
            }
            // Sums of 32 bits wrap; as a signed number, a negative offset reads as one.
            Some(register) => {
                registers.row::<u32>(register.index).map(|base| base.wrapping_add(offset as u32) as i32 as u64)
            }
        }
    }
}

impl Spaces<'_> {
    /// Checks an access of `size` bytes by the lanes of a mask, which is not empty. Gives the first lanes that fall into
    /// one memory; the caller asks again for the rest.
    pub(crate) fn locate(
        &mut self,
        space: AddressSpace,
        mut addresses: Row<u64>,
        mask: u32,
        size: usize,
        access: Access,
    ) -> Result<Located<'_>, LaneFault> {
        let first = mask.trailing_zeros() as usize;
        let near = addresses[first];
        let mut lanes = mask;
        let contiguous = mask == u32::MAX
            && addresses
                .iter()
                .zip(0..)
                .fold(true, |all, (&address, lane)| all & (address == near.wrapping_add(lane * size as u64)));
        let (low, high) = if contiguous {
            (near, near.wrapping_add((LANES - 1) as u64 * size as u64))
        } else {
            if matches!(space, AddressSpace::Generic | AddressSpace::Global) {
                let away = |lane: &usize| window(addresses[*lane] ^ near) != 0;
                lanes &= !(0..LANES).filter(away).fold(0, |away, lane| away | 1 << lane);
            }
            for (lane, address) in addresses.iter_mut().enumerate() {
                if lanes >> lane & 1 == 0 {
                    *address = near;
                }
            }
            (addresses.iter().copied().fold(near, u64::min), addresses.iter().copied().fold(near, u64::max))
        };
        let misaligned = addresses.iter().fold(0, |bits, address| bits | address) & (size as u64 - 1);
        if misaligned != 0 {
            return Err(misaligned_lane(&addresses, lanes, size, access));
        }
        let (space, base) = match space {
            AddressSpace::Generic => generic(near),
            AddressSpace::Frame => (AddressSpace::Local, 0),
            known => (known, 0),
        };
        let relative = |lane_address: u64| lane_address.wrapping_sub(base) as usize;
        match space {
            AddressSpace::Shared => {
                let checked = check_bounds(&addresses, lanes, base, size, self.shared.len(), access, Space::Shared);
                checked?;
                let offsets = addresses.map(relative);
                self.check_warp_races(&offsets, lanes, size, access)?;
                Ok(Located { bytes: &mut self.shared, offsets, lanes, contiguous })
            }
            AddressSpace::Local => {
                let stride = self.local.stride;
                check_bounds(&addresses, lanes, base, size, stride, access, Space::Local)?;
                let offsets = std::array::from_fn(|lane| lane * stride + relative(addresses[lane]));
                Ok(Located { bytes: &mut self.local.bytes, offsets, lanes, contiguous: false })
            }
            AddressSpace::Param => {
                check_bounds(&addresses, lanes, base, size, self.params.len(), access, Space::Param)?;
                Ok(Located { bytes: &mut self.params, offsets: addresses.map(relative), lanes, contiguous })
            }
            AddressSpace::Global | AddressSpace::Generic | AddressSpace::Frame => {
                self.locate_global(&addresses, lanes, low..high.wrapping_add(size as u64), size, access, contiguous)
            }
        }
    }

    fn locate_global(
        &mut self,
        addresses: &Row<u64>,
        lanes: u32,
        around: Range<u64>,
        size: usize,
        access: Access,
        contiguous: bool,
    ) -> Result<Located<'_>, LaneFault> {
        let all = (around.end.wrapping_sub(around.start)) as usize;
        if self.memory.span(around.start, all, access).is_err() {
            return Err(self.first_outside(addresses, lanes, size, access));
        }
        self.touch(&around, access).map_err(|fault| at_lane(fault, addresses, lanes))?;
        if self.block_races.is_some() {
            self.check_block_races(addresses, lanes, size, access)?;
        }
        if self.check_initialised && access != Access::Write {
            self.check_initialised(addresses, lanes, size)?;
        }
        let Ok(span) = self.memory.span(around.start, all, access) else { unreachable!("checked above") };
        let offsets = addresses.map(|address| (address - span.start) as usize);
        if let Some(initialised) = span.initialised
            && access != Access::Read
        {
            each(lanes).for_each(|lane| initialised[offsets[lane]..offsets[lane] + size].fill(true));
        }
        Ok(Located { bytes: span.bytes, offsets, lanes, contiguous })
    }

    /// The fault of the first lane that is outside. Inside each on its own, together outside, cannot be.
    fn first_outside(&mut self, addresses: &Row<u64>, lanes: u32, size: usize, access: Access) -> LaneFault {
        let fault = each(lanes).find_map(|lane| {
            let fault = self.memory.span(addresses[lane], size, access).err()?;
            Some(LaneFault { fault, lane: lane as u32, address: Some(addresses[lane]) })
        });
        fault.expect("bug in cuda-sim: lanes inside an allocation span bytes outside it")
    }

    /// Notes that bytes of an allocation were touched; the first time in a launch, checks that the device may.
    fn touch(&mut self, around: &Range<u64>, access: Access) -> Result<(), Fault> {
        let id = window(around.start);
        let index = match self.touched.iter().position(|touched| touched.window == id) {
            Some(index) => index,
            None => {
                self.memory.check_device(around.start, self.device, access)?;
                self.touched.push(TouchedAllocation { window: id, read: NOTHING, written: NOTHING });
                self.touched.len() - 1
            }
        };
        let touched = &mut self.touched[index];
        let extend = |range: &mut Range<u64>| {
            *range = range.start.min(around.start)..range.end.max(around.end);
        };
        if access != Access::Write {
            extend(&mut touched.read);
        }
        if access != Access::Read {
            extend(&mut touched.written);
        }
        Ok(())
    }

    fn check_initialised(&self, addresses: &Row<u64>, lanes: u32, size: usize) -> Result<(), LaneFault> {
        let Some(lane) = each(lanes).find(|&lane| !self.memory.is_initialised(addresses[lane], size)) else {
            return Ok(());
        };
        let allocation = self.memory.allocation(addresses[lane]).expect("located before");
        let offset = (addresses[lane] - allocation.start) as i64;
        let kind = FaultKind::Uninitialised { bytes: size, allocation: allocation.name(), offset };
        Err(LaneFault::new(kind, lane, addresses[lane]))
    }

    fn check_block_races(
        &mut self,
        addresses: &Row<u64>,
        lanes: u32,
        size: usize,
        access: Access,
    ) -> Result<(), LaneFault> {
        let Some(races) = &mut self.block_races else { return Ok(()) };
        let allocation = self.memory.allocation(addresses[lanes.trailing_zeros() as usize]).expect("located before");
        for lane in each(lanes) {
            let offset = (addresses[lane] - allocation.start) as usize;
            if let Some(Race { before, other }) = races.access(allocation.start, allocation.len, offset, size, access) {
                let (allocation, offset) = (allocation.name(), offset as i64);
                let kind = FaultKind::BlockRace { access, before, allocation, offset, other };
                return Err(LaneFault::new(kind, lane, addresses[lane]));
            }
        }
        Ok(())
    }

    fn check_warp_races(
        &mut self,
        offsets: &Row<usize>,
        lanes: u32,
        size: usize,
        access: Access,
    ) -> Result<(), LaneFault> {
        let Some(races) = &mut self.warp_races else { return Ok(()) };
        for lane in each(lanes) {
            if let Some(Race { before, other }) = races.access(offsets[lane], size, access, self.warp) {
                let kind = FaultKind::WarpRace { access, before, offset: offsets[lane] as i64, other };
                return Err(LaneFault { fault: kind.into(), lane: lane as u32, address: None });
            }
        }
        Ok(())
    }
}

impl LaneFault {
    fn new(kind: FaultKind, lane: usize, address: u64) -> Self {
        Self { fault: kind.into(), lane: lane as u32, address: Some(address) }
    }
}

fn at_lane(fault: Fault, addresses: &Row<u64>, lanes: u32) -> LaneFault {
    let lane = lanes.trailing_zeros();
    LaneFault { fault, lane, address: Some(addresses[lane as usize]) }
}

/// The lanes of a mask, in order.
pub(crate) fn each(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// The memory that a generic address belongs to, and the address of its first byte.
fn generic(address: u64) -> (AddressSpace, u64) {
    match window(address) {
        id if id == window(SHARED_BASE) => (AddressSpace::Shared, SHARED_BASE),
        id if id == window(LOCAL_BASE) => (AddressSpace::Local, LOCAL_BASE),
        id if id == window(PARAM_BASE) => (AddressSpace::Param, PARAM_BASE),
        _ => (AddressSpace::Global, 0),
    }
}

fn misaligned_lane(addresses: &Row<u64>, lanes: u32, bytes: usize, access: Access) -> LaneFault {
    let is_misaligned = |lane: &usize| addresses[*lane] & (bytes as u64 - 1) != 0;
    let lane = each(lanes).find(is_misaligned).expect("one lane is misaligned");
    LaneFault::new(FaultKind::Misaligned { access, bytes, address: addresses[lane] }, lane, addresses[lane])
}

fn check_bounds(
    addresses: &Row<u64>,
    lanes: u32,
    base: u64,
    bytes: usize,
    size: usize,
    access: Access,
    space: Space,
) -> Result<(), LaneFault> {
    let is_outside = |address: u64| {
        let offset = address.wrapping_sub(base);
        offset.checked_add(bytes as u64).is_none_or(|end| end > size as u64)
    };
    if !addresses.iter().fold(false, |any, &address| any | is_outside(address)) {
        return Ok(());
    }
    let lane = each(lanes).find(|&lane| is_outside(addresses[lane])).expect("one lane is outside");
    let offset = addresses[lane].wrapping_sub(base) as i64;
    let fault = FaultKind::OutOfSpace { access, bytes, space, offset, size }.into();
    Err(LaneFault { fault, lane: lane as u32, address: None })
}
