//! Listing groups: those that are selected, and those that the directory offers.

use std::collections::BTreeMap;

use storage::records::{DirectoryGroup, DirectorySource, Group};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use crate::Result;

/// The most groups of one list; a search finds the others.
pub const MAX_LISTED: usize = 500;
/// Rows of the directory's list that are read at a time.
const CHUNK: usize = 1_000;

/// The groups of a tenant.
#[derive(Clone, Debug)]
pub struct GroupsPage {
    /// The first [`MAX_LISTED`], by name.
    pub groups: Vec<Row<Group>>,
    /// How many there are.
    pub total: u64,
}

/// The groups that the directory offered when its list was last fetched.
#[derive(Clone, Debug, Default)]
pub struct AvailableGroups {
    /// A part of them by name, each with the group of the tenant that it is if it is selected.
    pub groups: Vec<(Row<DirectoryGroup>, Option<Uuid>)>,
    /// How many there are.
    pub total: u64,
    /// When the list was fetched.
    pub refreshed_at: Option<Timestamp>,
    /// Why fetching it has failed since then.
    pub refresh_error: Option<String>,
}

/// The groups of a tenant whose name contains a text, in any letter case.
///
/// # Errors
/// Those of storage.
pub fn list(reader: &Reader, tenant: TenantId, text: &str) -> Result<GroupsPage> {
    let text = normalize(text);
    let mut groups = reader.scan::<Group>(tenant, Scan::table())?.items;
    groups.retain(|row| row.name.to_lowercase().contains(&text));
    groups.sort_by_cached_key(|row| (row.name.to_lowercase(), row.id));
    let total = groups.len() as u64;
    groups.truncate(MAX_LISTED);
    Ok(GroupsPage { groups, total })
}

/// At most `limit` of the groups that the directory offers and whose name contains a text, after the first `offset`.
///
/// # Errors
/// Those of storage.
pub fn available(
    reader: &Reader,
    tenant: TenantId,
    text: &str,
    offset: u64,
    limit: usize,
) -> Result<AvailableGroups> {
    let text = normalize(text);
    let source = reader.get::<DirectorySource>(tenant, &tenant.0)?;
    let source = source.map(|row| row.body).unwrap_or_default();
    let (refreshed_at, refresh_error) = (source.refreshed_at, source.refresh_error);
    let mut available = AvailableGroups { refreshed_at, refresh_error, ..AvailableGroups::default() };
    let Some(offer) = source.offer else { return Ok(available) };
    let selected: BTreeMap<String, Uuid> = reader
        .scan::<Group>(tenant, Scan::table())?
        .items
        .into_iter()
        .map(|row| (row.body.external_id, row.id))
        .collect();
    // The list may be long, so rows that are not returned are dropped as they are read.
    let mut after = None;
    loop {
        let scan = Scan::index("by_name").prefix(offer.as_bytes().to_vec()).limit(CHUNK).after(after);
        let page = reader.scan::<DirectoryGroup>(tenant, scan)?;
        for row in page.items.into_iter().filter(|row| row.name.to_lowercase().contains(&text)) {
            if available.total >= offset && available.groups.len() < limit {
                let group = selected.get(&row.id.1).copied();
                available.groups.push((row, group));
            }
            available.total += 1;
        }
        after = page.next;
        if after.is_none() {
            return Ok(available);
        }
    }
}

fn normalize(text: &str) -> String {
    text.trim().to_lowercase()
}
