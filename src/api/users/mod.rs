//! Users about themselves.

mod preferences;
mod routes;
mod schema;

use crate::http::Area;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
    preferences::operations(area);
}
