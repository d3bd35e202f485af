//! Contexts: which one is current on a thread, and whether it is lost.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    thread::ThreadId,
};

use super::{
    Driver,
    code::{Code, Result},
    config::Knob,
    report::Category,
    session::Session,
};

thread_local! {
    /// The stack of current contexts of this thread; 0 stands for none.
    static CURRENT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// A context of a device.
pub(crate) struct Context {
    pub(crate) device: u32,
    pub(crate) flags: u32,
    /// The code of the failure that ended it.
    pub(crate) lost: Option<Code>,
    /// The stream that handle 0 stands for.
    pub(crate) default_stream: u64,
    /// The streams that handle 2 stands for.
    pub(crate) thread_streams: HashMap<ThreadId, u64>,
    /// Contexts whose memory kernels of this one may touch.
    pub(crate) peers: BTreeSet<u64>,
    pub(crate) cache_config: u32,
    pub(crate) limits: BTreeMap<u32, usize>,
}

/// The context on top of this thread's stack, whatever its state.
pub(crate) fn current() -> u64 {
    CURRENT.with_borrow(|stack| stack.last().copied().unwrap_or(0))
}

/// Replaces the top of this thread's stack.
pub(crate) fn set_current(context: u64) {
    CURRENT.with_borrow_mut(|stack| {
        stack.pop();
        if context != 0 {
            stack.push(context);
        }
    });
}

/// Puts a context on this thread's stack.
pub(crate) fn push_current(context: u64) {
    CURRENT.with_borrow_mut(|stack| stack.push(context));
}

/// Takes the top of this thread's stack.
pub(crate) fn pop_current() -> Option<u64> {
    CURRENT.with_borrow_mut(Vec::pop)
}

impl Driver {
    /// The current context, for a call that needs a working one.
    pub(crate) fn current_context(&self) -> Result<u64> {
        if !self.initialized {
            return Err(Code::NOT_INITIALIZED);
        }
        match current() {
            0 => Err(Code::INVALID_CONTEXT),
            context => self.working(context).map(|_| context),
        }
    }

    /// The device of the current context.
    pub(crate) fn current_device(&self) -> Result<u32> {
        Ok(self.working(self.current_context()?)?.device)
    }

    /// A context that is there and not lost.
    pub(crate) fn working(&self, context: u64) -> Result<&Context> {
        let found = self.contexts.get(context).map_err(|_| Code::CONTEXT_IS_DESTROYED)?;
        found.lost.map_or(Ok(found), Err)
    }

    /// Makes a context on a device.
    pub(crate) fn create_context(&mut self, device: u32, flags: u32) -> u64 {
        let context = self.contexts.insert(Context {
            device,
            flags,
            lost: None,
            default_stream: 0,
            thread_streams: HashMap::new(),
            peers: BTreeSet::new(),
            cache_config: 0,
            // Stack of a thread, buffer of `printf`, heap of `malloc`: the driver's defaults.
            limits: BTreeMap::from([(0, 1024), (1, 1 << 20), (2, 8 << 20)]),
        });
        let stream = self.streams.create(context, true, 0);
        self.contexts.get_mut(context).expect("it was just made").default_stream = stream;
        context
    }

    /// Retains the primary context of a device.
    pub(crate) fn retain_primary(&mut self, device: u32) -> Result<u64> {
        let (handle, count) = match self.devices[device as usize].primary {
            Some(primary) => primary,
            None => (self.create_context(device, self.devices[device as usize].primary_flags), 0),
        };
        self.devices[device as usize].primary = Some((handle, count + 1));
        self.working(handle)?;
        Ok(handle)
    }

    /// A failure on the device ends the context.
    pub(crate) fn lose_context(&mut self, context: u64, code: Code) {
        if let Ok(context) = self.contexts.get_mut(context) {
            context.lost.get_or_insert(code);
        }
    }

    /// Ends the current context if the code is one that does.
    pub(crate) fn lose_current_context(&mut self, code: Code) {
        if code.loses_the_context() {
            self.lose_context(current(), code);
        }
    }

    /// Can kernels of one device be allowed to touch memory of the other?
    pub(crate) fn can_access_peer(&self, device: u32, peer: u32) -> bool {
        device != peer && self.config.is(Knob::Peers)
    }

    /// Reports what a context still holds, and removes it all.
    ///
    /// A lost context is no leak: nothing could be freed any more.
    fn remove_context(&mut self, handle: u64) -> Result<Context> {
        let context = self.contexts.remove(handle).map_err(|_| Code::INVALID_CONTEXT)?;
        let left: Vec<u64> = self
            .allocated
            .iter()
            .filter(|(_, held)| held.context == handle && !held.freeing)
            .map(|(at, _)| *at)
            .collect();
        let names: Vec<String> = left.iter().map(|address| self.allocation_name(*address)).collect();
        let bytes: u64 = left.iter().map(|address| self.allocated[address].bytes).sum();
        for address in left {
            self.release(address);
        }
        let pinned = self.unpin_all(handle);
        let modules = self.modules.retain(|module| module.context != handle);
        self.functions.retain(|function| function.context != handle);
        let events = self.events.retain(|event| event.context != handle);
        let streams = self.streams.remove_of(&context, handle);
        if context.lost.is_none() {
            let counted = [("streams", streams), ("events", events), ("modules", modules), ("pinned buffers", pinned)];
            let mut parts: Vec<String> = Vec::new();
            if !names.is_empty() {
                parts.push(format!("{bytes} bytes in {} allocations: {}", names.len(), names.join(", ")));
            }
            // Modules go with their context by design; programs rarely unload them.
            parts.extend(
                counted
                    .iter()
                    .filter(|(what, count)| *count > 0 && *what != "modules")
                    .map(|(what, count)| format!("{count} {what}")),
            );
            if !parts.is_empty() {
                let text = format!("context of device {} ended with {}", context.device, parts.join("; "));
                self.log.report(Category::Leak, text);
            }
        }
        Ok(context)
    }
}

impl Session {
    /// Ends a context after the work in it, as its owner asked.
    pub(crate) fn destroy_context(&mut self, handle: u64) -> Result {
        self.contexts.get(handle).map_err(|_| Code::INVALID_CONTEXT)?;
        self.finish_context(handle);
        let context = self.remove_context(handle)?;
        for peer in context.peers {
            if let Ok(peer) = self.contexts.get(peer).map(|peer| peer.device) {
                self.memory.forbid_peer(context.device, peer);
            }
        }
        if current() == handle {
            pop_current();
        }
        Ok(())
    }

    /// Gives back one retained reference of the primary context of a device.
    pub(crate) fn release_primary(&mut self, device: u32) -> Result {
        let Some((handle, count)) = self.devices[device as usize].primary else {
            return Err(Code::INVALID_CONTEXT);
        };
        if count > 1 {
            self.devices[device as usize].primary = Some((handle, count - 1));
            return Ok(());
        }
        self.devices[device as usize].primary = None;
        self.destroy_context(handle)
    }

    /// Waits for all work of a context.
    pub(crate) fn finish_context(&mut self, context: u64) {
        for tail in self.streams.tails_of(context) {
            self.wait_for(tail.position);
            self.learn(&tail);
        }
        self.streams.sweep();
    }
}
