//! Opening a data folder.

use crate::blobs::{BlobConfig, Blobs};
use crate::committer::Placement;
use crate::data_dir::{ENGINE, RESTORING, lock, make, refused};
use crate::disk_space::{DiskSpace, RoomOptions};
use crate::engine::{Batch, Engine, EngineOptions, LogEngine, Loss, Salvaged};
use crate::error::{Error, OpenError, Result};
use crate::files::{FileSystem, SystemFiles, find};
use crate::ids::TenantId;
use crate::journal::PACKED;
use crate::keys;
use crate::limits::StoredLimits;
use crate::migrations::{self, MIGRATIONS, Migration};
use crate::records::TABLES;
use crate::secrets_key::{self, SecretsKey};
use crate::store::{Parts, Store};
use crate::tables::META;
use crate::upgrade;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// The signing key of access tokens, which the server creates after the store is open.
const SIGNING: &str = "signing.key";
/// Which failures a commit survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process, including `kill -9`. A power loss can destroy the last seconds; the data is then in the
    /// state of an earlier moment.
    #[default]
    Process,
    /// A power loss as well. Each commit waits for the disk.
    Power,
}

/// The settings with which a store is opened.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// The data folder. It is created if it does not exist.
    pub dir: PathBuf,
    /// Which failures a commit survives.
    pub durability: Durability,
    /// Bytes of the database to cache in memory.
    pub cache_bytes: u64,
    /// Where blobs are stored.
    pub blobs: BlobConfig,
    /// With [`Durability::Power`], the minimum time between the starts of two commits of journals, so that more writes
    /// can be grouped: a commit of fifty events costs as much as a commit of one. Does not delay transactions or a
    /// commit after a pause.
    pub pace: Duration,
    /// Limits on stored data. There are none by default.
    pub limits: StoredLimits,
    /// How much free space of the disk is reserved.
    pub room: RoomOptions,
}

impl StoreOptions {
    /// The defaults for a folder: `Process`, 64 MiB of cache, blobs as files, a pace of 750 microseconds.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            durability: Durability::Process,
            cache_bytes: 64 << 20,
            blobs: BlobConfig::Files,
            pace: Duration::from_micros(750),
            limits: StoredLimits::default(),
            room: RoomOptions::default(),
        }
    }

    fn engine(&self) -> EngineOptions {
        EngineOptions {
            cache_bytes: self.cache_bytes,
            power_safe: self.durability == Durability::Power,
            ..EngineOptions::new(PACKED)
        }
    }
}

impl Store {
    /// Opens a data folder, or creates one. Locks it, reads or creates the secrets key, and migrates data of an older
    /// format after writing a backup.
    ///
    /// The secrets key comes from the environment (`UNDERSTUDY_SECRETS_KEY`, base64 of 32 bytes), otherwise from the
    /// file `secrets.key` in the folder.
    pub fn open(options: StoreOptions) -> Result<Self, OpenError> {
        Self::open_with(options, std::env::var(secrets_key::VARIABLE).ok(), MIGRATIONS)
    }

    /// Compacts the database of a data folder by rewriting all its data, which needs as much additional disk space as
    /// the compacted database takes. Returns the size of the database in bytes before and after. Blobs are not
    /// affected.
    ///
    /// # Errors
    /// Returns an error if the folder is in use, there is too little disk space, or the database cannot be read. The
    /// database is unchanged in these cases.
    pub fn compact(options: &StoreOptions) -> Result<(u64, u64), OpenError> {
        let dir = &options.dir;
        let failed = |source| refused(dir, source);
        let _lock = lock(dir)?;
        DiskSpace::new(dir, options.room).reserve_space();
        LogEngine::compact(&dir.join(ENGINE), options.engine()).map_err(failed)
    }

    pub(crate) fn open_with(
        options: StoreOptions,
        secrets_key: Option<String>,
        migrations: &[Migration],
    ) -> Result<Self, OpenError> {
        Self::open_on(Arc::new(SystemFiles), options, secrets_key, migrations)
    }

