//! Changes to knowledge bases as requests make them, with the runs that index them.

use std::sync::Arc;

use assist::offer::ModelAccess;
use domain::knowledge_bases::{self, EmbeddingModels, Indexing, KnowledgeBaseInput};
use jobs::ingest::Reindex;
use providers::Models;
use storage::records::KnowledgeBase;
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::schema::KnowledgeBaseUpdateBody;
use super::view::KnowledgeBaseResponse;
use crate::App;
use crate::http::{Api, Caller, IfMatch, Refusal};
use domain::knowledge_bases::access;

/// The embedding models that a user may choose, as runs use them.
pub struct OfferedEmbedders(ModelAccess);

impl OfferedEmbedders {
    /// Those of the caller.
    pub fn read(reader: &Reader, caller: &Caller, models: &Arc<Models>) -> storage::Result<Self> {
        ModelAccess::read(reader, models, caller.tenant, caller.user).map(Self)
    }
}

impl EmbeddingModels for OfferedEmbedders {
    fn default_model(&self) -> Option<String> {
        self.0.embedder(None).map(|model| model.info.id.clone())
    }

    fn is_offered(&self, id: &str) -> bool {
        self.0.embedder(Some(id)).is_some()
    }
}

/// Creates a knowledge base that the caller owns.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    models: &Arc<Models>,
    input: KnowledgeBaseInput,
) -> Api<Row<KnowledgeBase>> {
    let models = OfferedEmbedders::read(tx, caller, models)?;
    knowledge_bases::create(tx, caller, &models, input)
}

/// Changes a knowledge base. Where its documents have to be indexed differently, a run builds the new index beside the
/// one that is searched.
pub async fn patch(
    app: &App,
    caller: &Arc<Caller>,
    id: Uuid,
    if_match: IfMatch,
    request: KnowledgeBaseUpdateBody,
) -> Api<KnowledgeBaseResponse> {
    let (by, models) = (caller.clone(), app.models.clone());
    let write = move |tx: &mut Tx| {
        let (precondition, version) = (if_match.precondition(), request.version);
        let models = OfferedEmbedders::read(tx, &by, &models)?;
        knowledge_bases::change(tx, &by, &models, id, (&precondition, version), request.clone().into())
    };
    if let Some(indexing) = app.store.run(write).await? {
        jobs::ingest::reindex(&app.actors, reindex(caller, id, Some(indexing))).await?;
    }
    let by = caller.clone();
    app.store.read(move |reader| show(reader, &by, id)).await
}

/// The request for a new index, with other settings or the same.
pub fn reindex(caller: &Caller, base: Uuid, indexing: Option<Indexing>) -> Reindex {
    let (embedding_model, chunk_tokens, overlap) = match indexing {
        Some(Indexing { embedding_model, chunk_tokens, overlap }) => {
            (Some(embedding_model), Some(chunk_tokens), Some(overlap))
        }
        None => (None, None, None),
    };
    let (tenant, user, token_id) = (caller.tenant, caller.user, caller.token_id);
    Reindex { tenant, user, token_id, base, embedding_model, chunk_tokens, overlap }
}

/// A knowledge base as it is now.
pub fn show(reader: &Reader, caller: &Caller, id: Uuid) -> Api<KnowledgeBaseResponse> {
    let base = access::visible(reader, caller, id)?.ok_or_else(|| Refusal::not_found("knowledge base"))?;
    Ok(KnowledgeBaseResponse::new(reader, base, caller)?)
}
