//! Pages of lists that are not plain scans.

use storage::{Cursor, Page, Reader, Record, Row, Scan, TenantId};
use uuid::Uuid;

/// Bytes of JSON after which a page ends, regardless of its limit. A page has at least one item.
pub const PAGE_BYTES: usize = 4 << 20;
/// Number of rows that are read at a time.
const CHUNK: usize = 32;

/// Returns the first `limit` rows after `after` for which `is_wanted` returns `true`, or fewer if they reach
/// [`PAGE_BYTES`], with the cursor of the next page. `read` reads up to the given number of rows after a cursor.
pub fn filter_page<T: Record>(
    after: Option<Cursor>,
    limit: usize,
    read: impl Fn(Option<Cursor>, usize) -> storage::Result<Page<Row<T>>>,
    is_wanted: impl FnMut(&Row<T>) -> storage::Result<bool>,
) -> storage::Result<Page<Row<T>>> {
    filter_page_within(usize::MAX, after, limit, read, is_wanted)
}

/// The same, for rows of which few are wanted: a page ends once about `most` rows have been examined, so it may be
/// empty although there are more.
pub fn filter_page_within<T: Record>(
    most: usize,
    mut after: Option<Cursor>,
    limit: usize,
    read: impl Fn(Option<Cursor>, usize) -> storage::Result<Page<Row<T>>>,
    mut is_wanted: impl FnMut(&Row<T>) -> storage::Result<bool>,
) -> storage::Result<Page<Row<T>>> {
    let (mut items, mut bytes, mut examined) = (Vec::new(), 0, 0);
    loop {
        let chunk = read(after.clone(), CHUNK.min(limit.saturating_mul(4)))?;
        examined += chunk.items.len();
        for (at, row) in chunk.items.into_iter().enumerate() {
            if !is_wanted(&row)? {
                continue;
            }
            bytes += storage::json_bytes(&row.body);
            items.push(row);
            if items.len() == limit || bytes >= PAGE_BYTES {
                // Only a page has a cursor for its end, so the chunk is read again up to this row.
                let next = read(after, at + 1)?.next;
                return Ok(Page { items, next });
            }
        }
        after = chunk.next;
        if after.is_none() || examined >= most {
            return Ok(Page { items, next: after });
        }
    }
}

/// Returns the rows after `after` with one of `ids`, which are sorted, as a page of at most `limit` rows or
/// [`PAGE_BYTES`]. Ids without a row are omitted.
pub fn page_of_ids<T: Record<Id = Uuid>>(
    reader: &Reader,
    tenant: TenantId,
    ids: impl IntoIterator<Item = Uuid>,
    after: Option<Cursor>,
    limit: usize,
) -> storage::Result<Page<Row<T>>> {
    let (mut page, mut bytes) = (Page { items: Vec::new(), next: None }, 0);
    for id in ids {
        if page.items.len() == limit || bytes >= PAGE_BYTES {
            page.next = page.items.last().map(|row: &Row<T>| Cursor::after_row::<T>(&row.id));
            break;
        }
        // The scan is empty for a row before the page.
        let row = Scan::table().prefix(id.as_bytes()).after(after.clone()).limit(1);
        let row = reader.scan::<T>(tenant, row)?.items.pop();
        bytes += row.as_ref().map_or(0, |row| storage::json_bytes(&row.body));
        page.items.extend(row);
    }
    Ok(page)
}
