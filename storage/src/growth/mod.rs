//! What bounds the stored size of each record type, and the byte accounting that enforces it.
//!
//! Every [`Record`](crate::Record) declares a [`Growth`]. Rows of metered types are charged to the user who
//! owns them, to their tenant and, for rows that belong to a container such as a conversation, to that
//! container. The charges are additive counters that the committer sums, so writers of one tenant do not
//! conflict with each other. A transaction whose charges exceed a limit is refused as a whole with
//! [`Error::LimitReached`](crate::Error::LimitReached).

mod charge;
mod count;
mod sums;

pub(crate) use charge::Charges;
pub use count::{CountLimits, Counted};
pub use sums::Stored;
pub(crate) use sums::{normalized, recount};

use crate::record::Record;
use crate::records::{Visit, each};
use std::convert::Infallible;
use std::fmt;
use uuid::Uuid;

/// What bounds how much of a record type can be stored. The text of each variant names the bound, and is
/// listed in `docs/limits.md`.
pub enum Growth<T: Record> {
    /// The size of each row, plus the files it refers to, counts toward the stored bytes of its owner and
    /// of the tenant.
    Metered {
        /// Who is charged.
        owner: fn(&T::Id, &T) -> Owner,
        /// Bytes of the files that the row keeps from being deleted.
        files: fn(&T) -> u64,
        /// A further bound on the number or size of rows.
        also: &'static str,
    },
    /// Clients create rows, and a fixed number or a setting limits how many there can be.
    Counted(&'static str),
    /// At most one row for each row of another type, or for each item of a fixed list, with fields of
    /// bounded length.
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

/// Who is charged for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// Only the tenant.
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

/// The configured limits; 0 means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredLimits {
    /// Messages of one conversation, on all branches.
    pub conversation_messages: u64,
    /// Bytes of the messages of one conversation, their attachments included.
    pub conversation_bytes: u64,
    /// Bytes stored for one user in one tenant.
    pub user_bytes: u64,
    /// Bytes stored for one tenant.
    pub tenant_bytes: u64,
    /// Numbers of rows.
    pub counts: CountLimits,
}

/// A limit that a transaction would have exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitReached {
    /// What is limited, such as `conversation`, `user` or `tenant`.
    pub of: &'static str,
    /// What is counted: `messages`, `bytes`, or what a [`Counted`] names.
    pub unit: &'static str,
    /// The limit.
    pub limit: u64,
    /// How much is stored now.
    pub current: u64,
    /// How much the transaction would have added.
    pub added: u64,
    /// The setting that holds the limit.
    pub setting: &'static str,
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, unit, limit, current, added, setting } = self;
        let remedy = match *of {
            _ if !["messages", "bytes"].contains(unit) => {
                "delete some, or ask the operator to raise the limit"
            }
            "conversation" => "start another conversation, or remove messages from this one",
            "user" => "delete conversations, files or other data, or ask the operator to raise the limit",
            _ => "delete data of the tenant, or ask the operator to raise the limit",
        };
        write!(
            f,
            "the {of} has {current} {unit}, and {added} more would exceed the limit of {limit} ({setting}); {remedy}"
        )
    }
}

/// One line of the table in `docs/limits.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The record type.
    pub record: &'static str,
    /// `metered`, `counted`, `one per`, `expires` or `server`.
    pub class: &'static str,
    /// What bounds it.
    pub by: &'static str,
}

/// The bound of every record type, in the order of their names.
pub fn bounds() -> Vec<Bound> {
    struct Collect(Vec<Bound>);
    impl Visit for Collect {
        type Error = Infallible;
        fn visit<T: Record>(&mut self) -> Result<(), Infallible> {
            let (class, by) = match T::GROWTH {
                Growth::Metered { also, .. } => ("metered", also),
                Growth::Counted(by) => ("counted", by),
                Growth::OnePer(by) => ("one per", by),
                Growth::Expires(by) => ("expires", by),
                Growth::Server(by) => ("server", by),
            };
            self.0.push(Bound { record: T::NAME, class, by });
            Ok(())
        }
    }
    let mut all = Collect(Vec::new());
    let Ok(()) = each(&mut all);
    all.0.sort_by_key(|bound| bound.record);
    all.0
}
