//! The file operations of this crate, behind one interface: tests replace the system's files by a disk that loses power or
//! fails.
//!
//! What survives a power cut follows POSIX: the content of a file that was synced, and the names in a directory that was
//! synced. Everything else may be there, in part, or not at all.
//!
//! Three things stay with the operating system, because they are no content: the data folder's permissions, its lock
//! (`data_dir`), and the space that is reserved on the disk (`room`).

mod stream;
mod system;

pub(crate) use stream::Stream;
pub(crate) use system::SystemFiles;

use std::fmt;
use std::io::{BufReader, ErrorKind, Result};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Bytes that are copied at a time.
const COPIED: usize = 256 << 10;

/// Directories, and the names in them. Paths are absolute or relative to the working directory.
pub(crate) trait FileSystem: fmt::Debug + Send + Sync + 'static {
    /// Opens a file that is there, for reading and writing.
    fn open(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>>;

    /// Opens a file that is there, for reading; it may be one that cannot be written to.
    fn open_read(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.open(path)
    }

    /// Makes a file, or empties the one that is there. Its name is durable after [`sync_dir`](Self::sync_dir).
    fn create(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>>;

    /// The same, for a file that only its owner may read.
    fn create_private(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.create(path)
    }

    /// What is known of a file or directory without opening it. `NotFound` where there is none.
    fn metadata(&self, path: &Path) -> Result<Metadata>;

    /// The names in a directory, in no order. `NotFound` where there is no directory.
    fn names(&self, dir: &Path) -> Result<Vec<String>>;

    /// Makes a directory and those above it.
    fn create_dir(&self, dir: &Path) -> Result<()>;

    /// Gives a file or a directory another name, in place of a file that has it.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;

    /// Gives a file another name, which must be free: `AlreadyExists` otherwise.
    fn rename_new(&self, from: &Path, to: &Path) -> Result<()>;

    /// Removes the name of a file. Where it is open, it can still be read.
    fn remove(&self, path: &Path) -> Result<()>;

    /// Removes a directory, which must be empty.
    fn remove_dir(&self, dir: &Path) -> Result<()>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, dir: &Path) -> Result<()>;
}

/// An open file, read and written at offsets in bytes.
pub(crate) trait RandomAccessFile: fmt::Debug + Send + Sync {
    /// Fills the buffer from an offset, as far as the file goes. Returns how many bytes were read.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize>;

    /// Writes all bytes at an offset. After an error, any part of them may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()>;

    /// The length in bytes.
    fn len(&self) -> Result<u64>;

    /// Cuts the file, or fills it with zeros up to a length.
    fn set_len(&self, len: u64) -> Result<()>;

    /// Makes content and length durable.
    fn sync(&self) -> Result<()>;
}

/// What is known of a file or directory without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Metadata {
    pub is_dir: bool,
    /// The length in bytes; of a file.
    pub len: u64,
    /// When the content was last changed.
    pub modified: SystemTime,
}

/// The metadata of a file or directory; `None` where there is none.
pub(crate) fn find(files: &dyn FileSystem, path: &Path) -> Result<Option<Metadata>> {
    match files.metadata(path) {
        Ok(found) => Ok(Some(found)),
        // A file in the place of a directory: there is nothing below it.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a whole file.
pub(crate) fn read(files: &dyn FileSystem, path: &Path) -> Result<Vec<u8>> {
    let file = files.open_read(path)?;
    let mut content = vec![0; file.len()? as usize];
    let read = file.read_at(&mut content, 0)?;
    content.truncate(read);
    Ok(content)
}

/// Writes a file under a temporary name and renames it, so that after a crash it has its old content or the new one.
/// Both are durable on return. Only the owner may read it.
pub(crate) fn replace(files: &dyn FileSystem, path: &Path, content: &[u8]) -> Result<()> {
    publish(files, path, content, |new| files.rename(new, path))
}

/// [`replace`] for a file that must not be there yet: `AlreadyExists` otherwise.
pub(crate) fn write_new(files: &dyn FileSystem, path: &Path, content: &[u8]) -> Result<()> {
    publish(files, path, content, |new| files.rename_new(new, path))
}

fn publish(
    files: &dyn FileSystem,
    path: &Path,
    content: &[u8],
    rename: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let new = path.with_extension("new");
    let file = files.create_private(&new)?;
    let renamed = file.write_at(content, 0).and_then(|()| file.sync()).and_then(|()| rename(&new));
    if renamed.is_err() {
        // The first error is the one to report.
        let _ = files.remove(&new);
    }
    renamed?;
    files.sync_dir(parent(path))
}

/// Copies a file that is open to the beginning of another one. Returns how many bytes it has.
pub(crate) fn copy(from: Arc<dyn RandomAccessFile>, to: Arc<dyn RandomAccessFile>) -> Result<u64> {
    let mut from = BufReader::with_capacity(COPIED, Stream::new(from));
    std::io::copy(&mut from, &mut Stream::new(to))
}

/// The directory that a path is in.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// Makes a directory and those above it, durably. Each is durable before the next one is made; so if one is there, only
/// its own name may not be durable yet.
pub(crate) fn create_dir_synced(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    if find(files, dir)?.is_some_and(|found| found.is_dir) {
        return sync_name(files, dir);
    }
    let above = parent(dir);
    if above != dir {
        create_dir_synced(files, above)?;
    }
    files.create_dir(dir)?;
    files.sync_dir(above)
}

/// Makes the name of a directory durable that may have been made by a process that was killed before it came to that. One
/// above which nothing may be read was made by others.
pub(crate) fn sync_name(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    match files.sync_dir(parent(dir)) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

/// Makes a directory with everything in it durable.
pub(crate) fn sync_all(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    for name in files.names(dir)? {
        let path = dir.join(name);
        match files.metadata(&path)?.is_dir {
            true => sync_all(files, &path)?,
            false => files.open_read(&path)?.sync()?,
        }
    }
    files.sync_dir(dir)
}

/// Removes a file, or a directory with everything in it; fine if there is none.
pub(crate) fn remove_all(files: &dyn FileSystem, path: &Path) -> Result<()> {
    // Of a symbolic link, this removes the link only.
    let failed = match files.remove(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => error,
        _ => return Ok(()),
    };
    if !find(files, path)?.is_some_and(|found| found.is_dir) {
        return Err(failed);
    }
    for name in files.names(path)? {
        remove_all(files, &path.join(name))?;
    }
    files.remove_dir(path)
}

#[cfg(test)]
pub(crate) mod mirrored;
#[cfg(test)]
pub(crate) mod simulated;
#[cfg(test)]
pub(crate) mod stopping;
