//! The index fields of a passage.

use tantivy::Term;
use tantivy::schema::{BytesOptions, FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use uuid::Uuid;

use crate::hit::DocKey;
use crate::word_index::words;

/// The layout of the index of passages.
pub(super) struct Passages;

/// The fields of the index. Their values are not stored: a hit needs only the document and the number.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub(super) base: Field,
    pub(super) document: Field,
    pub(super) number: Field,
    pub(super) headings: Field,
    pub(super) text: Field,
}

/// The names of the fields that are read back.
pub(super) const DOCUMENT: &str = "document";
pub(super) const NUMBER: &str = "number";

pub(super) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    // Store frequencies without positions, because phrases are not searched for.
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(words::NAME)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let words = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        base: schema.add_bytes_field("base", BytesOptions::default().set_indexed()),
        document: schema.add_bytes_field(DOCUMENT, BytesOptions::default().set_indexed().set_fast()),
        number: schema.add_u64_field(NUMBER, FAST),
        headings: schema.add_text_field("headings", words.clone()),
        text: schema.add_text_field("text", words),
    };
    (schema.build(), fields)
}

impl Fields {
    pub(super) fn base_term(&self, base: &Uuid) -> Term {
        Term::from_field_bytes(self.base, base.as_bytes())
    }

    pub(super) fn document_term(&self, document: &DocKey) -> Term {
        Term::from_field_bytes(self.document, &bytes_of(document))
    }
}

/// The key of a document in the index: the id and the generation in big-endian order.
pub(super) fn bytes_of(key: &DocKey) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes[..16].copy_from_slice(key.document.as_bytes());
    bytes[16..].copy_from_slice(&key.generation.to_be_bytes());
    bytes
}

/// Parses the key of a document.
pub(super) fn key_of(bytes: &[u8]) -> Option<DocKey> {
    let (id, generation) = bytes.split_at_checked(16)?;
    let document = Uuid::from_slice(id).ok()?;
    Some(DocKey { document, generation: u32::from_be_bytes(generation.try_into().ok()?) })
}
