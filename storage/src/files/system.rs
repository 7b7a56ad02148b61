//! The files of the operating system.

use super::{FileSystem, Metadata, RandomAccessFile};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs::{File, Permissions};
use std::io::{ErrorKind, Result};
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

/// The files of the operating system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemFiles;

impl FileSystem for SystemFiles {
    fn open(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(File::options().read(true).write(true).open(path)?))
    }

    fn open_read(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(File::open(path)?))
    }

    fn create(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(File::options().read(true).write(true).create(true).truncate(true).open(path)?))
    }

    fn create_private(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true).mode(0o600);
        let file = options.open(path)?;
        // An existing file keeps its previous permissions.
        file.set_permissions(Permissions::from_mode(0o600))?;
        Ok(Arc::new(file))
    }

    fn metadata(&self, path: &Path) -> Result<Metadata> {
        let found = std::fs::metadata(path)?;
        Ok(Metadata { is_dir: found.is_dir(), len: found.len(), modified: found.modified()? })
    }

    fn names(&self, dir: &Path) -> Result<Vec<String>> {
        std::fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn create_dir(&self, dir: &Path) -> Result<()> {
        std::fs::create_dir_all(dir)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        std::fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<()> {
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Not every file system supports this.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
                match std::fs::hard_link(from, to) {
                    Ok(()) => std::fs::remove_file(from),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
                    // If hard links are not supported either, two concurrent processes could both take the name.
                    Err(_) if to.try_exists()? => Err(ErrorKind::AlreadyExists.into()),
                    Err(_) => std::fs::rename(from, to),
                }
            }
            renamed => Ok(renamed?),
        }
    }

    fn remove(&self, path: &Path) -> Result<()> {
        std::fs::remove_file(path)
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        std::fs::remove_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        File::open(dir)?.sync_all()
    }
}

impl RandomAccessFile for File {
    fn read_at(&self, mut buffer: &mut [u8], mut offset: u64) -> Result<usize> {
        let mut read = 0;
        while !buffer.is_empty() {
            match FileExt::read_at(self, buffer, offset) {
                Ok(0) => break,
                Ok(some) => {
                    buffer = &mut buffer[some..];
                    offset += some as u64;
                    read += some;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn len(&self) -> Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn set_len(&self, len: u64) -> Result<()> {
        File::set_len(self, len)
    }

    fn sync(&self) -> Result<()> {
        // Includes the length if it has changed.
        self.sync_data()
    }
}
