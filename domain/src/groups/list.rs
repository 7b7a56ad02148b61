//! Lists of groups: those that are selected, and those that the directory offers.

use std::collections::BTreeMap;

use storage::records::{DirectoryGroup, DirectorySource, Group};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use crate::Result;

/// Maximum number of groups in a list; the others can be found by searching.
pub const MAX_LISTED: usize = 500;
/// Number of rows of the directory's list that are read at a time.
const CHUNK: usize = 1_000;

/// The groups of a tenant.
#[derive(Clone, Debug)]
pub struct GroupsPage {
    /// The first [`MAX_LISTED`], by name.
    pub groups: Vec<Row<Group>>,
    /// Total number of groups.
    pub total: u64,
}

/// The groups that the directory offered when its list was last fetched.
#[derive(Clone, Debug, Default)]
pub struct AvailableGroups {
    /// A part of the groups, sorted by name, each with the tenant's group if it is selected.
    pub groups: Vec<(Row<DirectoryGroup>, Option<Uuid>)>,
    /// Total number of groups.
    pub total: u64,
    /// Time at which the list was fetched.
    pub refreshed_at: Option<Timestamp>,
    /// Error of the last attempt to fetch the list, if it failed.
    pub refresh_error: Option<String>,
}

/// Returns the groups of a tenant whose name contains a text. Letter case is ignored.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(reader: &Reader, tenant: TenantId, text: &str) -> Result<GroupsPage> {
    let text = normalize(text);
    let mut groups = reader.scan::<Group>(tenant, Scan::table())?.items;
    groups.retain(|row| row.name.to_lowercase().contains(&text));
    groups.sort_by_cached_key(|row| (row.name.to_lowercase(), row.id));
    let total = groups.len() as u64;
    groups.truncate(MAX_LISTED);
    Ok(GroupsPage { groups, total })
}

/// Returns the groups that the directory offers and whose name contains a text: at most `limit`, after the first
/// `offset`.
///
/// # Errors
/// Returns an error if storage fails.
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
