//! `/api/notifications`: a user's notifications in a tenant, and how they are delivered.
//!
//! The transaction in which something happens also stores its notifications (`storage::notices`); `jobs::delivery` delivers
//! them to browsers, webhooks and mailboxes.

mod endpoints;
mod feed;
mod list;
mod preferences;
mod routes;
mod schema;
mod send;
mod view;

pub(crate) use routes::operations;
