//! What is compiled for a kernel of a launch.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

use super::geometry::Geometry;
use super::mapping::{Phase, Step, Tiling};
use super::prelude::PRELUDE;
use crate::element::DType;

/// A source, as a key until its text is asked for: launches of one shape share their compiled code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(super) kernel: &'static str,
    pub(super) variant: Variant,
}

/// What of a launch the code depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Variant {
    pub generic: DType,
    /// True if an index has 64 bits.
    pub wide: bool,
    /// Free dimensions.
    pub free: usize,
    /// Reduced dimensions.
    pub reduced: usize,
    pub vector: i64,
    pub contiguous: u64,
    pub lanes: i64,
    pub rows: i64,
    pub vertical: bool,
    pub phase: Phase,
    /// True if points are visited in an order.
    pub ordered: bool,
    /// How the tiles of a product of matrices lie: dimensions of batch, `m` and `n`.
    pub product: Option<([usize; 3], Tiling)>,
}

impl Source {
    /// The source of one step of a launch.
    pub(super) fn new(generic: DType, geometry: &Geometry, step: &Step, kernel: &'static str) -> Self {
        let wide = step.is_wide(geometry);
        let Step { phase, vector, contiguous, lanes, rows, vertical, ordered, tiling, .. } = *step;
        let product = geometry.groups.zip(tiling);
        let (free, reduced) = (geometry.free, geometry.dims.len() - geometry.free);
        let variant = Variant {
            generic,
            wide,
            free,
            reduced,
            vector,
            contiguous,
            lanes,
            rows,
            vertical,
            phase,
            ordered,
            product,
        };
        Self { kernel, variant }
    }

    /// The text, complete.
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(PRELUDE.len() + self.kernel.len() + 1024);
        let Variant { wide, free, reduced, vector, contiguous, lanes, rows, vertical, ordered, .. } = self.variant;
        let phase = match self.variant.phase {
            Phase::Whole => "WHOLE",
            Phase::Partial => "PARTIAL",
            Phase::Finish => "FINISH",
        };
        let _ = write!(
            text,
            "#define FREE {free}\n#define REDUCED {reduced}\n#define VECTOR {vector}\n\
             #define CONTIGUOUS_ARRAYS {contiguous}ull\n#define LANES {lanes}\n#define ROWS {rows}\n\
             #define VERTICAL {}\n#define PHASE {phase}\n#define ORDERED {}\n#define WIDE_INDEX {}\n",
            u8::from(vertical),
            u8::from(ordered),
            u8::from(wide),
        );
        match self.variant.product {
            None => text.push_str("#define PRODUCT 0\n"),
            Some(([batch, m, n], Tiling { thread, lhs_along_k, rhs_along_k })) => {
                let _ = write!(
                    text,
                    "#define PRODUCT 1\n#define BATCH_DIMS {batch}\n#define M_DIMS {m}\n#define N_DIMS {n}\n\
                     #define THREAD {thread}\n#define LHS_ALONG_K {lhs_along_k}\n#define RHS_ALONG_K {rhs_along_k}\n",
                );
            }
        }
        text.push_str("struct Half { unsigned short bits; };\nstruct Brain { unsigned short bits; };\n");
        let generic = self.variant.generic;
        let _ = write!(text, "typedef {} Element;\ntypedef {} Compute;\n", name(generic), name(generic.compute()));
        text.push_str(PRELUDE);
        text.push_str(self.kernel);
        text
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        // Texts are constants of the program: comparing their addresses is enough, and equal texts compile alike.
        std::ptr::eq(self.kernel, other.kernel) && self.variant == other.variant
    }
}

impl Eq for Source {}

impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kernel.as_ptr().hash(state);
        self.variant.hash(state);
    }
}

/// C's name of an element.
fn name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F64 => "double",
        DType::F16 => "Half",
        DType::Bf16 => "Brain",
        DType::I64 => "long long",
        DType::I32 => "int",
        DType::U32 => "unsigned",
        DType::U8 => "unsigned char",
        DType::Bool => "bool",
    }
}
