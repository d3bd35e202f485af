//! Modules and their functions.

use super::{
    Driver,
    code::{Code, Result},
    config::Knob,
    device::{SHARED_PER_BLOCK, SHARED_PER_BLOCK_OPT_IN},
    report::Category,
};
use crate::module::{Function, Module};

/// A module in a context.
pub(crate) struct LoadedModule {
    pub(crate) context: u64,
    module: Module,
    /// Functions that were asked for, by name.
    functions: Vec<(String, u64)>,
    version: (u32, u32),
}

/// A function that was asked for.
pub(crate) struct LoadedFunction {
    pub(crate) context: u64,
    pub(crate) module: u64,
    pub(crate) function: Function,
    /// The most dynamic shared memory of a launch.
    pub(crate) dynamic_shared: usize,
    /// Preferred part of shared memory, in percent; -1 for none.
    carveout: i32,
    /// Version of the PTX, 80 for 8.0.
    ptx_version: i32,
}

/// Registers of a thread. A device's compiler knows; here every function takes as many.
pub(crate) const REGISTERS: u32 = 32;

/// The image of a module.
pub(crate) enum Image<'a> {
    Text(&'a str),
    /// An ELF file or a container of several.
    Binary,
}

impl Driver {
    /// Loads a module into the current context; the second part of an error is what a compiler's log would say.
    pub(crate) fn load_module(&mut self, image: &Image<'_>) -> std::result::Result<u64, (Code, String)> {
        let plain = |code| (code, String::new());
        let context = self.current_context().map_err(plain)?;
        let device = self.current_device().map_err(plain)?;
        let Image::Text(text) = image else {
            let code = Code(self.config.get(Knob::CubinCode) as u32);
            return Err((code, "machine code cannot be executed here, only PTX".to_owned()));
        };
        let refused = |code, reason: String| Err((code, reason));
        let ((major, minor), target) = match Module::header(text) {
            Ok(header) => header,
            Err(error) => return refused(Code::INVALID_IMAGE, error.to_string()),
        };
        let newest = newest_ptx(self.config.get(Knob::DriverVersion));
        if (major, minor) > newest {
            let text = format!("PTX .version {major}.{minor} is newer than this driver's {}.{}", newest.0, newest.1);
            return refused(Code::UNSUPPORTED_PTX_VERSION, text);
        }
        let capability = self.config.get(Knob::Capability);
        if compiled_for(&target).is_none_or(|target| target > capability) {
            let text = format!("PTX .target {target} does not run on a device of capability {capability}");
            return refused(Code::NO_BINARY_FOR_GPU, text);
        }
        match Module::load(text, device, &mut self.memory) {
            Ok(module) => {
                let version = (major, minor);
                Ok(self.modules.insert(LoadedModule { context, module, functions: Vec::new(), version }))
            }
            Err(error) => {
                // A real compiler may know what the interpreter does not.
                self.log.report(Category::Unsupported, error.to_string());
                refused(Code::INVALID_PTX, error.to_string())
            }
        }
    }

    /// Unloads a module; launches that are enqueued keep their function, but lose the module's variables.
    pub(crate) fn unload_module(&mut self, handle: u64) -> Result {
        let loaded = self.modules.remove(handle)?;
        for (_, function) in &loaded.functions {
            self.functions.remove(*function)?;
        }
        loaded.module.unload(&mut self.memory).expect("the variables were placed when the module was loaded");
        self.working(loaded.context).map(|_| ())
    }

    /// A function of a module, the same handle each time.
    pub(crate) fn module_function(&mut self, module: u64, name: &str) -> Result<u64> {
        let loaded = self.modules.get(module)?;
        self.working(loaded.context)?;
        if let Some((_, handle)) = loaded.functions.iter().find(|(known, _)| known == name) {
            return Ok(*handle);
        }
        let function = loaded.module.function(name).ok_or(Code::NOT_FOUND)?;
        let handle = self.functions.insert(LoadedFunction {
            context: loaded.context,
            module,
            dynamic_shared: SHARED_PER_BLOCK.saturating_sub(function.shared_bytes()),
            function,
            carveout: -1,
            ptx_version: (loaded.version.0 * 10 + loaded.version.1) as i32,
        });
        self.modules.get_mut(module)?.functions.push((name.to_owned(), handle));
        Ok(handle)
    }

    /// Address and size of a variable of a module.
    pub(crate) fn module_global(&self, module: u64, name: &str) -> Result<(u64, usize)> {
        let loaded = self.modules.get(module)?;
        self.working(loaded.context)?;
        loaded.module.global(name).ok_or(Code::NOT_FOUND)
    }

    /// The value of a `CUfunction_attribute`.
    pub(crate) fn function_attribute(&self, handle: u64, attribute: u32) -> Result<i32> {
        let loaded = self.functions.get(handle)?;
        let value = match attribute {
            0 => loaded.function.max_threads() as i32,
            1 => loaded.function.shared_bytes() as i32,
            2 => 0, // bytes of constants: they belong to the module
            3 => loaded.function.local_bytes() as i32,
            4 => REGISTERS as i32,
            5 => loaded.ptx_version,
            6 => self.config.get(Knob::Capability) as i32,
            7 => 0, // no caching choice was compiled in
            8 => loaded.dynamic_shared as i32,
            9 => loaded.carveout,
            10..=15 => 0, // clusters
            _ => return Err(Code::INVALID_VALUE),
        };
        Ok(value)
    }

    /// Sets one of the two attributes that can be set.
    pub(crate) fn set_function_attribute(&mut self, handle: u64, attribute: u32, value: i32) -> Result {
        let loaded = self.functions.get_mut(handle)?;
        match attribute {
            8 => {
                let most = SHARED_PER_BLOCK_OPT_IN.saturating_sub(loaded.function.shared_bytes());
                let wanted = usize::try_from(value).map_err(|_| Code::INVALID_VALUE)?;
                if wanted > most {
                    return Err(Code::INVALID_VALUE);
                }
                loaded.dynamic_shared = wanted;
            }
            9 if (-1..=100).contains(&value) => loaded.carveout = value,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }
}

/// The newest PTX that a driver of this version accepts.
///
/// PTX 8.5 came with CUDA 12.5 and 12.6, and the minor numbers have been one apart until CUDA 13.
fn newest_ptx(driver: i64) -> (u32, u32) {
    let (major, minor) = ((driver / 1000) as u32, (driver % 1000 / 10) as u32);
    match (major, minor) {
        (..11, _) => (6, 5),
        (11, _) => (7, minor),
        (12, 6..) => (8, minor - 1),
        (12, _) => (8, minor),
        _ => (major - 4, minor),
    }
}

/// `sm_80` and `sm_90a` as 80 and 90.
fn compiled_for(target: &str) -> Option<i64> {
    let digits: String = target.strip_prefix("sm_")?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_versions_follow_the_releases() {
        // The versions that NVRTC 12.0, 12.9, 13.0 and 13.5 write.
        for (driver, ptx) in [(12_000, (8, 0)), (12_090, (8, 8)), (13_000, (9, 0)), (13_050, (9, 5))] {
            assert_eq!(newest_ptx(driver), ptx);
        }
    }

    #[test]
    fn targets_with_and_without_letters() {
        assert_eq!([compiled_for("sm_80"), compiled_for("sm_100a"), compiled_for("80")], [Some(80), Some(100), None]);
    }
}
