//! How knowledge bases are shown that some users of an assistant may not read.

use domain::knowledge_bases::unreadable_bases;
use serde::Serialize;
use storage::Reader;
use storage::records::{Assistant, Principal};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::Caller;

/// A knowledge base of an assistant that some of those with whom the assistant is shared may not read: answers to
/// them do not rest on it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ClosedKnowledgeBase {
    pub knowledge_base_id: Uuid,
    pub name: String,
    /// To whom it is closed: users, groups, teams and the tenant, as they stand in the assistant's grants, and its
    /// owner. Of a group or the tenant, some may have a right of their own all the same.
    pub closed_to: Vec<Principal>,
}

/// The attached knowledge bases that some users of the assistant may not read; of those only that the caller may read.
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
