//! Creating and changing knowledge bases, and starting the runs that index them.

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

/// The embedding models that are available to a user, by the same rules as in runs.
pub struct OfferedEmbedders(ModelAccess);

impl OfferedEmbedders {
    /// Loads the models that are available to the caller.
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

/// Changes a knowledge base. If its documents need a different index, a run builds the new index while the
/// current one continues to serve searches.
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

/// A request to rebuild the index, with new settings or the current ones.
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

/// The current state of a knowledge base.
pub fn show(reader: &Reader, caller: &Caller, id: Uuid) -> Api<KnowledgeBaseResponse> {
    let base = access::visible(reader, caller, id)?.ok_or_else(|| Refusal::not_found("knowledge base"))?;
    Ok(KnowledgeBaseResponse::new(reader, base, caller)?)
}
