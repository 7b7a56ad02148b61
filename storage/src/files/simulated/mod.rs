//! A disk in memory that loses power, fails and fills up.
//!
//! It distinguishes the state that processes see (the page cache) from the durable state: the content and length of
//! each file at its last sync, and the names in each directory at its last sync. After a power loss, any subset of the
//! changes since then survives: see [`lose_power`](SimulatedDisk::lose_power). Every choice is determined by a seed.

mod content;
mod faults;
mod names;
mod random;
mod state;
mod survival;
#[cfg(test)]
mod tests;

pub(crate) use faults::{Failure, Fault, Operation};
pub(crate) use random::Random;

use super::{FileSystem, Metadata, RandomAccessFile};
use parking_lot::Mutex;
use state::{Mutation, State};
use std::collections::VecDeque;
use std::fmt;
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of the last operations that can be shown.
const SHOWN: usize = 60;

/// Observes the disk within an operation that changes something.
pub(crate) trait Observer: Send {
    /// Whether it wants to observe the operation with this number, counted from 1.
    fn wants(&mut self, number: u64) -> bool;

    /// Called with the disk in a state in which the operation has not been done, has been done in part, or has just
    /// been done: [`SimulatedDisk::kill`] and [`SimulatedDisk::lose_power`] of this disk choose one of them.
    fn within(&mut self, number: u64, disk: &SimulatedDisk);
}

/// A disk, and the machine that uses it. Clones refer to the same disk.
#[derive(Clone)]
pub(crate) struct SimulatedDisk(Arc<Mutex<Machine>>);

struct Machine {
    state: State,
    random: Random,
    /// Operations that changed something or attempted to. The disks derived from this one continue the numbering.
    operations: u64,
    /// The operation in progress, on a disk that an observer sees.
    within: Option<Mutation>,
    stop_after: Option<u64>,
    /// Whether every operation fails.
    stopped: bool,
    faults: Vec<Fault>,
    observer: Option<Box<dyn Observer>>,
    last: VecDeque<(u64, Mutation, bool)>,
}

impl SimulatedDisk {
    /// An empty disk.
    pub(crate) fn new(seed: u64) -> Self {
        Self::of(State::empty(), seed, 0)
    }

    fn of(state: State, seed: u64, operations: u64) -> Self {
        Self(Arc::new(Mutex::new(Machine {
            state,
            random: Random::new(seed),
            operations,
            within: None,
            stop_after: None,
            stopped: false,
            faults: Vec::new(),
            observer: None,
            last: VecDeque::new(),
        })))
    }

    /// Returns the disk as it is found after a power loss. Synced data survives. Of all other data, any part may
    /// survive: of the content, single sectors or pages in the state after any of the changes since the last sync; of
    /// the lengths, any of those since then; of the changes of names, each either completely or not at all. Everything
    /// that survives counts as durable.
    ///
    /// This disk stops. It can be asked for other possible outcomes afterwards.
    pub(crate) fn lose_power(&self, random: &mut Random) -> Self {
        let (state, operations) = self.stop(random);
        Self::of(state.after_power_loss(random), random.next(), operations)
    }

    /// Returns the disk as another process finds it when this process is killed: no written data is lost, and unsynced
    /// data is still unsynced. This disk stops.
    pub(crate) fn kill(&self, random: &mut Random) -> Self {
        let (state, operations) = self.stop(random);
        Self::of(state.after_kill(), random.next(), operations)
    }

    fn stop(&self, random: &mut Random) -> (State, u64) {
        let mut machine = self.0.lock();
        machine.stopped = true;
        machine.observer = None;
        let mut state = machine.state.clone();
        if let Some(within) = &machine.within {
            match random.below(3) {
                0 => {}
                1 => state.perform_partly(machine.operations, within, random),
                // Fails if the disk is full.
                _ => drop(state.perform(machine.operations, within)),
            }
        }
        (state, machine.operations)
    }

