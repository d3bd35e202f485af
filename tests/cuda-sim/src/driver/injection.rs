//! Failures on demand: the n-th call of a function, or of a group of functions, fails.

use super::code::{Code, Result};

/// Failures that are still to come.
#[derive(Default)]
pub(crate) struct Injections(Vec<Injection>);

struct Injection {
    target: String,
    /// Calls left until the one that fails; never 0.
    left: u64,
    code: Code,
}

impl Injections {
    /// Lets the `nth` call of `target` from now (1 is the next) fail with `code`.
    ///
    /// The target is a driver function, or `allocation`, `launch` or `copy` for all of that kind.
    pub(crate) fn add(&mut self, target: &str, nth: u64, code: Code) {
        self.0.push(Injection { target: target.to_owned(), left: nth.max(1), code });
    }

    /// Counts a call, and gives the failure that is due.
    pub(crate) fn call(&mut self, function: &str) -> Result {
        let mut due = None;
        self.0.retain_mut(|injection| {
            if injection.target != function && group(function) != Some(injection.target.as_str()) {
                return true;
            }
            injection.left -= 1;
            if injection.left == 0 {
                due = Some(injection.code);
            }
            injection.left > 0
        });
        due.map_or(Ok(()), Err)
    }
}

/// The group that a driver function belongs to.
fn group(function: &str) -> Option<&'static str> {
    match function {
        "cuMemAlloc_v2" | "cuMemAllocAsync" | "cuMemAllocFromPoolAsync" => Some("allocation"),
        "cuMemHostAlloc" | "cuMemAllocHost_v2" | "cuMemHostRegister_v2" => Some("pinned allocation"),
        "cuLaunchKernel" | "cuLaunchKernelEx" | "cuLaunchCooperativeKernel" => Some("launch"),
        _ if function.starts_with("cuMemcpy") => Some("copy"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_call_of_a_group_fails_once() {
        let mut injections = Injections::default();
        injections.add("allocation", 2, Code::OUT_OF_MEMORY);
        assert_eq!(injections.call("cuMemAlloc_v2"), Ok(()));
        assert_eq!(injections.call("cuLaunchKernel"), Ok(()), "another group");
        assert_eq!(injections.call("cuMemAllocAsync"), Err(Code::OUT_OF_MEMORY));
        assert_eq!(injections.call("cuMemAllocAsync"), Ok(()));
    }
}
