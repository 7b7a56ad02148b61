//! Documents of knowledge bases.

use crate::blobs::BlobId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The state of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentStatus {
    /// It waits for its turn.
    #[default]
    Queued,
    /// Its text is fetched and read.
    Extracting,
    /// Its text is cut into passages.
    Chunking,
    /// Its passages are embedded.
    Embedding,
    /// Its passages are put into the index.
    Indexing,
    /// It is found.
    Ready,
    /// It could not be read; `reason` has the cause.
    Failed,
    /// It was stopped.
    Cancelled,
}

impl DocumentStatus {
    /// Whether a run works on it.
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
    /// A page of the web.
    Link,
}

/// Why a document could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct DocumentError {
    /// A stable code.
    pub code: String,
    /// In words.
    pub message: String,
    /// The provider's own error code, if it sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_code: Option<String>,
}

/// The passages of a document under one version of its base's index. They are searched while the
/// base's `index_version` is this one, so that a new version comes into force by one write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Build {
    /// The version of the base's index.
    pub index_version: u32,
    /// The passages, see [`ChunkKey`](super::ChunkKey).
    pub generation: u32,
    /// How many passages.
    pub chunks: u32,
    /// How many tokens they have together.
    pub tokens: u64,
}

/// What a run is building for a document, so that it continues there after a crash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Draft {
    /// The version of the base's index that it is for.
    pub index_version: u32,
    /// The passages.
    pub generation: u32,
    /// How many there are, once all have been written.
    pub chunks: Option<u32>,
    /// How many tokens they have together.
    pub tokens: u64,
    /// How many of them have been embedded.
    pub embedded: u32,
}

/// A page as it was fetched last, for as long as what is found was made of its state before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Coming {
    /// Its bytes.
    pub blob_id: Option<BlobId>,
    pub media_type: String,
    /// Its bytes, counted.
    pub size: u64,
    /// Its text, once it was read.
    pub text_id: Option<BlobId>,
    /// How many pages it has.
    pub pages: u32,
    /// How many characters its text has.
    pub characters: u64,
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub last_modified: Option<String>,
}

/// A document. Its id is (base, document).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Document {
    /// Its name: of the file, the text or the page.
    pub title: String,
    /// The name of its file, which determines how it is read.
    pub filename: String,
    /// File, text or page.
    pub source: DocumentSource,
    /// The address of a page.
    pub url: Option<String>,
    /// Metadata set by users.
    pub description: String,
    /// Its bytes; a page has none before it was fetched.
    pub blob_id: Option<BlobId>,
    pub media_type: String,
    /// Its bytes, counted.
    pub size: u64,
    /// Its text by pages, as the JSON of `knowledge::Extracted`.
    pub text_id: Option<BlobId>,
    /// How many pages, sheets or slides it has.
    pub pages: u32,
    /// How many characters its text has.
    pub characters: u64,
    /// Its state.
    pub status: DocumentStatus,
    /// Why it failed.
    pub error: Option<DocumentError>,
    /// The run that works on it, or was the last to.
    pub run_id: Option<Uuid>,
    /// Who added it.
    pub added_by: Uuid,
    /// The passages, by the version of the index.
    pub builds: Vec<Build>,
    /// What is being built.
    pub draft: Option<Draft>,
    /// The generation that was begun last; no number is used twice.
    pub last_generation: u32,
    /// The page's `ETag`.
    pub etag: Option<String>,
    /// The page's `Last-Modified`.
    pub last_modified: Option<String>,
    /// When the page was last fetched.
    pub fetched_at: Option<Timestamp>,
    /// The page as it was fetched last, while its passages are being made.
    pub coming: Option<Coming>,
}

impl Document {
    /// Bytes of the files that the row keeps: the original, its text (counted as its characters), and those
    /// of the version that is being read.
    pub(crate) fn files_size(&self) -> u64 {
        let coming = self.coming.as_ref().map_or(0, |coming| coming.size.saturating_add(coming.characters));
        self.size.saturating_add(self.characters).saturating_add(coming)
    }

    /// What is searched of it under this version of its base's index.
    pub fn build(&self, index_version: u32) -> Option<&Build> {
        self.builds.iter().find(|build| build.index_version == index_version)
    }

    /// Has this state of the page take the place of the one before, of which no passages are left.
    pub fn become_of(&mut self, coming: Coming) {
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
