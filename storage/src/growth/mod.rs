//! Bounds on the stored size of each record type, and the byte accounting that enforces them.
//!
//! Every [`Record`](crate::Record) declares a [`Growth`](crate::Growth). Rows of metered types are charged to the user
//! who owns them, to their tenant and, for rows that belong to a container such as a conversation, to that container.
//! The charges are additive counters that the committer sums, so writers of one tenant do not conflict with each other.
//! A transaction whose charges exceed a limit is refused as a whole with
//! [`Error::LimitReached`](crate::Error::LimitReached).

mod charge;
mod count;
mod sums;

pub(crate) use charge::Charges;
pub use sums::Stored;
pub(crate) use sums::{normalized, recount};

use crate::records::kinds;

/// One line of the table in `docs/limits.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Name of the record type.
    pub record: &'static str,
    /// `metered`, `counted`, `one per`, `expires` or `server`.
    pub class: &'static str,
    /// The setting or rule that bounds it.
    pub by: &'static str,
}

/// The bound of every record type, ordered by name.
pub fn bounds() -> Vec<Bound> {
    let bound = |(record, (class, by))| Bound { record, class, by };
    let mut all: Vec<Bound> = kinds().into_iter().map(|kind| bound((kind.name, kind.bound))).collect();
    all.sort_by_key(|bound| bound.record);
    all
}
