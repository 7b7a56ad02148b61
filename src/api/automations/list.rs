//! Lists of automations and their runs.

use actix_web::web::Data;
use domain::automations::{self, AutomationFilter, RunFilter};
use serde::Deserialize;
use storage::records::{Assistant, AssistantType, AutomationRunState};
use storage::{Cursor, Page, Reader, Row, Timestamp};
use utoipa::IntoParams;
use uuid::Uuid;

use super::view::{AutomationResponse, AutomationResponseList, AutomationRunResponseList};
use crate::App;
use crate::http::scopes::AutomationsRead;
use crate::http::{Api, Caller, Faults, Json, Loaded, Query, Validate, operations};

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListAutomations {
    /// Only automations of this assistant.
    pub assistant_id: Option<Uuid>,
    /// Only automations of assistants of this type.
    #[serde(rename = "type")]
    pub kind: Option<AssistantType>,
    /// Maximum number of automations per page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl Default for ListAutomations {
    fn default() -> Self {
        Self { assistant_id: None, kind: None, limit: 50, cursor: None }
    }
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListAutomationRuns {
    /// Only runs in this state.
    pub state: Option<AutomationRunState>,
    /// Maximum number of runs per page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
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

/// Returns a page of the automations that the caller may see.
pub fn automations(
    reader: &Reader,
    caller: &Caller,
    query: &ListAutomations,
    now: Timestamp,
) -> Api<AutomationResponseList> {
    let filter = AutomationFilter {
        assistant_id: query.assistant_id,
        kind: query.kind,
        limit: query.limit as usize,
        after: query.cursor.as_deref().map(Cursor::parse).transpose()?,
    };
    let Page { items, next } = automations::list(reader, caller, &filter)?;
    let items = items.into_iter().map(|row| AutomationResponse::from_row(reader, caller, row, now));
    let items = items.collect::<storage::Result<Vec<_>>>()?;
    Ok(Page { items, next }.into())
}

/// Returns a page of runs, newest first: all runs of the caller, or those of one of the caller's automations.
pub fn runs(
    reader: &Reader,
    caller: &Caller,
    automation_id: Option<Uuid>,
    query: &ListAutomationRuns,
) -> Api<AutomationRunResponseList> {
    let filter = RunFilter {
        automation_id,
        state: query.state,
        limit: query.limit as usize,
        after: query.cursor.as_deref().map(Cursor::parse).transpose()?,
    };
    Ok(automations::list_runs(reader, caller, &filter)?.into())
}

/// List the automations of an assistant.
///
/// Returns the caller's automations. Administrators see those of all users, without their prompts and inputs.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/automations", params(ListOfAssistant))]
async fn list_assistant_automations(
    assistant: Loaded<Row<Assistant>, AutomationsRead>,
    app: Data<App>,
    Query(query): Query<ListOfAssistant>,
) -> Api<Json<AutomationResponseList>> {
    let (caller, now) = (assistant.auth.caller(), app.automations.now());
    let ListOfAssistant { limit, cursor } = query;
    let query = ListAutomations { assistant_id: Some(assistant.id), kind: None, limit, cursor };
    app.store.read(move |reader| automations(reader, &caller, &query, now)).await.map(Json)
}

/// Query parameters of a list of an assistant's automations.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct ListOfAssistant {
    /// Maximum number of automations per page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: u32,
    /// The `next_cursor` of the previous page.
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
