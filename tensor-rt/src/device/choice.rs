//! Choosing a device when the program runs.
//!
//! A program lists the devices that it was compiled for; the user names one, or `auto`. [`with_device!`](crate::with_device)
//! opens it and calls generic code with its type. `auto` takes what `TENSOR_DEVICE` names; if that is not set or `auto` too,
//! the first accelerator of the list that opens, else the processor.

use std::ffi::OsStr;
use std::fmt::Display;
use std::str::FromStr;

use super::{Device, DeviceId};
use crate::error::{Error, Result};

/// What a user asks for: `auto`, `cpu` or `cuda:N`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// What the variable `TENSOR_DEVICE` names, if it is set; else the first accelerator that can be used, else the
    /// processor.
    #[default]
    Auto,
    /// This device and no other.
    Only(DeviceId),
}

impl DeviceChoice {
    /// The variable that [`DeviceChoice::from_env`] reads.
    pub const VARIABLE: &'static str = "TENSOR_DEVICE";

    /// The choice in `TENSOR_DEVICE`; `auto` if that is not set.
    ///
    /// # Errors
    /// Fails if it names no device.
    pub fn from_env() -> Result<DeviceChoice> {
        named(std::env::var_os(Self::VARIABLE).as_deref())
    }
}

/// The choice that a variable names; an empty one is like none.
fn named(variable: Option<&OsStr>) -> Result<DeviceChoice> {
    match variable {
        Some(name) if !name.is_empty() => name.to_string_lossy().parse(),
        Some(_) | None => Ok(DeviceChoice::Auto),
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(name: &str) -> Result<DeviceChoice> {
        let unknown = || Error::UnknownDevice { name: name.into() };
        match name.trim() {
            "auto" => Ok(DeviceChoice::Auto),
            "cpu" => Ok(DeviceChoice::Only(DeviceId::Cpu)),
            "cuda" => Ok(DeviceChoice::Only(DeviceId::Cuda(0))),
            other => {
                let ordinal = other.strip_prefix("cuda:").ok_or_else(unknown)?;
                if ordinal.is_empty() || !ordinal.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(unknown());
                }
                ordinal.parse().map(|ordinal| DeviceChoice::Only(DeviceId::Cuda(ordinal))).map_err(|_| unknown())
            }
        }
    }
}

impl Display for DeviceChoice {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DeviceChoice::Auto => out.write_str("auto"),
            DeviceChoice::Only(device) => Display::fmt(device, out),
        }
    }
}

impl From<DeviceId> for DeviceChoice {
    fn from(device: DeviceId) -> Self {
        DeviceChoice::Only(device)
    }
}

/// What stands for a choice in [`with_device!`](crate::with_device): a [`DeviceChoice`], or its name.
pub trait IntoChoice {
    /// The choice.
    ///
    /// # Errors
    /// Fails if the name is that of no device.
    fn into_choice(self) -> Result<DeviceChoice>;
}

impl IntoChoice for DeviceChoice {
    fn into_choice(self) -> Result<DeviceChoice> {
        Ok(self)
    }
}

impl IntoChoice for &str {
    fn into_choice(self) -> Result<DeviceChoice> {
        self.parse()
    }
}

impl IntoChoice for &String {
    fn into_choice(self) -> Result<DeviceChoice> {
        self.parse()
    }
}

/// The device that was taken, and why those before it were not. Prints as one line.
#[derive(Clone, Debug)]
pub struct Taken {
    device: DeviceId,
    passed_over: Vec<(DeviceId, Error)>,
}

impl Taken {
    /// The device that was taken.
    pub fn device(&self) -> DeviceId {
        self.device
    }

    /// The devices that would have been better but could not be used, and why.
    pub fn passed_over(&self) -> &[(DeviceId, Error)] {
        &self.passed_over
    }
}

impl Display for Taken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "running on {}", self.device)?;
        for (_, reason) in &self.passed_over {
            write!(out, " ({reason})")?;
        }
        Ok(())
    }
}

