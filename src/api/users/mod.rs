//! `/api/users`: the caller's own account, and the other members of the tenant.

mod costs;
mod custom_prompt;
mod logout;
pub(crate) mod people;
pub(crate) mod preferences;
mod routes;
mod schema;
mod services;
mod stats;
mod teams;
pub(crate) mod usage;

pub(crate) use logout::LogoutResponse;

use crate::http::operations;

operations!(mod routes, preferences, custom_prompt, people, teams, services, logout, usage, costs, stats);
