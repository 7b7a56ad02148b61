//! Representation of knowledge bases that some users of an assistant may not read.

use domain::knowledge_bases::unreadable_bases;
use serde::Serialize;
use storage::Reader;
use storage::records::{Assistant, Principal};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::Caller;

/// A knowledge base of an assistant that some of its users may not read. Answers to these users do not use the knowledge base.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ClosedKnowledgeBase {
    pub knowledge_base_id: Uuid,
    pub name: String,
    /// Principals that have no access to the knowledge base: users, groups, teams and the tenant, as named in the grants of the assistant,
    /// and its owner. Some members of a group or of the tenant may still have access of their own.
    pub closed_to: Vec<Principal>,
}

/// Returns the attached knowledge bases that some users of the assistant may not read. Knowledge bases that the caller may not read are
/// left out.
pub fn closed(
    reader: &Reader,
    caller: &Caller,
    assistant: &Assistant,
) -> storage::Result<Vec<ClosedKnowledgeBase>> {
    let bases = unreadable_bases(reader, caller, assistant)?.into_iter();
    let shown = bases.map(|unreadable| ClosedKnowledgeBase {
        knowledge_base_id: unreadable.base.id,
        name: unreadable.base.body.name,
        closed_to: unreadable.closed_to,
    });
    Ok(shown.collect())
}