/// A device of the list in `with_device!`: which it is, and whether it opens.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Candidate {
    device: DeviceId,
    open: fn() -> Result<()>,
}

impl Candidate {
    pub const fn of<D: Device>() -> Candidate {
        Candidate { device: D::ID, open: || D::open().map(drop) }
    }
}

/// The outcome of a choice among candidates.
#[doc(hidden)]
#[derive(Debug)]
pub struct Selection {
    pub taken: Taken,
}

impl Selection {
    pub fn among(candidates: &[Candidate], choice: impl IntoChoice) -> Result<Selection> {
        let choice = match choice.into_choice()? {
            DeviceChoice::Auto => DeviceChoice::from_env()?,
            only => only,
        };
        let taken = match choice {
            DeviceChoice::Only(device) => only(candidates, device)?,
            DeviceChoice::Auto => best(candidates)?,
        };
        Ok(Selection { taken })
    }

    /// The handle, if this is the device that was taken.
    pub fn open<D: Device>(&self) -> Result<Option<D>> {
        if self.taken.device == D::ID { D::open().map(Some) } else { Ok(None) }
    }

    /// Tells the user which device it is.
    pub fn announce(&self) {
        eprintln!("{}", self.taken);
    }
}

fn only(candidates: &[Candidate], device: DeviceId) -> Result<Taken> {
    let Some(candidate) = candidates.iter().find(|candidate| candidate.device == device) else {
        let available = candidates.iter().map(|candidate| candidate.device).collect();
        return Err(Error::DeviceNotCompiledIn { device, available });
    };
    (candidate.open)()?;
    Ok(Taken { device, passed_over: Vec::new() })
}

/// Accelerators in the order of the list, then the processor.
fn best(candidates: &[Candidate]) -> Result<Taken> {
    let mut ordered: Vec<&Candidate> = candidates.iter().collect();
    ordered.sort_by_key(|candidate| candidate.device == DeviceId::Cpu);
    let mut passed_over = Vec::new();
    for Candidate { device, open } in ordered {
        match open() {
            Ok(()) => return Ok(Taken { device: *device, passed_over }),
            Err(reason) => passed_over.push((*device, reason)),
        }
    }
    Err(passed_over
        .pop()
        .map_or(Error::DeviceNotCompiledIn { device: DeviceId::Cpu, available: Box::default() }, |last| last.1))
}

