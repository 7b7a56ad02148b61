//! Where blobs are stored.

use std::fmt;
use std::path::PathBuf;

/// Where blobs are kept.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum BlobConfig {
    /// In the folder `blobs` of the data folder.
    #[default]
    Files,
    /// Files in a folder outside of the data folder.
    Folder(PathBuf),
    /// In a bucket of S3 or its kin.
    S3 {
        /// Name of the bucket.
        bucket: String,
        /// The region, or any word where there are none.
        region: String,
        /// The address of a server other than Amazon's.
        endpoint: Option<String>,
        /// Both halves of the credential; without it, the machine's own role.
        credential: Option<(String, String)>,
        /// Whether `http` is allowed, for servers on the same machine.
        allow_http: bool,
        /// Where the names of objects begin, for a bucket with other content; empty for all of it.
        prefix: String,
    },
}

impl fmt::Debug for BlobConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files => f.write_str("Files"),
            Self::Folder(dir) => f.debug_tuple("Folder").field(dir).finish(),
            // Without the credential.
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
