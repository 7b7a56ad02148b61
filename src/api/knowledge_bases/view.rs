//! Responses about knowledge bases.

use serde::Serialize;
use storage::records::{Document, DocumentStatus, KnowledgeBase, Principal, RunState};
use storage::{Reader, Row, Scan};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::permissions::permissions;
use crate::http::{Caller, HasVersion, list_of};
use domain::knowledge_bases::access;

// An alias, because the schema macro does not accept `Row<KnowledgeBase>` as the type of a field.
type StoredKnowledgeBase = Row<KnowledgeBase>;

/// A knowledge base.
#[derive(Debug, Serialize, ToSchema)]
pub struct KnowledgeBaseResponse {
    #[serde(flatten)]
    pub base: StoredKnowledgeBase,
    /// The numbers of documents and passages.
    pub counts: KnowledgeBaseCounts,
    /// Whether the knowledge base is empty, being indexed, ready or degraded.
    pub status: KnowledgeBaseStatus,
    /// In the list of an assistant's knowledge bases: the principals with whom the assistant is shared, but who
    /// cannot read the knowledge base.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed_to: Vec<Principal>,
    /// What the caller may do with the knowledge base.
    pub permissions: KnowledgeBasePermissions,
}

/// The numbers of documents and passages in a knowledge base.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct KnowledgeBaseCounts {
    pub documents: u32,
    /// Documents that can be searched.
    pub ready: u32,
    /// Documents whose processing failed or was cancelled.
    pub failed: u32,
    /// Documents that a run is processing.
    pub in_work: u32,
    /// While a new index is being built: the number of documents that it already contains.
    pub rebuilt: Option<u32>,
    /// The number of passages that can be searched.
    pub chunks: u64,
    /// Tokens of those passages.
    pub tokens: u64,
}

/// The status of a knowledge base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeBaseStatus {
    /// The knowledge base has no documents.
    Empty,
    /// Documents are being processed, or the index is being rebuilt. Documents that were indexed before can
    /// still be searched.
    Indexing,
    /// All documents can be searched.
    Ready,
    /// Some documents could not be processed.
    Degraded,
}

permissions! {
    /// What the caller may do with a knowledge base.
    KnowledgeBasePermissions
}

impl KnowledgeBaseResponse {
    /// Builds the view of a knowledge base for a caller. A caller who cannot see the knowledge base gets the
    /// view of a viewer.
    pub fn new(reader: &Reader, mut base: Row<KnowledgeBase>, caller: &Caller) -> storage::Result<Self> {
        let level = access::level(reader, &base, caller)?.unwrap_or_default();
        let permissions = KnowledgeBasePermissions::from(level);
        let counts = KnowledgeBaseCounts::load(reader, &base, caller)?;
        if !permissions.edit {
            base.grants.clear();
        }
        let status = counts.status(&base);
        Ok(Self { base, counts, status, closed_to: Vec::new(), permissions })
    }
}

impl HasVersion for KnowledgeBaseResponse {
    fn version(&self) -> u64 {
        self.base.version
    }
}

impl KnowledgeBaseCounts {
    fn load(reader: &Reader, base: &Row<KnowledgeBase>, caller: &Caller) -> storage::Result<Self> {
        let next = base.rebuild.as_ref().map(|next| next.index_version);
        let mut counts = Self { rebuilt: next.map(|_| 0), ..Self::default() };
        let documents = Scan::table().prefix(base.id.as_bytes().to_vec());
        for document in reader.scan::<Document>(caller.tenant, documents)?.items {
            counts.documents += 1;
            match document.status {
                DocumentStatus::Ready => counts.ready += 1,
                DocumentStatus::Failed | DocumentStatus::Cancelled => counts.failed += 1,
                _ => counts.in_work += 1,
            }
            if next.is_some_and(|next| document.build(next).is_some()) {
                counts.rebuilt = counts.rebuilt.map(|rebuilt| rebuilt + 1);
            }
            if let Some(build) = document.build(base.index_version) {
                counts.chunks += u64::from(build.chunks);
                counts.tokens += build.tokens;
            }
        }
        Ok(counts)
    }

    fn status(&self, base: &KnowledgeBase) -> KnowledgeBaseStatus {
        match self {
            _ if base.rebuild.is_some() || self.in_work > 0 => KnowledgeBaseStatus::Indexing,
            Self { documents: 0, .. } => KnowledgeBaseStatus::Empty,
            Self { failed: 0, .. } => KnowledgeBaseStatus::Ready,
            _ => KnowledgeBaseStatus::Degraded,
        }
    }
}

list_of! {
    /// A page of knowledge bases, oldest first.
    #[derive(Debug)]
    pub KnowledgeBaseResponseList of KnowledgeBaseResponse
}

/// A rebuild of an index that was started.
#[derive(Debug, Serialize, ToSchema)]
pub struct KnowledgeBaseReindexResponse {
    pub knowledge_base_id: Uuid,
    /// The run that builds the index.
    pub run_id: Uuid,
    /// The state of the run, such as `queued` or `running`.
    pub status: RunState,
}
