//! Axes, their extents, and sets of axes.

use super::NodeId;

/// Index of an axis in its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AxisId(pub u32);

/// Index of a size class in its graph. Axes of one extent always have the same number of elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExtentId(pub u32);

/// A bound name.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The user's name; a renamed axis has primes appended (`N'`). `..` is named `..`.
    pub name: String,
    /// Its size class.
    pub extent: ExtentId,
    /// True for `..`, which stands for any number of dimensions.
    pub rest: bool,
}

/// Where a size comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Read from the dimensions of the parameters that declare an axis of this extent; all must agree.
    Declared,
    /// A literal in a parameter's axes; checked against the dimension.
    Literal(u64),
    /// An `I64` expression of sizes and scalars: an output axis or a window that no input has. Negative is an error.
    Computed(NodeId),
}

/// A set of axes, ordered by id.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct AxisSet(Vec<AxisId>);

impl AxisSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// True if `axis` is a member.
    pub fn contains(&self, axis: AxisId) -> bool {
        self.0.binary_search(&axis).is_ok()
    }

    /// Adds a member.
    pub fn insert(&mut self, axis: AxisId) {
        if let Err(place) = self.0.binary_search(&axis) {
            self.0.insert(place, axis);
        }
    }

    /// Members of either.
    pub fn union(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// Members of both.
    pub fn intersection(&self, other: &Self) -> Self {
        self.iter().filter(|&axis| other.contains(axis)).collect()
    }

    /// Members of this set alone.
    pub fn difference(&self, other: &Self) -> Self {
        self.iter().filter(|&axis| !other.contains(axis)).collect()
    }

    /// True if every member is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|axis| other.contains(axis))
    }

    /// True if no member is in `other`.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.iter().any(|axis| other.contains(axis))
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Members in ascending order of id.
    pub fn iter(&self) -> impl Iterator<Item = AxisId> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<AxisId> for AxisSet {
    fn from_iter<I: IntoIterator<Item = AxisId>>(axes: I) -> Self {
        let mut members: Vec<AxisId> = axes.into_iter().collect();
        members.sort_unstable();
        members.dedup();
        Self(members)
    }
}
