//! Conversations, each a tree of messages, and the streams that answer them. A conversation belongs to its owner. If the owner adds it to a
//! project, the members of the project may read it. No one else may, whatever their role.

mod attachments;
mod branch;
pub(crate) mod client_messages;
mod completion;
mod feed;
mod feed_events;
mod files;
pub(crate) mod form;
pub(crate) mod list;
mod messages;
pub(crate) mod reach;
pub(crate) mod receive;
mod remove;
pub mod rights;
mod routes;
pub(crate) mod schema;
mod search;
pub(crate) mod signing;
pub(crate) mod skills;
mod streams;
mod uploads;
mod user_data;
mod view;

use crate::http::operations;

pub use feed_events::FeedEvent;

operations!(
    mod routes, branch, search, messages, completion, streams, skills, user_data, uploads, files;
    schemas schema::AssistantFilterMode, crate::http::encodings::Wire
);
