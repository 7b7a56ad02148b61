//! From memory to the database: what the committing thread hands over, and the thread that takes it there.

use super::compact::{Database, catch_panic};
use super::memtable::Memtable;
use super::wal::Wal;
use crate::error::{Error, Result};
use parking_lot::{Condvar, Mutex, RwLock};
use std::sync::Arc;

/// How many times as long as it should be a log may get while the one before it is brought to the database,
const LONGEST_LOG: u64 = 4;
/// and while the database is rewritten.
const LONGEST_LOG_REWRITING: u64 = 16;

/// What the engine and its thread share.
pub(super) struct Shared {
    pub database: Database,
    pub memory: RwLock<Memory>,
    pub handover: Mutex<Handover>,
    pub changed: Condvar,
    /// Held by tests to keep the database as it is.
    #[cfg(test)]
    pub gate: Mutex<()>,
    /// Held by tests to keep scans from reading the database.
    #[cfg(test)]
    pub scan_gate: RwLock<()>,
    #[cfg(test)]
    pub scans_waiting: std::sync::atomic::AtomicUsize,
}

/// What is committed and not in the database: reads look here first, at the newer one before the
/// older. Held for writing while a group becomes visible.
#[derive(Default)]
pub(super) struct Memory {
    pub active: Memtable,
    pub leaving: Arc<Memtable>,
    /// How often a memtable was handed over. As long as it is the same, the database has nothing of `active`.
    pub generation: u64,
}

/// Between the committing thread and the one that writes to the database.
#[derive(Default)]
pub(super) struct Handover {
    /// What is being written, and the epoch of its log.
    pub leaving: Option<(Arc<Memtable>, u64)>,
    failed: Option<String>,
    /// Whether the database is looked after, and perhaps rewritten.
    tidying: bool,
    /// Whether that has to end soon.
    pub stopping: bool,
    pub closing: bool,
}

/// The committing side: two logs in turn.
pub(super) struct Writer {
    pub logs: [Wal; 2],
    /// The one that is written to.
    pub current: usize,
    pub log_bytes: u64,
}

impl Handover {
    /// Whether the log has grown so long that commits have to wait for the database.
    fn is_full(&self, writer: &Writer) -> bool {
        let most = if self.tidying { LONGEST_LOG_REWRITING } else { LONGEST_LOG };
        writer.logs[writer.current].len() >= writer.log_bytes.saturating_mul(most)
    }
}

impl Writer {
    pub fn log(&mut self) -> &mut Wal {
        &mut self.logs[self.current]
    }
}

impl Shared {
    /// Nothing is on its way yet.
    pub fn new(database: Database) -> Self {
        Self {
            database,
            memory: RwLock::default(),
            handover: Mutex::default(),
            changed: Condvar::new(),
            #[cfg(test)]
            gate: Mutex::default(),
            #[cfg(test)]
            scan_gate: RwLock::default(),
            #[cfg(test)]
            scans_waiting: std::sync::atomic::AtomicUsize::default(),
        }
    }

    /// Gives the memtable away to be brought to the database, once the one before it is there,
    /// and goes on in the other log.
    pub fn hand_over(&self, writer: &mut Writer) -> Result<()> {
        let mut handover = self.handover.lock();
        // Rather a longer log than commits that wait for the database.
        if !handover.stopping && handover.leaving.is_some() && !handover.is_full(writer) {
            return Ok(());
        }
        while handover.leaving.is_some() && handover.failed.is_none() {
            self.changed.wait(&mut handover);
        }
        drop(handover);
        self.is_sound()?;
        let mut handover = self.handover.lock();
        if self.memory.read().active.is_empty() {
            return Ok(());
        }
        let (epoch, records) = (writer.log().epoch(), writer.log().records());
        writer.current = 1 - writer.current;
        writer.log().begin_epoch(epoch + 1, Some(records))?;
        let mut memory = self.memory.write();
        memory.leaving = Arc::new(std::mem::take(&mut memory.active));
        memory.generation += 1;
        handover.leaving = Some((memory.leaving.clone(), epoch));
        drop(memory);
        self.changed.notify_all();
        Ok(())
    }

    /// Whether the next commit may have to wait for the database.
    pub fn is_behind(&self, writer: &Writer) -> bool {
        let handover = self.handover.lock();
        handover.leaving.is_some() && handover.is_full(writer)
    }

    /// Refuses commits after a write or a sync has failed: what is on the disk is unknown from then on.
    ///
    /// # Errors
    /// `Engine`, with the first failure.
    pub fn is_sound(&self) -> Result<()> {
        match &self.handover.lock().failed {
            Some(error) => Err(Error::Engine(error.clone())),
            None => Ok(()),
        }
    }

    /// Notes a failure after which no more commits are taken; the first one counts.
    pub fn fail(&self, error: String) {
        self.handover.lock().failed.get_or_insert(error);
        self.changed.notify_all();
    }

    /// What the thread does until the engine is closed.
    pub fn flush_loop(&self) {
        loop {
            let (table, epoch) = {
                let mut handover = self.handover.lock();
                loop {
                    match &handover.leaving {
                        Some(leaving) => break leaving.clone(),
                        None if handover.closing => return,
                        None => self.changed.wait(&mut handover),
                    }
                }
            };
            let write = || {
                #[cfg(test)]
                let _gate = self.gate.lock();
                let disk = self.database.disk()?;
                disk.apply(&table).and_then(|()| disk.checkpoint(epoch))
            };
            // What is in memory stays there, and in the log, if it failed.
            let Some(()) = self.good(catch_panic(write)) else { return };
            self.memory.write().leaving = Arc::default();
            let mut handover = self.handover.lock();
            (handover.leaving, handover.tidying) = (None, true);
            drop(handover);
            self.changed.notify_all();
            let tidied = catch_panic(|| self.database.tidy(&|| !self.handover.lock().stopping));
            self.handover.lock().tidying = false;
            self.changed.notify_all();
            let Some(()) = self.good(tidied) else { return };
        }
    }

    /// What was given; tells commits of an error, which is the last one.
    fn good<T>(&self, given: Result<T>) -> Option<T> {
        let handed_over = given.map_err(|error| {
            self.fail(error.of_engine());
        });
        handed_over.ok()
    }
}

#[cfg(test)]
impl Shared {
    /// Waits until something has failed.
    pub fn has_failed(&self) {
        let mut handover = self.handover.lock();
        while handover.failed.is_none() {
            self.changed.wait(&mut handover);
        }
    }

    /// Waits until nothing is on its way to the database, and nothing is done to it.
    pub fn at_rest(&self) {
        let mut handover = self.handover.lock();
        while handover.leaving.is_some() || handover.tidying {
            self.changed.wait(&mut handover);
        }
    }
}
