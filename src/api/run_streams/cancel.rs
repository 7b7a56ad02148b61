//! Stopping a run.

use std::sync::Arc;

use actix_web::HttpResponse;
use runs::Terminal;
use serde::Serialize;
use storage::records::{RunKind, RunState};
use utoipa::ToSchema;
use uuid::Uuid;
use workflow::sees_everything;

use crate::App;
use crate::http::{Api, Caller, Refusal};

/// The outcome of a cancel.
#[derive(Debug, Serialize, ToSchema)]
pub struct CancelReceipt {
    pub stream_id: Uuid,
    /// How it ended, or `cancelling` while it is about to.
    pub status: RunState,
    /// Child runs that were stopped with it.
    pub children_stopped: Vec<Uuid>,
    /// Executions of nodes that were stopped before they finished.
    pub nodes_stopped: Vec<String>,
    /// Estimated tokens that models still produced after the cancel was recorded.
    pub tokens_after_cancel: u64,
    /// The end of the run, which never changes.
    pub terminal: Option<Terminal>,
}

/// Stops a run, and waits a little until it has ended.
///
/// # Errors
/// 404 where the run is gone.
pub async fn cancel(app: &App, caller: &Arc<Caller>, kind: RunKind, run: Uuid) -> Api<CancelReceipt> {
    let mut outcome = app.actors.cancel(caller.tenant, run, caller.user).await?;
    if kind == RunKind::Workflow {
        let reader = caller.clone();
        let sees = app.store.read(move |store| sees_everything(store, &reader.standing, run));
        let sees = sees.await.map_err(|why: storage::Error| Refusal::from(why))?;
        outcome.terminal = outcome.terminal.map(|terminal| if sees { terminal } else { terminal.outline() });
    }
    Ok(CancelReceipt {
        stream_id: run,
        status: outcome.terminal.as_ref().map_or(RunState::Cancelling, |terminal| terminal.status),
        children_stopped: outcome.children_stopped,
        nodes_stopped: outcome.nodes_stopped,
        tokens_after_cancel: outcome.tokens_after_cancel,
        terminal: outcome.terminal,
    })
}

/// The response to a cancel: 200 where the run has ended, 202 where it is about to.
pub fn receipt(receipt: CancelReceipt) -> HttpResponse {
    let ended = receipt.terminal.is_some();
    let mut response = if ended { HttpResponse::Ok() } else { HttpResponse::Accepted() };
    response.json(receipt)
}