    /// Like [`open`](Self::open), on a file system other than the system's. sled always uses the system's.
    pub(crate) fn open_on(
        files: Arc<dyn FileSystem>,
        options: StoreOptions,
        secrets_key: Option<String>,
        migrations: &[Migration],
    ) -> Result<Self, OpenError> {
        let settings = EngineOptions { files: files.clone(), ..options.engine() };
        let StoreOptions { dir, blobs, pace, room, limits, .. } = options;
        let failed = |source| refused(&dir, source);
        make(&*files, &dir).map_err(|error| failed(error.into()))?;
        let lock = Arc::new(lock(&dir)?);
        let room = Arc::new(DiskSpace::new(&dir, room));
        room.reserve_space();
        if find(&*files, &dir.join(RESTORING)).map_err(|error| failed(error.into()))?.is_some() {
            return Err(failed(Error::Invalid(
                "a restore into it was not completed; empty it and restore again".into(),
            )));
        }
        let database = dir.join(ENGINE);
        let is_new = LogEngine::is_new(&database, &settings).map_err(failed)?;
        if is_new && let Some(other) = other_than_new(&*files, &dir).map_err(|error| failed(error.into()))? {
            let what = format!(
                "{} is missing or empty, but {} shows that this is not the first start",
                database.display(),
                other.display()
            );
            return Err(OpenError::Damaged { dir, what });
        }
        let mut engine = LogEngine::open(&database, settings.clone()).map_err(failed)?;
        engine.hold(lock.clone());
        let (set_aside, power_loss) =
            (LogEngine::set_aside(&database, &settings), engine.power_loss().cloned());
        let known = migrations::newest(migrations);
        let found = migrations::format_of(&engine).map_err(failed)?;
        if let Some(found) = found.filter(|found| *found > known) {
            return Err(OpenError::Newer { dir, found, known });
        }
        if found.is_none()
            && let Some(key) = key_of_a_start(&*files, &dir).map_err(|error| failed(error.into()))?
        {
            let what = format!(
                "{} holds no data, but {} shows that this is not the first start",
                database.display(),
                key.display()
            );
            return Err(OpenError::Damaged { dir, what });
        }
        let secrets = secrets_key_of(&*files, &dir, secrets_key, &engine)?;
        let config = blobs;
        let blobs = Blobs::open_on(files.clone(), &config, &dir)?;
        // Makes the existence of the files durable, so that a power loss cannot undo it.
        files.sync_dir(&dir).map_err(|error| failed(error.into()))?;
        let mut parts = Parts::new(Arc::new(engine), secrets, blobs, dir.clone());
        (parts.files, parts.lock, parts.room) = (files, Some(lock), room);
        (parts.set_aside, parts.power_loss) = (set_aside, power_loss);
        parts.commits = match settings.power_safe {
            true => Placement::Thread { pace },
            false => Placement::Caller,
        };
        let store = Self::assemble(parts).map_err(failed)?;
        upgrade::run(&store, found, migrations)?;
        store.set_limits(limits);
        if config != BlobConfig::Files {
            claim(&store, &config)?;
        }
        Ok(store)
    }

    /// Replaces the database of a damaged data folder by a new one with all data that can be read. A copy of the
    /// damaged database is stored in the folder.
    ///
    /// # Errors
    /// Returns an error if the folder is in use, nothing of the database can be read, or the disk has too little room
    /// for the copies. Nothing is changed in these cases.
    pub fn salvage(options: &StoreOptions) -> Result<Salvage, OpenError> {
        let dir = &options.dir;
        let _lock = lock(dir)?;
        let found = LogEngine::salvage(&dir.join(ENGINE), options.engine());
        let Salvaged { damaged_copy, keys, losses } =
            found.map_err(|source| OpenError::Failed { dir: dir.clone(), source })?;
        Ok(Salvage { damaged_copy, keys, losses: losses.iter().map(describe).collect() })
    }
}

/// How long a start waits for the blob store.
const CLAIM: Duration = Duration::from_secs(10);

