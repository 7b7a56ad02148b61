//! The system's files for a process that is killed at one of its operations.
//!
//! Operations that change something are counted. From one of them on, operations have no effect. The disk then contains
//! what a process leaves behind that is killed between the two operations. This only covers operations that go through
//! [`FileSystem`]. sled writes its files directly, so a test that needs them in the state after a kill has to end a
//! process ([`StoppingFiles::halting`]).

use super::{FileSystem, Metadata, RandomAccessFile, SystemFiles};
use parking_lot::{Mutex, MutexGuard};
use std::fmt;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The point from which operations have no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// How many operations take place.
    pub after: u64,
    /// Whether half of the next operation takes place, if it is a write.
    pub is_torn: bool,
}

impl Stop {
    /// Stops between two operations.
    pub(crate) fn after(after: u64) -> Self {
        Self { after, is_torn: false }
    }

    /// Stops within a write.
    pub(crate) fn within(after: u64) -> Self {
        Self { after, is_torn: true }
    }
}

/// An operation that changes something, or makes a change durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub kind: Kind,
    pub path: PathBuf,
}

impl Operation {
    /// Whether half of it can take place.
    pub(crate) fn can_be_torn(&self) -> bool {
        matches!(self.kind, Kind::Write(bytes) if bytes > 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Create,
    CreateDir,
    /// Contains the number of bytes.
    Write(usize),
    SetLen,
    Sync,
    SyncDir,
    Rename,
    Remove,
}

/// How much of an operation takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    /// Half of a write.
    Half,
}

/// The system's files, until the stop.
#[derive(Clone)]
pub(crate) struct StoppingFiles {
    shared: Arc<Shared>,
}

struct Shared {
    stop: Stop,
    /// Called by the first operation without effect, before it waits for the end of the process.
    halt: Option<fn(&Operation)>,
    done: Mutex<Done>,
}

#[derive(Default)]
struct Done {
    /// The operations that took place, and the first one that did not.
    operations: Vec<Operation>,
    has_stopped: bool,
}

impl StoppingFiles {
    /// Makes operations fail from the stop on.
    pub(crate) fn new(stop: Stop) -> Self {
        Self::with(stop, None)
    }

    /// Makes operations wait for the end of the process from the stop on. `halt` is called once, by the first of them.
    pub(crate) fn halting(stop: Stop, halt: fn(&Operation)) -> Self {
        Self::with(stop, Some(halt))
    }

    fn with(stop: Stop, halt: Option<fn(&Operation)>) -> Self {
        Self { shared: Arc::new(Shared { stop, halt, done: Mutex::default() }) }
    }

    /// The first operation that had no effect; `None` before the stop.
    pub(crate) fn stopped_at(&self) -> Option<Operation> {
        let done = self.shared.done.lock();
        done.operations.last().filter(|_| done.has_stopped).cloned()
    }
}

impl Shared {
    /// Does an operation, unless the stop was reached. Operations run one at a time, so that none is in progress at the
    /// stop.
    fn change<T>(&self, kind: Kind, path: &Path, change: impl FnOnce(Part) -> Result<T>) -> Result<T> {
        let mut done = self.running()?;
        let number = done.operations.len() as u64;
        done.operations.push(Operation { kind, path: path.to_owned() });
        if number < self.stop.after {
            return change(Part::Whole);
        }
        if let (Kind::Write(_), true) = (kind, self.stop.is_torn) {
            change(Part::Half)?;
        }
        self.stop(done)
    }

    /// Reads something, unless the stop was reached.
    fn read_unless_stopped<T>(&self, read: impl FnOnce() -> Result<T>) -> Result<T> {
        let _running = self.running()?;
        read()
    }

    fn running(&self) -> Result<MutexGuard<'_, Done>> {
        let done = self.done.lock();
        if done.has_stopped { Err(stopped()) } else { Ok(done) }
    }

    fn stop<T>(&self, mut done: MutexGuard<'_, Done>) -> Result<T> {
        done.has_stopped = true;
        let Some(halt) = self.halt else { return Err(stopped()) };
        done.operations.last().into_iter().for_each(halt);
        // Keeps the lock, so that all other operations wait as well.
        loop {
            std::thread::park();
        }
    }
}

fn stopped() -> Error {
    Error::other("the process has been killed")
}

impl fmt::Debug for StoppingFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoppingFiles").field("stop", &self.shared.stop).finish_non_exhaustive()
    }
}

impl StoppingFiles {
    fn file(&self, path: &Path, file: Arc<dyn RandomAccessFile>) -> Arc<dyn RandomAccessFile> {
        Arc::new(StoppingFile { shared: self.shared.clone(), path: path.to_owned(), file })
    }
}

impl FileSystem for StoppingFiles {
    fn open(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(self.file(path, self.shared.read_unless_stopped(|| SystemFiles.open(path))?))
    }

    fn open_read(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(self.file(path, self.shared.read_unless_stopped(|| SystemFiles.open_read(path))?))
    }

    fn create(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(self.file(path, self.shared.change(Kind::Create, path, |_| SystemFiles.create(path))?))
    }

    fn create_private(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(self.file(path, self.shared.change(Kind::Create, path, |_| SystemFiles.create_private(path))?))
    }

    fn metadata(&self, path: &Path) -> Result<Metadata> {
        self.shared.read_unless_stopped(|| SystemFiles.metadata(path))
    }

    fn names(&self, dir: &Path) -> Result<Vec<String>> {
        self.shared.read_unless_stopped(|| SystemFiles.names(dir))
    }

    fn create_dir(&self, dir: &Path) -> Result<()> {
        self.shared.change(Kind::CreateDir, dir, |_| SystemFiles.create_dir(dir))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.shared.change(Kind::Rename, to, |_| SystemFiles.rename(from, to))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<()> {
        self.shared.change(Kind::Rename, to, |_| SystemFiles.rename_new(from, to))
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.shared.change(Kind::Remove, path, |_| SystemFiles.remove(path))
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        self.shared.change(Kind::Remove, dir, |_| SystemFiles.remove_dir(dir))
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        self.shared.change(Kind::SyncDir, dir, |_| SystemFiles.sync_dir(dir))
    }
}

struct StoppingFile {
    shared: Arc<Shared>,
    path: PathBuf,
    file: Arc<dyn RandomAccessFile>,
}

impl fmt::Debug for StoppingFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoppingFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl RandomAccessFile for StoppingFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.shared.read_unless_stopped(|| self.file.read_at(buffer, offset))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.shared.change(Kind::Write(bytes.len()), &self.path, |part| {
            let len = if part == Part::Half { bytes.len() / 2 } else { bytes.len() };
            self.file.write_at(&bytes[..len], offset)
        })
    }

    fn len(&self) -> Result<u64> {
        self.shared.read_unless_stopped(|| self.file.len())
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.shared.change(Kind::SetLen, &self.path, |_| self.file.set_len(len))
    }

    fn sync(&self) -> Result<()> {
        self.shared.change(Kind::Sync, &self.path, |_| self.file.sync())
    }
}
