//! Blobs that the journal of a run references.

use crate::blobs::BlobId;
use crate::record::{Container, Growth, Owner, Record};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A value of a run that is too large for its journal, or the graph that the run executes. Its id is (run, blob). It is
/// deleted with the run's journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunBlob {
    /// The blob with the value.
    pub blob_id: BlobId,
    /// Size in bytes; 0 in rows of older versions.
    #[serde(default)]
    pub size: u64,
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
