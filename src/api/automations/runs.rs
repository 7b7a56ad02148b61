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
    Accepted, Api, Auth, Code, InPerson, Json, Loaded, NoContent, OptionalJson, Query, Refusal, ToOwn,
    operations,
};

/// List all runs of the caller's automations.
///
/// Newest first. Every tick has an entry, including ticks that did not run: then `reason` contains the cause.
#[utoipa::path(get, path = "/api/automations/runs", params(ListAutomationRuns))]
async fn list_all_automation_runs(
    auth: Auth<AutomationsRead>,
    app: Data<App>,
    Query(query): Query<ListAutomationRuns>,
) -> Api<Json<AutomationRunResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::runs(reader, &caller, None, &query)).await.map(Json)
}

/// List the runs of an automation.
///
/// Newest first. By default, the last 200 runs are stored, for 90 days.
#[utoipa::path(get, path = "/api/automations/{automation_id}/runs", params(ListAutomationRuns))]
async fn get_automation_runs(
    automation: Loaded<Row<Automation>, AutomationsRead, InPerson>,
    app: Data<App>,
    Query(query): Query<ListAutomationRuns>,
) -> Api<Json<AutomationRunResponseList>> {
    let (caller, id) = (automation.auth.caller(), automation.id);
    app.store.read(move |reader| list::runs(reader, &caller, Some(id), &query)).await.map(Json)
}

/// Retrieve a run of an automation.
///
/// Its `conversation_id` and `stream_id` identify the stream to attach to, to answer a form that the run waits for, or to stop the run.
#[utoipa::path(get, path = "/api/automations/runs/{automation_run_id}")]
async fn get_automation_run(
    run: Loaded<Row<AutomationRun>, AutomationsRead, InPerson>,
) -> Api<Json<AutomationRunResponse>> {
    Ok(Json(run.it.into()))
}

/// Delete a run with its conversation.
///
/// A live run is cancelled first. Its tick does not run again.
#[utoipa::path(delete, path = "/api/automations/runs/{automation_run_id}")]
async fn delete_automation_run(
    run: Loaded<Row<AutomationRun>, AutomationsWrite>,
    app: Data<App>,
) -> Api<NoContent> {
    let removed = app.automations.remove_run(run.auth.tenant, run.id, run.auth.user).await;
    removed.map_err(|why| refusal(why, "automation run")).map(|()| NoContent)
}

/// Run an automation now.
///
/// The run is independent of other runs, and of whether the schedule is enabled. Fields that the body omits are taken from the automation.
#[utoipa::path(post, path = "/api/automations/{automation_id}/run",
    request_body = Option<RunAutomationRequest>)]
async fn run_automation(
    automation: Loaded<Row<Automation>, AutomationsWrite, InPerson<ToOwn>>,
    app: Data<App>,
    OptionalJson(body): OptionalJson<RunAutomationRequest>,
) -> Api<Accepted<AutomationRunResponse>> {
    run_now(&app, automation, body).await.map(|run| Accepted(run.into()))
}

async fn run_now(
    app: &App,
    automation: Loaded<Row<Automation>, AutomationsWrite, InPerson<ToOwn>>,
    body: RunAutomationRequest,
) -> Api<Row<AutomationRun>> {
    let Loaded { auth, it: row } = automation;
    let (caller, id) = (auth.caller(), row.id);
    let ask = Ask { prompt: body.prompt, inputs: body.inputs };
    let Ask { prompt, inputs } = ask.clone();
    let check = move |reader: &Reader| {
        let (prompt, inputs) = (prompt.as_deref(), inputs.as_ref());
        automations::check_run(reader, &caller, &RunScheduling, &row, prompt, inputs)
    };
    app.store.read(check).await?;
    Ok(app.automations.run_now(auth.tenant, id, auth.user, ask).await?)
}

/// Deletes an automation. If an administrator deletes the automation of another user, this is recorded in the audit log.
pub async fn remove_all(app: &App, automation: Loaded<Row<Automation>, AutomationsWrite>) -> Api<()> {
    let Loaded { auth, it: row } = automation;
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
            Refusal::new(Code::Overloaded).detail("a run did not stop in time").retry_after(2)
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
