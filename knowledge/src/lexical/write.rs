//! Applies changes to one index.

use std::collections::{HashMap, HashSet};

use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, IndexWriter, Searcher, TERMINATED, TantivyDocument};

use super::folder::Open;
use super::schema::{Fields, NUMBER, bytes_of};
use super::{Change, Passage};
use crate::hit::DocKey;

/// The memory budget of a writer in bytes: the minimum that it accepts.
const MEMORY: usize = 15_000_000;
/// Segments with more than this fraction of deleted entries are rewritten even if they would not be merged.
const TAKEN_OUT: f32 = 0.3;

/// Applies all changes and commits them, so that they are on disk and visible to searches. Opens a writer if there is
/// none. After an error there is no writer, and nothing has been changed.
pub(super) fn write(
    open: &Open,
    writer: &mut Option<IndexWriter>,
    changes: &[Change],
) -> tantivy::Result<()> {
    // Take the writer out, so that one that fails or panics is not used again.
    let mut current = match writer.take() {
        Some(current) => current,
        None => begin(open)?,
    };
    let mut batch = Batch::new(open.fields, open.reader.searcher());
    for change in changes {
        batch.make(&current, change)?;
    }
    if batch.changed {
        current.commit()?;
        open.reader.reload()?;
    }
    *writer = Some(current);
    Ok(())
}

fn begin(open: &Open) -> tantivy::Result<IndexWriter> {
    let options = IndexWriterOptions::builder()
        .memory_budget_per_thread(MEMORY)
        .num_worker_threads(1)
        .num_merge_threads(1)
        .build();
    let writer = open.index.writer_with_options(options)?;
    let mut merging = LogMergePolicy::default();
    merging.set_del_docs_ratio_before_merge(TAKEN_OUT);
    writer.set_merge_policy(Box::new(merging));
    Ok(writer)
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
