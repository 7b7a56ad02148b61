//! Reads the audit log of a tenant.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use storage::records::{AuditRecord, User};
use storage::{Cursor, Page, Reader, Row, Scan, TenantId};
use uuid::Uuid;

use crate::paging::filter_page;
use crate::{Caller, Result};

/// Which audit records to list.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Only changes by this user, in their own name or in another user's.
    pub actor: Option<Uuid>,
    /// Only impersonated changes, or only changes that are not impersonated.
    pub impersonated: Option<bool>,
    /// Only this action. A value that ends with a dot matches all actions with this prefix.
    pub action: Option<String>,
    /// Only changes to this object: its kind and its id.
    pub target: Option<String>,
    /// Maximum number of rows per page.
    pub limit: usize,
    /// The cursor that the previous page returned.
    pub after: Option<Cursor>,
}

impl AuditFilter {
    fn matches(&self, record: &AuditRecord) -> bool {
        let by = |user: Uuid| record.actor == user || record.act == Some(user);
        let action = |wanted: &String| match wanted.ends_with('.') {
            true => record.action.starts_with(wanted.as_str()),
            false => record.action == *wanted,
        };
        self.actor.is_none_or(by)
            && self.impersonated.is_none_or(|wanted| record.act.is_some() == wanted)
            && self.action.as_ref().is_none_or(action)
            && self.target.as_ref().is_none_or(|target| record.target == *target)
    }
}

/// A page of audit records.
pub struct AuditPage {
    pub page: Page<Row<AuditRecord>>,
    /// The display names of the users who made the changes. The command line has none.
    pub names: BTreeMap<Uuid, String>,
}

/// Returns a page of the tenant's audit log, newest first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list_audit(reader: &Reader, caller: &Caller, filter: &AuditFilter) -> Result<AuditPage> {
    let read = |after, limit| {
        reader.scan::<AuditRecord>(caller.tenant, Scan::table().reverse().after(after).limit(limit))
    };
    let page =
        filter_page(filter.after.clone(), filter.limit, read, |row: &Row<_>| Ok(filter.matches(&row.body)))?;
    let names = names(reader, &page.items)?;
    Ok(AuditPage { page, names })
}

fn names(reader: &Reader, rows: &[Row<AuditRecord>]) -> storage::Result<BTreeMap<Uuid, String>> {
    let mut names = BTreeMap::new();
    for id in rows.iter().flat_map(|row| [Some(row.actor), row.act]).flatten() {
        if let Entry::Vacant(entry) = names.entry(id)
            && let Some(user) = reader.get::<User>(TenantId::SYSTEM, &id)?
        {
            entry.insert(user.body.display_name);
        }
    }
    Ok(names)
}
