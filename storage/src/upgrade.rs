//! Bringing a data folder of an older format up to the newest, after a backup.

use crate::backup::{self, BackupOptions};
use crate::data_dir;
use crate::engine::Batch;
use crate::error::OpenError;
use crate::migrations::{Migration, format_key, newest, step};
use crate::store::Store;
use crate::time::Timestamp;

/// Brings the data from `found` up to the newest format.
pub(crate) fn run(store: &Store, found: Option<u32>, migrations: &[Migration]) -> Result<(), OpenError> {
    let failed = |source| data_dir::refused(store.dir(), source);
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
