//! The table of reference values as it stands in its file.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

/// A file, or several.
#[derive(Deserialize)]
pub struct Table {
    pub cases: Vec<Case>,
}

/// One call of a kernel.
#[derive(Deserialize)]
pub struct Case {
    pub name: String,
    pub variant: String,
    pub inputs: BTreeMap<String, Array>,
    pub scalars: BTreeMap<String, f64>,
    #[serde(deserialize_with = "in_order")]
    pub outputs: Vec<(String, Array)>,
    pub cotangents: BTreeMap<String, Array>,
    pub gradients: BTreeMap<String, Array>,
    pub tolerance_f32: Tolerance,
    #[serde(default)]
    pub note: String,
}

/// A row-major array.
#[derive(Deserialize)]
pub struct Array {
    pub shape: Vec<usize>,
    pub element: String,
    pub data: Vec<serde_json::Value>,
}

/// `|found - expected| <= absolute + relative |expected|`.
#[derive(Clone, Copy, Deserialize)]
pub struct Tolerance {
    relative: f64,
    absolute: f64,
}

impl Table {
    /// The cases of both files.
    pub fn read() -> Table {
        let parts = [include_str!("../../reference/reference.json"), include_str!("../../reference/library.json")];
        let cases = |part| serde_json::from_str::<Table>(part).expect("the table is as it was written").cases;
        Table { cases: parts.into_iter().flat_map(cases).collect() }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.variant)?;
        if self.note.is_empty() { Ok(()) } else { write!(f, " [{}]", self.note) }
    }
}

impl Array {
    /// The elements as numbers; integers and truth values too.
    pub fn floats(&self) -> impl Iterator<Item = f64> {
        self.data.iter().map(|value| match value {
            serde_json::Value::Bool(value) => f64::from(u8::from(*value)),
            serde_json::Value::String(name) => name.parse().expect("`inf`, `-inf` or `nan`"),
            number => number.as_f64().expect("a number"),
        })
    }
}

impl Tolerance {
    pub fn times(self, factor: f64) -> Tolerance {
        Tolerance { relative: self.relative * factor, absolute: self.absolute * factor }
    }

    pub fn holds(self, found: f64, expected: f64) -> bool {
        // The first clause is for infinities, the second for NaN.
        found == expected
            || (found.is_nan() && expected.is_nan())
            || (found - expected).abs() <= self.absolute + self.relative * expected.abs() && expected.is_finite()
    }
}

/// A map whose order in the file counts.
fn in_order<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, Array)>, D::Error> {
    struct Visitor;
    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = Vec<(String, Array)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map from names to arrays")
        }

        fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            std::iter::from_fn(|| map.next_entry().transpose()).collect()
        }
    }
    deserializer.deserialize_map(Visitor)
}
