//! Uploads to signed URLs.

use crate::blobs::BlobId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A file that is expected or was uploaded at a signed URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Upload {
    pub conversation_id: Option<Uuid>,
    /// The user who requested the URL.
    pub owner: Uuid,
    /// Name of the file.
    pub filename: String,
    /// Media type declared when the URL was requested. The upload has to match it.
    pub media_type: String,
    /// Size declared when the URL was requested, in bytes. The upload has to match it.
    pub size: u64,
    /// Deadline for the upload and for its first use.
    pub expires_at: Timestamp,
    /// The blob with the content, once it has been uploaded.
    pub blob_id: Option<BlobId>,
    /// Whether a message references the file.
    pub used: bool,
}

impl Record for Upload {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"up";
    const NAME: &'static str = "upload";
    const GROWTH: Growth<Self> = Growth::Metered {
        owner: |_, row| Owner::User(row.owner),
        files: |row| row.blob_id.as_ref().map_or(0, |_| row.size),
        also: "deleted when it expires",
    };
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = Some(|body| body.blob_id.iter().cloned().collect());
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"u1",
        name: "by_expiry",
        unique: false,
        keys: |row| vec![IndexKey::new().moment(row.expires_at).done()],
    }];
}
