//! `/api/groups`: groups of people, which come from a directory. All members see them, since grants name them;
//! administrators set the directory, select groups of it and start synchronisations.

mod available;
mod credential;
mod list;
mod schema;
mod selections;
mod sync;
mod view;

use crate::http::Area;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    list::operations(area);
    sync::operations(area);
    available::operations(area);
    credential::operations(area);
    selections::operations(area);
}
