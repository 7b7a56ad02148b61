//! `/api/groups`: groups of users, synchronised from a directory. All members see them, since grants name them.
//! Administrators set the directory, select its groups and start synchronisations.

mod available;
mod credential;
mod list;
mod schema;
mod selections;
mod sync;
mod view;

use crate::http::operations;

operations!(mod list, sync, available, credential, selections);
