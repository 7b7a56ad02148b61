//! Conversations: a tree of messages each, and the streams that answer them. Only the owner of a
//! conversation sees it; nobody else does, whatever their role.

pub(crate) mod attach;
mod attachments;
pub(crate) mod completion;
mod feed;
mod files;
pub(crate) mod form;
mod list;
mod messages;
mod receive;
pub(crate) mod refusal;
mod remove;
mod routes;
mod schema;
mod settings;
mod sift;
mod signing;
pub(crate) mod skills;
pub(crate) mod streams;
mod tree;
mod uploads;
mod user_data;
mod view;
pub mod watch;

use storage::records::Conversation;
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Area, Caller, Loadable};

pub use files::{StoredFile, send_file};
pub use sift::sift;
pub use view::dollars;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
    messages::operations(area);
    completion::operations(area);
    streams::operations(area);
    skills::operations(area);
    user_data::operations(area);
    uploads::operations(area);
    files::operations(area);
    area.schema::<schema::AssistantFilterMode>();
    area.schema::<crate::http::wires::Wire>();
}

impl Loadable for Row<Conversation> {
    const PARAM: &'static str = "conversation_id";
    const NAME: &'static str = "conversation";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<Conversation>(caller.tenant, &id)?;
        Ok(row.filter(|row| row.owner == caller.user))
    }
}

/// The caller's own conversation, within a transaction.
fn own(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Row<Conversation>> {
    let found = Row::<Conversation>::load(reader, caller, id)?;
    found.ok_or_else(|| crate::http::ApiError::not_found("conversation"))
}
