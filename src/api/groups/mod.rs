//! `/api/groups`: groups of people, which come from a directory. Everyone sees them, since grants name them;
//! administrators say which directory, choose groups of it and have them synchronised.

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
