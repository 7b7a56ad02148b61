//! How knowledge bases are shown.

use serde::Serialize;
use storage::records::{Document, DocumentStatus, KnowledgeBase, Principal, RunState};
use storage::{Reader, Row, Scan};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::permissions::permissions;
use crate::http::{Caller, HasVersion, list_of};
use domain::knowledge_bases::access;

// An alias, as the schema macro does not take `Row<KnowledgeBase>` for a field.
type StoredKnowledgeBase = Row<KnowledgeBase>;

/// A knowledge base.
#[derive(Debug, Serialize, ToSchema)]
pub struct KnowledgeBaseResponse {
    #[serde(flatten)]
    pub base: StoredKnowledgeBase,
    /// What there is in it.
    pub counts: KnowledgeBaseCounts,
    /// How it stands.
    pub status: KnowledgeBaseStatus,
    /// As a base of an assistant: to whom it is closed of those with whom the assistant is shared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed_to: Vec<Principal>,
    /// What the caller may do with it.
    pub permissions: KnowledgeBasePermissions,
}

/// What there is in a knowledge base.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct KnowledgeBaseCounts {
    pub documents: u32,
    /// Those that are found.
    pub ready: u32,
    /// Those that could not be read, or that were stopped.
    pub failed: u32,
    /// Those that a run is at.
    pub in_work: u32,
    /// While a new index is being built: those that are in it already.
    pub rebuilt: Option<u32>,
    /// Passages that are found.
    pub chunks: u64,
    /// Tokens of those passages.
    pub tokens: u64,
}

/// How a knowledge base stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeBaseStatus {
    /// There is nothing in it.
    Empty,
    /// Documents are being read, or its index is being rebuilt; what was found before still is.
    Indexing,
    /// All documents are found.
    Ready,
    /// Some documents could not be read.
    Degraded,
}

permissions! {
    /// What the caller may do with a knowledge base.
    KnowledgeBasePermissions
}

impl KnowledgeBaseResponse {
    /// The base as this caller may see it; a caller who may not see it sees it as a viewer would.
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

/// The building of a new index.
#[derive(Debug, Serialize, ToSchema)]
pub struct KnowledgeBaseReindexResponse {
    pub knowledge_base_id: Uuid,
    /// The run that builds.
    pub run_id: Uuid,
    /// How it stands.
    pub status: RunState,
}
