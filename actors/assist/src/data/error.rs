//! Errors of data items, with their location.

use domain::{Code, Refusal};

use super::MAX_CHANGES;

/// A fault in the input, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Location, from the outside inwards: `["data", "address", "zip"]`, `["filter", "0", "op"]`.
    pub loc: Vec<String>,
    /// Description of the fault for people.
    pub msg: String,
    /// Machine-readable kind of the fault.
    pub kind: &'static str,
}

impl Fault {
    /// Creates a fault at a location.
    pub fn new<S: ToString>(
        loc: impl IntoIterator<Item = S>,
        kind: &'static str,
        msg: impl Into<String>,
    ) -> Self {
        Self { loc: loc.into_iter().map(|part| part.to_string()).collect(), msg: msg.into(), kind }
    }

    /// Prefixes the location of the fault with `outer`.
    pub fn below(mut self, outer: &[&str]) -> Self {
        self.loc.splice(..0, outer.iter().map(|part| (*part).to_owned()));
        self
    }
}

/// Formats the location and the description on one line.
impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.loc.is_empty() {
            true => f.write_str(&self.msg),
            false => write!(f, "{}: {}", self.loc.join("."), self.msg),
        }
    }
}

/// Why data was not changed.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The input is invalid. Contains every fault.
    #[error("{}", all(.0))]
    Invalid(Vec<Fault>),
    /// The change concerns too many items.
    #[error("one change may affect at most {MAX_CHANGES} items")]
    TooMany,
    /// The item or the assistant does not exist, as named.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The item's version differs from the version that the change is for.
    #[error("the data item was changed in the meantime")]
    Stale,
    /// The underlying storage operation failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

fn all(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; ")
}

/// Prefixes faults with the part of the request that contains them: `body` or `query`.
pub fn located(place: &'static str, faults: Vec<Fault>) -> Vec<domain::Fault> {
    let fault =
        |fault: Fault| domain::Fault::new(place, fault.loc.iter().map(String::as_str), fault.msg, fault.kind);
    faults.into_iter().map(fault).collect()
}

/// Converts the error of a change or a query. `place` is the part of the request that contains the faults: `body` or
/// `query`.
pub fn refusal(place: &'static str, why: DataError) -> Refusal {
    match why {
        DataError::Invalid(faults) => Refusal::faulty(located(place, faults)),
        DataError::TooMany => Refusal::new(Code::Invalid).detail(why.to_string()),
        DataError::NotFound(what) => Refusal::not_found(what),
        DataError::Stale => Refusal::new(Code::Stale).detail(why.to_string()),
        DataError::Storage(why) => why.into(),
    }
}

impl From<DataError> for Refusal {
    fn from(why: DataError) -> Self {
        refusal("body", why)
    }
}
