//! Migrates a data folder of an older format to the newest, after a backup.

use crate::backup::{self, BackupOptions, UNFINISHED};
use crate::data_dir;
use crate::engine::Batch;
use crate::error::OpenError;
use crate::files::FileSystem;
use crate::migrations::{Migration, format_key, newest, step};
use crate::store::Store;
use crate::time::Timestamp;
use std::io::ErrorKind;
use std::path::Path;

/// The prefix of the names of these backups.
const PREFIX: &str = "format-";

/// Migrates the data from format `found` to the newest format.
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
    let backups = store.dir().join("backups");
    remove_unfinished(&*store.inner.files, &backups).map_err(|error| failed(error.into()))?;
    let path = backups.join(format!("{PREFIX}{found}-{}.tar.gz", Timestamp::now().as_millis()));
    // Blobs are addressed by their content, so no migration changes them.
    backup::write(store, &path, BackupOptions { blobs: false }, &mut |_| {}).map_err(failed)?;
    // Each step is durable before the next one: after a loss of power, a commit without those before it would be set aside,
    // and reported as lost.
    for (to, migration) in (2..).zip(migrations).filter(|(to, _)| *to > found) {
        let stepped = step(store, to, migration).and_then(|()| store.inner.engine.sync());
        stepped.map_err(|source| OpenError::Migration { to, backup: path.clone(), source })?;
        tracing::info!(format = to, backup = %path.display(), "data migrated: {}", migration.name);
    }
    Ok(())
}

/// Removes backups that were not finished when the process ended. Their names contain the time, so later backups do not
/// overwrite them, and starts that are killed repeatedly would fill the disk.
fn remove_unfinished(files: &dyn FileSystem, backups: &Path) -> std::io::Result<()> {
    let names = match files.names(backups) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        names => names?,
    };
    for name in names.iter().filter(|name| name.starts_with(PREFIX) && name.ends_with(UNFINISHED)) {
        files.remove(&backups.join(name))?;
    }
    Ok(())
}
