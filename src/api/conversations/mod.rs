//! Conversations: a tree of messages each, and the streams that answer them. A conversation is its owner's. Where
//! they put it into a project, its members read it; nobody else does, whatever their role.

pub(crate) mod attach;
mod attachments;
mod client_messages;
pub(crate) mod completion;
mod feed;
mod files;
pub(crate) mod form;
mod list;
mod messages;
pub(crate) mod reach;
mod receive;
mod remove;
mod routes;
pub(crate) mod schema;
mod settings;
mod signing;
pub(crate) mod skills;
pub(crate) mod streams;
mod tree;
mod uploads;
mod user_data;
mod view;
pub mod watch;

use crate::http::operations;

pub use domain::paging::filter_page as sift;
pub use files::{StoredFile, send_file};
use reach::own;
pub use view::dollars;

operations!(
    mod routes, messages, completion, streams, skills, user_data, uploads, files;
    schemas schema::AssistantFilterMode, crate::http::encodings::Wire
);
