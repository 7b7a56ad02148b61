//! Operations on whole automations.

use actix_web::web::Data;
use storage::records::Automation;
use storage::{Row, Tx};

use super::list::{self, ListAutomations};
use super::schema::{CreateAutomationRequest, UpdateAutomationRequest};
use super::view::{AutomationResponse, AutomationResponseList};
use super::{change, runs};
use crate::App;
use crate::http::scopes::{AutomationsRead, AutomationsWrite};
use crate::http::{
    Api, Auth, Created, Editor, IfMatch, InPerson, Json, Loaded, NoContent, Query, Versioned, operations,
};

/// Create an automation.
///
/// The automation belongs to the caller, acts with the caller's rights, and runs its assistant in a new conversation at every tick. Cron
/// expressions have five fields and are evaluated in an IANA time zone. When the clock skips an hour in spring, ticks within that hour run
/// once, at its end. When the clock repeats an hour in autumn, ticks within it run once, or in both hours if the time fields contain `*` or
/// a step. Requires the role `editor`. Impersonated sessions are refused: an automation runs with the rights of its owner, who alone
/// decides what it does.
#[utoipa::path(post, path = "/api/automations")]
async fn create_automation(
    auth: Auth<AutomationsWrite, InPerson<Editor>>,
    app: Data<App>,
    Json(new): Json<CreateAutomationRequest>,
) -> Api<Created<AutomationResponse>> {
    let (caller, now) = (auth.caller(), app.automations.now());
    let create = move |tx: &mut Tx| change::create(tx, &caller, now, new.clone().into());
    let created = app.store.run(create).await;
    app.automations.ring();
    created.map(Created)
}

/// List automations.
///
/// Returns the caller's automations. Administrators see those of all users, without their prompts and inputs.
#[utoipa::path(get, path = "/api/automations", params(ListAutomations))]
async fn list_automations(
    auth: Auth<AutomationsRead>,
    app: Data<App>,
    Query(query): Query<ListAutomations>,
) -> Api<Json<AutomationResponseList>> {
    let (caller, now) = (auth.caller(), app.automations.now());
    app.store.read(move |reader| list::automations(reader, &caller, &query, now)).await.map(Json)
}

/// Retrieve an automation.
///
/// The response includes its next five ticks and its latest run.
#[utoipa::path(get, path = "/api/automations/{automation_id}")]
async fn get_automation(
    automation: Loaded<Row<Automation>, AutomationsRead>,
    app: Data<App>,
) -> Api<Versioned<AutomationResponse>> {
    let (Loaded { auth, it }, now) = (automation, app.automations.now());
    let shown = app.store.read(move |reader| AutomationResponse::from_row(reader, &auth, it, now));
    Ok(Versioned(shown.await?))
}

/// Replace the settings of an automation.
///
/// Fields that are omitted are reset to their default. If the trigger changes or the automation is enabled, its schedule counts from now:
/// earlier ticks are not caught up on. Enabling an automation also ends an automatic pause. An administrator can disable the automation of
/// another user with `enabled: false`; the rest of the body is then ignored.
#[utoipa::path(put, path = "/api/automations/{automation_id}")]
async fn update_automation(
    automation: Loaded<Row<Automation>, AutomationsWrite, InPerson>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateAutomationRequest>,
) -> Api<Versioned<AutomationResponse>> {
    let (caller, id, now) = (automation.auth.caller(), automation.id, app.automations.now());
    let update = move |tx: &mut Tx| {
        let expected = (&if_match.precondition(), new.version);
        change::change(tx, &caller, now, id, expected, new.clone().into())
    };
    let updated = app.store.run(update).await;
    app.automations.ring();
    updated.map(Versioned)
}

/// Delete an automation with its runs.
///
/// No further ticks occur. Live and waiting runs are cancelled first, and the conversations of its runs are deleted with it. Its costs
/// remain on record.
#[utoipa::path(delete, path = "/api/automations/{automation_id}")]
async fn delete_automation(
    automation: Loaded<Row<Automation>, AutomationsWrite>,
    app: Data<App>,
) -> Api<NoContent> {
    runs::remove_all(&app, automation).await.map(|()| NoContent)
}

operations!(
    create_automation with slash, list_automations with slash, get_automation, update_automation, delete_automation
);
