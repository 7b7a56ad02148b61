//! Pages of a list of which only some rows are wanted.

use storage::{Cursor, Page, Record, Row};

use crate::http::PAGE_BYTES;

/// Rows that are looked at together.
const LOOK: usize = 32;

/// The first `limit` wanted rows after `after`, or fewer that take [`PAGE_BYTES`], and where the next page begins. `page` reads rows
/// after a cursor, as many as it is told to.
pub fn sift<T: Record>(
    mut after: Option<Cursor>,
    limit: usize,
    page: impl Fn(Option<Cursor>, usize) -> storage::Result<Page<Row<T>>>,
    mut wanted: impl FnMut(&Row<T>) -> storage::Result<bool>,
) -> storage::Result<Page<Row<T>>> {
    let (mut items, mut bytes) = (Vec::new(), 0);
    loop {
        let seen = page(after.clone(), LOOK.min(limit.saturating_mul(4)))?;
        for (at, row) in seen.items.into_iter().enumerate() {
            if !wanted(&row)? {
                continue;
            }
            bytes += storage::json_bytes(&row.body);
            items.push(row);
            if items.len() == limit || bytes >= PAGE_BYTES {
                // Only a page knows where it ends, so this one is read again up to here.
                let next = page(after, at + 1)?.next;
                return Ok(Page { items, next });
            }
        }
        after = seen.next;
        if after.is_none() {
            return Ok(Page { items, next: None });
        }
    }
}