    /// Allows this many operations that change something, counted from now. Then every operation fails, as if the
    /// machine had stopped. A write that is the first to fail may be done in part.
    pub(crate) fn stop_after(&self, operations: u64) {
        let mut machine = self.0.lock();
        machine.stop_after = Some(machine.operations + operations);
    }

    /// Number of operations that change something and have begun.
    pub(crate) fn operations(&self) -> u64 {
        self.0.lock().operations
    }

    /// Makes operations fail. A failed write may be done in part, and with [`Failure::Io`] completely. After a failed
    /// sync of a file it is undetermined which changes are durable, and later syncs do not write them.
    pub(crate) fn inject(&self, fault: Fault) {
        self.0.lock().faults.push(fault);
    }

    /// Makes all operations succeed from now on.
    pub(crate) fn stop_failing(&self) {
        self.0.lock().faults.clear();
    }

    /// Sets whether the data that a failed sync was to write can also disappear from the page cache, as with Btrfs. By
    /// default it can.
    pub(crate) fn drop_pages_of_failed_syncs(&self, drops: bool) {
        self.0.lock().state.drops_pages = drops;
    }

    /// Limits the number of bytes that files may take up, counted in pages of 4096 bytes. Writes that need more fail
    /// after a part of them is done.
    pub(crate) fn set_capacity(&self, bytes: Option<u64>) {
        self.0.lock().state.capacity = bytes;
    }

    /// Number of bytes that files take up.
    pub(crate) fn space(&self) -> u64 {
        self.0.lock().state.space()
    }

    /// Sets an observer of the disk within operations. The disk is locked during the call, so the observer can only use
    /// the copy that it is given.
    pub(crate) fn observe(&self, observer: impl Observer + 'static) {
        self.0.lock().observer = Some(Box::new(observer));
    }

    /// The last operations that changed something, one per line.
    pub(crate) fn last_operations(&self) -> String {
        let machine = self.0.lock();
        let line = |(number, mutation, done): &(u64, Mutation, bool)| {
            let outcome = if *done { "" } else { " FAILED" };
            match mutation {
                Mutation::Write { file, offset, bytes } => {
                    format!(
                        "{number} Write {{ file: {file}, offset: {offset}, bytes: {} }}{outcome}\n",
                        bytes.len()
                    )
                }
                other => format!("{number} {other:?}{outcome}\n"),
            }
        };
        machine.last.iter().map(line).collect()
    }

    fn read<T>(&self, read: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let mut machine = self.0.lock();
        if machine.stopped { Err(Failure::Io.into()) } else { read(&mut machine.state) }
    }

    /// Does an operation. `prepare` looks up its paths. The open handles of created files are counted.
    fn mutate(&self, prepare: impl FnOnce(&State) -> Result<Mutation>) -> Result<u64> {
        let mut machine = self.0.lock();
        if machine.stopped {
            return Err(Failure::Io.into());
        }
        let mutation = prepare(&machine.state)?;
        machine.operations += 1;
        let result = machine.perform(&mutation);
        if machine.last.len() == SHOWN {
            machine.last.pop_front();
        }
        let number = machine.operations;
        machine.last.push_back((number, mutation, result.is_ok()));
        result
    }

    fn handle(&self, file: u64) -> Arc<dyn RandomAccessFile> {
        Arc::new(SimulatedFile { disk: self.clone(), file })
    }
}

