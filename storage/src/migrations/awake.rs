//! Builds the index of runs in memory, from the time when all runs that had not ended were in memory.

use super::Migration;
use crate::engine::{Batch, Direction, KeyRange};
use crate::error::Result;
use crate::reader::{Reader, index_of};
use crate::records::Run;

pub(super) const INDEX: Migration = Migration { name: "index the runs that are in memory", work: index };

/// Entries of `live` and `awake` differ only in their table.
fn index(reader: &Reader, batch: &mut Batch) -> Result<()> {
    let table = |name: &'static str| index_of::<Run>(name).map(|index| index.table);
    let (live, awake) = (table("live")?, table("awake")?);
    for entry in reader.walk(KeyRange::prefix(&live), Direction::Forward, 256) {
        let (key, id) = entry?;
        batch.put([&awake[..], &key[live.len()..]].concat(), id);
    }
    Ok(())
}
