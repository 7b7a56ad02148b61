//! Applies changes to one index.

use std::collections::{HashMap, HashSet};

use tantivy::schema::{IndexRecordOption, Schema};
use tantivy::{DocSet, IndexWriter, Searcher, TERMINATED, TantivyDocument};

use super::schema::{self, Fields, NUMBER, Passages, bytes_of};
use super::{Change, Passage};
use crate::hit::DocKey;
use crate::word_index::{Layout, Open};

impl Layout for Passages {
    const FORM: u32 = 1;
    type Fields = Fields;
    type Change = Change;

    fn schema() -> (Schema, Fields) {
        schema::schema()
    }

    fn write(open: &Open<Self>, writer: &IndexWriter, changes: &[Change]) -> tantivy::Result<bool> {
        let mut batch = Batch::new(open.fields, open.reader.searcher());
        for change in changes {
            batch.make(writer, change)?;
        }
        Ok(batch.changed)
    }
}

/// Changes that are committed together.
struct Batch {
    fields: Fields,
    searcher: Searcher,
    /// The passages of the affected documents, as they will be after the commit.
    held: HashMap<DocKey, HashSet<u32>>,
    changed: bool,
}

impl Batch {
    fn new(fields: Fields, searcher: Searcher) -> Self {
        Self { fields, searcher, held: HashMap::new(), changed: false }
    }

    fn make(&mut self, writer: &IndexWriter, change: &Change) -> tantivy::Result<()> {
        match change {
            Change::Add { base, document, passages } => {
                for passage in passages {
                    if self.stored_numbers(document)?.insert(passage.number) {
                        writer.add_document(self.entry(base, document, passage))?;
                        self.changed = true;
                    }
                }
            }
            Change::Remove(document) => {
                let held = self.stored_numbers(document)?;
                if !held.is_empty() {
                    held.clear();
                    writer.delete_term(self.fields.document_term(document));
                    self.changed = true;
                }
            }
        }
        Ok(())
    }

    fn entry(&self, base: &uuid::Uuid, document: &DocKey, passage: &Passage) -> TantivyDocument {
        let mut entry = TantivyDocument::new();
        entry.add_bytes(self.fields.base, base.as_bytes());
        entry.add_bytes(self.fields.document, &bytes_of(document));
        entry.add_u64(self.fields.number, u64::from(passage.number));
        entry.add_text(self.fields.headings, &passage.headings);
        entry.add_text(self.fields.text, &passage.text);
        entry
    }

    fn stored_numbers(&mut self, document: &DocKey) -> tantivy::Result<&mut HashSet<u32>> {
        if !self.held.contains_key(document) {
            let numbers = numbers(&self.searcher, &self.fields, document)?;
            self.held.insert(*document, numbers);
        }
        Ok(self.held.entry(*document).or_default())
    }
}

/// The indexed passages of a document.
fn numbers(searcher: &Searcher, fields: &Fields, document: &DocKey) -> tantivy::Result<HashSet<u32>> {
    let term = fields.document_term(document);
    let mut numbers = HashSet::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(fields.document)?;
        let Some(mut entries) = inverted.read_postings(&term, IndexRecordOption::Basic)? else {
            continue;
        };
        let column = segment.fast_fields().u64(NUMBER)?;
        numbers.reserve(entries.doc_freq() as usize);
        while entries.doc() != TERMINATED {
            if !segment.is_deleted(entries.doc()) {
                numbers.extend(column.first(entries.doc()).and_then(|number| u32::try_from(number).ok()));
            }
            entries.advance();
        }
    }
    Ok(numbers)
}
