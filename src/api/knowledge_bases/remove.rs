//! Deleting knowledge bases.

use std::sync::Arc;

use domain::knowledge_bases::require_removable;
use uuid::Uuid;

use crate::App;
use crate::http::{Api, Caller};

/// Deletes a knowledge base with its documents. If assistants use it, it is only deleted with `force`, which
/// also detaches it from them.
pub async fn remove(app: &App, caller: &Arc<Caller>, id: Uuid, force: bool) -> Api<()> {
    let by = caller.clone();
    app.store.read(move |reader| require_removable(reader, &by, id, force)).await?;
    Ok(jobs::ingest::remove_base(&app.actors, caller.tenant, caller.user, id).await?)
}
