//! What a run was given that stands in no conversation.

use crate::blobs::BlobId;
use crate::record::{Container, Growth, Owner, Record};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// All that an answer without a stored conversation was asked with. Its id is the run's, and it goes with the
/// run. Apart from the run's own row, as that is written again whenever the run's state changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunInput {
    /// The messages and the tools, in the form of the kind of run; null where they are in `blob_id`.
    pub body: Value,
    /// Where they are when they are large: JSON.
    pub blob_id: Option<BlobId>,
    /// Attached files.
    pub files: Vec<BlobId>,
}

impl Record for RunInput {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"ri";
    const NAME: &'static str = "run_input";
    const GROWTH: Growth<Self> = Growth::metered(
        |id: &Self::Id, _| Owner::Within(Container::Run, *id),
        "`limits.chat_bytes` each; deleted with the journal, `runs.chat_ttl_minutes` after the run",
    );
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> =
        Some(|body| body.blob_id.iter().chain(&body.files).cloned().collect());
}
