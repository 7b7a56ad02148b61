//! The format of the data, and how older data is brought up to it.
//!
//! A change of the data on disk that older rows do not survive (a new field with a default is
//! none) gets a [`Migration`] at the end of [`MIGRATIONS`]. It fills a batch; that batch and the
//! new format number are committed together, so a crash leaves the old data or the new.

mod activity;
mod spend;
mod stored;

use crate::backup::{self, BackupOptions};
use crate::engine::{Batch, Engine};
use crate::error::{Error, OpenError, Result};
use crate::ids::TenantId;
use crate::keys;
use crate::reader::Reader;
use crate::records::tables::META;
use crate::store::Store;
use crate::time::Timestamp;
use bytes::Bytes;

/// One step from the format before it.
pub(crate) struct Migration {
    /// What it does, for the log.
    pub name: &'static str,
    /// Reads what is there and fills the batch that changes it.
    pub work: fn(&Reader, &mut Batch) -> Result<()>,
}

/// All steps in order; the first leads from format 1 to format 2. Never changed, only added to.
pub(crate) const MIGRATIONS: &[Migration] =
    &[spend::SUM_UP, spend::KEEP_LEDGER, activity::KEEP, stored::COUNT];

/// The format that these migrations lead to.
pub(crate) fn newest(migrations: &[Migration]) -> u32 {
    1 + migrations.len() as u32
}

fn format_key() -> Vec<u8> {
    keys::of(META, TenantId::SYSTEM, &"format".to_owned())
}

/// The format of the data; `None` when there is no data.
pub(crate) fn format_of(engine: &dyn Engine) -> Result<Option<u32>> {
    let Some(value) = engine.get(&format_key())? else { return Ok(None) };
    let number = value[..].try_into().map(u32::from_be_bytes);
    number.map(Some).map_err(|_| Error::Corrupt("the data format is no number".into()))
}

/// Brings the data from `found` up to the newest format.
pub(crate) fn run(store: &Store, found: Option<u32>, migrations: &[Migration]) -> Result<(), OpenError> {
    let failed = |source| crate::open::refused(store.dir(), source);
    let known = newest(migrations);
    let Some(found) = found else {
        let mut batch = Batch::new();
        batch.put(format_key(), known.to_be_bytes().to_vec());
        store.inner.secrets.keep_fingerprint(&mut batch);
        return store.commit_blocking(batch).map_err(failed);
    };
    if found == known {
        return Ok(());
    }
    let path =
        store.dir().join("backups").join(format!("format-{found}-{}.tar.gz", Timestamp::now().as_millis()));
    // Blobs are addressed by their content, so no migration changes them.
    backup::write(store, &path, BackupOptions { blobs: false }, &mut |_| {}).map_err(failed)?;
    for (to, migration) in (2..).zip(migrations).filter(|(to, _)| *to > found) {
        step(store, to, migration).map_err(|source| OpenError::Migration {
            to,
            backup: path.clone(),
            source,
        })?;
        tracing::info!(format = to, backup = %path.display(), "data migrated: {}", migration.name);
    }
    Ok(())
}

fn step(store: &Store, to: u32, migration: &Migration) -> Result<()> {
    let mut batch = Batch::new();
    batch.expect(format_key(), Some(Bytes::copy_from_slice(&(to - 1).to_be_bytes())));
    (migration.work)(&Reader::new(store.inner.engine.clone()), &mut batch)?;
    batch.put(format_key(), to.to_be_bytes().to_vec());
    store.commit_blocking(batch)
}
