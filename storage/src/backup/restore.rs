//! Restoring a backup.

use super::{BackupSummary, END, HEAD, Head, Part};
use crate::blobs::{BlobConfig, BlobId, Blobs};
use crate::data_dir::{ENGINE, RESTORING, lock, make};
use crate::engine::{Engine, EngineOptions, LogEngine};
use crate::error::{Error, Result};
use crate::files::{FileSystem, Stream, SystemFiles, remove_all, sync_all, write_new};
use crate::ids::TenantId;
use crate::journal::PACKED;
use crate::migrations::{MIGRATIONS, newest};
use crate::progress::Progress;
use crate::waiting::LocalRuntime;
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// The file name of a blob until its id is verified.
const BLOB: &str = "blob.unfinished";

/// How to restore a backup.
#[derive(Clone, Debug, Default)]
pub struct RestoreOptions {
    /// Where the blobs are restored to.
    pub blobs: BlobConfig,
}

/// Restores a backup into a folder that is empty or does not exist. If it fails, the folder is left empty.
///
/// Blocks, so call it on a thread that may block. `Err(Invalid)` if the folder is not empty or the backup has a newer
/// format, `Err(Corrupt)` if the backup is damaged or incomplete.
pub fn restore(
    file: &Path,
    dir: &Path,
    options: &RestoreOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<BackupSummary> {
    restore_on(Arc::new(SystemFiles), file, dir, options, progress)
}

/// Like [`restore`], into a folder on a file system other than the system's. The backup is a file of the system.
pub(crate) fn restore_on(
    files: Arc<dyn FileSystem>,
    file: &Path,
    dir: &Path,
    options: &RestoreOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<BackupSummary> {
    // The backup is opened before the folder is touched.
    let backup = File::open(file)?;
    make(&*files, dir)?;
    if !files.names(dir)?.is_empty() {
        return Err(Error::Invalid(format!("{} is not empty; restore into an empty folder", dir.display())));
    }
    let restored = lock(dir).map_err(|error| Error::Invalid(error.to_string())).and_then(|_lock| {
        // This file exists until everything is durable. A folder that contains it cannot be opened.
        files.create(&dir.join(RESTORING))?.sync()?;
        files.sync_dir(dir)?;
        let summary = restore_into(&files, backup, dir, options, progress)?;
        sync_all(&*files, &dir.join(ENGINE))?;
        files.sync_dir(dir)?;
        files.remove(&dir.join(RESTORING))?;
        files.sync_dir(dir)?;
        Ok(summary)
    });
    if restored.is_err() {
        for name in files.names(dir)? {
            remove_all(&*files, &dir.join(name))?;
        }
    }
    restored
}

/// Counts the bytes read from the compressed file.
struct CountingReader {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let len = self.file.read(into)?;
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}

fn damaged(what: &str) -> Error {
    Error::Corrupt(format!("this is not a complete backup: {what}"))
}

fn restore_into(
    files: &Arc<dyn FileSystem>,
    file: File,
    dir: &Path,
    options: &RestoreOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<BackupSummary> {
    let size = file.metadata()?.len();
    let read = Arc::new(AtomicU64::new(0));
    let counted = CountingReader { file, read: read.clone() };
    let mut tar = tar::Archive::new(GzDecoder::new(BufReader::with_capacity(1 << 20, counted)));
    let here = LocalRuntime::new()?;
    let to = Target {
        engine: LogEngine::open(
            &dir.join(ENGINE),
            EngineOptions { power_safe: true, files: files.clone(), ..EngineOptions::new(PACKED) },
        )?,
        blobs: Blobs::open_on(files.clone(), &options.blobs, dir)
            .map_err(|error| Error::Invalid(error.to_string()))?,
        files,
        dir,
        here: &here,
    };
    let mut found = BackupSummary::default();
    let (mut has_head, mut promised) = (false, None::<BackupSummary>);
    for entry in tar.entries()? {
        let mut entry = entry.map_err(|error| damaged(&error.to_string()))?;
        let path = entry.path().map_err(|error| damaged(&error.to_string()))?.into_owned();
        let names: Vec<&str> = path.components().filter_map(plain).collect();
        match names[..] {
            [HEAD] => {
                let head: Head = json(&mut entry)?;
                if head.format > newest(MIGRATIONS) {
                    return Err(Error::Invalid(format!(
                        "the backup has data format {}, but this version knows formats up to {}",
                        head.format,
                        newest(MIGRATIONS)
                    )));
                }
                has_head = true;
            }
            _ if !has_head => return Err(damaged("it has no header")),
            [END] => promised = Some(json(&mut entry)?),
            ["records", _] => found.records += to.records(&mut entry)?,
            ["keys", name] => {
                to.key_file(name, &mut entry)?;
                found.keys += 1;
            }
            ["blobs", tenant, _, id] => {
                to.blob(tenant, id, &mut entry)?;
                found.blobs += 1;
            }
            _ => return Err(damaged("it contains an unexpected file")),
        }
        progress(Progress::bytes("restore", read.load(Ordering::Relaxed).min(size), size));
    }
    // The checksum is at the end of the file.
    std::io::copy(&mut tar.into_inner(), &mut std::io::sink())
        .map_err(|error| damaged(&error.to_string()))?;
    match promised {
        Some(promised) if promised == found => Ok(found),
        Some(_) => Err(damaged("parts are missing")),
        None => Err(damaged("it is truncated")),
    }
}

fn plain(component: Component<'_>) -> Option<&str> {
    match component {
        Component::Normal(name) => name.to_str(),
        _ => Some(""),
    }
}

fn json<T: serde::de::DeserializeOwned>(from: &mut impl Read) -> Result<T> {
    let mut bytes = Vec::new();
    from.take(1 << 20).read_to_end(&mut bytes).map_err(|error| damaged(&error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| damaged(&error.to_string()))
}

struct Target<'a> {
    engine: LogEngine,
    blobs: Blobs,
    files: &'a Arc<dyn FileSystem>,
    dir: &'a Path,
    here: &'a LocalRuntime,
}

impl Target<'_> {
    fn records(&self, from: &mut impl Read) -> Result<u64> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(|error| damaged(&error.to_string()))?;
        let (batch, count) = Part::batch(bytes.into())?;
        self.engine.commit(&[batch]).into_iter().collect::<Result<()>>()?;
        Ok(count)
    }

    fn key_file(&self, name: &str, from: &mut impl Read) -> Result<()> {
        let allowed = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if !allowed || !name.ends_with(".key") || name.starts_with('.') {
            return Err(damaged("a key file with an invalid name"));
        }
        let mut content = Vec::new();
        from.take(1 << 20).read_to_end(&mut content).map_err(|error| damaged(&error.to_string()))?;
        Ok(write_new(&**self.files, &self.dir.join(name), &content)?)
    }

    fn blob(&self, tenant: &str, id: &str, from: &mut impl Read) -> Result<()> {
        let tenant =
            TenantId(Uuid::try_parse(tenant).map_err(|_| damaged("a blob without a valid tenant id"))?);
        let id = BlobId::parse(id).map_err(|_| damaged("a blob without a valid id"))?;
        let copy = self.dir.join(BLOB);
        let mut content = Stream::new(self.files.create_private(&copy)?);
        std::io::copy(from, &mut content).map_err(|error| damaged(&error.to_string()))?;
        let (written, _) = self.here.wait(self.blobs.put_file(tenant, &copy))?;
        if written != id {
            return Err(damaged("the content of a blob does not match its id"));
        }
        Ok(self.files.remove(&copy)?)
    }
}
