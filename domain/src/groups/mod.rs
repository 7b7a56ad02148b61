//! Groups of people, which come from a directory: which directory that is, which of its groups are selected, and runs that
//! synchronise them.

mod directory;
mod list;
mod select;
mod sync;
mod uses;

pub use directory::{NewDirectory, forget_directory, set_directory};
pub use list::{AvailableGroups, GroupsPage, MAX_LISTED, available, list};
pub use select::{MAX_SELECTED, Selection, select};
pub use sync::{already_running, audit_sync, history, running, with_run_state};
pub use uses::GroupUse;
