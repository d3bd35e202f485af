//! Functions that programs may look up, and that the simulator does not have: `CUDA_ERROR_NOT_SUPPORTED` and a report.

use crate::driver::{code::Code, report::Category, session::call};

macro_rules! unsupported {
    ($($name:ident)*) => {
        // They take their arguments without looking: with the C calling convention, the caller removes them.
        $(#[unsafe(no_mangle)] extern "C" fn $name() -> u32 {
            call(stringify!($name), |session| {
                session.log.report(Category::Unsupported, concat!(stringify!($name), " is not simulated").to_owned());
                Err(Code::NOT_SUPPORTED)
            })
        })*
    };
}

// Managed memory.
unsupported! {
    cuMemAllocManaged cuMemAdvise_v2 cuMemPrefetchAsync_v2 cuStreamAttachMemAsync
}

// Graphs.
unsupported! {
    cuStreamBeginCapture_v2 cuStreamEndCapture cuGraphInstantiateWithFlags cuGraphLaunch cuGraphUpload
    cuGraphExecDestroy cuGraphDestroy cuThreadExchangeStreamCaptureMode
}

// External memory, and sharing between processes.
unsupported! {
    cuImportExternalMemory cuExternalMemoryGetMappedBuffer cuDestroyExternalMemory cuIpcGetMemHandle
    cuIpcOpenMemHandle_v2 cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcOpenEventHandle
}

// Clusters, virtual memory, and what few programs call.
unsupported! {
    cuOccupancyMaxActiveClusters cuOccupancyMaxPotentialClusterSize cuMemAddressReserve cuMemCreate cuMemMap
    cuMemSetAccess cuMemUnmap cuMemRelease cuMemAddressFree cuStreamAddCallback cuPointerGetAttributes
    cuMemPoolGetAccess cuMemcpy2D_v2 cuMemcpy2DAsync_v2 cuMemAllocPitch_v2 cuLibraryLoadData cuLibraryGetKernel
    cuLinkCreate_v2 cuLinkAddData_v2 cuLinkComplete cuLinkDestroy
}

/// Profiling tools are told when to listen; nobody does here.
#[unsafe(no_mangle)]
extern "C" fn cuProfilerStart() -> u32 {
    call("cuProfilerStart", |_| Ok(()))
}

/// See [`cuProfilerStart`].
#[unsafe(no_mangle)]
extern "C" fn cuProfilerStop() -> u32 {
    call("cuProfilerStop", |_| Ok(()))
}
