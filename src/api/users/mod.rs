//! Users about themselves, and each other.

mod costs;
mod custom_prompt;
mod logout;
pub(crate) mod people;
mod preferences;
mod routes;
mod schema;
mod services;
mod stats;
mod teams;
pub(crate) mod usage;

pub(crate) use logout::LogoutResponse;

use crate::http::Area;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
    preferences::operations(area);
    custom_prompt::operations(area);
    people::operations(area);
    teams::operations(area);
    services::operations(area);
    logout::operations(area);
    usage::operations(area);
    costs::operations(area);
    stats::operations(area);
}
