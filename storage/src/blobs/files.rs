//! Blobs as files in a folder.
//!
//! A file is written and synced under a temporary name in `blobs/incoming`, and then renamed: no name of a blob leads to
//! a part of one, after a power loss either. A blob is stored once the directories that lead to it are synced.

use super::backend::Object;
use super::{Blob, PIECE};
use crate::blocking::blocking;
use crate::error::{Error, Result};
use crate::files::{FileSystem, RandomAccessFile, copy, create_dir_synced, find, parent};
use crate::ids::new_id;
use crate::room::is_full;
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

/// Where files are until they are whole. Within `blobs`, which may be a disk of its own.
pub(super) const INCOMING: &str = "blobs/incoming";
/// How many directories are remembered as synced; then all are forgotten, and synced again.
const DIRS_MAX: usize = 20_000;

/// Blobs as files in a folder. Cheap to clone. All work takes place on the blocking pool.
#[derive(Clone)]
pub(super) struct LocalFiles(Arc<Folder>);

/// What a file may do to one that has its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Replaced,
    Free,
}

impl LocalFiles {
    /// Blobs in a folder, which is made if it is not there. Blocks.
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

    /// Stores a file that is in memory, durably.
    pub async fn put(&self, name: String, bytes: Bytes) -> Result<()> {
        self.run(move |folder| folder.write(&name, Name::Replaced, |file| file.write_at(&bytes, 0))).await
    }

    /// The same, unless there is a file of this name.
    pub async fn put_new(&self, name: String, bytes: Bytes) -> Result<()> {
        let write =
            move |folder: &Folder| match folder.write(&name, Name::Free, |file| file.write_at(&bytes, 0)) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
                written => written,
            };
        self.run(write).await
    }

    /// Stores a copy of a file, durably.
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

    /// The size of a file, if there is one. Its name is durable then: what stored it may not have come to that.
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

    /// The size of a file, if there is one.
    pub async fn size(&self, name: String) -> Result<Option<u64>> {
        self.run(move |folder| Ok(find(&*folder.files, &folder.folder.join(&name))?.map(|found| found.len)))
            .await
    }

    /// A file, or a part of it, as far as it goes.
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
        // The pieces after the first one are read as they are asked for.
        let bytes = try_unfold(Pieces::Read(first), |pieces| async {
            let read = match pieces {
                Pieces::Read(read) => read,
                Pieces::Open(reading) => blocking(move || reading.next()).await??,
            };
            Ok(read.map(|(piece, reading)| (piece, Pieces::Open(reading))))
        });
        Ok(Blob { size, bytes: bytes.boxed() })
    }

    /// Deletes a file; fine if there is none.
    pub async fn delete(&self, name: String) -> Result<()> {
        self.run(move |folder| match folder.files.remove(&folder.folder.join(&name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }

    /// All files below a directory.
    pub async fn list(&self, dir: String) -> Result<Vec<Object>> {
        self.run(move |folder| {
            let mut found = Vec::new();
            folder.list(&folder.folder.join(dir), "", &mut found)?;
            Ok(found)
        })
        .await
    }
}

/// The pieces of a file that is read.
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

    /// Makes a directory within the folder, durably.
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
        // Even if it was there: what made it may not have come to this.
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
            // What has been deleted since is left out.
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
