//! Handles of the driver's objects: numbers that are given out once.
//!
//! A real driver reuses addresses, so that a stale handle may name a new object. Here it never does: the use of a
//! destroyed stream, event or module is always found.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use super::code::{Code, Result};

/// Handles stay unique over `cudasimReset`. The small numbers are left to the default streams (1 and 2).
static NEXT: AtomicU64 = AtomicU64::new(0x1000);

/// The objects of one kind by handle, in the order of their creation.
pub(crate) struct Table<T>(BTreeMap<u64, T>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Table<T> {
    pub(crate) fn insert(&mut self, object: T) -> u64 {
        // Handles are passed as pointers; some callers look at their alignment.
        let handle = NEXT.fetch_add(16, Ordering::Relaxed);
        self.0.insert(handle, object);
        handle
    }

    pub(crate) fn get(&self, handle: u64) -> Result<&T> {
        self.0.get(&handle).ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn get_mut(&mut self, handle: u64) -> Result<&mut T> {
        self.0.get_mut(&handle).ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn remove(&mut self, handle: u64) -> Result<T> {
        self.0.remove(&handle).ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.0.iter().map(|(handle, object)| (*handle, object))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut T)> {
        self.0.iter_mut().map(|(handle, object)| (*handle, object))
    }

    /// Keeps the objects for which `keep` holds, and gives how many went.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) -> usize {
        let before = self.0.len();
        self.0.retain(|_, object| keep(object));
        before - self.0.len()
    }
}
