//! Opening a data folder.

use crate::blobs::{BlobConfig, Blobs};
use crate::engine::{Engine, SledEngine, SledOptions};
use crate::error::{Error, OpenError, Result};
use crate::journal::PACKED;
use crate::migrations::{self, MIGRATIONS, Migration};
use crate::secrets::{self, SecretsKey};
use crate::store::Store;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Stands in a data folder while it is restored.
pub(crate) const RESTORING: &str = "restoring";
/// The folder of the database in the data folder.
pub(crate) const ENGINE: &str = "engine";
const LOCK: &str = "lock";

/// What a commit outlives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process, `kill -9` included. A power cut can take the last seconds.
    #[default]
    Process,
    /// A power cut, too; each commit waits for the disk.
    Power,
}

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// The data folder; made if it is not there.
    pub dir: PathBuf,
    /// What a commit outlives.
    pub durability: Durability,
    /// Bytes of the database kept in memory.
    pub cache_bytes: u64,
    /// Where blobs are kept.
    pub blobs: BlobConfig,
    /// How long a commit of journals waits after the one before it, so that more can gather: a
    /// commit costs the same for one event and for fifty. Does not concern transactions, nor a
    /// commit after a pause.
    pub pace: Duration,
}

impl StoreOptions {
    /// The defaults for a folder: `Process`, 64 MiB, files, three quarters of a millisecond.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            durability: Durability::Process,
            cache_bytes: 64 << 20,
            blobs: BlobConfig::Files,
            pace: Duration::from_micros(750),
        }
    }
}

impl Store {
    /// Opens a data folder, or makes one: locks it, reads or makes the secrets key, and brings
    /// data of an older format up to this one, after writing a backup.
    ///
    /// The secrets key comes from the environment (`UNDERSTUDY_SECRETS_KEY`, base64 of 32 bytes)
    /// or else from the file `secrets.key` in the folder.
    pub fn open(options: StoreOptions) -> Result<Self, OpenError> {
        Self::open_with(options, std::env::var(secrets::VARIABLE).ok(), MIGRATIONS)
    }

    pub(crate) fn open_with(
        options: StoreOptions,
        secrets_key: Option<String>,
        migrations: &[Migration],
    ) -> Result<Self, OpenError> {
        let StoreOptions { dir, durability, cache_bytes, blobs, pace } = options;
        let failed = |source| OpenError::Failed { dir: dir.clone(), source };
        std::fs::create_dir_all(&dir).map_err(|error| failed(error.into()))?;
        let lock = lock(&dir)?;
        if dir.join(RESTORING).exists() {
            return Err(failed(Error::Invalid(
                "a restore into it was not finished; empty it, and restore again".into(),
            )));
        }
        let power_safe = durability == Durability::Power;
        let engine = SledEngine::open(
            &dir.join(ENGINE),
            SledOptions { cache_bytes, power_safe, packed: PACKED, log_bytes: SledOptions::LOG_BYTES },
        )
        .map_err(failed)?;
        let known = migrations::newest(migrations);
        let found = migrations::format_of(&engine).map_err(failed)?;
        if let Some(found) = found.filter(|found| *found > known) {
            return Err(OpenError::Newer { dir, found, known });
        }
        let secrets = secrets_key_of(&dir, secrets_key, &engine)?;
        let blobs = Blobs::open(&blobs, &dir)?;
        let store = Self::assemble(Arc::new(engine), secrets, blobs, dir.clone(), Some(lock), pace)
            .map_err(failed)?;
        migrations::run(&store, found, migrations)?;
        Ok(store)
    }
}

/// Takes the folder for this process. The lock goes with the process, however it ends.
pub(crate) fn lock(dir: &Path) -> Result<File, OpenError> {
    let failed = |error: std::io::Error| OpenError::Failed { dir: dir.to_owned(), source: error.into() };
    let options = File::options().read(true).write(true).create(true).truncate(false).clone();
    let mut file = options.open(dir.join(LOCK)).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // What the other wrote is for information only.
            let _ = (&mut file).take(20).read_to_string(&mut holder);
            let holder = match holder.trim().parse::<u32>() {
                Ok(process) => format!(" (process {process})"),
                Err(_) => String::new(),
            };
            return Err(OpenError::Locked { dir: dir.to_owned(), holder });
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).map_err(failed)?;
    file.rewind().map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}

/// The key given, else the one in the file, else a new one; never another than the one that the
/// data was written with.
fn secrets_key_of(dir: &Path, given: Option<String>, engine: &dyn Engine) -> Result<SecretsKey, OpenError> {
    let refused = |error: Error| OpenError::SecretsKey(error.to_string());
    let kept = secrets::kept_fingerprint(engine).map_err(refused)?;
    let key = match given {
        Some(text) => SecretsKey::parse(&text).map_err(refused)?,
        None => SecretsKey::from_file(dir, kept.is_none()).map_err(refused)?,
    };
    match kept {
        Some(kept) if kept != key.fingerprint() => Err(OpenError::SecretsKey(format!(
            "this is not the key that {} was written with; give it the right one with {} or in {}",
            dir.display(),
            secrets::VARIABLE,
            dir.join(secrets::FILE).display(),
        ))),
        _ => Ok(key),
    }
}
