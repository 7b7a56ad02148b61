//! Reports on the usage of assistants.

use std::collections::BTreeMap;

use storage::records::activity::{ActivityCount, OfAssistant, Window, last_busy};
use storage::records::{Assistant, AssistantType, Visibility};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use super::query::ReportQuery;
use super::report::{Report, ReportRow};
use crate::usage::Period;
use crate::{Caller, Result};

/// Number of assistants that are read at a time.
const CHUNK: usize = 100;

#[derive(Clone, Debug)]
pub struct ReportedAssistant {
    /// `None` for activity without an assistant.
    pub id: Option<Uuid>,
    /// `None` for an assistant that has been permanently deleted, and for activity without an assistant.
    pub summary: Option<AssistantSummary>,
}

/// The fields of an assistant that reports show. A report contains one summary for each assistant of the tenant; whole
/// rows would be too large.
#[derive(Clone, Debug)]
pub struct AssistantSummary {
    pub name: String,
    pub kind: AssistantType,
    pub owner: Uuid,
    pub visibility: Visibility,
    pub enabled: bool,
    pub disabled_reason: Option<String>,
    pub created_at: Timestamp,
    /// Time at which it was moved to the bin.
    pub deleted_at: Option<Timestamp>,
}

impl From<Row<Assistant>> for ReportedAssistant {
    fn from(row: Row<Assistant>) -> Self {
        let Row { id, created_at, body, .. } = row;
        let Assistant { name, kind, owner, visibility, enabled, disabled_reason, deleted_at, .. } = body;
        let summary = AssistantSummary {
            name,
            kind,
            owner,
            visibility,
            enabled,
            disabled_reason,
            created_at,
            deleted_at,
        };
        Self { id: Some(id), summary: Some(summary) }
    }
}

/// Returns the assistant with this id, even if it is private, if the caller is an administrator.
pub fn assistant_of_tenant(
    reader: &Reader,
    caller: &Caller,
    id: Uuid,
) -> storage::Result<Option<Row<Assistant>>> {
    let row = reader.get::<Assistant>(caller.tenant, &id)?;
    Ok(row.filter(|_| caller.is_admin()))
}

/// Reports the usage of all of the tenant's assistants, including those in the bin and those without usage. Permanently
/// deleted assistants, and activity without an assistant, are listed if they have usage in the period. A search only
/// lists assistants that exist; without a search, the rows add up to the total activity.
///
/// # Errors
/// `invalid` for a period that is too long.
pub fn assistant_report(
    reader: &Reader,
    tenant: TenantId,
    query: &ReportQuery,
) -> Result<Report<ReportedAssistant>> {
    let period = query.period(reader, tenant)?;
    let mut counted = Window::open(reader, tenant, &period.span)?.with_users::<OfAssistant>()?;
    let last_uses = last_busy::<OfAssistant>(reader, tenant)?;
    let mut rows = Vec::new();
    let mut after = None;
    loop {
        let page = reader.scan::<Assistant>(tenant, Scan::table().limit(CHUNK).after(after))?;
        for assistant in page.items {
            let counted = counted.remove(&OfAssistant(Some(assistant.id))).unwrap_or_default();
            if query.matches(&[&assistant.name]) {
                rows.push(row(assistant.into(), counted, &last_uses));
            }
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if !query.has_search() {
        let rest = counted.into_iter().map(|(OfAssistant(id), counted)| {
            row(ReportedAssistant { id, summary: None }, counted, &last_uses)
        });
        rows.extend(rest);
    }
    Ok(Report::new(period, rows, query))
}

/// Reports the usage of one assistant in a period.
///
/// # Errors
/// Returns an error if storage fails.
pub fn assistant_usage(
    reader: &Reader,
    tenant: TenantId,
    assistant: Row<Assistant>,
    period: &Period,
) -> Result<ReportRow<ReportedAssistant>> {
    let counted = Window::open(reader, tenant, &period.span)?.count(&OfAssistant(Some(assistant.id)))?;
    Ok(row(assistant.into(), counted, &last_busy::<OfAssistant>(reader, tenant)?))
}

fn row(
    subject: ReportedAssistant,
    counted: ActivityCount,
    last_uses: &BTreeMap<OfAssistant, Timestamp>,
) -> ReportRow<ReportedAssistant> {
    ReportRow {
        id: subject.id.map(|id| id.to_string()).unwrap_or_default(),
        name: subject.summary.as_ref().map(|summary| summary.name.clone()).unwrap_or_default(),
        counted,
        last_used_at: last_uses.get(&OfAssistant(subject.id)).copied(),
        subject,
    }
}
