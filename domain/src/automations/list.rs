//! Lists automations and their runs.

use storage::records::{Assistant, AssistantType, Automation, AutomationRun, AutomationRunState};
use storage::{Cursor, Page, Reader, Row, Scan};
use uuid::Uuid;

use crate::paging::filter_page;
use crate::{Caller, Result};

/// Which automations to list.
#[derive(Clone, Debug)]
pub struct AutomationFilter {
    /// Only automations of this assistant.
    pub assistant_id: Option<Uuid>,
    /// Only automations of assistants of this type.
    pub kind: Option<AssistantType>,
    /// Maximum number of rows per page.
    pub limit: usize,
    /// The cursor that the previous page returned.
    pub after: Option<Cursor>,
}

/// Which runs to list.
#[derive(Clone, Debug)]
pub struct RunFilter {
    /// Only runs of this automation.
    pub automation_id: Option<Uuid>,
    /// Only runs in this state.
    pub state: Option<AutomationRunState>,
    /// Maximum number of rows per page.
    pub limit: usize,
    /// The cursor that the previous page returned.
    pub after: Option<Cursor>,
}

/// Returns a page of the automations that the caller may see: their own or, for administrators, all.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(reader: &Reader, caller: &Caller, filter: &AutomationFilter) -> Result<Page<Row<Automation>>> {
    let sees_all = caller.is_admin();
    let scan = match (filter.assistant_id, sees_all) {
        (Some(assistant), _) => Scan::index("by_assistant").prefix(assistant.as_bytes()),
        (None, false) => Scan::index("by_owner").prefix(caller.user.as_bytes()),
        (None, true) => Scan::table(),
    };
    let is_of_kind = |row: &Row<Automation>| match filter.kind {
        None => Ok(true),
        Some(kind) => {
            let assistant = reader.get::<Assistant>(caller.tenant, &row.assistant_id)?;
            Ok::<_, storage::Error>(assistant.is_some_and(|assistant| assistant.kind == kind))
        }
    };
    let is_wanted = |row: &Row<Automation>| Ok((sees_all || row.owner == caller.user) && is_of_kind(row)?);
    let read = |after: Option<Cursor>, limit| {
        reader.scan::<Automation>(caller.tenant, scan.clone().after(after).limit(limit))
    };
    Ok(filter_page(filter.after.clone(), filter.limit, read, is_wanted)?)
}

/// Returns a page of runs of the caller's automations, newest first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list_runs(reader: &Reader, caller: &Caller, filter: &RunFilter) -> Result<Page<Row<AutomationRun>>> {
    let scan = match filter.automation_id {
        Some(id) => Scan::index("by_automation").prefix(id.as_bytes()),
        None => Scan::index("by_owner").prefix(caller.user.as_bytes()),
    };
    let scan = scan.reverse();
    let is_wanted = |row: &Row<AutomationRun>| {
        Ok(row.owner == caller.user && filter.state.is_none_or(|state| row.state == state))
    };
    let read = |after: Option<Cursor>, limit| {
        reader.scan::<AutomationRun>(caller.tenant, scan.clone().after(after).limit(limit))
    };
    Ok(filter_page(filter.after.clone(), filter.limit, read, is_wanted)?)
}

/// Returns the run with this id, if the caller owns its automation.
pub fn visible_run(
    reader: &Reader,
    caller: &Caller,
    id: Uuid,
) -> storage::Result<Option<Row<AutomationRun>>> {
    let row = reader.get::<AutomationRun>(caller.tenant, &id)?;
    Ok(row.filter(|row| row.owner == caller.user))
}
