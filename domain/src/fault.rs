//! A fault in a request, with its location.

use serde::Serialize;
use utoipa::ToSchema;

/// One step of the path to a fault: the name of a field or a position in a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Step {
    /// A field.
    Name(String),
    /// A position, from 0.
    Index(u64),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Index(index) => index.fmt(f),
        }
    }
}

impl From<&str> for Step {
    fn from(name: &str) -> Self {
        match name.parse() {
            Ok(index) if name.bytes().all(|b| b.is_ascii_digit()) => Self::Index(index),
            _ => Self::Name(name.to_owned()),
        }
    }
}

/// A fault in the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Fault {
    /// Location of the fault: `body`, `query` or `path`, then names of fields and positions in lists.
    pub loc: Vec<Step>,
    /// Description of the fault.
    pub msg: String,
    /// Machine-readable kind of the fault.
    #[serde(rename = "type")]
    pub kind: String,
}

impl Fault {
    /// Creates a fault at `place` (`body`, `query`, `path`) and, within it, at `loc`.
    pub fn new<'a>(
        place: &'static str,
        loc: impl IntoIterator<Item = &'a str>,
        msg: impl Into<String>,
        kind: &'static str,
    ) -> Self {
        let loc =
            std::iter::once(Step::Name(place.to_owned())).chain(loc.into_iter().map(Step::from)).collect();
        Self { loc, msg: msg.into(), kind: kind.to_owned() }
    }
}
