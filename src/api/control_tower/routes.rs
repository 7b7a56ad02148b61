//! Operations that disable, enable and transfer assistants, individually and in bulk.

use std::sync::Arc;

use actix_web::web::Data;
use domain::control_tower::{AssistantChange, ChangeOutcome, change_assistants};
use uuid::Uuid;

use super::overview::TenantAssistant;
use super::schema::{
    AssistantStateResponse, BulkAssistantsResponse, BulkDisableAssistantBody, BulkEnableAssistantBody,
    BulkTransferAssistantOwnershipBody, DisableAssistantBody, TransferAssistantOwnershipBody,
};
use crate::App;
use crate::http::scopes::AdminWrite;
use crate::http::{Admin, Api, Auth, Caller, Json, Loaded, Refusal, operations};

/// Disable an assistant.
///
/// The owner is notified of the reason, and all runs that answer with the assistant are stopped for all users: completions inside and
/// outside of conversations, workflows (including those that wait for a person) and automations. Afterwards, requests are refused with 403
/// `assistant_disabled`, and ticks of automations are skipped. The ingestion of its files is not stopped.
#[utoipa::path(post, path = "/api/control-tower/overview/{assistant_id}/disable")]
async fn disable_assistant(
    assistant: Loaded<TenantAssistant, AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<DisableAssistantBody>,
) -> Api<Json<AssistantStateResponse>> {
    one(&app, &assistant.auth.caller(), assistant.it.0.id, AssistantChange::Disable { reason: new.reason })
        .await
}

/// Enable an assistant.
///
/// The assistant answers again. Stopped runs are not restarted, and skipped ticks are not caught up on.
#[utoipa::path(post, path = "/api/control-tower/overview/{assistant_id}/enable")]
async fn enable_assistant(
    assistant: Loaded<TenantAssistant, AdminWrite, Admin>,
    app: Data<App>,
) -> Api<Json<AssistantStateResponse>> {
    one(&app, &assistant.auth.caller(), assistant.it.0.id, AssistantChange::Enable).await
}

/// Transfer an assistant to another owner.
///
/// The new owner must be one of the ownership candidates; otherwise the response is 422 `not_eligible`. The assistant's own knowledge is
/// transferred with it. The previous owner retains only rights from grants, and keeps the automations with the assistant. Both users are
/// notified.
#[utoipa::path(post, path = "/api/control-tower/overview/{assistant_id}/transfer-ownership")]
async fn transfer_assistant_ownership(
    assistant: Loaded<TenantAssistant, AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<TransferAssistantOwnershipBody>,
) -> Api<Json<AssistantStateResponse>> {
    one(&app, &assistant.auth.caller(), assistant.it.0.id, AssistantChange::Transfer { to: new.new_owner_id })
        .await
}

/// Disable several assistants.
///
/// Up to 500 assistants in one transaction, with a result for each.
#[utoipa::path(post, path = "/api/control-tower/overview/bulk/disable")]
async fn bulk_disable_assistants(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<BulkDisableAssistantBody>,
) -> Api<Json<BulkAssistantsResponse>> {
    many(&app, &auth.caller(), new.assistant_ids, AssistantChange::Disable { reason: new.reason }).await
}

/// Enable several assistants.
///
/// Up to 500 assistants in one transaction, with a result for each.
#[utoipa::path(post, path = "/api/control-tower/overview/bulk/enable")]
async fn bulk_enable_assistants(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<BulkEnableAssistantBody>,
) -> Api<Json<BulkAssistantsResponse>> {
    many(&app, &auth.caller(), new.assistant_ids, AssistantChange::Enable).await
}

/// Transfer several assistants to another owner.
///
/// Up to 500 assistants in one transaction, with a result for each.
#[utoipa::path(post, path = "/api/control-tower/overview/bulk/transfer-ownership")]
async fn bulk_transfer_assistant_ownership(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<BulkTransferAssistantOwnershipBody>,
) -> Api<Json<BulkAssistantsResponse>> {
    many(&app, &auth.caller(), new.assistant_ids, AssistantChange::Transfer { to: new.new_owner_id }).await
}

async fn one(
    app: &App,
    caller: &Arc<Caller>,
    id: Uuid,
    change: AssistantChange,
) -> Api<Json<AssistantStateResponse>> {
    let (outcomes, stopped_runs) = apply(app, caller, vec![id], change).await?;
    let outcome = outcomes.into_iter().next();
    let response = outcome.and_then(|outcome| AssistantStateResponse::new(outcome, stopped_runs));
    response.map(Json).ok_or_else(|| Refusal::not_found("assistant"))
}

async fn many(
    app: &App,
    caller: &Arc<Caller>,
    ids: Vec<Uuid>,
    change: AssistantChange,
) -> Api<Json<BulkAssistantsResponse>> {
    let (outcomes, stopped_runs) = apply(app, caller, ids, change).await?;
    Ok(Json(BulkAssistantsResponse::new(&outcomes, stopped_runs)))
}

/// Changes assistants in one transaction. If they are disabled, then stops their live runs. Returns the outcomes and the number of runs
/// that were stopped.
async fn apply(
    app: &App,
    caller: &Arc<Caller>,
    ids: Vec<Uuid>,
    change: AssistantChange,
) -> Api<(Vec<ChangeOutcome>, u64)> {
    let (by, stops) = (caller.clone(), matches!(change, AssistantChange::Disable { .. }));
    let outcomes = app.store.run(move |tx| change_assistants(tx, &by, &ids, &change)).await?;
    if !stops {
        return Ok((outcomes, 0));
    }
    app.disabled.notify_waiters();
    // Includes assistants that were already disabled: a server that stopped unexpectedly may have left live runs of them.
    let disabled = outcomes.iter().filter_map(|outcome| outcome.row.as_ref()).map(|row| row.id);
    let stopped = app.actors.stop_assistants(caller.tenant, disabled.collect(), caller.user).await?;
    Ok((outcomes, stopped as u64))
}

operations!(
    disable_assistant,
    enable_assistant,
    transfer_assistant_ownership,
    bulk_disable_assistants,
    bulk_enable_assistants,
    bulk_transfer_assistant_ownership
);
