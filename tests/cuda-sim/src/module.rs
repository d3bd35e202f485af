//! Modules: PTX text, read and bound to a device.

use std::collections::HashMap;
use std::sync::Arc;

pub use crate::code::Parameter;
use crate::code::Program;
use crate::decode::{self, Environment};
use crate::fault::Fault;
use crate::memory::{Kind, Memory};
use crate::ptx;
pub use crate::ptx::PtxError;
use crate::ptx::syntax::{self, Initial, StateSpace, Variable};

/// A module on a device: its functions, and its variables in memory.
pub struct Module {
    functions: Vec<Function>,
    globals: HashMap<String, (u64, usize)>,
}

/// A kernel of a module. Cheap to clone; may outlive its module, whose variables it then must not touch.
#[derive(Clone)]
pub struct Function {
    name: Arc<str>,
    program: Arc<Program>,
}

impl Module {
    /// Reads PTX and puts its variables into the memory of a device.
    ///
    /// # Errors
    /// Fails at the first instruction, modifier or directive that is not known.
    pub fn load(text: &str, device: u32, memory: &mut Memory) -> Result<Self, PtxError> {
        let module = ptx::parse(text)?;
        let in_memory = |variable: &&Variable| matches!(variable.space, StateSpace::Global | StateSpace::Const);
        let variables: Vec<&Variable> = module.variables.iter().filter(in_memory).collect();
        let mut globals = HashMap::new();
        for variable in &variables {
            let address = memory.allocate(variable.bytes, device, Kind::Variable);
            memory.set_label(address, &variable.name);
            globals.insert(variable.name.clone(), (address, variable.bytes));
        }
        let loaded = initialise(&variables, &globals, memory).and_then(|()| functions(&module, &globals));
        match loaded {
            Ok(functions) => Ok(Self { functions, globals }),
            Err(error) => {
                let freed = Self { functions: Vec::new(), globals }.unload(memory);
                debug_assert_eq!(freed, Ok(()));
                Err(error)
            }
        }
    }

    /// The version of PTX that the text is written in, and the target it was compiled for: `((8, 8), "sm_80")`.
    ///
    /// # Errors
    /// Fails if the text is not PTX.
    pub fn header(text: &str) -> Result<((u32, u32), String), PtxError> {
        // The directives stand before the first function or variable; no more need be understood.
        let end = [".visible", ".entry", ".func", ".extern", ".global", ".const", ".weak"];
        let end = end.iter().filter_map(|word| text.find(word)).min().unwrap_or(text.len());
        let module = ptx::parse(&text[..end])?;
        if module.version == (0, 0) {
            return Err(PtxError::new(1, text.lines().next().unwrap_or_default(), "expected `.version`"));
        }
        Ok((module.version, module.target))
    }

    /// Frees the variables.
    ///
    /// # Errors
    /// Fails if the memory is not the one that the module was loaded into.
    pub fn unload(self, memory: &mut Memory) -> Result<(), Fault> {
        self.globals.values().try_for_each(|(address, _)| memory.free(*address))
    }

    /// A kernel, by its name in the PTX.
    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.iter().find(|function| function.name() == name).cloned()
    }

    /// Address and size of a variable.
    pub fn global(&self, name: &str) -> Option<(u64, usize)> {
        self.globals.get(name).copied()
    }
}

impl Function {
    /// Its name in the PTX.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.program.parameters
    }

    /// The size of all parameters together.
    pub fn parameter_bytes(&self) -> usize {
        self.program.parameters.last().map_or(0, |last| last.offset + last.bytes)
    }

    /// Bytes of shared memory that the kernel declares itself.
    pub fn shared_bytes(&self) -> usize {
        self.program.shared_bytes
    }

    /// Bytes of local memory of a thread, outside called functions.
    pub fn local_bytes(&self) -> usize {
        self.program.functions[0].frame_bytes
    }

    /// The most threads of a block that the kernel was compiled for.
    pub fn max_threads(&self) -> u32 {
        self.program.max_threads
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }
}

/// Writes the initial values of variables; what has none is zero.
fn initialise(
    variables: &[&Variable],
    globals: &HashMap<String, (u64, usize)>,
    memory: &mut Memory,
) -> Result<(), PtxError> {
    for variable in variables {
        let mut bytes = Vec::with_capacity(variable.bytes);
        for part in &variable.initial {
            match part {
                Initial::Bytes(part) => bytes.extend_from_slice(part),
                Initial::Address { name, offset } => {
                    let unknown = || PtxError::new(variable.line, name, "the variable is not known");
                    let (address, _) = globals.get(name).ok_or_else(unknown)?;
                    bytes.extend_from_slice(&address.wrapping_add(*offset as u64).to_le_bytes());
                }
            }
        }
        if bytes.len() > variable.bytes {
            return Err(PtxError::new(variable.line, &variable.name, "an initial value that is too long"));
        }
        bytes.resize(variable.bytes, 0);
        let (address, len) = globals[&variable.name];
        memory.bytes_mut(address, len).expect("the variable was allocated").copy_from_slice(&bytes);
    }
    Ok(())
}

fn functions(module: &syntax::Module, globals: &HashMap<String, (u64, usize)>) -> Result<Vec<Function>, PtxError> {
    let addresses = globals.iter().map(|(name, place)| (name.clone(), place.0)).collect();
    let environment = Environment { module, globals: &addresses };
    let kernels = module.functions.iter().filter(|function| function.is_kernel && function.body.is_some());
    let decode = |function: &syntax::Function| {
        let program = Arc::new(decode::program(&environment, function)?);
        Ok(Function { name: function.name.as_str().into(), program })
    };
    kernels.map(decode).collect()
}
