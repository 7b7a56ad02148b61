//! Blobs that the journal of a run references.

use crate::blobs::BlobId;
use crate::record::{Container, Growth, Owner, Record};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A value of a run that is too large for its journal, the graph that the run executes, or an uploaded file that was given
/// to it. Its id is (run, blob). It is deleted with the run's journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunBlob {
    /// The blob with the value.
    pub blob_id: BlobId,
    /// Size in bytes; 0 in rows of older versions.
    #[serde(default)]
    pub size: u64,
    /// Whether this is a file that was given to the run in an input or a form, and that the run may therefore read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_file: bool,
}

impl Record for RunBlob {
    type Id = (Uuid, String);
    const TABLE: [u8; 2] = *b"rb";
    const NAME: &'static str = "run_blob";
    const GROWTH: Growth<Self> = Growth::Metered {
        owner: |id, _| Owner::Within(Container::Run, id.0),
        files: |row| row.size,
        also: "deleted with the journal, `runs.stream_ttl_hours` after the run",
    };
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = Some(|body| vec![body.blob_id.clone()]);
}
