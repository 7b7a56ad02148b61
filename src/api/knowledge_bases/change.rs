//! Making and changing knowledge bases.

use actors::ingest::Reindex;
use actors::offer::ModelAccess;
use providers::Models;
use storage::records::{Grant, GrantLevel, KnowledgeBase, Visibility};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::access;
use super::schema::{KnowledgeBaseCreateBody, KnowledgeBaseUpdateBody};
use super::view::KnowledgeBaseResponse;
use crate::App;
use crate::http::{Api, Caller, Code, Faults, IfMatch, Patch, Refusal};
use domain::sharing;
use std::sync::Arc;

/// What decides on a base's passages: model, tokens, overlap.
pub type Cut = (String, u32, u32);

fn cut(base: &KnowledgeBase) -> Cut {
    (base.embedding_model.clone(), base.chunk_tokens, base.overlap)
}

/// Makes a knowledge base of the caller's.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    models: &Arc<Models>,
    new: KnowledgeBaseCreateBody,
) -> Api<Row<KnowledgeBase>> {
    let mut base = KnowledgeBase { owner: caller.user, ..KnowledgeBase::default() };
    let offer = ModelAccess::read(tx, models, caller.tenant, caller.user)?;
    base.embedding_model = usual(&offer, &base);
    let new = KnowledgeBaseUpdateBody::from(new);
    let changed = changed(&base, &offer, &new);
    check(tx, caller, &offer, &[], &new, &changed)?;
    (base.embedding_model, base.chunk_tokens, base.overlap) = changed;
    apply(&mut base, new);
    Ok(tx.insert(caller.tenant, storage::new_id(), base)?)
}

/// Changes a knowledge base that the caller may edit; who else may see it, only its owners change.
/// Other passages for documents that are there are built anew, beside what is searched.
pub async fn patch(
    app: &App,
    caller: &Arc<Caller>,
    id: Uuid,
    if_match: IfMatch,
    new: KnowledgeBaseUpdateBody,
) -> Api<KnowledgeBaseResponse> {
    let (by, models) = (caller.clone(), app.models.clone());
    let write = move |tx: &mut Tx| write(tx, &by, &models, id, &if_match, new.clone());
    if let Some((model, chunk_tokens, overlap)) = app.store.run(write).await? {
        app.actors.reindex(reindex(caller, id, Some((model, chunk_tokens, overlap)))).await?;
    }
    let by = caller.clone();
    app.store.read(move |reader| show(reader, &by, id)).await
}

/// The question for a new index, by other settings or by those that are.
pub fn reindex(caller: &Caller, base: Uuid, cut: Option<Cut>) -> Reindex {
    let (embedding_model, chunk_tokens, overlap) = match cut {
        Some((model, tokens, overlap)) => (Some(model), Some(tokens), Some(overlap)),
        None => (None, None, None),
    };
    let (tenant, user, token_id) = (caller.tenant, caller.user, caller.token_id);
    Reindex { tenant, user, token_id, base, embedding_model, chunk_tokens, overlap }
}

/// A base as it is now.
pub fn show(reader: &Reader, caller: &Caller, id: Uuid) -> Api<KnowledgeBaseResponse> {
    let base = access::visible(reader, caller, id)?.ok_or_else(|| Refusal::not_found("knowledge base"))?;
    Ok(KnowledgeBaseResponse::of(reader, base, caller)?)
}

/// Writes what changes at once, and tells what a new index is needed for.
pub fn write(
    tx: &mut Tx,
    caller: &Caller,
    models: &Arc<Models>,
    id: Uuid,
    if_match: &IfMatch,
    new: KnowledgeBaseUpdateBody,
) -> Api<Option<Cut>> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Editor)?;
    if !new.grants.is_keep() || !new.visibility.is_keep() {
        access::at_least(tx, caller, id, GrantLevel::Owner)?;
    }
    if_match.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(storage::Error::Stale("knowledge base").into());
    }
    let offer = ModelAccess::read(tx, models, caller.tenant, caller.user)?;
    let changed = changed(&row, &offer, &new);
    check(tx, caller, &offer, &row.grants, &new, &changed)?;
    let other = changed != cut(&row);
    if other && row.rebuild.is_some() {
        return Err(Code::Reindexing.into());
    }
    let empty = row.documents == 0;
    if other && empty {
        (row.embedding_model, row.chunk_tokens, row.overlap) = changed.clone();
    }
    apply(&mut row.body, new);
    tx.update(caller.tenant, row)?;
    Ok((other && !empty).then_some(changed))
}

/// What would decide on the passages.
fn changed(base: &KnowledgeBase, offer: &ModelAccess, new: &KnowledgeBaseUpdateBody) -> Cut {
    let (mut model, mut tokens, mut overlap) =
        (Some(base.embedding_model.clone()), base.chunk_tokens, base.overlap);
    new.embedding_model.clone().apply(&mut model);
    let plain = KnowledgeBase::default();
    let put = |patch: &Patch<u32>, field: &mut u32, usual: u32| match patch {
        Patch::Keep => {}
        Patch::Clear => *field = usual,
        Patch::Set(value) => *field = *value,
    };
    put(&new.chunk_tokens, &mut tokens, plain.chunk_tokens);
    put(&new.overlap, &mut overlap, plain.overlap);
    (model.unwrap_or_else(|| usual(offer, base)), tokens, overlap)
}

/// The embedding model where nobody chose one.
fn usual(offer: &ModelAccess, base: &KnowledgeBase) -> String {
    offer.embedder(None).map_or_else(|| base.embedding_model.clone(), |model| model.info.id.clone())
}

fn apply(base: &mut KnowledgeBase, new: KnowledgeBaseUpdateBody) {
    new.name.apply_or_default(&mut base.name);
    new.description.apply_or_default(&mut base.description);
    new.visibility.apply_or_default(&mut base.visibility);
    new.grants.apply_or_default(&mut base.grants);
    base.visibility = sharing::with_grants(base.visibility, &base.grants);
    base.name = base.name.trim().to_owned();
}

/// All that is referred to must exist, and fit together. Every fault is named.
fn check(
    reader: &Reader,
    caller: &Caller,
    offer: &ModelAccess,
    before: &[Grant],
    new: &KnowledgeBaseUpdateBody,
    (model, tokens, overlap): &Cut,
) -> Api<()> {
    let mut faults = Faults::of("body");
    // A model that is gone by now is no fault of somebody who changes something else.
    if !new.embedding_model.is_keep() && offer.embedder(Some(model)).is_none() {
        faults.add(["embedding_model"], "there is no such embedding model", "not_found");
    }
    if overlap.saturating_mul(2) >= *tokens {
        faults.add(["overlap"], "must be less than half of chunk_tokens", "out_of_range");
    }
    let grants = (!new.grants.is_keep()).then(|| new.grants.as_set().map_or(&[][..], Vec::as_slice));
    let private = matches!(new.visibility, Patch::Clear | Patch::Set(Visibility::Private));
    sharing::check_private(before, private, grants, &mut faults);
    sharing::check_grants(reader, caller.tenant, before, grants.unwrap_or_default(), &mut faults)?;
    faults.told()
}
