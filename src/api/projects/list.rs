//! Listing projects.

use domain::{projects, sharing};
use storage::records::Project;
use storage::{Cursor, Page, Reader, Row, Scan};

use super::view::{ProjectResponse, ProjectResponseList};
use crate::api::picked::picked;
use crate::http::{Api, Caller, Paging};
use domain::paging::filter_page;

/// A page of the projects that the caller may see.
pub fn list(reader: &Reader, caller: &Caller, paging: &Paging) -> Api<ProjectResponseList> {
    let page = match caller.is_admin() {
        true => shared(reader, caller, paging)?,
        false => picked::<Project>(reader, caller.tenant, projects::granted_to(reader, caller)?, paging)?,
    };
    let next_cursor = page.next.as_ref().map(ToString::to_string);
    let shown = page.items.into_iter().map(|row| ProjectResponse::of(reader, row, caller));
    Ok(ProjectResponseList { items: shown.collect::<Result<_, _>>()?, total: None, next_cursor })
}

/// All that is shared in the tenant, and the caller's own.
fn shared(reader: &Reader, caller: &Caller, paging: &Paging) -> Api<Page<Row<Project>>> {
    let after = paging.cursor.as_deref().map(Cursor::parse).transpose()?;
    let page = |after, limit| reader.scan(caller.tenant, Scan::table().after(after).limit(limit));
    let wanted = |row: &Row<Project>| Ok(sharing::level(&row.body, caller).is_some());
    Ok(filter_page(after, paging.limit as usize, page, wanted)?)
}
