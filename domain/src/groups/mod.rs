//! Groups of users, which come from a directory: the settings of the directory, the selection of its groups, and
//! synchronisation runs.

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
