//! Commits changes to one index.

use tantivy::IndexWriter;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};

use super::{Layout, Open};

/// The memory budget of a writer in bytes: the minimum that it accepts.
const MEMORY: usize = 15_000_000;
/// Segments with more than this fraction of deleted entries are rewritten even if they would not be merged.
const TAKEN_OUT: f32 = 0.3;

/// Applies all changes and commits them, so that they are on disk and visible to searches. Opens a writer if there is
/// none. After an error there is no writer, and nothing has been changed.
pub(super) fn write<L: Layout>(
    open: &Open<L>,
    writer: &mut Option<IndexWriter>,
    changes: &[L::Change],
) -> tantivy::Result<()> {
    // Take the writer out, so that one that fails or panics is not used again.
    let mut current = match writer.take() {
        Some(current) => current,
        None => begin(open)?,
    };
    if L::write(open, &current, changes)? {
        current.commit()?;
        open.reader.reload()?;
    }
    *writer = Some(current);
    Ok(())
}

fn begin<L: Layout>(open: &Open<L>) -> tantivy::Result<IndexWriter> {
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
