//! Conversations: a tree of messages each, and the streams that answer them. A conversation is its owner's. Where
//! they put it into a project, its members read it, and no one else does, whatever their role.

mod attachments;
mod client_messages;
mod completion;
mod feed;
mod files;
pub(crate) mod form;
mod list;
mod messages;
pub(crate) mod reach;
mod receive;
mod remove;
pub mod rights;
mod routes;
pub(crate) mod schema;
mod signing;
pub(crate) mod skills;
mod streams;
mod uploads;
mod user_data;
mod view;

use crate::http::operations;

operations!(
    mod routes, messages, completion, streams, skills, user_data, uploads, files;
    schemas schema::AssistantFilterMode, crate::http::encodings::Wire
);
