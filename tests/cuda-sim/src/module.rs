//! Modules: PTX text, read and bound to a device.

use std::fmt;
use std::sync::Arc;

use crate::fault::Fault;
use crate::memory::Memory;

/// A module on a device: its functions, and its variables in memory.
pub struct Module {
    functions: Vec<Function>,
    globals: Vec<(String, u64, usize)>,
}

/// A kernel of a module. Cheap to clone; lives as long as any clone, its module's variables as long as the module.
#[derive(Clone)]
pub struct Function {
    inner: Arc<FunctionInner>,
}

struct FunctionInner {
    name: String,
    parameters: Vec<Parameter>,
}

/// Where a kernel expects a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Offset in the bytes of all parameters.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
}

/// Why PTX text was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxError {
    /// The line of the text, from 1.
    pub line: u32,
    /// What is refused, as it stands there.
    pub text: String,
    /// Why.
    pub reason: String,
}

impl Module {
    /// Reads PTX and puts its variables into the memory of a device.
    ///
    /// # Errors
    /// Fails at the first instruction, modifier or directive that is not known.
    pub fn load(_text: &str, _device: u32, _memory: &mut Memory) -> Result<Self, PtxError> {
        Err(PtxError { line: 1, text: String::new(), reason: "not built yet".to_owned() })
    }

    /// Frees the variables.
    ///
    /// # Errors
    /// Fails if the memory is not the one that the module was loaded into.
    pub fn unload(self, memory: &mut Memory) -> Result<(), Fault> {
        self.globals.iter().try_for_each(|(_, address, _)| memory.free(*address))
    }

    /// The version of PTX that the text is written in, and the target it was compiled for: `((8, 8), "sm_80")`.
    ///
    /// # Errors
    /// Fails if the text does not begin as PTX does.
    pub fn header(_text: &str) -> Result<((u32, u32), String), PtxError> {
        Err(PtxError { line: 1, text: String::new(), reason: "not built yet".to_owned() })
    }

    /// A kernel, by its name in the PTX.
    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.iter().find(|function| function.name() == name).cloned()
    }

    /// Address and size of a variable.
    pub fn global(&self, name: &str) -> Option<(u64, usize)> {
        self.globals.iter().find(|global| global.0 == name).map(|&(_, address, bytes)| (address, bytes))
    }
}

impl Function {
    /// Its name in the PTX.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.inner.parameters
    }

    /// The size of all parameters together.
    pub fn parameter_bytes(&self) -> usize {
        self.inner.parameters.last().map_or(0, |last| last.offset + last.bytes)
    }

    /// Bytes of shared memory that the kernel declares itself.
    pub fn shared_bytes(&self) -> usize {
        0
    }

    /// Bytes of local memory of a thread.
    pub fn local_bytes(&self) -> usize {
        0
    }

    /// The most threads of a block that the kernel was compiled for.
    pub fn max_threads(&self) -> u32 {
        1024
    }
}

impl std::error::Error for PtxError {}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}: `{}`", self.line, self.reason, self.text)
    }
}
