//! Computes the counters of stored bytes and rows from rows that were written before the counters existed.

use super::Migration;
use crate::engine::Batch;
use crate::error::Result;
use crate::growth;
use crate::reader::Reader;

pub(super) const COUNT: Migration =
    Migration { name: "count the stored bytes of users, tenants and conversations", work: count };

fn count(reader: &Reader, batch: &mut Batch) -> Result<()> {
    for (key, sum) in growth::recount(reader)? {
        batch.put(key, growth::normalized(sum));
    }
    Ok(())
}
