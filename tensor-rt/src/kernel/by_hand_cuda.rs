//! Hand-written kernels on CUDA devices: the function of a `.cu` file, launched as its attribute says.
//!
//! The compiler has compared the function's prototype with the signature, so the parameters here are those that it takes.
//! What the function does with them is the user's: it may only touch the elements of the tensors that it gets.

use std::ffi::c_void;

use smallvec::SmallVec;

use super::block::Scalar;
use super::launch::Setting;
use super::program::{CudaFunction, CudaParam, Intent, SizeExpr};
use super::sizes::evaluate;
use crate::cuda::buffer::Buffer;
use crate::cuda::launch::Geometry;
use crate::cuda::launch_blocking;
use crate::cuda::log::Explain;
use crate::cuda::record::ErrorRecord;
use crate::cuda::stream::Stream;
use crate::element::DType;
use crate::error::{Error, Origin, Result};
use crate::tensor::raw::Raw;

/// What a file may use beside the language: fixed-size integers, and the half elements with their conversions.
const PRELUDE: &str = include_str!("by_hand.cu");

/// Launches the function on dense tensors and new outputs.
pub(super) fn launch(
    stream: &'static Stream,
    function: &CudaFunction,
    setting: &Setting<'_>,
    tensors: &[&Raw],
    outputs: &[Raw],
) -> Result<()> {
    let (context, origin) = (stream.context(), setting.origin);
    let Some(geometry) = geometry(function, setting)? else { return Ok(()) };
    geometry.check(context.limits()).map_err(|(name, found, bound)| {
        let Origin { op, at } = origin;
        Error::LaunchLimit { op, device: context.id(), name, found, bound, at }
    })?;
    let text = format!(
        "#line 1 \"prelude\"\n{PRELUDE}typedef {} T;\n#line 1 \"{}.cu\"\n{}",
        name(setting.generic),
        function.entry,
        function.source
    );
    let loaded = context.function(&text, function.entry, geometry.shared_bytes, origin)?;

    let words = function.params.iter().map(|param| value(*param, setting, tensors, outputs));
    let mut values: SmallVec<[u64; 12]> = words.collect();
    let mut parameters: SmallVec<[*mut c_void; 12]> = values.iter_mut().map(|value| (&raw mut *value).cast()).collect();
    let is_edited = |param: usize| setting.program.tensors[param].intent == Intent::Edit;
    let of =
        |edited: bool| (0..tensors.len()).filter(move |param| is_edited(*param) == edited).map(|param| tensors[param]);
    let reads: SmallVec<[&Buffer; 4]> = of(false).filter_map(Raw::buffer).collect();
    let writes: SmallVec<[&Buffer; 4]> = of(true).chain(outputs).filter_map(Raw::buffer).collect();
    let mut submission = stream.submit(origin)?;
    reads.iter().try_for_each(|buffer| submission.reads(buffer))?;
    writes.iter().try_for_each(|buffer| submission.writes(buffer))?;
    // SAFETY: the parameters are those of the prototype, in order, each in the first bytes of a word (the compiler compared
    // them); the function touches the elements of the tensors it gets (the user's), which the submission is after the uses of.
    unsafe { submission.launch(loaded, geometry, &mut parameters) }.map_err(|failure| submission.error(failure))?;
    submission.launched(reads, writes, Box::new(Silent));
    if launch_blocking() { stream.synchronize(origin) } else { Ok(()) }
}

/// The blocks and threads; none if there are no blocks.
fn geometry(function: &CudaFunction, setting: &Setting<'_>) -> Result<Option<Geometry>> {
    let Origin { op, at } = setting.origin;
    let size = |name, expr: &SizeExpr| {
        let value = evaluate(expr, &setting.resolved.sizes, setting.scalars).ok();
        let fits = value.and_then(|value| u32::try_from(value).ok());
        // What is no `u32` is beyond every limit.
        fits.ok_or(Error::LaunchLimit {
            op,
            device: setting.home.device(),
            name,
            found: value.map_or(u64::MAX, |value| value as u64),
            bound: u32::MAX.into(),
            at,
        })
    };
    let three =
        |name, [x, y, z]: &[SizeExpr; 3]| -> Result<[u32; 3]> { Ok([size(name, x)?, size(name, y)?, size(name, z)?]) };
    let (grid, block) = (three("grid", &function.grid)?, three("block", &function.block)?);
    let shared_bytes = size("bytes of shared memory", &function.shared)?;
    Ok((!grid.contains(&0)).then_some(Geometry { grid, block, shared_bytes }))
}

/// A parameter's value in the first bytes of a word.
fn value(param: CudaParam, setting: &Setting<'_>, tensors: &[&Raw], outputs: &[Raw]) -> u64 {
    let first_bytes = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    };
    match param {
        CudaParam::Tensor(tensor) => tensors[tensor as usize].pointer().addr() as u64,
        CudaParam::Output(output) => outputs[output as usize].pointer().addr() as u64,
        CudaParam::Size(extent) => setting.resolved.sizes[extent as usize] as u64,
        CudaParam::Scalar(scalar) => match setting.scalars[scalar as usize] {
            Scalar::Float(value) | Scalar::F64(value) => value.to_bits(),
            Scalar::F32(value) => first_bytes(&value.to_ne_bytes()),
            Scalar::Int(value) => value as u64,
            Scalar::U64(value) => value,
            Scalar::Bool(value) => first_bytes(&[value.into()]),
        },
    }
}

/// How CUDA C calls an element.
fn name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F64 => "double",
        DType::F16 => "__half",
        DType::Bf16 => "__nv_bfloat16",
        DType::I64 => "long long",
        DType::I32 => "int",
        DType::U32 => "unsigned int",
        DType::U8 => "unsigned char",
        DType::Bool => "bool",
    }
}

/// A function of the user's reports nothing; its launch is known by its call all the same.
struct Silent;

impl Explain for Silent {
    fn error(&self, _found: &ErrorRecord, _origin: Origin) -> Option<Error> {
        None
    }
}
