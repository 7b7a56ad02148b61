//! Deletion of conversations with everything that belongs to them.

use std::collections::HashSet;
use std::sync::Arc;

use storage::TenantId;
use uuid::Uuid;

use super::schema::{BulkDeleteConversationsResponse, BulkDeleteResult, BulkDeleteStatus};
use crate::App;
use crate::http::{Api, Caller, Code, Refusal};
use domain::conversations;

/// Maximum number of attempts to stop live runs: a queued run may start while the previous one is being stopped.
const ROUNDS: usize = 4;

/// Stops the live runs of a conversation, then deletes it. Refuses with 503 if a run does not stop in time; the request to stop remains in
/// effect.
pub async fn remove(app: &App, caller: &Arc<Caller>, id: Uuid) -> Api<()> {
    for _ in 0..ROUNDS {
        let owner = caller.clone();
        let live = app.store.run(move |tx| conversations::remove(tx, &owner, id)).await?;
        if live.is_empty() {
            return Ok(());
        }
        stop(app, caller.tenant, caller.user, live).await?;
    }
    Err(Refusal::new(Code::Overloaded).detail("a stream of the conversation does not stop").retry_after(2))
}

/// Calls [`remove`] for each conversation and returns a result for each.
pub async fn remove_all(
    app: &App,
    caller: &Arc<Caller>,
    ids: Vec<Uuid>,
) -> Api<BulkDeleteConversationsResponse> {
    let mut results = Vec::with_capacity(ids.len());
    let mut seen = HashSet::new();
    for id in ids.into_iter().filter(|id| seen.insert(*id)) {
        let status = match remove(app, caller, id).await {
            Ok(()) => BulkDeleteStatus::Deleted,
            Err(why) if why.code() == Code::NotFound => BulkDeleteStatus::NotFound,
            Err(why) if why.code() == Code::NotAllowed => BulkDeleteStatus::NotAllowed,
            Err(why) if why.code() == Code::Overloaded => BulkDeleteStatus::Busy,
            Err(why) => return Err(why),
        };
        results.push(BulkDeleteResult { id, status });
    }
    let deleted = results.iter().filter(|result| result.status == BulkDeleteStatus::Deleted).count();
    Ok(BulkDeleteConversationsResponse { results, deleted })
}

async fn stop(app: &App, tenant: TenantId, by: Uuid, live: Vec<Uuid>) -> Api<()> {
    let cancels = live.into_iter().map(|run| app.actors.cancel(tenant, run, by));
    futures::future::try_join_all(cancels).await?;
    Ok(())
}
