//! Splitting a text into passages.

use knowledge::{ChunkSettings, Page, Piece};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::scopes::KnowledgeRead;
use crate::http::{Api, Auth, Code, Faults, Json, Refusal, Validate, operations};

/// A text to split.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ChunkDocumentRequest {
    /// The text, preferably as Markdown: headings are taken into account.
    #[schema(min_length = 1)]
    pub text: String,
    /// The maximum number of tokens in a passage.
    #[serde(default = "tokens")]
    #[schema(minimum = 16, maximum = 4096, default = 512)]
    pub chunk_tokens: u32,
    /// The maximum number of tokens that consecutive passages share, at most half of `chunk_tokens`. Defaults
    /// to an eighth of `chunk_tokens`.
    #[schema(maximum = 2048)]
    pub overlap: Option<u32>,
}

fn tokens() -> u32 {
    ChunkSettings::default().tokens
}

impl Validate for ChunkDocumentRequest {
    fn validate(&self, faults: &mut Faults) {
        if self.text.trim().is_empty() {
            faults.add(["text"], "contains no words", "too_short");
        }
        faults.range("overlap", self.overlap.unwrap_or_default(), 0..=self.chunk_tokens / 2);
    }
}

/// A passage of a text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DocumentChunk {
    /// The number of the passage, starting at 0.
    pub index: u32,
    /// The text of the passage: the characters from `start` to `end` of the whole text.
    pub text: String,
    /// The start of the passage, in characters (not bytes).
    pub start: u32,
    /// The end of the passage, in characters.
    pub end: u32,
    pub tokens: u32,
    /// The headings above the passage, outermost first.
    pub headings: Vec<String>,
}

impl DocumentChunk {
    fn from_piece((index, piece): (u32, Piece)) -> Self {
        let Piece { text, tokens, start, end, headings, .. } = piece;
        Self { index, text, start, end, tokens, headings }
    }
}

/// Split a text into passages, as for documents of knowledge bases.
///
/// Splits at headings, paragraphs, lines, sentences and words, in this order of preference. The same text and
/// settings always result in the same passages.
#[utoipa::path(post, path = "/api/utils/chunk-document",
    responses((status = 200, description = "The passages in the order of the text.", body = Vec<DocumentChunk>)))]
async fn get_chunked_document(
    _auth: Auth<KnowledgeRead>,
    Json(request): Json<ChunkDocumentRequest>,
) -> Api<Json<Vec<DocumentChunk>>> {
    let chunks = tasks::blocking(move || chunks(request)).await;
    chunks.map(Json).map_err(|why| Refusal::new(Code::Internal).because(why))
}

fn chunks(request: ChunkDocumentRequest) -> Vec<DocumentChunk> {
    let overlap = request.overlap.unwrap_or(request.chunk_tokens / 8);
    let settings = ChunkSettings { tokens: request.chunk_tokens, overlap };
    let page = Page { number: 1, name: None, text: request.text };
    (0..).zip(knowledge::chunk(&[page], settings)).map(DocumentChunk::from_piece).collect()
}

operations!(get_chunked_document);
