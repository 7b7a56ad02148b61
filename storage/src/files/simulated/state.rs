//! Files and names, both as processes see them and as they are durable.

use super::content::{self, Change, Content};
use super::faults::{Failure, Operation};
use super::names::{NameChange, Names, ROOT};
use super::random::Random;
use super::survival::Survival;
use crate::files::Metadata;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Result};
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// An operation that changes something, with its paths resolved.
#[derive(Clone, Debug)]
pub(super) enum Mutation {
    Write { file: u64, offset: u64, bytes: Arc<[u8]> },
    SetLen { file: u64, len: u64 },
    Sync { file: u64 },
    SyncDir { dir: u64 },
    Create { dir: u64, name: String },
    CreateDir { dir: u64, name: String },
    Rename { from: (u64, String), to: (u64, String) },
    Remove { dir: u64, name: String },
    RemoveDir { dir: u64, name: String },
}

impl Mutation {
    pub(super) fn operation(&self) -> Operation {
        match self {
            Self::Write { .. } => Operation::Write,
            Self::SetLen { .. } => Operation::SetLen,
            Self::Sync { .. } => Operation::Sync,
            Self::SyncDir { .. } => Operation::SyncDir,
            Self::Create { .. } | Self::CreateDir { .. } => Operation::Create,
            Self::Rename { .. } => Operation::Rename,
            Self::Remove { .. } | Self::RemoveDir { .. } => Operation::Remove,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct File {
    content: Content,
    /// Open handles, which keep its space occupied after its name is removed.
    handles: usize,
}

/// The state of a disk. A copy represents the same disk, including the page cache of its machine.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    names: Names,
    files: BTreeMap<u64, File>,
    /// The number of the next file or directory.
    next: u64,
    /// Number of bytes that all files together may take up.
    pub(super) capacity: Option<u64>,
    /// Whether a failed sync can remove the data that it was to write from the page cache.
    pub(super) drops_pages: bool,
}

impl State {
    /// A disk with an empty root directory.
    pub(super) fn empty() -> Self {
        Self { next: ROOT + 1, drops_pages: true, ..Self::default() }
    }

    /// Resolves a path to its directory and the name in it.
    pub(super) fn locate(&self, path: &Path) -> Result<(u64, String)> {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let dir = path.parent().unwrap_or(Path::new(""));
        Ok((self.dir(dir)?, name.to_string_lossy().into_owned()))
    }

    pub(super) fn dir(&self, path: &Path) -> Result<u64> {
        let mut dir = ROOT;
        for component in path.components() {
            match component {
                Component::RootDir | Component::CurDir => {}
                Component::Normal(name) => {
                    dir = self.names.get(dir, &name.to_string_lossy()).ok_or(ErrorKind::NotFound)?;
                    if self.files.contains_key(&dir) {
                        return Err(ErrorKind::NotADirectory.into());
                    }
                }
                _ => return Err(ErrorKind::InvalidInput.into()),
            }
        }
        Ok(dir)
    }

    pub(super) fn metadata(&self, path: &Path) -> Result<Metadata> {
        let found = |is_dir, len, changed| {
            let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(changed);
            Metadata { is_dir, len, modified }
        };
        match self.locate(path).map(|(dir, name)| self.names.get(dir, &name).ok_or(ErrorKind::NotFound)) {
            // The root has no name.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(found(true, 0, 0)),
            Err(error) => Err(error),
            Ok(node) => Ok(match self.files.get(&node?) {
                Some(file) => found(false, file.content.len(), file.content.changed()),
                None => found(true, 0, 0),
            }),
        }
    }

    pub(super) fn names(&self, dir: u64) -> Vec<String> {
        self.names.list(dir)
    }

    pub(super) fn lookup(&self, dir: u64, name: &str) -> Option<u64> {
        self.names.get(dir, name)
    }

    pub(super) fn open(&mut self, file: u64) -> Result<u64> {
        self.files.get_mut(&file).ok_or(ErrorKind::IsADirectory)?.handles += 1;
        Ok(file)
    }

    pub(super) fn close(&mut self, file: u64) {
        if let Some(file) = self.files.get_mut(&file) {
            file.handles = file.handles.saturating_sub(1);
        }
    }

    pub(super) fn content(&self, file: u64) -> Result<&Content> {
        self.files.get(&file).map(|file| &file.content).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn content_mut(&mut self, file: u64) -> Result<&mut Content> {
        self.files.get_mut(&file).map(|file| &mut file.content).ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Bytes taken up by files that have a name or are open.
    pub(super) fn space(&self) -> u64 {
        let named = self.names.visible();
        let used = self.files.iter().filter(|(id, file)| file.handles > 0 || named.contains(id));
        used.map(|(_, file)| file.content.space()).sum()
    }

    /// Does the operation with this number. Creating a file returns its number.
    pub(super) fn perform(&mut self, number: u64, mutation: &Mutation) -> Result<u64> {
        match mutation {
            Mutation::Write { file, offset, bytes } => return self.write(number, *file, *offset, bytes),
            Mutation::SetLen { file, len } => self.content_mut(*file)?.change(number, Change::SetLen(*len)),
            Mutation::Sync { file } => self.content_mut(*file)?.sync(),
            Mutation::SyncDir { dir } => {
                self.names.sync(*dir);
                self.forget_unreachable();
            }
            Mutation::Create { dir, name } => return self.create(number, *dir, name),
            Mutation::CreateDir { dir, name } => {
                if self.names.get(*dir, name).is_some() {
                    return Err(ErrorKind::AlreadyExists.into());
                }
                let made = self.number();
                self.names.make_dir(made);
                self.link(number, *dir, name, made);
                return Ok(made);
            }
            Mutation::Rename { from, to } => self.rename(number, from, to)?,
            Mutation::Remove { dir, name } => {
                let file = self.names.get(*dir, name).ok_or(ErrorKind::NotFound)?;
                if !self.files.contains_key(&file) {
                    return Err(ErrorKind::IsADirectory.into());
                }
                self.names.change(number, NameChange::Unlink { dir: *dir, name: name.clone() });
            }
            Mutation::RemoveDir { dir, name } => {
                let removed = self.names.get(*dir, name).ok_or(ErrorKind::NotFound)?;
                self.can_replace(removed, true)?;
                self.names.change(number, NameChange::Unlink { dir: *dir, name: name.clone() });
            }
        }
        Ok(0)
    }

    fn write(&mut self, number: u64, file: u64, offset: u64, bytes: &Arc<[u8]>) -> Result<u64> {
        let free = self.capacity.map_or(u64::MAX, |capacity| capacity.saturating_sub(self.space()));
        let content = self.content_mut(file)?;
        let fits = content.fitting(offset, bytes.len(), free);
        if fits == bytes.len() {
            content.change(number, Change::Write { offset, bytes: bytes.clone() });
            return Ok(file);
        }
        if fits > 0 {
            content.change(number, Change::Write { offset, bytes: bytes[..fits].into() });
        }
        Err(Failure::NoSpace.into())
    }

    fn create(&mut self, number: u64, dir: u64, name: &str) -> Result<u64> {
        if let Some(there) = self.names.get(dir, name) {
            let file = self.files.get_mut(&there).ok_or(ErrorKind::IsADirectory)?;
            file.content.change(number, Change::SetLen(0));
            return Ok(there);
        }
        let made = self.number();
        self.files.insert(made, File::default());
        self.link(number, dir, name, made);
        Ok(made)
    }

    fn link(&mut self, number: u64, dir: u64, name: &str, node: u64) {
        self.names.change(number, NameChange::Link { dir, name: name.to_owned(), node });
    }

    fn rename(&mut self, number: u64, from: &(u64, String), to: &(u64, String)) -> Result<()> {
        let node = self.names.get(from.0, &from.1).ok_or(ErrorKind::NotFound)?;
        if from == to {
            return Ok(());
        }
        let is_dir = !self.files.contains_key(&node);
        if let Some(replaced) = self.names.get(to.0, &to.1) {
            self.can_replace(replaced, is_dir)?;
        }
        if is_dir && self.names.is_within(to.0, node) {
            return Err(ErrorKind::InvalidInput.into());
        }
        self.names.change(number, NameChange::Rename { from: from.clone(), to: to.clone(), node });
        Ok(())
    }

    /// Whether a node can be replaced: files are replaced by files, and directories by directories, which must be
    /// empty.
    fn can_replace(&self, node: u64, by_dir: bool) -> Result<()> {
        match (self.files.contains_key(&node), by_dir) {
            (true, false) => Ok(()),
            (true, true) => Err(ErrorKind::NotADirectory.into()),
            (false, false) => Err(ErrorKind::IsADirectory.into()),
            (false, true) if self.names.list(node).is_empty() => Ok(()),
            (false, true) => Err(ErrorKind::DirectoryNotEmpty.into()),
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Does the part of an operation that has taken place when its process dies within it.
    pub(super) fn perform_partly(&mut self, number: u64, mutation: &Mutation, random: &mut Random) {
        if let Mutation::Write { file, offset, bytes } = mutation {
            let done = content::begun(*offset, bytes.len(), false, random);
            self.write_part(number, *file, *offset, &bytes[..done]);
        }
    }

    fn write_part(&mut self, number: u64, file: u64, offset: u64, part: &[u8]) {
        if !part.is_empty() {
            // A full disk ends the write earlier.
            let _ = self.write(number, file, offset, &part.into());
        }
    }

    /// Performs a failing operation: a write is done in part, the sync of a file corrupts the data that it was to sync,
    /// and all other operations do nothing. Names whose sync failed are written by the next successful sync, because
    /// file systems stop rather than lose a change of their own structures.
    pub(super) fn fail(&mut self, number: u64, mutation: &Mutation, failure: Failure, random: &mut Random) {
        match mutation {
            Mutation::Sync { file } => {
                let survival = self.draw(random);
                let drops = self.drops_pages && random.coin();
                if let Ok(content) = self.content_mut(*file) {
                    content.fail_sync(&survival, drops, random);
                }
            }
            Mutation::Write { file, offset, bytes } => {
                let done = content::begun(*offset, bytes.len(), failure == Failure::NoSpace, random);
                self.write_part(number, *file, *offset, &bytes[..done]);
            }
            _ => {}
        }
    }

    fn draw(&self, random: &mut Random) -> Survival {
        let numbers =
            self.files.values().flat_map(|file| file.content.unsynced()).chain(self.names.unsynced());
        let ends = numbers.fold((u64::MAX, 0), |(least, most), number| (number.min(least), number.max(most)));
        Survival::draw((ends.0.min(ends.1), ends.1), random)
    }

    /// The disk as it is found after a power loss.
    pub(super) fn after_power_loss(&self, random: &mut Random) -> Self {
        let survival = self.draw(random);
        let names = self.names.after_power_loss(&survival, random);
        let named = names.visible();
        let survive = |(id, file): (&u64, &File)| {
            let content = file.content.after_power_loss(&survival, random);
            (*id, File { content, handles: 0 })
        };
        let files = self.files.iter().filter(|(id, _)| named.contains(id)).map(survive).collect();
        Self { names, files, ..*self }
    }

    /// The disk as another process finds it after this one has died.
    pub(super) fn after_kill(&self) -> Self {
        let mut state = self.clone();
        for file in state.files.values_mut() {
            file.handles = 0;
        }
        state.forget_unreachable();
        state
    }

    /// Drops the files that no process can open, either now or after a power loss.
    fn forget_unreachable(&mut self) {
        let named = self.names.possible();
        self.files.retain(|id, file| file.handles > 0 || named.contains(id));
    }
}
