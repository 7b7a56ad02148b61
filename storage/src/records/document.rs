//! Documents of knowledge bases.

use crate::blobs::BlobId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The processing state of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentStatus {
    /// The document waits for a free slot.
    #[default]
    Queued,
    /// The text is being fetched and read.
    Extracting,
    /// The text is being split into passages.
    Chunking,
    /// The passages are being embedded.
    Embedding,
    /// The passages are being added to the index.
    Indexing,
    /// The document is searchable.
    Ready,
    /// The document could not be read; `error` has the cause.
    Failed,
    /// Processing was stopped.
    Cancelled,
}

impl DocumentStatus {
    /// Returns whether a run is processing the document.
    pub const fn is_in_work(self) -> bool {
        !matches!(self, Self::Ready | Self::Failed | Self::Cancelled)
    }
}

/// Where a document comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentSource {
    #[default]
    File,
    Text,
    /// A web page.
    Link,
}

/// Why a document could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct DocumentError {
    /// A stable code.
    pub code: String,
    /// Description of the error.
    pub message: String,
    /// The provider's own error code, if it sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub provider_code: Option<String>,
}

/// The passages of a document in one version of its knowledge base's index. They are searched while this is
/// the `index_version` of the knowledge base, so a single write activates a new version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Build {
    /// The version of the knowledge base's index.
    pub index_version: u32,
    /// The generation of the passages, see [`ChunkKey`](super::ChunkKey).
    pub generation: u32,
    /// Number of passages.
    pub chunks: u32,
    /// Total number of tokens of the passages.
    pub tokens: u64,
}

/// What a run is building for a document, so that it continues from there after a crash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Draft {
    /// The version of the knowledge base's index that the passages are for.
    pub index_version: u32,
    /// The generation of the passages.
    pub generation: u32,
    /// Number of passages, once all have been written.
    pub chunks: Option<u32>,
    /// Total number of tokens of the passages.
    pub tokens: u64,
    /// Number of passages that have been embedded.
    pub embedded: u32,
}

/// The latest fetched version of a page, while the searchable passages are still those of the version
/// before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Coming {
    /// The blob with the fetched content.
    pub blob_id: Option<BlobId>,
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// The blob with the extracted text, once the page has been read.
    pub text_id: Option<BlobId>,
    /// Number of pages.
    pub pages: u32,
    /// Number of characters of the text.
    pub characters: u64,
    /// The `ETag` header of the response.
    pub etag: Option<String>,
    /// The `Last-Modified` header of the response.
    pub last_modified: Option<String>,
}

/// A document of a knowledge base. Its id is (base, document).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Document {
    /// Name of the file, the text or the page.
    pub title: String,
    /// Name of the file, which determines how it is read.
    pub filename: String,
    /// File, text or page.
    pub source: DocumentSource,
    /// URL of a page.
    pub url: Option<String>,
    /// Description written by a user.
    pub description: String,
    /// The blob with the content. A page has none before it is fetched.
    pub blob_id: Option<BlobId>,
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// The blob with the text by pages, as the JSON of `knowledge::Extracted`.
    pub text_id: Option<BlobId>,
    /// Number of pages, sheets or slides.
    pub pages: u32,
    /// Number of characters of the text.
    pub characters: u64,
    /// The processing state.
    pub status: DocumentStatus,
    /// Why the document could not be read.
    pub error: Option<DocumentError>,
    /// The run that processes the document, or the last one that did.
    pub run_id: Option<Uuid>,
    /// The user who added the document.
    pub added_by: Uuid,
    /// The passages, by version of the index.
    pub builds: Vec<Build>,
    /// The passages that are being built.
    pub draft: Option<Draft>,
    /// The generation that was started last. No number is used twice.
    pub last_generation: u32,
    /// The `ETag` of the page.
    pub etag: Option<String>,
    /// The `Last-Modified` of the page.
    pub last_modified: Option<String>,
    /// Time at which the page was last fetched.
    pub fetched_at: Option<Timestamp>,
    /// The latest fetched version of the page, while its passages are being built.
    pub coming: Option<Coming>,
}

impl Document {
    /// Bytes of the files that the row references: the original, its text (counted by its characters), and
    /// the version of a page that is being read.
    pub(crate) fn files_size(&self) -> u64 {
        let coming = self.coming.as_ref().map_or(0, |coming| coming.size.saturating_add(coming.characters));
        self.size.saturating_add(self.characters).saturating_add(coming)
    }

    /// Returns the searchable passages in a version of the knowledge base's index.
    pub fn build(&self, index_version: u32) -> Option<&Build> {
        self.builds.iter().find(|build| build.index_version == index_version)
    }

    /// Replaces the current version of the page, which has no passages left, with this one.
    pub fn replace_version(&mut self, coming: Coming) {
        let Coming { blob_id, media_type, size, text_id, pages, characters, etag, last_modified } = coming;
        (self.blob_id, self.media_type, self.size) = (blob_id, media_type, size);
        (self.text_id, self.pages, self.characters) = (text_id, pages, characters);
        (self.etag, self.last_modified) = (etag, last_modified);
        self.builds.clear();
    }
}

impl Record for Document {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"dc";
    const NAME: &'static str = "document";
    const GROWTH: Growth<Self> = Growth::Metered {
        owner: |_, row| Owner::User(row.added_by),
        files: |row| row.files_size(),
        also: "per knowledge base, `limits.documents_per_knowledge_base`; `limits.upload_bytes` each",
    };
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = Some(|body| {
        let coming = body.coming.iter().flat_map(|coming| coming.blob_id.iter().chain(&coming.text_id));
        body.blob_id.iter().chain(&body.text_id).chain(coming).cloned().collect()
    });
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"d1",
            name: "by_content",
            unique: true,
            keys: |row| match (&row.source, &row.blob_id, &row.url) {
                (DocumentSource::Link, _, Some(url)) => {
                    vec![IndexKey::new().id(&row.id.0).text(url).done()]
                }
                (_, Some(blob), _) => vec![IndexKey::new().id(&row.id.0).text(blob.as_str()).done()],
                _ => Vec::new(),
            },
        },
        Index {
            table: *b"d2",
            name: "by_document",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.id.1).done()],
        },
    ];
}
