//! Runs of automations.

use actix_web::web::Data;
use domain::automations;
use jobs::automation::{Ask, RemoveError};
use storage::records::{Automation, AutomationRun};
use storage::{Reader, Row};

use super::change::RunScheduling;
use super::list::{self, ListAutomationRuns};
use super::schema::RunAutomationRequest;
use super::view::{AutomationRunResponse, AutomationRunResponseList};
use crate::App;
use crate::http::scopes::{AutomationsRead, AutomationsWrite};
use crate::http::{
    Accepted, Api, Auth, Code, Found, InPerson, Json, NoContent, OptionalJson, Query, Refusal, ToOwn,
    operations,
};

/// List all runs of the caller's automations.
///
/// Newest first. Every tick has its line, also one that did not run: its `reason` says why.
#[utoipa::path(
    get,
    path = "/api/automations/runs",
    operation_id = "automations.list_all_automation_runs",
    params(ListAutomationRuns)
)]
async fn list_all_automation_runs(
    auth: Auth<AutomationsRead>,
    app: Data<App>,
    Query(asked): Query<ListAutomationRuns>,
) -> Api<Json<AutomationRunResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::runs(reader, &caller, None, &asked)).await.map(Json)
}

/// List the runs of an automation.
///
/// Newest first. The last 200 are kept, for 90 days, unless the server is set up otherwise.
#[utoipa::path(
    get,
    path = "/api/automations/{automation_id}/runs",
    operation_id = "automations.get_automation_runs",
    params(ListAutomationRuns)
)]
async fn get_automation_runs(
    automation: Found<Row<Automation>, AutomationsRead, InPerson>,
    app: Data<App>,
    Query(asked): Query<ListAutomationRuns>,
) -> Api<Json<AutomationRunResponseList>> {
    let (caller, id) = (automation.auth.caller(), automation.id);
    app.store.read(move |reader| list::runs(reader, &caller, Some(id), &asked)).await.map(Json)
}

/// Show a run of an automation.
///
/// Its `conversation_id` and `stream_id` say where to attach to it, to answer a form it waits for,
/// and to stop it.
#[utoipa::path(
    get,
    path = "/api/automations/runs/{automation_run_id}",
    operation_id = "automations.get_automation_run"
)]
async fn get_automation_run(
    run: Found<Row<AutomationRun>, AutomationsRead, InPerson>,
) -> Api<Json<AutomationRunResponse>> {
    Ok(Json(run.it.into()))
}

/// Delete a run with its conversation.
///
/// If it is live it is cancelled first. Its tick does not run again.
#[utoipa::path(
    delete,
    path = "/api/automations/runs/{automation_run_id}",
    operation_id = "automations.delete_automation_run"
)]
async fn delete_automation_run(
    run: Found<Row<AutomationRun>, AutomationsWrite>,
    app: Data<App>,
) -> Api<NoContent> {
    let removed = app.automations.remove_run(run.auth.tenant, run.id, run.auth.user).await;
    removed.map_err(|why| refusal(why, "automation run")).map(|()| NoContent)
}

/// Run an automation now.
///
/// Beside whatever else runs, and whether or not its schedule is switched on. What the body does
/// not say is as the automation has it.
#[utoipa::path(post, path = "/api/automations/{automation_id}/run", operation_id = "automations.run_automation",
    request_body = Option<RunAutomationRequest>)]
async fn run_automation(
    automation: Found<Row<Automation>, AutomationsWrite, InPerson<ToOwn>>,
    app: Data<App>,
    OptionalJson(asked): OptionalJson<RunAutomationRequest>,
) -> Api<Accepted<AutomationRunResponse>> {
    run_now(&app, automation, asked).await.map(|run| Accepted(run.into()))
}

async fn run_now(
    app: &App,
    automation: Found<Row<Automation>, AutomationsWrite, InPerson<ToOwn>>,
    asked: RunAutomationRequest,
) -> Api<Row<AutomationRun>> {
    let Found { auth, it: row } = automation;
    let (caller, id) = (auth.caller(), row.id);
    let ask = Ask { prompt: asked.prompt, inputs: asked.inputs };
    let Ask { prompt, inputs } = ask.clone();
    let check = move |reader: &Reader| {
        let (prompt, inputs) = (prompt.as_deref(), inputs.as_ref());
        automations::check_run(reader, &caller, &RunScheduling, &row, prompt, inputs)
    };
    app.store.read(check).await?;
    Ok(app.automations.run_now(auth.tenant, id, auth.user, ask).await?)
}

/// Deletes an automation, and writes it down where an administrator does it to somebody else's.
pub async fn remove_all(app: &App, automation: Found<Row<Automation>, AutomationsWrite>) -> Api<()> {
    let Found { auth, it: row } = automation;
    let removed = app.automations.remove(auth.tenant, row.id, auth.user).await;
    removed.map_err(|why| refusal(why, "automation"))?;
    if row.owner != auth.user {
        let caller = auth.caller();
        app.store.run(move |tx| automations::audit_admin(tx, &caller, "automation.delete", &row)).await?;
    }
    Ok(())
}

fn refusal(why: RemoveError, what: &str) -> Refusal {
    match why {
        RemoveError::NotFound => Refusal::not_found(what),
        RemoveError::Busy => {
            Refusal::new(Code::Overloaded).detail("a run of it does not stop").retry_after(2)
        }
        RemoveError::Storage(why) => why.into(),
    }
}

operations!(
    list_all_automation_runs,
    get_automation_run,
    delete_automation_run,
    run_automation,
    get_automation_runs
);
