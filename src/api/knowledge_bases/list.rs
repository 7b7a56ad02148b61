//! Listing knowledge bases.

use storage::records::KnowledgeBase;
use storage::{Cursor, Reader, Row, Scan};

use super::view::{KnowledgeBaseResponse, KnowledgeBaseResponseList};
use crate::http::{Api, Caller, Paging};
use domain::paging::filter_page;
use domain::sharing;

/// A page of the knowledge bases that the caller may read. The own knowledge of assistants is none
/// of them.
pub fn list(reader: &Reader, caller: &Caller, asked: &Paging) -> Api<KnowledgeBaseResponseList> {
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let wanted = |row: &Row<KnowledgeBase>| {
        Ok(row.assistant_id.is_none() && sharing::level(&row.body, caller).is_some())
    };
    let page = |after, limit| reader.scan(caller.tenant, Scan::table().after(after).limit(limit));
    let page = filter_page(after, asked.limit as usize, page, wanted)?;
    let next_cursor = page.next.as_ref().map(ToString::to_string);
    let shown = page.items.into_iter().map(|row| KnowledgeBaseResponse::of(reader, row, caller));
    Ok(KnowledgeBaseResponseList { items: shown.collect::<Result<_, _>>()?, total: None, next_cursor })
}
