//! `/api/groups`: groups of people, which come from a directory. Everyone sees them, since grants name them;
//! administrators say which directory, choose groups of it and have them synchronised.

mod available;
mod credential;
mod list;
mod schema;
mod selections;
mod sync;
mod view;

use crate::http::operations;

operations!(mod list, sync, available, credential, selections);
