//! Blobs as files in a folder.
//!
//! A file is written and synced under a temporary name in `blobs/incoming`, and then renamed. The name of a blob
//! therefore never refers to a partial file, not even after a power loss. A blob is stored once the directories on its
//! path are synced.

use super::backend::Object;
use super::{Blob, PIECE};
use crate::blocking::blocking;
use crate::disk_space::is_full;
use crate::error::{Error, Result};
use crate::files::{FileSystem, RandomAccessFile, copy, create_dir_synced, find, parent};
use crate::ids::new_id;
use crate::time::Timestamp;
use bytes::Bytes;
use futures::StreamExt;
use futures::stream::try_unfold;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// The directory of files that are being written. It is within `blobs`, which may be a separate disk.
pub(super) const INCOMING: &str = "blobs/incoming";
/// Number of directories that are remembered as synced. Above it, all are forgotten and synced again.
const DIRS_MAX: usize = 20_000;

/// Blobs as files in a folder. Cheap to clone. All work takes place on the blocking pool.
#[derive(Clone)]
pub(super) struct LocalFiles(Arc<Folder>);

/// How a write treats an existing file of the same name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Replaced,
    Free,
}

impl LocalFiles {
    /// Opens the blobs in a folder, which is created if it does not exist. Blocks.
    pub fn open(files: Arc<dyn FileSystem>, folder: PathBuf) -> Result<Self> {
        create_dir_synced(&*files, &folder.join("blobs"))?;
        files.sync_dir(&folder)?;
        Ok(Self(Arc::new(Folder { files, folder, durable: Mutex::default() })))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folder) -> std::io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let folder = self.0.clone();
        blocking(move || work(&folder)).await?.map_err(|error| match error {
            error if is_full(&error) => Error::Full,
            error => Error::Io(error),
        })
    }

    /// Stores a file from memory durably.
    pub async fn put(&self, name: String, bytes: Bytes) -> Result<()> {
        self.run(move |folder| folder.write(&name, Name::Replaced, |file| file.write_at(&bytes, 0))).await
    }

    /// Like [`put`](Self::put), but does nothing if a file with this name exists.
    pub async fn put_new(&self, name: String, bytes: Bytes) -> Result<()> {
        let write =
            move |folder: &Folder| match folder.write(&name, Name::Free, |file| file.write_at(&bytes, 0)) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
                written => written,
            };
        self.run(write).await
    }

    /// Stores a copy of a file durably.
    pub async fn put_file(&self, name: String, from: PathBuf, size: u64) -> Result<()> {
        self.run(move |folder| {
            let from = folder.files.open_read(&from)?;
            folder.write(&name, Name::Replaced, |to| match copy(from, to.clone())? == size {
                true => Ok(()),
                false => Err(std::io::Error::other("the file was changed while it was copied")),
            })
        })
        .await
    }

    /// Returns the size of a file, if it exists, and makes its name durable: the process that stored it may have failed
    /// before that.
    pub async fn confirm(&self, name: String) -> Result<Option<u64>> {
        self.run(move |folder| {
            let path = folder.folder.join(&name);
            let Some(found) = find(&*folder.files, &path)? else { return Ok(None) };
            folder.create_dir(parent(&path))?;
            folder.files.sync_dir(parent(&path))?;
            Ok(Some(found.len))
        })
        .await
    }

    /// Returns the size of a file, if it exists.
    pub async fn size(&self, name: String) -> Result<Option<u64>> {
        self.run(move |folder| Ok(find(&*folder.files, &folder.folder.join(&name))?.map(|found| found.len)))
            .await
    }

    /// Opens a file or a part of it, up to the end of the file.
    pub async fn get(&self, name: String, part: Range<u64>) -> Result<Blob> {
        let opened = self.run(move |folder| {
            let file = match folder.files.open_read(&folder.folder.join(&name)) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                opened => opened?,
            };
            let end = part.end.min(file.len()?);
            let reading = Reading { file, at: part.start.min(end), end };
            Ok(Some((end - reading.at, reading.next()?)))
        });
        let (size, first) = opened.await?.ok_or(Error::NotFound("blob"))?;
        // The pieces after the first one are read on demand.
        let bytes = try_unfold(Pieces::Read(first), |pieces| async {
            let read = match pieces {
                Pieces::Read(read) => read,
                Pieces::Open(reading) => blocking(move || reading.next()).await??,
            };
            Ok(read.map(|(piece, reading)| (piece, Pieces::Open(reading))))
        });
        Ok(Blob { size, bytes: bytes.boxed() })
    }

    /// Deletes a file, if it exists.
    pub async fn delete(&self, name: String) -> Result<()> {
        self.run(move |folder| match folder.files.remove(&folder.folder.join(&name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }

    /// Lists all files below a directory.
    pub async fn list(&self, dir: String) -> Result<Vec<Object>> {
        self.run(move |folder| {
            let mut found = Vec::new();
            folder.list(&folder.folder.join(dir), "", &mut found)?;
            Ok(found)
        })
        .await
    }
}

/// The state of the stream of a file's pieces.
enum Pieces {
    Read(Option<(Bytes, Reading)>),
    Open(Reading),
}

/// A file that is read in pieces.
struct Reading {
    file: Arc<dyn RandomAccessFile>,
    at: u64,
    end: u64,
}

impl Reading {
    fn next(mut self) -> std::io::Result<Option<(Bytes, Self)>> {
        let wanted = (self.end - self.at).min(PIECE as u64);
        if wanted == 0 {
            return Ok(None);
        }
        let mut piece = vec![0; wanted as usize];
        if self.file.read_at(&mut piece, self.at)? < piece.len() {
            return Err(std::io::Error::new(ErrorKind::UnexpectedEof, "the file was cut while it was read"));
        }
        self.at += wanted;
        Ok(Some((piece.into(), self)))
    }
}

struct Folder {
    files: Arc<dyn FileSystem>,
    folder: PathBuf,
    /// Directories whose own names are durable.
    durable: Mutex<HashSet<PathBuf>>,
}

impl Folder {
    fn write(
        &self,
        name: &str,
        to: Name,
        fill: impl FnOnce(&Arc<dyn RandomAccessFile>) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let path = self.folder.join(name);
        let dir = parent(&path);
        self.create_dir(dir)?;
        let incoming = self.folder.join(INCOMING);
        self.files.create_dir(&incoming)?;
        let unfinished = incoming.join(new_id().to_string());
        let file = self.files.create(&unfinished)?;
        let renamed = fill(&file).and_then(|()| file.sync()).and_then(|()| match to {
            Name::Replaced => self.files.rename(&unfinished, &path),
            Name::Free => self.files.rename_new(&unfinished, &path),
        });
        if renamed.is_err() {
            // The first error is the one to report.
            let _ = self.files.remove(&unfinished);
        }
        renamed?;
        self.files.sync_dir(dir)
    }

    /// Creates a directory within the folder durably.
    fn create_dir(&self, dir: &Path) -> std::io::Result<()> {
        if dir == self.folder {
            return Ok(());
        }
        let is_there = find(&*self.files, dir)?.is_some_and(|found| found.is_dir);
        if is_there && self.durable.lock().contains(dir) {
            return Ok(());
        }
        self.create_dir(parent(dir))?;
        self.files.create_dir(dir)?;
        // Also if the directory existed: the process that created it may have failed before it synced.
        self.files.sync_dir(parent(dir))?;
        let mut durable = self.durable.lock();
        if durable.len() >= DIRS_MAX {
            durable.clear();
        }
        durable.insert(dir.to_owned());
        Ok(())
    }

    fn list(&self, dir: &Path, prefix: &str, found: &mut Vec<Object>) -> std::io::Result<()> {
        let names = match self.files.names(dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            names => names?,
        };
        for name in names {
            let path = dir.join(&name);
            // Files that have been deleted since are left out.
            let Some(metadata) = find(&*self.files, &path)? else { continue };
            let name = format!("{prefix}{name}");
            if metadata.is_dir {
                self.list(&path, &format!("{name}/"), found)?;
                continue;
            }
            let since_epoch = metadata.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
            let written_at = Timestamp::from_millis(since_epoch.as_millis() as i64);
            found.push(Object { name, size: metadata.len, written_at });
        }
        Ok(())
    }
}
