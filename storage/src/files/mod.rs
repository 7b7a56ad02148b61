//! The file operations of this crate, behind one interface, so that tests can replace the system's files by a disk that
//! loses power or fails.
//!
//! Power-loss semantics follow POSIX: the content of a synced file and the names in a synced directory survive.
//! Everything else may survive completely, in part, or not at all.
//!
//! Three things stay with the operating system because they are not content: the permissions of the data folder, its
//! lock (`data_dir`), and the reserved space on the disk (`room`).

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
    /// Opens an existing file for reading and writing.
    fn open(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>>;

    /// Opens an existing file for reading. The file may be read-only.
    fn open_read(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.open(path)
    }

    /// Creates a file, or truncates an existing one. Its name is durable after [`sync_dir`](Self::sync_dir).
    fn create(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>>;

    /// Like [`create`](Self::create), for a file that only its owner may read.
    fn create_private(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.create(path)
    }

    /// Returns the metadata of a file or directory. `NotFound` if it does not exist.
    fn metadata(&self, path: &Path) -> Result<Metadata>;

    /// Returns the names in a directory, in no particular order. `NotFound` if the directory does not exist.
    fn names(&self, dir: &Path) -> Result<Vec<String>>;

    /// Creates a directory and its missing parents.
    fn create_dir(&self, dir: &Path) -> Result<()>;

    /// Renames a file or a directory, replacing an existing file with the new name.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;

    /// Renames a file. `AlreadyExists` if the new name is in use.
    fn rename_new(&self, from: &Path, to: &Path) -> Result<()>;

    /// Removes the name of a file. Open handles can still read the file.
    fn remove(&self, path: &Path) -> Result<()>;

    /// Removes a directory, which must be empty.
    fn remove_dir(&self, dir: &Path) -> Result<()>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, dir: &Path) -> Result<()>;
}

/// An open file, read and written at offsets in bytes.
pub(crate) trait RandomAccessFile: fmt::Debug + Send + Sync {
    /// Fills the buffer from an offset, up to the end of the file. Returns the number of bytes read.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize>;

    /// Writes all bytes at an offset. After an error, any part of them may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()>;

    /// The length in bytes.
    fn len(&self) -> Result<u64>;

    /// Truncates the file to a length, or extends it with zeros.
    fn set_len(&self, len: u64) -> Result<()>;

    /// Makes content and length durable.
    fn sync(&self) -> Result<()>;
}

/// The metadata of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Metadata {
    pub is_dir: bool,
    /// The length of a file in bytes.
    pub len: u64,
    /// When the content was last changed.
    pub modified: SystemTime,
}

/// The metadata of a file or directory; `None` if it does not exist.
pub(crate) fn find(files: &dyn FileSystem, path: &Path) -> Result<Option<Metadata>> {
    match files.metadata(path) {
        Ok(found) => Ok(Some(found)),
        // If a parent is a file instead of a directory, nothing can exist below it.
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

/// Writes a file under a temporary name and renames it, so that after a crash it has either its old or its new content.
/// The content and the name are durable on return. Only the owner may read the file.
pub(crate) fn replace(files: &dyn FileSystem, path: &Path, content: &[u8]) -> Result<()> {
    publish(files, path, content, |new| files.rename(new, path))
}

/// Like [`replace`], for a file that must not exist yet: `AlreadyExists` otherwise.
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

/// Copies an open file to the beginning of another one. Returns the number of bytes copied.
pub(crate) fn copy(from: Arc<dyn RandomAccessFile>, to: Arc<dyn RandomAccessFile>) -> Result<u64> {
    let mut from = BufReader::with_capacity(COPIED, Stream::new(from));
    std::io::copy(&mut from, &mut Stream::new(to))
}

/// The directory that contains a path.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// Creates a directory and its missing parents durably. Each is durable before the next one is created. If a directory
/// exists, at most its own name is not durable yet.
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

/// Makes the name of a directory durable. The process that created the directory may have been killed before it did so.
/// If the parent is not readable, the directory was created by someone else, and this does nothing.
pub(crate) fn sync_name(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    match files.sync_dir(parent(dir)) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

/// Makes a directory and all its content durable.
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

/// Removes a file, or a directory with all its content, if it exists.
pub(crate) fn remove_all(files: &dyn FileSystem, path: &Path) -> Result<()> {
    // For a symbolic link, this removes only the link.
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
