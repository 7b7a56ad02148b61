//! `/api/notifications`: a user's notifications in a tenant, and their delivery.
//!
//! The transaction that makes a change also stores the notifications about it (`storage::notices`).
//! `jobs::delivery` delivers them to browsers, webhooks and mailboxes.

mod endpoints;
mod feed;
mod list;
mod preferences;
mod routes;
pub(crate) mod schema;
mod send;
mod view;

pub use feed::NotificationEvent;
pub(crate) use routes::operations;
