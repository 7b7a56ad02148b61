//! Knowledge bases: collections of documents from which assistants answer.

pub mod add;
pub mod change;
pub mod documents;
pub mod files;
pub mod links;
pub mod list;
mod remove;
mod routes;
pub mod schema;
pub mod view;
mod watch;

use storage::authority::Ground;
use storage::records::{GrantLevel, KnowledgeBase};
use storage::{Reader, Row};
use uuid::Uuid;

pub use change::patch;
pub use change::{OfferedEmbedders, create};

use crate::http::{Api, Caller, Loadable, operations};
use domain::knowledge_bases::access;

operations!(mod routes, documents, files, links);

impl Loadable for Row<KnowledgeBase> {
    const PARAM: &'static str = "knowledge_base_id";
    const NAME: &'static str = "knowledge base";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(access::visible(reader, caller, id)?)
    }

    fn grounds(&self, reader: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(access::grounds(reader, self, caller)?)
    }
}

/// A knowledge base that the caller may change. Loading it refuses other callers before any uploaded file is
/// received.
pub struct Changeable(pub Row<KnowledgeBase>);

impl Loadable for Changeable {
    const PARAM: &'static str = "knowledge_base_id";
    const NAME: &'static str = "knowledge base";
    const LEVEL: Option<GrantLevel> = Some(GrantLevel::Editor);

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let Some(row) = access::visible(reader, caller, id)? else { return Ok(None) };
        access::require_scope(&row, caller, GrantLevel::Editor)?;
        Ok(Some(Self(row)))
    }

    fn grounds(&self, reader: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(access::grounds(reader, &self.0, caller)?)
    }
}
