//! What a test may choose about the simulated machine.

/// One line for each choice: variant, name, default, meaning.
macro_rules! knobs {
    ($($variant:ident, $name:literal, $default:expr, $meaning:literal;)*) => {
        /// A choice about the simulated machine; a number each.
        ///
        /// The default of each is overridden by an environment variable: `CUDASIM_` and the name in capitals.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Knob {
            $(#[doc = $meaning] $variant,)*
        }

        impl Knob {
            const ALL: &[Knob] = &[$(Knob::$variant),*];

            /// The name that the exported `cudasimSet` takes.
            pub fn name(self) -> &'static str {
                match self {
                    $(Knob::$variant => $name,)*
                }
            }

            fn default(self) -> i64 {
                match self {
                    $(Knob::$variant => $default,)*
                }
            }
        }
    };
}

knobs! {
    Devices, "devices", 2, "How many devices there are. Default: 2.";
    Memory, "memory", 16 << 30, "Bytes of memory of each device. Default: 16 GiB.";
    DriverVersion, "driver_version", 13_090, "What `cuDriverGetVersion` answers, `13050` for 13.5; it decides which \
        PTX is too new. Default: 13090.";
    Capability, "capability", 80, "Compute capability of each device, `80` for 8.0. Default: 80.";
    Lazy, "lazy", 0, "Whether work runs as late as the API allows (1), or when it is enqueued (0). Default: 0.";
    Seed, "seed", 0, "With lazy execution: 0 runs nothing before it must, any other number makes every call run some \
        pending work, chosen by it. Default: 0.";
    BlockOrder, "block_order", 0, "The order of the blocks of a launch: 0 is rising, any other number shuffles. \
        Default: 0.";
    CheckUninitialised, "check_uninitialised", 1, "Whether reading memory that nobody wrote is a fault. Default: 1.";
    CheckRaces, "check_races", 1, "Whether unordered accesses within one launch are a fault. Default: 1.";
    Pools, "pools", 1, "Whether the devices have memory pools (`cuMemAllocAsync`). Default: 1.";
    Peers, "peers", 1, "Whether the devices can reach each other's memory. Default: 1.";
    CubinCode, "cubin_code", 209, "The code that loading a CUBIN gives: it cannot be executed here. Default: 209.";
    Log, "log", 0, "Whether reports are also written to the standard error stream. Default: 0.";
}

impl Knob {
    /// The choice with this name.
    pub(crate) fn named(name: &str) -> Option<Knob> {
        Self::ALL.iter().copied().find(|knob| knob.name() == name)
    }
}

/// All choices.
#[derive(Clone, Debug)]
pub(crate) struct Config([i64; Knob::ALL.len()]);

impl Config {
    /// The defaults, as the environment overrides them.
    pub(crate) fn from_environment() -> Self {
        Self(std::array::from_fn(|index| {
            let knob = Knob::ALL[index];
            let text = std::env::var(format!("CUDASIM_{}", knob.name().to_uppercase()));
            text.ok().and_then(|text| text.parse().ok()).unwrap_or_else(|| knob.default())
        }))
    }

    pub(crate) fn get(&self, knob: Knob) -> i64 {
        self.0[knob as usize]
    }

    pub(crate) fn is(&self, knob: Knob) -> bool {
        self.get(knob) != 0
    }

    pub(crate) fn set(&mut self, knob: Knob, value: i64) {
        self.0[knob as usize] = value;
    }
}
