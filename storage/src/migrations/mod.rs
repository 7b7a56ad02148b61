//! The format of the data, and the migration of older data to it.
//!
//! A change of the data on disk that old rows are incompatible with (a new field with a default is compatible) needs a
//! [`Migration`] at the end of [`MIGRATIONS`]. It fills a batch. That batch and the new format number are committed
//! together, so a crash leaves either the old data or the new data.

mod activity;
mod awake;
pub(crate) mod message_nodes;
mod spend;
mod stored;

use crate::engine::{Batch, Engine};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys;
use crate::reader::Reader;
use crate::store::Store;
use crate::tables::META;
use bytes::Bytes;

/// One step from the previous format.
pub(crate) struct Migration {
    /// A description of the step, for the log.
    pub name: &'static str,
    /// Reads the existing data and fills the batch that changes it.
    pub work: fn(&Reader, &mut Batch) -> Result<()>,
}

/// Journal entries and rows in shorter encodings. The former ones are still read, so nothing is rewritten; the step keeps
/// earlier programs, which cannot read the new ones, from opening the data.
const SHORTER_ENCODINGS: Migration = Migration {
    name: "write journal entries and rows in shorter encodings from now on",
    work: |_, _| Ok(()),
};

/// All steps in order. The first leads from format 1 to format 2. Existing entries never change; new ones are appended.
pub(crate) const MIGRATIONS: &[Migration] = &[
    spend::SUM_UP,
    spend::KEEP_LEDGER,
    activity::KEEP,
    stored::COUNT,
    awake::INDEX,
    message_nodes::PLACE,
    SHORTER_ENCODINGS,
];

/// The format that these migrations lead to.
pub(crate) fn newest(migrations: &[Migration]) -> u32 {
    1 + migrations.len() as u32
}

pub(crate) fn format_key() -> Vec<u8> {
    keys::record_key(META, TenantId::SYSTEM, &"format".to_owned())
}

/// The format of the data; `None` if there is no data.
pub(crate) fn format_of(engine: &dyn Engine) -> Result<Option<u32>> {
    let Some(value) = engine.get(&format_key())? else { return Ok(None) };
    let number = value[..].try_into().map(u32::from_be_bytes);
    number.map(Some).map_err(|_| Error::Corrupt("the data format is not a number".into()))
}

/// Commits the changes of a migration together with the format that it leads to.
pub(crate) fn step(store: &Store, to: u32, migration: &Migration) -> Result<()> {
    let mut batch = Batch::new();
    batch.expect(format_key(), Some(Bytes::copy_from_slice(&(to - 1).to_be_bytes())));
    (migration.work)(&Reader::new(store.inner.engine.clone()), &mut batch)?;
    batch.put(format_key(), to.to_be_bytes().to_vec());
    store.commit_blocking(batch)
}
