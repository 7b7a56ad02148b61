//! Deleting knowledge bases.

use std::sync::Arc;

use serde_json::json;
use storage::records::{Assistant, GrantLevel};
use storage::{Reader, Scan};
use uuid::Uuid;

use super::access;
use crate::App;
use crate::api::assistants::access as assistants;
use crate::http::{Api, Caller, Code, Refusal};

/// Deletes a base with its documents. While assistants have it, it is deleted by `force` alone,
/// which takes it from them.
pub async fn remove(app: &App, caller: &Arc<Caller>, id: Uuid, force: bool) -> Api<()> {
    let by = caller.clone();
    app.store.read(move |reader| removable(reader, &by, id, force)).await?;
    Ok(jobs::ingest::remove_base(&app.actors, caller.tenant, caller.user, id).await?)
}

fn removable(reader: &Reader, caller: &Caller, id: Uuid, force: bool) -> Api<()> {
    access::at_least(reader, caller, id, GrantLevel::Owner)?;
    if force {
        return Ok(());
    }
    let assistants = reader.scan::<Assistant>(caller.tenant, Scan::table())?.items;
    let having =
        assistants.into_iter().filter(|row| row.deleted_at.is_none() && row.knowledge_bases.contains(&id));
    // Assistants that the caller may not see are counted and not named.
    let (seen, others): (Vec<_>, Vec<_>) = having.partition(|row| assistants::level(row, caller).is_some());
    if seen.is_empty() && others.is_empty() {
        return Ok(());
    }
    let named: Vec<_> = seen.iter().map(|row| json!({"id": row.id, "name": row.name})).collect();
    Err(Refusal::new(Code::InUse)
        .detail("assistants answer from it; `force=true` takes it from them")
        .extra("assistants", named)
        .extra("others", others.len()))
}
