//! Listing automations and runs.

use actix_web::web::Data;
use serde::Deserialize;
use storage::records::{Assistant, AssistantType, Automation, AutomationRun, AutomationRunState, Role};
use storage::{Cursor, Page, Reader, Row, Scan, Timestamp};
use utoipa::IntoParams;
use uuid::Uuid;

use super::view::{AutomationResponse, AutomationResponseList, AutomationRunResponseList};
use crate::App;
use crate::http::scopes::AutomationsRead;
use crate::http::{Api, Caller, Faults, Found, Json, Query, Validate, operations};
use domain::paging::filter_page;

/// Which automations to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListAutomations {
    /// Only those of this assistant.
    pub assistant_id: Option<Uuid>,
    /// Only those of assistants of this type.
    #[serde(rename = "type")]
    pub kind: Option<AssistantType>,
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl Default for ListAutomations {
    fn default() -> Self {
        Self { assistant_id: None, kind: None, limit: 50, cursor: None }
    }
}

/// Which runs to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListAutomationRuns {
    /// Only those in this state.
    pub state: Option<AutomationRunState>,
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl Default for ListAutomationRuns {
    fn default() -> Self {
        Self { state: None, limit: 50, cursor: None }
    }
}

fn validate(cursor: Option<&str>, faults: &mut Faults) {
    if cursor.is_some_and(|cursor| Cursor::parse(cursor).is_err()) {
        faults.add(["cursor"], "is not a cursor of this list", "malformed");
    }
}

impl Validate for ListAutomations {
    fn validate(&self, faults: &mut Faults) {
        validate(self.cursor.as_deref(), faults);
    }
}

impl Validate for ListAutomationRuns {
    fn validate(&self, faults: &mut Faults) {
        validate(self.cursor.as_deref(), faults);
    }
}

/// A page of the automations that the caller may see.
pub fn automations(
    reader: &Reader,
    caller: &Caller,
    asked: &ListAutomations,
    now: Timestamp,
) -> Api<AutomationResponseList> {
    let all = caller.role == Role::TenantAdmin;
    let scan = match (asked.assistant_id, all) {
        (Some(assistant), _) => Scan::index("by_assistant").prefix(assistant.as_bytes()),
        (None, false) => Scan::index("by_owner").prefix(caller.user.as_bytes()),
        (None, true) => Scan::table(),
    };
    let of_type = |row: &Row<Automation>| match asked.kind {
        None => Ok(true),
        Some(kind) => {
            let assistant = reader.get::<Assistant>(caller.tenant, &row.assistant_id)?;
            Ok::<_, storage::Error>(assistant.is_some_and(|assistant| assistant.kind == kind))
        }
    };
    let wanted = |row: &Row<Automation>| Ok((all || row.owner == caller.user) && of_type(row)?);
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let page = |after: Option<Cursor>, limit| {
        reader.scan::<Automation>(caller.tenant, scan.clone().after(after).limit(limit))
    };
    let Page { items, next } = filter_page(after, asked.limit as usize, page, wanted)?;
    let items = items.into_iter().map(|row| AutomationResponse::of(reader, caller, row, now));
    let items = items.collect::<storage::Result<Vec<_>>>()?;
    Ok(Page { items, next }.into())
}

/// A page of runs, newest first: the caller's, or those of one automation of theirs.
pub fn runs(
    reader: &Reader,
    caller: &Caller,
    automation: Option<Uuid>,
    asked: &ListAutomationRuns,
) -> Api<AutomationRunResponseList> {
    let scan = match automation {
        Some(id) => Scan::index("by_automation").prefix(id.as_bytes()),
        None => Scan::index("by_owner").prefix(caller.user.as_bytes()),
    };
    let wanted = |row: &Row<AutomationRun>| {
        Ok(row.owner == caller.user && asked.state.is_none_or(|state| row.state == state))
    };
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let scan = scan.reverse();
    let page = |after: Option<Cursor>, limit| {
        reader.scan::<AutomationRun>(caller.tenant, scan.clone().after(after).limit(limit))
    };
    Ok(filter_page(after, asked.limit as usize, page, wanted)?.into())
}

/// List the automations of an assistant.
///
/// The caller's own; administrators see everybody's, without what they ask.
#[utoipa::path(
    get,
    path = "/api/assistants/{assistant_id}/automations",
    operation_id = "assistants.list_assistant_automations",
    params(ListOfAssistant)
)]
async fn list_assistant_automations(
    assistant: Found<Row<Assistant>, AutomationsRead>,
    app: Data<App>,
    Query(asked): Query<ListOfAssistant>,
) -> Api<Json<AutomationResponseList>> {
    let (caller, now) = (assistant.auth.caller(), app.automations.now());
    let ListOfAssistant { limit, cursor } = asked;
    let asked = ListAutomations { assistant_id: Some(assistant.id), kind: None, limit, cursor };
    app.store.read(move |reader| automations(reader, &caller, &asked, now)).await.map(Json)
}

/// Which page.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct ListOfAssistant {
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: u32,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

impl Default for ListOfAssistant {
    fn default() -> Self {
        Self { limit: 50, cursor: None }
    }
}

impl Validate for ListOfAssistant {
    fn validate(&self, faults: &mut Faults) {
        validate(self.cursor.as_deref(), faults);
    }
}

operations!(list_assistant_automations);
