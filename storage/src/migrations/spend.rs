//! Computes the sums of usage from records that were written before the sums existed.

use super::Migration;
use crate::engine::Batch;
use crate::engine::{Direction, KeyRange};
use crate::error::Result;
use crate::keys::{self, HEAD, RecordKey};
use crate::reader::Reader;
use crate::record::{Record, Row};
use crate::records::{UsageRecord, usage};
use uuid::Uuid;

pub(super) const SUM_UP: Migration =
    Migration { name: "sum up what was used by day and month", work: sum_up };

/// Runs the same computation again: since then, there is a ledger, and sums include quantities.
pub(super) const KEEP_LEDGER: Migration =
    Migration { name: "keep a ledger of what was used by quarter hours", work: sum_up };

fn sum_up(reader: &Reader, batch: &mut Batch) -> Result<()> {
    let rows = reader.walk(KeyRange::prefix(&UsageRecord::TABLE), Direction::Forward, 256);
    let records = rows.map(|pair| {
        let (key, value) = pair?;
        let row = Row::<UsageRecord>::decode(Uuid::decode(&key[HEAD..])?, &value)?;
        Ok((keys::tenant(&key)?, row.body))
    });
    for (key, sum) in usage::recount(records)? {
        usage::put(batch, key, &sum);
    }
    Ok(())
}
