//! The doctor: checks all stored data, reports inconsistencies, and repairs those that can be repaired without
//! guessing.

mod activity;
mod blobs;
mod message_nodes;
mod projects;
mod rows;
mod runs;
mod spend;
mod stored;

use crate::engine::{Batch, Direction, KeyRange};
use crate::error::{Error, Result};
use crate::ids::TenantId;
use crate::keys::{self, HEAD};
use crate::progress::Progress;
use crate::reader::Reader;
use crate::records::{RETIRED, TABLES};
use crate::store::Store;
use crate::tables::SECRET;
use bytes::Bytes;
use std::fmt;

/// Number of writes gathered before they are committed.
const REPAIR_BATCH: usize = 1_000;
/// Number of keys between two progress reports.
const REPORT_EVERY: u64 = 1_024;

/// An inconsistency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub what: String,
    /// Where it is: the kind of object, its tenant and its id.
    pub where_: String,
    /// The repair that was made; `None` if no repair was requested or none is possible.
    pub repaired: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.where_, self.what)?;
        match &self.repaired {
            Some(done) => write!(f, " ({done})"),
            None => Ok(()),
        }
    }
}

/// The findings of the doctor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of rows, index entries, journals, blobs and secrets that were checked.
    pub checked: u64,
    /// All inconsistencies.
    pub problems: Vec<Problem>,
    /// Objects that are no longer needed and that the server deletes by itself in time.
    pub notes: Vec<Problem>,
}

impl Report {
    /// Whether there are no problems, or all were repaired.
    pub fn is_sound(&self) -> bool {
        self.problems.iter().all(|problem| problem.repaired.is_some())
    }
}

/// Checks an open store that has no other writer. With `repair`, repairs what can be repaired.
///
/// Blocks, so call it on a thread that may block. Inconsistencies of the data are in the report; an error means that
/// the data could not be checked.
pub fn examine(store: &Store, repair: bool, progress: &mut dyn FnMut(Progress)) -> Result<Report> {
    let mut doctor = Doctor {
        store,
        reader: Reader::new(store.inner.engine.clone()),
        repair,
        batch: Batch::new(),
        report: Report::default(),
        progress,
        step: "",
    };
    doctor.log()?;
    doctor.tables()?;
    doctor.rows()?;
    doctor.runs()?;
    doctor.messages()?;
    doctor.message_nodes()?;
    doctor.projects()?;
    doctor.spend()?;
    doctor.activity()?;
    doctor.stored()?;
    doctor.secrets()?;
    doctor.blobs()?;
    Ok(doctor.report)
}

struct Doctor<'a> {
    store: &'a Store,
    reader: Reader,
    repair: bool,
    batch: Batch,
    report: Report,
    progress: &'a mut dyn FnMut(Progress),
    step: &'static str,
}

impl Doctor<'_> {
    /// Begins a step of the check.
    fn begin(&mut self, step: &'static str) {
        self.step = step;
        (self.progress)(Progress::items(step, self.report.checked, None));
    }

    fn checked(&mut self) {
        self.report.checked += 1;
        if self.report.checked.is_multiple_of(REPORT_EVERY) {
            (self.progress)(Progress::items(self.step, self.report.checked, None));
        }
    }

    /// Reports a problem that cannot be repaired.
    fn report_problem(&mut self, where_: String, what: impl Into<String>) {
        self.report.problems.push(Problem { what: what.into(), where_, repaired: None });
    }

    /// Reports a problem, and repairs it if requested.
    fn repair_entry(
        &mut self,
        where_: String,
        what: impl Into<String>,
        how: &str,
        write: impl FnOnce(&mut Batch),
    ) -> Result<()> {
        let repaired = self.repair.then(|| how.to_owned());
        self.report.problems.push(Problem { what: what.into(), where_, repaired });
        if self.repair {
            write(&mut self.batch);
            if self.batch.ops.len() >= REPAIR_BATCH {
                self.commit()?;
            }
        }
        Ok(())
    }

    /// Commits the pending repairs. Call this before the repaired data is read again.
    fn commit(&mut self) -> Result<()> {
        self.store.commit_blocking(std::mem::take(&mut self.batch))
    }

    /// Iterates over all keys of a table, of all tenants.
    fn table(&self, table: [u8; 2]) -> impl Iterator<Item = Result<(Bytes, Bytes)>> + use<> {
        let reader = Reader::new(self.store.inner.engine.clone());
        let mut range = Some(KeyRange::prefix(&table));
        // A walk borrows its reader, so this iterates in chunks that own their entries.
        std::iter::from_fn(move || {
            let part = range.take()?;
            match reader.engine.chunk(part, Direction::Forward, 256, 1 << 20) {
                Ok(found) => {
                    range = found.rest.filter(|rest| !rest.is_empty());
                    Some(found.pairs.into_iter().map(Ok).collect::<Vec<_>>())
                }
                Err(error) => Some(vec![Err(error)]),
            }
        })
        .flatten()
    }

    /// Verifies the checksums of everything that is stored.
    fn log(&mut self) -> Result<()> {
        self.begin("log");
        let damaged = self.store.inner.engine.verify()?;
        // A repair begins with a new log.
        if self.repair && !damaged.is_empty() {
            return Err(Error::Corrupt(damaged.join("; ")));
        }
        for damage in damaged {
            self.report_problem("log".to_owned(), damage);
        }
        Ok(())
    }

    /// Reports keys that belong to no table.
    fn tables(&mut self) -> Result<()> {
        self.begin("tables");
        let mut range = KeyRange::all();
        // Skips from table to table.
        loop {
            let first = self.reader.walk(range.clone(), Direction::Forward, 1).next().transpose()?;
            let Some((key, _)) = first else { break };
            let table = [key[0], key.get(1).copied().unwrap_or_default()];
            let known = TABLES.iter().any(|(known, _)| *known == table) || RETIRED.contains(&table);
            if !known {
                let place = format!("table {}", table.escape_ascii());
                self.report_problem(
                    place,
                    "this version does not know the table; its keys were left unchanged",
                );
            }
            range.start = crate::engine::after_prefix(&table);
        }
        Ok(())
    }

    fn secrets(&mut self) -> Result<()> {
        self.begin("secrets");
        let key = self.store.inner.secrets.clone();
        for pair in self.table(SECRET) {
            let (place, sealed) = pair?;
            self.checked();
            if key.open(&place, &sealed).is_err() {
                self.report_problem(
                    place_of("secret", &place),
                    "it cannot be decrypted with the secrets key",
                );
            }
        }
        Ok(())
    }
}

/// Describes an object by its key.
fn place_of(kind: &str, key: &[u8]) -> String {
    let rest = key.get(HEAD..).unwrap_or_default();
    let ids = rest.chunks(16).map(|piece| match (rest.len() % 16, uuid::Uuid::from_slice(piece)) {
        (0, Ok(id)) => id.to_string(),
        _ => piece.escape_ascii().to_string(),
    });
    let ids = ids.collect::<Vec<_>>().join("/");
    match keys::tenant(key) {
        Ok(TenantId::SYSTEM) => format!("{kind} {ids}"),
        Ok(tenant) => format!("{kind} {ids} of tenant {tenant}"),
        Err(_) => format!("{kind} with key {}", key.escape_ascii()),
    }
}
