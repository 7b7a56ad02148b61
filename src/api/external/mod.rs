//! Logins at external services.

mod callback;
mod routes;
mod schema;

use crate::http::Area;

/// The operations of the area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
    callback::operations(area);
}
