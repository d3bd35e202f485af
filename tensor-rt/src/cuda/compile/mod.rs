//! CUDA C to code that a device loads.
//!
//! A [`Compiler`] belongs to a device and knows the *ways* to compile for it, best first: an installed NVRTC and the form
//! that it writes ([`policy`]). NVRTC is found at run time ([`discovery`]) and called through our own bindings
//! ([`nvrtc`]); what it writes is an [`Image`], kept in memory and on disk ([`cache`]).
//!
//! Nothing here knows contexts or modules. Whoever loads an image says whether the driver refused its form, and then gets
//! the next one ([`Compiler::load`]).

#[forbid(unsafe_code)]
mod cache;
#[forbid(unsafe_code)]
mod discovery;
#[forbid(unsafe_code)]
mod failure;
#[forbid(unsafe_code)]
mod image;
mod nvrtc;
#[forbid(unsafe_code)]
mod options;
#[forbid(unsafe_code)]
mod policy;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

pub use discovery::Tried;
pub use failure::CompileFailure;
pub(crate) use image::{Code, Image};
pub(crate) use policy::Form;

use super::version::{Capability, CudaVersion};
use crate::error::{Error, Origin, Result};
use cache::Cache;
use discovery::Found;
use nvrtc::{Nvrtc, Outcome, Unit};
use policy::{Offer, Way};

/// Compiles for the devices of one capability behind one driver.
pub(crate) struct Compiler {
    found: &'static Found,
    cache: &'static Cache,
    driver: CudaVersion,
    /// Not empty.
    ways: Vec<Way>,
    /// The first of `ways` whose form the driver has not refused.
    preferred: AtomicUsize,
    /// Whether code tells which line of the source it came from.
    lines: bool,
}

/// Why an image was not loaded.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The driver does not take code of this form: machine code of another kind (`CUDA_ERROR_NO_BINARY_FOR_GPU`), PTX that
    /// is too new for it (`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`) or that it cannot read (`CUDA_ERROR_INVALID_PTX`).
    Form,
    /// Anything else; another form would not help.
    Other(Error),
}

impl Compiler {
    /// A compiler for devices of `capability` behind a driver of version `driver`.
    ///
    /// # Errors
    /// Fails if no NVRTC is found, or none that is found serves device and driver.
    pub(crate) fn for_device(capability: Capability, driver: CudaVersion) -> Result<Compiler> {
        static FOUND: OnceLock<Found> = OnceLock::new();
        let found = FOUND.get_or_init(|| Found::at(&discovery::places()));
        Compiler::among(found, Cache::of_process(), capability, driver)
    }

    fn among(
        found: &'static Found,
        cache: &'static Cache,
        capability: Capability,
        driver: CudaVersion,
    ) -> Result<Compiler> {
        if found.compilers.is_empty() {
            return Err(Error::NvrtcNotFound { tried: found.tried.clone().into() });
        }
        let offers = found.compilers.iter().map(|nvrtc| Offer { version: nvrtc.version(), archs: nvrtc.archs() });
        let ways = policy::ways(&offers.collect::<Vec<_>>(), capability, driver)?;
        // With them a fault is attributed to a line; they cost nothing at run time.
        let lines = cfg!(debug_assertions) || super::launch_blocking();
        Ok(Compiler { found, cache, driver, ways, preferred: AtomicUsize::new(0), lines })
    }

    /// The forms that are offered to the driver, best first.
    pub(crate) fn forms(&self) -> impl Iterator<Item = Form> {
        self.ways.iter().map(|way| way.form)
    }

    /// Compiles `source`, the text of the kernel `origin.op`, and hands the image to `load`; if the driver refuses its form,
    /// the next form is compiled, and so on. Later calls start with the form that was taken.
    ///
    /// # Errors
    /// Fails if NVRTC refuses the source, if the driver refuses every form, or as `load` does.
    pub(crate) fn load<M>(
        &self,
        origin: Origin,
        source: &str,
        mut load: impl FnMut(&Image) -> Result<M, Refusal>,
    ) -> Result<M> {
        let preferred = self.preferred.load(Ordering::Relaxed);
        for (place, way) in self.ways.iter().enumerate().skip(preferred) {
            let image = self.compile_way(origin, source, *way)?;
            match load(&image) {
                Ok(module) => {
                    self.preferred.fetch_max(place, Ordering::Relaxed);
                    return Ok(module);
                }
                Err(Refusal::Form) => {}
                Err(Refusal::Other(error)) => return Err(error),
            }
        }
        let nvrtc = self.ways.last().map(|way| self.found.compilers[way.nvrtc].version());
        Err(Error::DriverTooOld { driver: self.driver, nvrtc: nvrtc.expect("bug: a compiler without a way") })
    }

    /// Compiles `source`, the text of the kernel `origin.op`, to `form`, one of [`forms`](Self::forms).
    ///
    /// # Errors
    /// Fails if NVRTC refuses the source.
    pub(crate) fn compile(&self, origin: Origin, source: &str, form: Form) -> Result<Arc<Image>> {
        let way = self.ways.iter().find(|way| way.form == form);
        self.compile_way(origin, source, *way.expect("bug: a form that the device is not offered"))
    }

    fn compile_way(&self, origin: Origin, source: &str, way: Way) -> Result<Arc<Image>> {
        let nvrtc = &self.found.compilers[way.nvrtc];
        let options = options::options(way.form, nvrtc.version(), self.lines);
        let unit = Unit { name: format!("{}.cu", origin.op), source, options };
        let key = key(nvrtc, &unit, way.form);
        // What a header says is no part of the key, and may change from one process to the next.
        let on_disk = !source.contains("#include");
        self.cache.image(&key, on_disk, || compile(nvrtc, &unit, way.form, origin))
    }
}

/// All that decides the code.
fn key(nvrtc: &Nvrtc, unit: &Unit<'_>, form: Form) -> String {
    let Unit { name, source, options } = unit;
    format!("nvrtc {}\n{form:?}\n{}\n{name}\n{source}", nvrtc.identity(), options.join("\n"))
}

fn compile(nvrtc: &Nvrtc, unit: &Unit<'_>, form: Form, Origin { op, at }: Origin) -> Result<Image> {
    let outcome = match form {
        Form::Cubin(_) => nvrtc.cubin(unit),
        Form::Ptx(_) | Form::OlderPtx(..) => nvrtc.ptx(unit),
    };
    let Outcome { code: Some(code), log } = outcome else {
        let failure = CompileFailure {
            nvrtc: nvrtc.version(),
            target: form.target().into(),
            name: unit.name.as_str().into(),
            source: unit.source.into(),
            log: outcome.log.into(),
        };
        return Err(Error::CompileFailed { op, failure: Box::new(failure), at });
    };
    let code = match form {
        Form::Cubin(_) => Code::Cubin(code),
        Form::Ptx(_) => Code::Ptx(nvrtc::text(code)),
        Form::OlderPtx(_, version) => Code::Ptx(image::with_version(nvrtc::text(code), version)),
    };
    Ok(Image { code, log })
}
