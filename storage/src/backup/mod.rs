//! Backups: one compressed tar file with the complete contents of a data folder.
//!
//! ```text
//! understudy.json          {"format": 1, "made_at": ..}
//! records/00000000 ..      keys and values, about 4 MiB each; later ones replace earlier ones
//! keys/secrets.key ..      the key files of the folder
//! blobs/<tenant>/<aa>/..   as in the folder
//! end.json                 the number of entries of each kind; a file without it is incomplete
//! ```
//!
//! A backup can be made while the store is in use. First every record is copied, while the keys of concurrent commits
//! are recorded. The values of these keys are then copied again, the last of them while commits halt for a moment. The
//! backup therefore shows the state of one moment, the end of the copy.

mod restore;

#[cfg(test)]
pub(crate) use restore::restore_on;
pub use restore::{RestoreOptions, restore};

use crate::engine::{Batch, Direction, KeyRange, Op};
use crate::error::{Error, Result};
use crate::files::{FileSystem, Stream, SystemFiles, create_dir_synced, find, parent, read};
use crate::migrations;
use crate::progress::Progress;
use crate::reader::Reader;
use crate::store::Store;
use crate::time::Timestamp;
use crate::waiting::LocalRuntime;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::Path;

/// Approximate bytes of records in one entry of the archive.
const PART: usize = 4 << 20;
/// When fewer recorded keys than this are left, commits halt until they are copied.
const LAST_KEYS: usize = 2_000;
/// Rounds of copying recorded keys after which commits halt regardless of how many are left.
const ROUNDS: usize = 20;
/// Number of parts that are gathered in memory while commits halt, before they are written.
const HALTED_PARTS: usize = 16;

/// The suffix of a backup's file name while it is being written.
pub(crate) const UNFINISHED: &str = ".unfinished";
const HEAD: &str = "understudy.json";
const END: &str = "end.json";

/// What a backup includes.
#[derive(Clone, Copy, Debug)]
pub struct BackupOptions {
    /// Whether to include blobs. Without them, the blobs of the restored folder must come from elsewhere.
    pub blobs: bool,
}

impl Default for BackupOptions {
    fn default() -> Self {
        Self { blobs: true }
    }
}

/// The contents of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupSummary {
    /// Number of keys copied. A key that was copied several times counts each time.
    pub records: u64,
    /// Number of blobs.
    pub blobs: u64,
    /// Number of key files.
    pub keys: u64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    made_at: Timestamp,
    made_by: String,
}

/// Writes a backup of an open store to a new file. Only its owner can read the file, because it contains the secrets
/// key. The file appears under its name once it is complete and on the disk.
///
/// Blocks, so call it on a thread that may block. `Err(Io)` also if the file already exists.
pub fn backup(store: &Store, file: &Path, progress: &mut dyn FnMut(Progress)) -> Result<BackupSummary> {
    write(store, file, BackupOptions::default(), progress)
}

/// Like [`backup`], with options.
pub fn write(
    store: &Store,
    path: &Path,
    options: BackupOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<BackupSummary> {
    write_file_on(&*store.inner.files, path, |to| write_to(store, to, options, progress))
}

/// Writes a new file that only its owner can read, and that appears under its name once it is complete and on the disk.
///
/// Blocks. `Err(Io)` also if the file already exists. Returns the error of `fill` if that fails.
pub fn write_file<T, E: From<std::io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    write_file_on(&SystemFiles, path, fill)
}

/// Like [`write_file`], on a file system other than the system's.
pub(crate) fn write_file_on<T, E: From<std::io::Error>>(
    files: &dyn FileSystem,
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    if find(files, path)?.is_some() {
        let exists = format!("{} exists", path.display());
        return Err(std::io::Error::new(ErrorKind::AlreadyExists, exists).into());
    }
    create_dir_synced(files, parent(path))?;
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(UNFINISHED);
    let unfinished = Path::new(&unfinished);
    let written = files.create_private(unfinished).map_err(E::from).and_then(|file| {
        let mut buffered = BufWriter::with_capacity(1 << 20, Stream::new(file.clone()));
        let filled = fill(&mut buffered)?;
        buffered.into_inner().map_err(|error| error.into_error())?;
        file.sync()?;
        files.rename_new(unfinished, path)?;
        Ok(filled)
    });
    if written.is_err() {
        // The first error is the one to report.
        let _ = files.remove(unfinished);
    }
    let filled = written?;
    files.sync_dir(parent(path))?;
    Ok(filled)
}