/// Marks a bucket or folder of blobs as owned by this installation. If it cannot be reached now, it is marked later,
/// before the first deletion.
fn claim(store: &Store, config: &BlobConfig) -> Result<(), OpenError> {
    let failed = |source| refused(store.dir(), source);
    let key = keys::record_key(META, TenantId::SYSTEM, &"installation".to_owned());
    let stored = store.read_now(|reader| reader.raw_get(&key)).map_err(failed)?;
    let installation = match stored {
        Some(stored) => Uuid::from_slice(&stored)
            .map_err(|_| failed(Error::Corrupt("the id of the installation is not a UUID".into())))?,
        None => {
            let id = Uuid::new_v4();
            let mut batch = Batch::new();
            batch.put(key, id.as_bytes().to_vec());
            store.commit_blocking(batch).map_err(failed)?;
            id
        }
    };
    // Runs on its own thread with its own client: the caller's runtime may have no other thread than the one that waits
    // here.
    let attempt = || -> Result<Result<()>, OpenError> {
        let blobs = Blobs::open_on(store.inner.files.clone(), config, store.dir())?;
        let here = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let here = here.map_err(|error| failed(error.into()))?;
        // Timers can only be created inside a runtime.
        let claimed = here.block_on(async { tokio::time::timeout(CLAIM, blobs.claim(installation)).await });
        Ok(claimed.unwrap_or(Err(Error::Busy)))
    };
    let claimed = std::thread::scope(|scope| scope.spawn(attempt).join());
    let claimed = claimed.unwrap_or_else(|_| Ok(Err(Error::Engine("the client panicked".into()))))?;
    store.blobs().belongs_to(installation);
    match claimed {
        Ok(()) => Ok(()),
        Err(Error::Invalid(why)) => Err(OpenError::Blobs(why)),
        Err(error) => {
            tracing::warn!(%error, "the blob store cannot be reached; no file is deleted until it is");
            Ok(())
        }
    }
}

/// The result of [`Store::salvage`].
#[derive(Clone, Debug)]
pub struct Salvage {
    /// A copy of the damaged database.
    pub damaged_copy: PathBuf,
    /// Keys in the new database.
    pub keys: u64,
    /// The data that could not be recovered, one sentence each.
    pub losses: Vec<String>,
}

fn describe(loss: &Loss) -> String {
    let known = |table: &[u8; 2]| TABLES.iter().find(|(known, _)| known == table).map(|(_, name)| *name);
    let tables: Vec<_> = loss
        .tables
        .iter()
        .map(|(table, count)| match known(table) {
            Some(name) => format!("{name}: {count}"),
            None => format!("table {}: {count}", table.escape_ascii()),
        })
        .collect();
    if tables.is_empty() {
        loss.what.clone()
    } else {
        format!("{} (keys of {})", loss.what, tables.join(", "))
    }
}

/// A file in the data folder that proves an earlier start: a key file, or the folder of blobs if it has entries.
fn other_than_new(files: &dyn FileSystem, dir: &Path) -> std::io::Result<Option<PathBuf>> {
    let blobs = dir.join("blobs");
    if find(files, &blobs)?.is_some_and(|found| found.is_dir) && !files.names(&blobs)?.is_empty() {
        return Ok(Some(blobs));
    }
    Ok(key_files(files, dir)?.into_iter().next())
}

/// A key file that is created after the first commit. The secrets key is created before it.
fn key_of_a_start(files: &dyn FileSystem, dir: &Path) -> std::io::Result<Option<PathBuf>> {
    Ok(key_files(files, dir)?.into_iter().find(|key| key.ends_with(SIGNING)))
}

/// The key files that a start creates. Other keys, such as those of certificates, prove nothing about the database.
fn key_files(files: &dyn FileSystem, dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for name in [secrets_key::FILE, SIGNING] {
        let path = dir.join(name);
        if find(files, &path)?.is_some() {
            found.push(path);
        }
    }
    Ok(found)
}

/// Returns the configured key, otherwise the key in the file, otherwise a new key. Fails if it is not the key that the
/// data was written with.
fn secrets_key_of(
    files: &dyn FileSystem,
    dir: &Path,
    configured: Option<String>,
    engine: &dyn Engine,
) -> Result<SecretsKey, OpenError> {
    let refused = |error: Error| match error {
        Error::Corrupt(what) => OpenError::Damaged { dir: dir.to_owned(), what },
        error => OpenError::SecretsKey(error.to_string()),
    };
    let fingerprint = secrets_key::kept_fingerprint(engine).map_err(refused)?;
    let key = match configured {
        Some(text) => SecretsKey::parse(&text).map_err(refused)?,
        None => SecretsKey::from_file(files, dir, fingerprint.is_none()).map_err(refused)?,
    };
    match fingerprint {
        Some(fingerprint) if fingerprint != key.fingerprint() => Err(OpenError::SecretsKey(format!(
            "this is not the key that {} was written with; set the right one in {} or in {}",
            dir.display(),
            secrets_key::VARIABLE,
            dir.join(secrets_key::FILE).display(),
        ))),
        _ => Ok(key),
    }
}
