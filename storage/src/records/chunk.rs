//! Passages of documents, and their vectors.

use crate::error::{Error, Result};
use crate::keys::RecordKey;
use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Identifies a passage or a block of vectors: the generation of a document, and a number within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkKey {
    /// The document that the passage belongs to.
    pub document: Uuid,
    /// The generation of the document's index; each reindexing starts a new one.
    pub generation: u32,
    /// The passage's number in its document, from 0.
    pub number: u32,
}

impl ChunkKey {
    /// Returns the key prefix of one generation.
    pub fn prefix(document: Uuid, generation: u32) -> Vec<u8> {
        [document.as_bytes().as_slice(), &generation.to_be_bytes()].concat()
    }
}

impl RecordKey for ChunkKey {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&Self::prefix(self.document, self.generation));
        to.extend_from_slice(&self.number.to_be_bytes());
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::Corrupt("a passage's key of the wrong format".into());
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_be_bytes).ok_or_else(damaged)
        };
        let document = bytes.get(..16).and_then(|id| Uuid::from_slice(id).ok()).ok_or_else(damaged)?;
        match bytes.len() {
            24 => Ok(Self { document, generation: number(16)?, number: number(20)? }),
            _ => Err(damaged()),
        }
    }

    fn public(&self) -> String {
        self.number.to_string()
    }
}

/// A passage of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Chunk {
    pub text: String,
    pub tokens: u32,
    /// The page, sheet or slide that contains the passage, from 1.
    pub page: Option<u32>,
    /// Start of the passage in the text of the page, in characters.
    pub start: u32,
    /// End of the passage in the text of the page, in characters.
    pub end: u32,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
}

impl Record for Chunk {
    type Id = ChunkKey;
    const TABLE: [u8; 2] = *b"ch";
    const NAME: &'static str = "chunk";
    const GROWTH: Growth<Self> = Growth::Server(
        "the passages of a document, at most `knowledge.text_mib` of text each; documents are metered",
    );
}

/// The vectors of [`VECTOR_BLOCK`] consecutive passages; the last block may have fewer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChunkVectors {
    /// Full id of the embedding model.
    pub model: String,
    /// Length of a vector.
    pub dimensions: u32,
    /// The vectors in sequence, as written by `knowledge::Quantized`, in Base64.
    pub vectors: String,
}

/// Number of passages whose vectors are stored together.
pub const VECTOR_BLOCK: u32 = 64;

impl Record for ChunkVectors {
    type Id = ChunkKey;
    const TABLE: [u8; 2] = *b"cv";
    const NAME: &'static str = "chunk_vectors";
    const GROWTH: Growth<Self> = Growth::Server("the vectors of the passages of a document");
}
