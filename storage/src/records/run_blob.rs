//! Blobs that a run's journal names.

use crate::blobs::BlobId;
use crate::record::Record;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A value of a run that is too large for its journal, or the graph it goes by. Its id is (run,
/// blob); it goes with the run's journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunBlob {
    /// The bytes.
    pub blob_id: BlobId,
}

impl Record for RunBlob {
    type Id = (Uuid, String);
    const TABLE: [u8; 2] = *b"rb";
    const NAME: &'static str = "run_blob";
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = Some(|body| vec![body.blob_id.clone()]);
}
