//! Inputs of runs outside conversations.

use crate::blobs::BlobId;
use crate::record::{Container, Growth, Owner, Record};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The complete input of a response outside a stored conversation. Its id is the run's, and it is deleted
/// with the run. It is separate from the run's row because that row is rewritten on every state change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunInput {
    /// The messages and the tools, in the format of the run kind; null if they are in `blob_id`.
    pub body: Value,
    /// The blob with the messages and the tools as JSON, if they are large.
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
