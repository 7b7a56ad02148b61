//! Opening a data folder.

use crate::blobs::{BlobConfig, Blobs};
use crate::engine::{Engine, SledEngine, SledOptions};
use crate::error::{Error, OpenError, Result};
use crate::growth::StoredLimits;
use crate::journal::PACKED;
use crate::migrations::{self, MIGRATIONS, Migration};
use crate::secrets::{self, SecretsKey};
use crate::store::Store;
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Stands in a data folder while it is restored.
pub(crate) const RESTORING: &str = "restoring";
/// The folder of the database in the data folder.
pub(crate) const ENGINE: &str = "engine";
const LOCK: &str = "lock";
/// How long a folder may still be held in the name of a process that is gone. One that is killed while it starts another
/// program leaves a copy of itself for as long as that takes, and the copy has the lock, too.
const INHERITED: Duration = Duration::from_secs(5);

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
    /// Limits on stored data; none by default.
    pub limits: StoredLimits,
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
            limits: StoredLimits::default(),
        }
    }

    fn engine(&self) -> SledOptions {
        SledOptions {
            cache_bytes: self.cache_bytes,
            power_safe: self.durability == Durability::Power,
            packed: PACKED,
            log_bytes: SledOptions::LOG_BYTES,
            compact_from: SledOptions::COMPACT_FROM,
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

    /// Makes the database of a data folder as small as what is in it, by writing everything anew. Needs as much room on
    /// the disk as that takes. Tells how many bytes the database took, and takes. Files are left alone.
    ///
    /// # Errors
    /// The folder is in use, there is no room, or the database cannot be read; it is as it was then.
    pub fn compact(options: &StoreOptions) -> Result<(u64, u64), OpenError> {
        let dir = &options.dir;
        let failed = |source| OpenError::Failed { dir: dir.clone(), source };
        let _lock = lock(dir)?;
        SledEngine::compact(&dir.join(ENGINE), options.engine()).map_err(failed)
    }

    pub(crate) fn open_with(
        options: StoreOptions,
        secrets_key: Option<String>,
        migrations: &[Migration],
    ) -> Result<Self, OpenError> {
        let settings = options.engine();
        let StoreOptions { dir, blobs, pace, limits, .. } = options;
        let failed = |source| OpenError::Failed { dir: dir.clone(), source };
        make(&dir).map_err(|error| failed(error.into()))?;
        let lock = lock(&dir)?;
        if dir.join(RESTORING).exists() {
            return Err(failed(Error::Invalid(
                "a restore into it was not finished; empty it, and restore again".into(),
            )));
        }
        let engine = SledEngine::open(&dir.join(ENGINE), settings).map_err(failed)?;
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
        store.set_limits(limits);
        Ok(store)
    }
}

/// Makes a data folder that is not there, for its owner alone: what is in it is everybody's, passwords' hashes among it.
pub(crate) fn make(dir: &Path) -> std::io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    if let Some(above) = dir.parent() {
        std::fs::create_dir_all(above)?;
    }
    DirBuilder::new().mode(0o700).create(dir)
}

/// Takes the folder for this process. The lock goes with the process, however it ends.
pub(crate) fn lock(dir: &Path) -> Result<File, OpenError> {
    let failed = |error: std::io::Error| OpenError::Failed { dir: dir.to_owned(), source: error.into() };
    let options = File::options().read(true).write(true).create(true).truncate(false).clone();
    let mut file = options.open(dir.join(LOCK)).map_err(failed)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let holder = holder(&mut file);
        if !holder.is_some_and(is_gone) || began.elapsed() > INHERITED {
            let holder = holder.map(|process| format!(" (process {process})")).unwrap_or_default();
            return Err(OpenError::Locked { dir: dir.to_owned(), holder });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    file.rewind().map_err(failed)?;
    file.set_len(0).map_err(failed)?;
    file.rewind().map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}

/// Who has written that the folder is theirs; it is for information only.
fn holder(file: &mut File) -> Option<u32> {
    let mut written = String::new();
    file.rewind().ok()?;
    file.take(20).read_to_string(&mut written).ok()?;
    written.trim().parse().ok()
}

/// Whether there is no such process any more, as far as the system tells.
fn is_gone(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new("/proc").join(process.to_string()).exists()
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