/// Writes a backup of an open store to a stream. Commits halt while the last keys are copied, but never wait for the
/// stream.
///
/// Blocks, so call it on a thread that may block.
pub fn write_to(
    store: &Store,
    to: &mut dyn Write,
    options: BackupOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<BackupSummary> {
    // From before the rows are copied until the blobs that they refer to are copied.
    let _copy = store.blobs().begin_copy();
    let packed = GzEncoder::new(to, Compression::fast());
    let mut archive = Archive { tar: tar::Builder::new(packed), summary: BackupSummary::default(), parts: 0 };
    let format = migrations::format_of(&*store.inner.engine)?
        .ok_or_else(|| Error::Corrupt("no data format".into()))?;
    let made_by = env!("CARGO_PKG_VERSION").to_owned();
    archive.json(HEAD, &Head { format, made_at: Timestamp::now(), made_by })?;
    *store.inner.committer.recorder().lock() = Some(HashSet::new());
    let copied = archive.records(store, progress);
    *store.inner.committer.recorder().lock() = None;
    copied?;
    archive.key_files(&*store.inner.files, store.dir())?;
    if options.blobs {
        archive.blobs(store, progress)?;
    }
    let summary = archive.summary.clone();
    archive.json(END, &summary)?;
    archive.tar.into_inner()?.finish()?;
    Ok(summary)
}

struct Archive<W: Write> {
    tar: tar::Builder<W>,
    summary: BackupSummary,
    parts: u32,
}

impl<W: Write> Archive<W> {
    fn entry(&mut self, name: &str, size: u64, content: impl Read) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o600);
        header.set_mtime((Timestamp::now().as_millis() / 1000).max(0) as u64);
        self.tar.append_data(&mut header, name, content)?;
        Ok(())
    }

    fn json(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        let json = serde_json::to_vec(value).map_err(std::io::Error::from)?;
        self.entry(name, json.len() as u64, json.as_slice())
    }

    fn records(&mut self, store: &Store, progress: &mut dyn FnMut(Progress)) -> Result<()> {
        let reader = Reader::new(store.inner.engine.clone());
        let recorder = store.inner.committer.recorder();
        let mut parts = vec![Part::default()];
        for pair in reader.walk(KeyRange::all(), Direction::Forward, 256) {
            let (key, value) = pair?;
            Part::add_to(&mut parts, &key, Some(&value));
            self.parts(&mut parts, 1, progress)?;
        }
        for round in 0.. {
            let mut noted = recorder.lock();
            let keys = noted.as_mut().map(std::mem::take).unwrap_or_default();
            if keys.len() > LAST_KEYS && round < ROUNDS {
                drop(noted);
                self.again(&reader, keys, &mut parts, 1, progress)?;
                continue;
            }
            // Commits halt while `noted` is held, so nothing is written to the receiver of the archive until it is
            // dropped.
            self.again(&reader, keys, &mut parts, HALTED_PARTS, progress)?;
            *noted = None;
            drop(noted);
            break;
        }
        self.parts(&mut parts, 0, progress)
    }

    fn again(
        &mut self,
        reader: &Reader,
        keys: HashSet<Bytes>,
        parts: &mut Vec<Part>,
        most: usize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<()> {
        for key in keys {
            Part::add_to(parts, &key, reader.raw_get(&key)?.as_deref());
            self.parts(parts, most, progress)?;
        }
        Ok(())
    }

    /// Writes the parts if there are more than `most`: all except the last one, which is not full. With 0, writes all
    /// of them.
    fn parts(
        &mut self,
        parts: &mut Vec<Part>,
        most: usize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<()> {
        if parts.len() <= most {
            return Ok(());
        }
        let full = parts.len() - most.min(1);
        for part in parts.drain(..full) {
            if part.count == 0 {
                continue;
            }
            let name = format!("records/{:08}", self.parts);
            self.entry(&name, part.bytes.len() as u64, part.bytes.as_slice())?;
            self.parts += 1;
            self.summary.records += part.count;
            progress(Progress::items("records", self.summary.records, None));
        }
        Ok(())
    }

    fn key_files(&mut self, files: &dyn FileSystem, dir: &Path) -> Result<()> {
        for name in files.names(dir)? {
            let path = dir.join(&name);
            if name.ends_with(".key") && find(files, &path)?.is_some_and(|found| !found.is_dir) {
                let content = read(files, &path)?;
                self.entry(&format!("keys/{name}"), content.len() as u64, content.as_slice())?;
                self.summary.keys += 1;
            }
        }
        Ok(())
    }

    fn blobs(&mut self, store: &Store, progress: &mut dyn FnMut(Progress)) -> Result<()> {
        let here = LocalRuntime::new()?;
        let all = here.wait(store.blobs().list())?;
        let total = Some(all.len() as u64);
        for (done, listed) in (0..).zip(all) {
            progress(Progress::items("blobs", done, total));
            let blob = match here.wait(store.blobs().get(listed.tenant, &listed.id)) {
                // Deleted since the blobs were listed.
                Err(Error::NotFound(_)) => continue,
                other => other?,
            };
            let name = format!("blobs/{}/{}/{}", listed.tenant, &listed.id.as_str()[..2], listed.id);
            self.entry(&name, blob.size, Pieces { here: &here, stream: blob.bytes, piece: Bytes::new() })?;
            self.summary.blobs += 1;
        }
        progress(Progress::items("blobs", self.summary.blobs, total));
        Ok(())
    }
}

/// A sequence of keys and values. Each has a byte that says whether there is a value, the length of the key in four
/// bytes big-endian, the key, and in the same way the value.
#[derive(Default)]
struct Part {
    bytes: Vec<u8>,
    count: u64,
}

impl Part {
    /// Adds to the last part, or to a new one if the last is full.
    fn add_to(parts: &mut Vec<Self>, key: &[u8], value: Option<&[u8]>) {
        if parts.last().is_none_or(|last| last.bytes.len() >= PART) {
            parts.push(Self::default());
        }
        if let Some(last) = parts.last_mut() {
            last.add(key, value);
        }
    }

    fn add(&mut self, key: &[u8], value: Option<&[u8]>) {
        self.bytes.push(u8::from(value.is_some()));
        for piece in [Some(key), value].into_iter().flatten() {
            self.bytes.extend_from_slice(&(piece.len() as u32).to_be_bytes());
            self.bytes.extend_from_slice(piece);
        }
        self.count += 1;
    }

    fn read(mut bytes: Bytes, mut each: impl FnMut(Op)) -> Result<u64> {
        let mut count = 0;
        let piece = |bytes: &mut Bytes| -> Option<Bytes> {
            let len = u32::from_be_bytes(*bytes.first_chunk()?) as usize;
            (bytes.len() >= 4 + len).then(|| bytes.split_to(4 + len).slice(4..))
        };
        let damaged = || Error::Corrupt("the records of the backup are damaged".into());
        while !bytes.is_empty() {
            let has_value = bytes.split_to(1)[0];
            let key = piece(&mut bytes).ok_or_else(damaged)?;
            each(match has_value {
                0 => Op::Delete(key),
                1 => Op::Put(key, piece(&mut bytes).ok_or_else(damaged)?),
                _ => return Err(damaged()),
            });
            count += 1;
        }
        Ok(count)
    }

    fn batch(bytes: Bytes) -> Result<(Batch, u64)> {
        let mut batch = Batch::new();
        let count = Self::read(bytes, |op| batch.ops.push(op))?;
        Ok((batch, count))
    }
}

/// Reads a stream through the `Read` trait.
struct Pieces<'a> {
    here: &'a LocalRuntime,
    stream: BoxStream<'static, Result<Bytes>>,
    piece: Bytes,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        while self.piece.is_empty() {
            match self.here.wait(self.stream.next()) {
                None => return Ok(0),
                Some(piece) => self.piece = piece.map_err(std::io::Error::other)?,
            }
        }
        let len = into.len().min(self.piece.len());
        into[..len].copy_from_slice(&self.piece.split_to(len));
        Ok(len)
    }
}
