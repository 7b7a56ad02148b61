//! Creating and changing knowledge bases.

use storage::records::{Grant, GrantLevel, KnowledgeBase, Visibility};
use storage::{Row, Tx};
use uuid::Uuid;

use super::access;
use crate::{Caller, Code, Faults, Patch, Precondition, Result, sharing};

/// The embedding models that the caller may choose. Implemented above this crate, where models are known.
pub trait EmbeddingModels {
    /// Returns the full id of the default model.
    fn default_model(&self) -> Option<String>;

    /// Returns whether the caller may choose the model with this full id.
    fn is_offered(&self, id: &str) -> bool;
}

/// The fields of a knowledge base that are set together. In a new knowledge base, a field that is not set gets its
/// default.
#[derive(Clone, Debug, Default)]
pub struct KnowledgeBaseInput {
    /// Name of the knowledge base; surrounding white space is removed.
    pub name: Patch<String>,
    pub description: Patch<String>,
    /// Full id of the embedding model. If cleared, the caller's default.
    pub embedding_model: Patch<String>,
    /// Maximum length of a passage, in tokens.
    pub chunk_tokens: Patch<u32>,
    /// Overlap of a passage with the previous one, in tokens.
    pub overlap: Patch<u32>,
    pub visibility: Patch<Visibility>,
    pub grants: Patch<Vec<Grant>>,
}

/// How documents are split into passages and embedded. A change requires a new index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// Full id of the embedding model.
    pub embedding_model: String,
    /// Maximum length of a passage, in tokens.
    pub chunk_tokens: u32,
    /// Overlap of a passage with the previous one, in tokens.
    pub overlap: u32,
}

impl Indexing {
    fn new(base: &KnowledgeBase) -> Self {
        Self {
            embedding_model: base.embedding_model.clone(),
            chunk_tokens: base.chunk_tokens,
            overlap: base.overlap,
        }
    }

    /// Returns the indexing settings of a knowledge base after a change.
    fn changed(base: &KnowledgeBase, models: &dyn EmbeddingModels, input: &KnowledgeBaseInput) -> Self {
        let defaults = KnowledgeBase::default();
        let set = |patch: &Patch<u32>, current: u32, default: u32| match patch {
            Patch::Keep => current,
            Patch::Clear => default,
            Patch::Set(value) => *value,
        };
        let embedding_model = match &input.embedding_model {
            Patch::Keep => base.embedding_model.clone(),
            Patch::Clear => default_model(models, base),
            Patch::Set(model) => model.clone(),
        };
        Self {
            embedding_model,
            chunk_tokens: set(&input.chunk_tokens, base.chunk_tokens, defaults.chunk_tokens),
            overlap: set(&input.overlap, base.overlap, defaults.overlap),
        }
    }

    fn apply(self, base: &mut KnowledgeBase) {
        base.embedding_model = self.embedding_model;
        base.chunk_tokens = self.chunk_tokens;
        base.overlap = self.overlap;
    }
}

/// Returns the default embedding model, or the current one of the knowledge base if there is no default.
fn default_model(models: &dyn EmbeddingModels, base: &KnowledgeBase) -> String {
    models.default_model().unwrap_or_else(|| base.embedding_model.clone())
}

/// Creates a knowledge base that the caller owns.
///
/// # Errors
/// `invalid` with every fault.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    models: &dyn EmbeddingModels,
    mut input: KnowledgeBaseInput,
) -> Result<Row<KnowledgeBase>> {
    let mut base = KnowledgeBase { owner: caller.user, ..KnowledgeBase::default() };
    base.embedding_model = default_model(models, &base);
    // The default overlap does not fit into short passages.
    if let (Some(tokens), true) = (input.chunk_tokens.as_set(), input.overlap.is_keep()) {
        input.overlap = Patch::Set(base.overlap.min(tokens.saturating_sub(1) / 4));
    }
    let indexing = Indexing::changed(&base, models, &input);
    check(tx, caller, models, &[], &input, &indexing)?;
    indexing.apply(&mut base);
    apply(&mut base, input);
    Ok(tx.insert(caller.tenant, storage::new_id(), base)?)
}

/// Changes a knowledge base that the caller may edit. Only owners may change its visibility and grants. `version` is the
/// version in the request itself, which is checked in addition to the precondition.
///
/// Returns the new indexing settings if they change while there are documents. The caller of this function then starts a
/// run that builds the new index. The knowledge base keeps its current settings until that run has finished.
///
/// # Errors
/// `not_found`, `not_allowed`, `stale`; `reindexing` if a new index is already being built; `invalid` with every fault.
pub fn change(
    tx: &mut Tx,
    caller: &Caller,
    models: &dyn EmbeddingModels,
    id: Uuid,
    (precondition, version): (&Precondition, Option<u64>),
    input: KnowledgeBaseInput,
) -> Result<Option<Indexing>> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Editor)?;
    if !input.grants.is_keep() || !input.visibility.is_keep() {
        access::at_least(tx, caller, id, GrantLevel::Owner)?;
    }
    precondition.check_both(version, "knowledge base", row.version)?;
    let indexing = Indexing::changed(&row, models, &input);
    check(tx, caller, models, &row.grants, &input, &indexing)?;
    let is_other = indexing != Indexing::new(&row);
    if is_other && row.rebuild.is_some() {
        return Err(Code::Reindexing.into());
    }
    let is_empty = row.documents == 0;
    if is_other && is_empty {
        indexing.clone().apply(&mut row.body);
    }
    apply(&mut row.body, input);
    tx.update(caller.tenant, row)?;
    Ok((is_other && !is_empty).then_some(indexing))
}

fn apply(base: &mut KnowledgeBase, input: KnowledgeBaseInput) {
    input.name.apply_or_default(&mut base.name);
    input.description.apply_or_default(&mut base.description);
    input.visibility.apply_or_default(&mut base.visibility);
    input.grants.apply_or_default(&mut base.grants);
    base.visibility = sharing::with_grants(base.visibility, &base.grants);
    base.name = base.name.trim().to_owned();
}

fn check(
    tx: &Tx,
    caller: &Caller,
    models: &dyn EmbeddingModels,
    before: &[Grant],
    input: &KnowledgeBaseInput,
    indexing: &Indexing,
) -> Result<()> {
    let mut faults = Faults::new("body");
    // If the model of a knowledge base is no longer offered, its other fields can still be changed.
    if !input.embedding_model.is_keep() && !models.is_offered(&indexing.embedding_model) {
        faults.add(["embedding_model"], "there is no such embedding model", "not_found");
    }
    if indexing.overlap.saturating_mul(2) >= indexing.chunk_tokens {
        faults.add(["overlap"], "must be less than half of chunk_tokens", "out_of_range");
    }
    let grants = (!input.grants.is_keep()).then(|| input.grants.as_set().map_or(&[][..], Vec::as_slice));
    let private = matches!(input.visibility, Patch::Clear | Patch::Set(Visibility::Private));
    sharing::check_private(before, private, grants, &mut faults);
    sharing::check_grants(tx, caller.tenant, before, grants.unwrap_or_default(), &mut faults)?;
    faults.into_result()
}
