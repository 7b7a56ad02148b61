//! The bound on the stored size of a record type.

use super::Record;
use uuid::Uuid;

/// The bound on how much of a record type can be stored. The text of each variant names the bound, and is listed in
/// `docs/limits.md`.
pub enum Growth<T: Record> {
    /// The size of each row, plus the files it refers to, counts toward the stored bytes of its owner and
    /// of the tenant.
    Metered {
        /// Returns the owner whose limits a row counts against.
        owner: fn(&T::Id, &T) -> Owner,
        /// Returns the number of bytes of the files that the row prevents from being deleted.
        files: fn(&T) -> u64,
        /// An additional bound on the number or size of rows.
        also: &'static str,
    },
    /// Clients create rows, and a fixed number or a setting limits how many there can be.
    Counted(&'static str),
    /// At most one row for each row of another type, or for each item of a fixed list, with fields of bounded length.
    OnePer(&'static str),
    /// Rows are deleted after a time, and limited in number or rate until then.
    Expires(&'static str),
    /// Only the server writes rows; the text says what each row corresponds to.
    Server(&'static str),
}

impl<T: Record> Growth<T> {
    /// Metered rows that refer to no files.
    pub const fn metered(owner: fn(&T::Id, &T) -> Owner, also: &'static str) -> Self {
        Self::Metered { owner, files: |_| 0, also }
    }
}

/// The account that is charged for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// Only the tenant, no user.
    Tenant,
    /// A user. The nil id stands for no user: only the tenant is charged.
    User(Uuid),
    /// A container, its owner and the tenant.
    Within(Container, Uuid),
}

/// A record that other rows belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Container {
    /// A conversation, which has messages.
    Conversation,
    /// A skill, which has versions.
    Skill,
    /// A run, which has inputs.
    Run,
}
