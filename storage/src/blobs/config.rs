//! Configuration of the blob store.

use std::fmt;
use std::path::PathBuf;

/// Where blobs are stored.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum BlobConfig {
    /// In the folder `blobs` of the data folder.
    #[default]
    Files,
    /// Files in a folder outside the data folder.
    Folder(PathBuf),
    /// In a bucket of S3 or a compatible service.
    S3 {
        /// Name of the bucket.
        bucket: String,
        /// The region, or any word if the service has none.
        region: String,
        /// The URL of a server other than Amazon's.
        endpoint: Option<String>,
        /// Both halves of the credential. Without it, the role of the machine is used.
        credential: Option<(String, String)>,
        /// Whether `http` is allowed, for servers on the same machine.
        allow_http: bool,
        /// The prefix of the names of all objects, for a bucket with other content; empty to use the whole bucket.
        prefix: String,
    },
}

impl fmt::Debug for BlobConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files => f.write_str("Files"),
            Self::Folder(dir) => f.debug_tuple("Folder").field(dir).finish(),
            // The credential is left out.
            Self::S3 { bucket, region, endpoint, prefix, .. } => f
                .debug_struct("S3")
                .field("prefix", prefix)
                .field("bucket", bucket)
                .field("region", region)
                .field("endpoint", endpoint)
                .finish(),
        }
    }
}
