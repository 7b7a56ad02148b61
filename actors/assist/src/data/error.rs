//! What is wrong with data, and where.

use domain::{Code, Refusal};

use super::MOST_CHANGES;

/// Something wrong with what was given, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, from what was given inwards: `["data", "address", "zip"]`, `["filter", "0", "op"]`.
    pub loc: Vec<String>,
    /// What is wrong, for people.
    pub msg: String,
    /// What is wrong, for machines.
    pub kind: &'static str,
}

impl Fault {
    /// A fault at this place.
    pub fn new<S: ToString>(
        loc: impl IntoIterator<Item = S>,
        kind: &'static str,
        msg: impl Into<String>,
    ) -> Self {
        Self { loc: loc.into_iter().map(|part| part.to_string()).collect(), msg: msg.into(), kind }
    }

    /// The same fault of something that stands there.
    pub fn below(mut self, outer: &[&str]) -> Self {
        self.loc.splice(..0, outer.iter().map(|part| (*part).to_owned()));
        self
    }
}

/// The place and what is wrong there, on one line.
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
    /// What was given is wrong; every fault is named.
    #[error("{}", all(.0))]
    Invalid(Vec<Fault>),
    /// One change concerns more items than it may.
    #[error("one change may concern {MOST_CHANGES} items at most")]
    TooMany,
    /// There is no such item, or no such assistant; names which.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The item is not at the version that the change is meant for.
    #[error("the data item was changed in the meantime")]
    Stale,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

fn all(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; ")
}

/// The same faults in this part of a request: `body` or `query`.
pub fn located(place: &'static str, faults: Vec<Fault>) -> Vec<domain::Fault> {
    let fault =
        |fault: Fault| domain::Fault::new(place, fault.loc.iter().map(String::as_str), fault.msg, fault.kind);
    faults.into_iter().map(fault).collect()
}

/// The refusal of a change or a query, with the faults in this part of the request: `body` or `query`.
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
