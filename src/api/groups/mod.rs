//! `/api/groups`: groups of people, which come from a directory. All members see them, since grants name them;
//! administrators set the directory, select groups of it and start synchronisations.

mod available;
mod credential;
mod list;
mod schema;
mod selections;
mod sync;
mod view;

use crate::http::operations;

operations!(mod list, sync, available, credential, selections);