impl Machine {
    fn perform(&mut self, mutation: &Mutation) -> Result<u64> {
        let (number, operation) = (self.operations, mutation.operation());
        if self.stop_after.is_some_and(|last| number > last) {
            self.stopped = true;
            self.state.perform_partly(number, mutation, &mut self.random);
            return Err(Failure::Io.into());
        }
        if let Some(mut observer) = self.observer.take() {
            if observer.wants(number) {
                let seen = SimulatedDisk::of(self.state.clone(), self.random.next(), number);
                let mut machine = seen.0.lock();
                (machine.within, machine.last) = (Some(mutation.clone()), self.last.clone());
                drop(machine);
                observer.within(number, &seen);
            }
            self.observer = Some(observer);
        }
        let strikes = |fault: &mut Fault| fault.strikes(operation).then_some(fault.failure);
        if let Some(failure) = self.faults.iter_mut().find_map(strikes) {
            self.state.fail(number, mutation, failure, &mut self.random);
            return Err(failure.into());
        }
        let result = self.state.perform(number, mutation)?;
        if let Mutation::Create { .. } = mutation { self.state.open(result) } else { Ok(result) }
    }
}

impl fmt::Debug for SimulatedDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimulatedDisk")
    }
}

impl FileSystem for SimulatedDisk {
    fn open(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        let file = self.read(|state| {
            let (dir, name) = state.locate(path)?;
            let file = state.lookup(dir, &name).ok_or(ErrorKind::NotFound)?;
            state.open(file)
        })?;
        Ok(self.handle(file))
    }

    fn create(&self, path: &Path) -> Result<Arc<dyn RandomAccessFile>> {
        let file = self.mutate(|state| {
            let (dir, name) = state.locate(path)?;
            Ok(Mutation::Create { dir, name })
        })?;
        Ok(self.handle(file))
    }

    /// Time advances by one second per operation.
    fn metadata(&self, path: &Path) -> Result<Metadata> {
        self.read(|state| state.metadata(path))
    }

    fn names(&self, dir: &Path) -> Result<Vec<String>> {
        self.read(|state| Ok(state.names(state.dir(dir)?)))
    }

    fn create_dir(&self, dir: &Path) -> Result<()> {
        let mut path = PathBuf::new();
        for component in dir {
            path.push(component);
            match self.read(|state| state.dir(&path)) {
                Err(error) if error.kind() == ErrorKind::NotFound => self.mutate(|state| {
                    let (dir, name) = state.locate(&path)?;
                    Ok(Mutation::CreateDir { dir, name })
                })?,
                other => other?,
            };
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.mutate(|state| Ok(Mutation::Rename { from: state.locate(from)?, to: state.locate(to)? }))?;
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<()> {
        self.mutate(|state| {
            let (from, to) = (state.locate(from)?, state.locate(to)?);
            match state.lookup(to.0, &to.1) {
                Some(_) => Err(ErrorKind::AlreadyExists.into()),
                None => Ok(Mutation::Rename { from, to }),
            }
        })?;
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.mutate(|state| {
            let (dir, name) = state.locate(path)?;
            Ok(Mutation::Remove { dir, name })
        })?;
        Ok(())
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        self.mutate(|state| {
            let (dir, name) = state.locate(dir)?;
            Ok(Mutation::RemoveDir { dir, name })
        })?;
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        self.mutate(|state| Ok(Mutation::SyncDir { dir: state.dir(dir)? }))?;
        Ok(())
    }
}

struct SimulatedFile {
    disk: SimulatedDisk,
    file: u64,
}

impl fmt::Debug for SimulatedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimulatedFile({})", self.file)
    }
}

impl RandomAccessFile for SimulatedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.disk.read(|state| Ok(state.content(self.file)?.read(buffer, offset)))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.disk.mutate(|_| Ok(Mutation::Write { file: self.file, offset, bytes: bytes.into() }))?;
        Ok(())
    }

    fn len(&self) -> Result<u64> {
        self.disk.read(|state| Ok(state.content(self.file)?.len()))
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.disk.mutate(|_| Ok(Mutation::SetLen { file: self.file, len }))?;
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        self.disk.mutate(|_| Ok(Mutation::Sync { file: self.file }))?;
        Ok(())
    }
}

impl Drop for SimulatedFile {
    fn drop(&mut self) {
        self.disk.0.lock().state.close(self.file);
    }
}
