//! The system's files on a machine that loses power.
//!
//! Every operation takes place twice: on the system's files, and on a [`SimulatedDisk`] that records what is durable.
//! sled writes its files directly, so the disk does not know them, but databases that are converted from sled or
//! indexed by it need them. At a power loss, the surviving content of the disk is written to another folder, with or
//! without the files that only the system has.

use super::simulated::{Random, SimulatedDisk};
use super::{FileSystem, Metadata, RandomAccessFile, SystemFiles, find, read, sync_all};
use std::fs;
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder of the system, mirrored by a simulated disk.
#[derive(Clone, Debug)]
pub(crate) struct MirroredFiles {
    disk: SimulatedDisk,
    dir: PathBuf,
    last: u64,
}

impl MirroredFiles {
    /// Mirrors a folder whose whole content is durable. This many operations take place before the machine stops.
    pub(crate) fn new(dir: &Path, seed: u64, operations: u64) -> Result<Self> {
        let disk = SimulatedDisk::new(seed);
        disk.create_dir(dir)?;
        load(&disk, dir)?;
        sync_all(&disk, dir)?;
        dir.ancestors().try_for_each(|above| disk.sync_dir(above))?;
        disk.stop_after(operations);
        let last = disk.operations() + operations;
        Ok(Self { disk, dir: dir.to_owned(), last })
    }

    /// Whether the machine stopped before all operations were done.
    pub(crate) fn has_stopped(&self) -> bool {
        self.disk.operations() > self.last
    }

    /// Cuts the power, and writes the surviving content of the folder to another one. Can be called again for other
    /// outcomes.
    pub(crate) fn lose_power(&self, random: &mut Random, to: &Path) -> Result<()> {
        let (before, left) = (self.disk.kill(random), self.disk.lose_power(random));
        unload(&left, &self.dir, to)?;
        if random.coin() {
            add_unknown(&before, &self.dir, to)?;
        }
        Ok(())
    }
}

/// Adds the files that only the system has, if their directory still exists.
fn add_unknown(known: &SimulatedDisk, from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let is_known = find(known, &path)?.is_some();
        if entry.file_type()?.is_dir() {
            if !is_known && to.is_dir() {
                fs::create_dir_all(&target)?;
            }
            if target.is_dir() {
                add_unknown(known, &path, &target)?;
            }
        } else if !is_known && !target.exists() {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

fn load(disk: &SimulatedDisk, dir: &Path) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            disk.create_dir(&path)?;
            load(disk, &path)?;
        } else {
            disk.create(&path)?.write_at(&fs::read(&path)?, 0)?;
        }
    }
    Ok(())
}

fn unload(disk: &SimulatedDisk, from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    if find(disk, from)?.is_none() {
        return Ok(());
    }
    for name in disk.names(from)? {
        let (path, to) = (from.join(&name), to.join(&name));
        match disk.metadata(&path)?.is_dir {
            true => unload(disk, &path, &to)?,
            false => fs::write(&to, read(disk, &path)?)?,
        }
    }
    Ok(())
}

/// The result of an operation on the disk; `None` for a file that only the system has.
fn known<T>(mirrored: Result<T>) -> Result<Option<T>> {
    match mirrored {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl MirroredFiles {
    fn file(
        &self,
        mirrored: Result<Arc<dyn RandomAccessFile>>,
        file: impl FnOnce() -> Result<Arc<dyn RandomAccessFile>>,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        let mirrored = known(mirrored)?;
        Ok(Arc::new(MirroredFile { mirrored, file: file()? }))
    }
}

impl FileSystem for MirroredFiles {
    fn open(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.file(self.disk.open(path), || SystemFiles.open(path))
    }

    fn open_read(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.file(self.disk.open_read(path), || SystemFiles.open_read(path))
    }

    fn create(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.file(self.disk.create(path), || SystemFiles.create(path))
    }

    fn create_private(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        self.file(self.disk.create_private(path), || SystemFiles.create_private(path))
    }

    fn metadata(&self, path: &Path) -> Result<Metadata> {
        SystemFiles.metadata(path)
    }

    fn names(&self, dir: &Path) -> Result<Vec<String>> {
        SystemFiles.names(dir)
    }

    fn create_dir(&self, dir: &Path) -> Result<()> {
        self.disk.create_dir(dir)?;
        SystemFiles.create_dir(dir)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        known(self.disk.rename(from, to))?;
        SystemFiles.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<()> {
        if to.exists() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        known(self.disk.rename_new(from, to))?;
        SystemFiles.rename_new(from, to)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        // Removing a directory as a file fails. This is checked before the disk is called, because the disk assumes
        // that all operations are valid.
        if path.is_dir() {
            return SystemFiles.remove(path);
        }
        known(self.disk.remove(path))?;
        SystemFiles.remove(path)
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        known(self.disk.remove_dir(dir))?;
        SystemFiles.remove_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        known(self.disk.sync_dir(dir))?;
        SystemFiles.sync_dir(dir)
    }
}

#[derive(Debug)]
struct MirroredFile {
    mirrored: Option<Arc<dyn RandomAccessFile>>,
    file: Arc<dyn RandomAccessFile>,
}

impl RandomAccessFile for MirroredFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.file.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.mirrored.iter().try_for_each(|file| file.write_at(bytes, offset))?;
        self.file.write_at(bytes, offset)
    }

    fn len(&self) -> Result<u64> {
        self.file.len()
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.mirrored.iter().try_for_each(|file| file.set_len(len))?;
        self.file.set_len(len)
    }

    fn sync(&self) -> Result<()> {
        self.mirrored.iter().try_for_each(|file| file.sync())?;
        self.file.sync()
    }
}
