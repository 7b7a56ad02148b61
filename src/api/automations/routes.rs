//! Automations themselves.

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
    Api, Auth, Created, Editor, Found, IfMatch, InPerson, Json, NoContent, Query, Versioned, operations,
};

/// Create an automation.
///
/// It belongs to the caller, acts with the caller's rights, and runs its assistant in a new
/// conversation at every tick. Cron expressions have five fields and count in an IANA time zone:
/// what falls into the hour that spring leaves out runs once at its end; what falls into the hour
/// that autumn has twice runs once, and with `*` or a step in the time fields in both. Needs the
/// role `editor`. What runs for somebody is for them to say: whoever acts as them makes, changes and starts none.
#[utoipa::path(post, path = "/api/automations", operation_id = "automations.create_automation")]
async fn create_automation(
    auth: Auth<AutomationsWrite, InPerson<Editor>>,
    app: Data<App>,
    Json(new): Json<CreateAutomationRequest>,
) -> Api<Created<AutomationResponse>> {
    let (caller, now) = (auth.caller(), app.automations.now());
    let create = move |tx: &mut Tx| change::create(tx, &caller, now, new.clone().into());
    let made = app.store.run(create).await;
    app.automations.ring();
    made.map(Created)
}

/// List automations.
///
/// The caller's own; administrators see everybody's, without what they ask.
#[utoipa::path(
    get,
    path = "/api/automations",
    operation_id = "automations.list_automations",
    params(ListAutomations)
)]
async fn list_automations(
    auth: Auth<AutomationsRead>,
    app: Data<App>,
    Query(asked): Query<ListAutomations>,
) -> Api<Json<AutomationResponseList>> {
    let (caller, now) = (auth.caller(), app.automations.now());
    app.store.read(move |reader| list::automations(reader, &caller, &asked, now)).await.map(Json)
}

/// Show an automation.
///
/// With its next five ticks and its latest run.
#[utoipa::path(get, path = "/api/automations/{automation_id}", operation_id = "automations.get_automation")]
async fn get_automation(
    automation: Found<Row<Automation>, AutomationsRead>,
    app: Data<App>,
) -> Api<Versioned<AutomationResponse>> {
    let (Found { auth, it }, now) = (automation, app.automations.now());
    let shown = app.store.read(move |reader| AutomationResponse::of(reader, &auth, it, now));
    Ok(Versioned(shown.await?))
}

/// Replace what can be set of an automation.
///
/// What is left out takes its default. Where the trigger changes, or it is switched on, its
/// schedule counts from now: nothing that passed before is made up for. Switching it on also ends
/// an automatic pause. An administrator can switch off somebody else's with `enabled: false`; the
/// rest of the body is then not taken.
#[utoipa::path(
    put,
    path = "/api/automations/{automation_id}",
    operation_id = "automations.update_automation"
)]
async fn update_automation(
    automation: Found<Row<Automation>, AutomationsWrite, InPerson>,
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
/// Nothing of it is armed any more. Live and waiting runs are cancelled first; the conversations
/// of its runs go with it. What they cost stays on record.
#[utoipa::path(
    delete,
    path = "/api/automations/{automation_id}",
    operation_id = "automations.delete_automation"
)]
async fn delete_automation(
    automation: Found<Row<Automation>, AutomationsWrite>,
    app: Data<App>,
) -> Api<NoContent> {
    runs::remove_all(&app, automation).await.map(|()| NoContent)
}

operations!(
    create_automation with slash, list_automations with slash, get_automation, update_automation, delete_automation
);
