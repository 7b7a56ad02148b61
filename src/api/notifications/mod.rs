//! What users are told, and by which ways.
//!
//! Notifications are the user's own, in the tenant where they were told. What is told is written by the transaction of
//! whatever happened (`storage::notices`); how it is taken to browsers, webhooks and mailboxes is in `jobs::delivery`.

mod endpoints;
mod feed;
mod list;
mod preferences;
mod recipients;
mod routes;
mod schema;
mod send;
mod view;

pub(crate) use routes::operations;
