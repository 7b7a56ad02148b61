//! The index fields of a message.

use tantivy::schema::{
    BytesOptions, FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing,
    TextOptions,
};
use tantivy::{IndexWriter, TantivyDocument, Term};
use uuid::Uuid;

use super::{MessageChange, MessageKey, TIE_BITS, order_at};
use crate::word_index::{Layout, Open, words};

/// The layout of the index of messages.
pub(super) struct Messages;

/// The fields of the index. Their values are not stored: a hit needs only the key and the order.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub(super) owner: Field,
    pub(super) conversation: Field,
    pub(super) key: Field,
    pub(super) order: Field,
    pub(super) role: Field,
    pub(super) text: Field,
}

/// The names of the fields that are read back.
pub(super) const KEY: &str = "key";
pub(super) const ORDER: &str = "order";

impl Layout for Messages {
    const FORM: u32 = 1;
    type Fields = Fields;
    type Change = MessageChange;

    fn schema() -> (Schema, Fields) {
        let mut schema = Schema::builder();
        // A message contains a word or not: neither frequencies nor lengths matter.
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(words::NAME)
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        let id = BytesOptions::default().set_indexed();
        let fields = Fields {
            owner: schema.add_bytes_field("owner", id.clone()),
            conversation: schema.add_bytes_field("conversation", id.clone()),
            key: schema.add_bytes_field(KEY, id.set_fast()),
            order: schema.add_u64_field(ORDER, NumericOptions::default() | FAST),
            role: schema.add_u64_field("role", NumericOptions::default() | INDEXED),
            text: schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing)),
        };
        (schema.build(), fields)
    }

    fn write(open: &Open<Self>, writer: &IndexWriter, changes: &[MessageChange]) -> tantivy::Result<bool> {
        let fields = &open.fields;
        for change in changes {
            match change {
                MessageChange::Put { key, owner, created_at, role, text } => {
                    writer.delete_term(fields.key_term(key));
                    let mut entry = TantivyDocument::new();
                    entry.add_bytes(fields.owner, owner.as_bytes());
                    entry.add_bytes(fields.conversation, key.conversation.as_bytes());
                    entry.add_bytes(fields.key, &bytes_of(key));
                    entry.add_u64(fields.order, order_of(key, *created_at));
                    entry.add_u64(fields.role, *role);
                    entry.add_text(fields.text, text);
                    writer.add_document(entry)?;
                }
                MessageChange::Remove(key) => drop(writer.delete_term(fields.key_term(key))),
                MessageChange::Clear => {
                    writer.delete_all_documents()?;
                }
            }
        }
        Ok(!changes.is_empty())
    }
}

impl Fields {
    fn key_term(&self, key: &MessageKey) -> Term {
        Term::from_field_bytes(self.key, &bytes_of(key))
    }
}

/// The order of a message. A hash of the key in the lower bits (FNV-1a) makes equal orders rare.
fn order_of(key: &MessageKey, created_at: i64) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes_of(key).iter().fold(0xcbf2_9ce4_8422_2325, step);
    order_at(created_at) | (hash >> (u64::BITS - TIE_BITS))
}

fn bytes_of(key: &MessageKey) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(key.conversation.as_bytes());
    bytes[16..].copy_from_slice(key.message.as_bytes());
    bytes
}

/// Parses the key of a message.
pub(super) fn key_of(bytes: &[u8]) -> Option<MessageKey> {
    let (conversation, message) = bytes.split_at_checked(16)?;
    Some(MessageKey {
        conversation: Uuid::from_slice(conversation).ok()?,
        message: Uuid::from_slice(message).ok()?,
    })
}
