//! Cancelling a run.

use std::sync::Arc;

use actix_web::HttpResponse;
use runs::Terminal;
use serde::Serialize;
use storage::records::{RunKind, RunState};
use utoipa::ToSchema;
use uuid::Uuid;
use workflow::sees_all_details;

use crate::App;
use crate::http::{Api, Caller, Refusal};

/// The result of cancelling a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct CancelReceipt {
    pub stream_id: Uuid,
    /// The final state of the run, or `cancelling` if it has not ended yet.
    pub status: RunState,
    /// The child runs that were cancelled with the run.
    pub children_stopped: Vec<Uuid>,
    /// The node executions that were stopped before they finished.
    pub nodes_stopped: Vec<String>,
    /// The estimated number of tokens that models produced after the cancellation was recorded.
    pub tokens_after_cancel: u64,
    /// The terminal record of the run, which never changes.
    pub terminal: Option<Terminal>,
}

/// Cancels a run and waits briefly for its end.
///
/// # Errors
/// 404 if the run does not exist.
pub async fn cancel(app: &App, caller: &Arc<Caller>, kind: RunKind, run: Uuid) -> Api<CancelReceipt> {
    let mut outcome = app.actors.cancel(caller.tenant, run, caller.user).await?;
    if kind == RunKind::Workflow {
        let reader = caller.clone();
        let sees = app.store.read(move |store| sees_all_details(store, &reader.subject, run));
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

/// The response to a cancellation: 200 if the run has ended, and 202 if it has not ended yet.
pub fn receipt(receipt: CancelReceipt) -> HttpResponse {
    let ended = receipt.terminal.is_some();
    let mut response = if ended { HttpResponse::Ok() } else { HttpResponse::Accepted() };
    response.json(receipt)
}
