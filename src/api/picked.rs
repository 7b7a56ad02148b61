//! Pages of rows whose ids are known.

use storage::{Cursor, Page, Reader, Record, Row, Scan, TenantId};
use uuid::Uuid;

use crate::http::{Api, PAGE_BYTES, Paging};

/// A page of the rows with these ids, which are in order; those that are no more are left out.
pub fn picked<T: Record<Id = Uuid>>(
    reader: &Reader,
    tenant: TenantId,
    ids: impl IntoIterator<Item = Uuid>,
    paging: &Paging,
) -> Api<Page<Row<T>>> {
    let after = paging.cursor.as_deref().map(Cursor::parse).transpose()?;
    let (mut page, mut bytes) = (Page { items: Vec::new(), next: None }, 0);
    for id in ids {
        if page.items.len() == paging.limit as usize || bytes >= PAGE_BYTES {
            page.next = page.items.last().map(|row: &Row<T>| Cursor::of::<T>(&row.id));
            break;
        }
        // Nothing, where the row lies before the page.
        let row = Scan::table().prefix(id.as_bytes()).after(after.clone()).limit(1);
        let row = reader.scan::<T>(tenant, row)?.items.pop();
        bytes += row.as_ref().map_or(0, |row| storage::json_bytes(&row.body));
        page.items.extend(row);
    }
    Ok(page)
}
