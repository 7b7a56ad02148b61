//! Disabling, enabling and giving away, one by one and many at once.

use std::sync::Arc;

use actix_web::web::Data;
use uuid::Uuid;

use super::change::{Outcome, Wish, change};
use super::overview::OfTenant;
use super::schema::{
    AssistantStateResponse, BulkAssistantResult, BulkAssistantStatus, BulkAssistantsResponse,
    BulkDisableAssistantBody, BulkEnableAssistantBody, BulkTransferAssistantOwnershipBody,
    DisableAssistantBody, TransferAssistantOwnershipBody,
};
use crate::App;
use crate::http::scopes::AdminWrite;
use crate::http::{Admin, Api, Auth, Caller, Found, Json, Refusal, operations};

/// Disable an assistant.
///
/// Its owner is told the reason, and everything that answers with it is stopped: completions in conversations and without,
/// workflows (those that wait for somebody, too) and automations, whoever started them. From then on they are refused with
/// 403 `assistant_disabled`, and ticks of automations are skipped. Files go on being read for it.
#[utoipa::path(
    post,
    path = "/api/control-tower/overview/{assistant_id}/disable",
    operation_id = "control-tower.disable_assistant"
)]
async fn disable_assistant(
    assistant: Found<OfTenant, AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<DisableAssistantBody>,
) -> Api<Json<AssistantStateResponse>> {
    one(&app, &assistant.auth.caller(), assistant.it.0.id, Wish::Disable { reason: new.reason }).await
}

/// Enable an assistant.
///
/// It answers again. Nothing that was stopped goes on by itself, and skipped ticks are not made up for.
#[utoipa::path(
    post,
    path = "/api/control-tower/overview/{assistant_id}/enable",
    operation_id = "control-tower.enable_assistant"
)]
async fn enable_assistant(
    assistant: Found<OfTenant, AdminWrite, Admin>,
    app: Data<App>,
) -> Api<Json<AssistantStateResponse>> {
    one(&app, &assistant.auth.caller(), assistant.it.0.id, Wish::Enable).await
}

/// Give an assistant to another owner.
///
/// To one of the ownership candidates; else 422 `not_eligible`. What it knows goes with it. The owner before keeps no right
/// on it, but for what is granted to them, and their automations with it stay theirs. Both are told.
#[utoipa::path(
    post,
    path = "/api/control-tower/overview/{assistant_id}/transfer-ownership",
    operation_id = "control-tower.transfer_assistant_ownership"
)]
async fn transfer_assistant_ownership(
    assistant: Found<OfTenant, AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<TransferAssistantOwnershipBody>,
) -> Api<Json<AssistantStateResponse>> {
    one(&app, &assistant.auth.caller(), assistant.it.0.id, Wish::Transfer { to: new.new_owner_id }).await
}

/// Disable many assistants.
///
/// Up to 500, with a result for each, in one transaction.
#[utoipa::path(
    post,
    path = "/api/control-tower/overview/bulk/disable",
    operation_id = "control-tower.bulk_disable_assistants"
)]
async fn bulk_disable_assistants(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<BulkDisableAssistantBody>,
) -> Api<Json<BulkAssistantsResponse>> {
    many(&app, &auth.caller(), new.assistant_ids, Wish::Disable { reason: new.reason }).await
}

/// Enable many assistants.
///
/// Up to 500, with a result for each, in one transaction.
#[utoipa::path(
    post,
    path = "/api/control-tower/overview/bulk/enable",
    operation_id = "control-tower.bulk_enable_assistants"
)]
async fn bulk_enable_assistants(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<BulkEnableAssistantBody>,
) -> Api<Json<BulkAssistantsResponse>> {
    many(&app, &auth.caller(), new.assistant_ids, Wish::Enable).await
}

/// Give many assistants to another owner.
///
/// Up to 500, with a result for each, in one transaction.
#[utoipa::path(
    post,
    path = "/api/control-tower/overview/bulk/transfer-ownership",
    operation_id = "control-tower.bulk_transfer_assistant_ownership"
)]
async fn bulk_transfer_assistant_ownership(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<BulkTransferAssistantOwnershipBody>,
) -> Api<Json<BulkAssistantsResponse>> {
    many(&app, &auth.caller(), new.assistant_ids, Wish::Transfer { to: new.new_owner_id }).await
}

async fn one(app: &App, caller: &Arc<Caller>, id: Uuid, wish: Wish) -> Api<Json<AssistantStateResponse>> {
    let (outcomes, stopped_runs) = change(app, caller, vec![id], wish).await?;
    let outcome = outcomes.into_iter().next();
    let Some(Outcome { status, row: Some(row), .. }) = outcome else {
        return Err(Refusal::not_found("assistant"));
    };
    Ok(Json(AssistantStateResponse {
        assistant_id: row.id,
        version: row.version,
        owner: row.body.owner,
        name: row.body.name,
        enabled: row.body.enabled,
        disabled_reason: row.body.disabled_reason,
        changed: status == BulkAssistantStatus::Ok,
        stopped_runs,
    }))
}

async fn many(
    app: &App,
    caller: &Arc<Caller>,
    ids: Vec<Uuid>,
    wish: Wish,
) -> Api<Json<BulkAssistantsResponse>> {
    let (outcomes, stopped_runs) = change(app, caller, ids, wish).await?;
    let result = |outcome: &Outcome| BulkAssistantResult { assistant_id: outcome.id, status: outcome.status };
    let results: Vec<_> = outcomes.iter().map(result).collect();
    let changed = results.iter().filter(|result| result.status == BulkAssistantStatus::Ok).count() as u64;
    Ok(Json(BulkAssistantsResponse { results, changed, stopped_runs }))
}

operations!(
    disable_assistant,
    enable_assistant,
    transfer_assistant_ownership,
    bulk_disable_assistants,
    bulk_enable_assistants,
    bulk_transfer_assistant_ownership
);
