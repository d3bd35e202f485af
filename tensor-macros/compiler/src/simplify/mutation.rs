//! Wrong rules on demand: the proof that the tests would notice them.
//!
//! Only test builds have the switch; elsewhere every rule is right.

/// One wrong rule.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "only tests make a rule wrong"))]
pub(crate) enum Mutation {
    /// What an operation (by name) contributes to one of its operands is 1.25 times what it should be.
    Scaled(&'static str, usize),
    /// A summed axis that the summed expression lacks does not multiply it by its size.
    MissingSize,
    /// Substitution does not rename bound axes.
    Capture,
    /// A cotangent is not guarded by the condition of its branch.
    UnguardedBranch,
    /// A sum of guarded addends meets a partial derivative where no guard holds.
    UnguardedSum,
    /// Every maximal element of a reduction takes all of the cotangent.
    UnsharedTies,
    /// Each of two equal operands takes all of the cotangent.
    WholeTies,
    /// A constant does not win ties.
    LosingConstant,
    /// A product with zeros divides by all of them.
    IgnoredZeros,
    /// `x^y` has no special case at `y == 0`.
    PowerOfZero,
    /// `x^y` has no special case at `x == 0`.
    PowerAtZero,
    /// `xlogy` has no special case at `x == 0`.
    LogarithmAtZero,
    /// A diagonal, or a constant or data-dependent index, writes every element.
    EveryElement,
    /// A guarded load writes where it was not executed.
    UnguardedLoad,
    /// The zero proof believes everything.
    EverythingIsZero,
    /// A use along a shorter axis writes to the whole of a longer one.
    LongerAxis,
    /// A window counts where it stands between two of its places.
    BetweenSteps,
    /// An index that fixes a summed axis is taken to lie in it.
    PickedOutside,
    /// A residual is not read at the index of its use.
    ResidualAtOwnIndex,
}

#[cfg(not(test))]
pub(crate) const fn is(_: Mutation) -> bool {
    false
}

#[cfg(test)]
pub(crate) use switch::{is, with};

#[cfg(test)]
mod switch {
    use std::cell::Cell;

    use super::Mutation;

    thread_local! {
        static ACTIVE: Cell<Option<Mutation>> = const { Cell::new(None) };
    }

    /// True if this rule is wrong at the moment.
    pub(crate) fn is(mutation: Mutation) -> bool {
        ACTIVE.get() == Some(mutation)
    }

    /// Runs `test` with a rule made wrong.
    pub(crate) fn with<R>(mutation: Mutation, test: impl FnOnce() -> R) -> R {
        ACTIVE.set(Some(mutation));
        let result = test();
        ACTIVE.set(None);
        result
    }
}