/// Calls generic code with the device that a user chose: `with_device!(choice, [Cpu, Cuda], |device| train(&device))`.
///
/// `choice` is a [`DeviceChoice`](crate::DeviceChoice), or its name: `auto`, `cpu`, `cuda:N`. The list names the devices
/// that the program is compiled for; the body is compiled once for each and must give one `Result`, whose error can be
/// made from [`Error`](crate::Error). Which device was taken, and why not another, is written to standard error; with
/// `|device, taken|` the body gets it as a [`Taken`](crate::device::Taken) instead.
///
/// ```
/// use tensor_rt::prelude::*;
/// use tensor_rt::{Error, with_device};
///
/// fn total<D: Device>(device: &D) -> Result<f32, Error> {
///     Tensor::full(device, [], 3.0)?.item()
/// }
///
/// assert_eq!(with_device!("auto", [Cpu, Cuda], |device| total(&device))?, 3.0);
/// assert!(with_device!("cuda:7", [Cpu, Cuda], |device| total(&device)).is_err());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Gives [`Error::UnknownDevice`](crate::Error::UnknownDevice) for a name that is none,
/// [`Error::DeviceNotCompiledIn`](crate::Error::DeviceNotCompiledIn) for a device outside the list, what prevents the
/// device from being used, or the error of the body.
#[macro_export]
macro_rules! with_device {
    ($choice:expr, [$($device:ty),+ $(,)?], |$handle:ident| $body:expr) => {
        $crate::with_device!(@select $choice, [$($device),+], |$handle, selection| {
            selection.announce();
            $body
        })
    };
    ($choice:expr, [$($device:ty),+ $(,)?], |$handle:ident, $taken:ident| $body:expr) => {
        $crate::with_device!(@select $choice, [$($device),+], |$handle, selection| {
            let $taken = &selection.taken;
            $body
        })
    };
    (@select $choice:expr, [$($device:ty),+], |$handle:ident, $selection:ident| $body:expr) => {
        'chosen: {
            let candidates = [$($crate::__private::Candidate::of::<$device>()),+];
            let $selection = match $crate::__private::Selection::among(&candidates, $choice) {
                ::std::result::Result::Ok(selection) => selection,
                ::std::result::Result::Err(error) => {
                    break 'chosen ::std::result::Result::Err(::std::convert::From::from(error));
                }
            };
            $(match $selection.open::<$device>() {
                ::std::result::Result::Ok(::std::option::Option::Some($handle)) => {
                    // A closure, so that `?` and `return` in the body leave the body alone.
                    break 'chosen (|| $body)();
                }
                ::std::result::Result::Ok(::std::option::Option::None) => {}
                ::std::result::Result::Err(error) => {
                    break 'chosen ::std::result::Result::Err(::std::convert::From::from(error));
                }
            })+
            ::std::unreachable!("bug in tensor-rt: the device that was taken is not in the list")
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Cpu, Cuda};
    use crate::error::ErrorKind;

    #[test]
    fn names_are_parsed() {
        assert_eq!("auto".parse::<DeviceChoice>().unwrap(), DeviceChoice::Auto);
        assert_eq!(" cpu ".parse::<DeviceChoice>().unwrap(), DeviceChoice::Only(DeviceId::Cpu));
        assert_eq!("cuda".parse::<DeviceChoice>().unwrap(), DeviceChoice::Only(DeviceId::Cuda(0)));
        assert_eq!("cuda:12".parse::<DeviceChoice>().unwrap(), DeviceChoice::Only(DeviceId::Cuda(12)));
        for name in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:+1", "cuda:99999999999999999999", "CPU"] {
            assert_eq!(name.parse::<DeviceChoice>().unwrap_err().kind(), ErrorKind::UnknownDevice, "{name}");
        }
    }

    #[test]
    fn the_variable_names_a_device() {
        assert_eq!(named(None).unwrap(), DeviceChoice::Auto);
        assert_eq!(named(Some("".as_ref())).unwrap(), DeviceChoice::Auto);
        assert_eq!(named(Some("cuda:1".as_ref())).unwrap(), DeviceChoice::Only(DeviceId::Cuda(1)));
        assert_eq!(named(Some("gpu".as_ref())).unwrap_err().kind(), ErrorKind::UnknownDevice);
    }

    #[test]
    fn auto_says_why_not_another() {
        let candidates = [Candidate::of::<Cpu>(), Candidate::of::<Cuda>()];
        let selection = Selection::among(&candidates, DeviceChoice::Auto).unwrap();
        match Cuda::new() {
            Ok(_) => assert_eq!(selection.taken.to_string(), "running on cuda:0"),
            Err(reason) => {
                assert_eq!(selection.taken.device(), DeviceId::Cpu);
                assert_eq!(selection.taken.passed_over()[0].0, DeviceId::Cuda(0));
                assert_eq!(selection.taken.to_string(), format!("running on cpu ({reason})"));
            }
        }
    }

    #[test]
    fn device_outside_the_list_is_an_error() {
        let error = Selection::among(&[Candidate::of::<Cpu>()], "cuda:1").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeviceNotCompiledIn);
        assert_eq!(error.to_string(), "device cuda:1 is not among those that this program was compiled for: [cpu]");
    }

    #[test]
    fn a_body_may_return_its_own_error() {
        let result: std::result::Result<u8, Box<dyn std::error::Error>> = crate::with_device!(DeviceChoice::Auto, [Cpu, Cuda<1>], |device, taken| {
            let _ = (device, taken);
            let number: u8 = "12".parse()?;
            Ok(number)
        });
        assert_eq!(result.unwrap(), 12);
    }
}
