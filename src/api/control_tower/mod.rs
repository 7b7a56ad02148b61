//! `/api/control-tower`: routes, schemas and views of reports about a tenant, and of bulk changes of assistants.

mod candidates;
mod export;
mod kpis;
mod models;
mod overview;
mod query;
mod routes;
mod schema;
mod users;
mod view;

use crate::http::operations;

operations!(mod kpis, overview, models, users, export, routes, candidates);
