//! Listing knowledge bases.

use domain::knowledge_bases;
use storage::Reader;

use super::view::{KnowledgeBaseResponse, KnowledgeBaseResponseList};
use crate::http::{Api, Caller, Paging};

/// A page of the knowledge bases that the caller can read.
pub fn list(reader: &Reader, caller: &Caller, paging: &Paging) -> Api<KnowledgeBaseResponseList> {
    let page = knowledge_bases::list(reader, caller, paging.after()?, paging.limit as usize)?;
    let next_cursor = page.next.as_ref().map(ToString::to_string);
    let shown = page.items.into_iter().map(|row| KnowledgeBaseResponse::new(reader, row, caller));
    Ok(KnowledgeBaseResponseList { items: shown.collect::<Result<_, _>>()?, total: None, next_cursor })
}
