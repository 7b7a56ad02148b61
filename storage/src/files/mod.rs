//! The file operations of this crate, behind one interface: tests replace the system's files by a disk that loses power or
//! fails.
//!
//! What survives a power cut follows POSIX: the content of a file that was synced, and the names in a directory that was
//! synced. Everything else may be there, in part, or not at all.

mod system;

pub(crate) use system::SystemFiles;

use std::fmt;
use std::io::Result;
use std::path::Path;
use std::sync::Arc;

/// Directories, and the names in them. Paths are absolute or relative to the working directory.
pub(crate) trait FileSystem: fmt::Debug + Send + Sync + 'static {
    /// Opens a file that is there, for reading and writing.
    fn open(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>>;

    /// Makes a file, or empties the one that is there. Its name is durable after [`sync_dir`](Self::sync_dir).
    fn create(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>>;

    /// The names in a directory, in no order. `NotFound` where there is no directory.
    fn names(&self, dir: &Path) -> Result<Vec<String>>;

    /// Makes a directory and those above it.
    fn create_dir(&self, dir: &Path) -> Result<()>;

    /// Gives a file or a directory another name, in place of a file that has it.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;

    /// Removes the name of a file. Whoever has it open can go on reading it.
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

/// Reads a whole file.
pub(crate) fn read(files: &dyn FileSystem, path: &Path) -> Result<Vec<u8>> {
    let file = files.open(path)?;
    let mut content = vec![0; file.len()? as usize];
    let read = file.read_at(&mut content, 0)?;
    content.truncate(read);
    Ok(content)
}

/// Writes a file under a temporary name and renames it, so that after a crash it has its old content or the new one.
/// Both are durable on return.
pub(crate) fn replace(files: &dyn FileSystem, path: &Path, content: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    let file = files.create(&new)?;
    file.write_at(content, 0)?;
    file.sync()?;
    files.rename(&new, path)?;
    path.parent().map_or(Ok(()), |dir| files.sync_dir(dir))
}
