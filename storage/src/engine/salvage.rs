//! Recovers the readable data of a damaged database into a new one. The damaged files are preserved.
//!
//! Unreadable records are left out, and all others are applied. Losses are described as far as they are known. Rows and
//! index entries that are inconsistent afterwards are left to the doctor.

use super::index::table_of;
use super::log::{BEGIN, RecordReader, Segments, lenient_keys};
use super::open::LOG;
use super::options::EngineOptions;
use super::{Batch, Direction, Engine, KeyRange, LogEngine, Op, aside, state, swap};
use crate::disk_space::free;
use crate::error::{Error, Result};
use crate::files::{find, remove_all};
use crate::time::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Free bytes that are required in addition to those of the copies.
const MIN_BYTES: u64 = 64 << 20;
/// Bytes of writes in one commit of the new database.
const AT_ONCE: usize = 1 << 20;

/// The result of a salvage.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// A copy of the damaged files.
    pub damaged_copy: PathBuf,
    /// Keys in the new database.
    pub keys: u64,
    /// The data that could not be recovered.
    pub losses: Vec<Loss>,
}

/// Data that could not be recovered.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The file, and what is wrong with it.
    pub what: String,
    /// Number of affected keys of each table, as far as it is known.
    pub tables: BTreeMap<[u8; 2], u64>,
}

/// Replaces the database in `dir` by a new one with all data that can be read. The database must not be in use.
///
/// # Errors
/// `Corrupt` if nothing can be read, `Invalid` if the disk has too little room. Nothing is changed in these cases.
pub(super) fn salvage(dir: &Path, options: EngineOptions) -> Result<Salvaged> {
    let files = &*options.files;
    swap::finish(files, dir)?;
    let log = dir.join(LOG);
    if find(files, &log)?.is_none() || files.names(&log)?.is_empty() {
        return Err(Error::Corrupt(format!("{} holds no log to recover; restore a backup", dir.display())));
    }
    let (needed, free) = (aside::size(files, &log)?.saturating_mul(3).saturating_add(MIN_BYTES), free(dir)?);
    if free < needed {
        let (needed, free) = (needed >> 20, free >> 20);
        return Err(Error::Invalid(format!(
            "recovering {} needs {needed} MiB on its disk for copies, and {free} MiB are free",
            dir.display()
        )));
    }
    let damaged_copy = aside::damaged_dir(dir).join(Timestamp::now().as_millis().to_string());
    let recovered = recover(dir, &options).and_then(|recovered| {
        // The index is not worth a copy.
        aside::copy(files, &log, &damaged_copy.join(LOG))?;
        if find(files, &dir.join(state::FILE))?.is_some() {
            aside::copy_file(files, &dir.join(state::FILE), &damaged_copy.join(state::FILE))?;
            files.sync_dir(&damaged_copy)?;
        }
        swap::replace(files, dir)?;
        Ok(recovered)
    });
    if recovered.is_err() {
        swap::begin(files, dir)?;
        remove_all(files, &damaged_copy)?;
    }
    let (keys, losses) = recovered?;
    Ok(Salvaged { damaged_copy, keys, losses })
}

/// Writes the readable data into a new database next to the damaged one. Returns the number of keys and the losses.
fn recover(dir: &Path, options: &EngineOptions) -> Result<(u64, Vec<Loss>)> {
    let engine = LogEngine::open_converted(
        &swap::begin(&*options.files, dir)?,
        EngineOptions { power_safe: false, ..options.clone() },
    )?;
    let (segments, unreadable) = Segments::open(options.files.clone(), &dir.join(LOG))?;
    let loss = |number: u32, why: String, tables| Loss {
        what: format!("{}: {why}", segments.path(number).display()),
        tables,
    };
    let mut losses: Vec<Loss> = Vec::new();
    let last = segments.list().last().map_or(0, |segment| segment.number);
    // The creation of the last segment may have been in progress when the process ended.
    for number in unreadable.into_iter().filter(|number| *number < last) {
        losses.push(loss(number, "its header is damaged".to_owned(), BTreeMap::new()));
    }
    let (mut next, mut batch) = (None, Batch::new());
    let list = segments.list();
    for (at, segment) in list.iter().enumerate() {
        // Records of a segment with numbers of the next segment were set aside after a power loss.
        let beyond = list.get(at + 1).map_or(u64::MAX, |following| following.first);
        if let Some(expected) = next.filter(|expected| *expected < segment.first) {
            let missing = segment.first - expected;
            losses.push(loss(
                segment.number,
                format!("{missing} commits before it are missing"),
                BTreeMap::new(),
            ));
        }
        let mut reader = segment.records(BEGIN);
        let mut expected = segment.first;
        while let Some((at, record)) = reader.next_readable()?.filter(|(_, record)| record.number < beyond) {
            if record.number > expected {
                let tables = tables_at(&mut segment.records(reader.last_damage()))?;
                let (count, offset) = (record.number - expected, reader.last_damage());
                losses.push(loss(
                    segment.number,
                    format!("{count} commits at byte {offset} cannot be read"),
                    tables,
                ));
            }
            if record.number < expected {
                return Err(Error::Corrupt(format!("the record at byte {at} of a segment is out of order")));
            }
            expected = record.number + 1;
            for op in record.ops() {
                batch.ops.push(match op? {
                    (key, Some((_, value))) => Op::Put(key, value),
                    (key, None) => Op::Delete(key),
                });
            }
            if batch.size() >= AT_ONCE {
                engine.commit(&[std::mem::take(&mut batch)]).into_iter().collect::<Result<()>>()?;
            }
        }
        next = Some(expected);
    }
    engine.commit(&[batch]).into_iter().collect::<Result<()>>()?;
    let keys = count(&engine)?;
    engine.close_durably()?;
    if keys == 0 {
        return Err(Error::Corrupt(format!("nothing of {} can be read; restore a backup", dir.display())));
    }
    Ok((keys, losses))
}

/// Number of keys of each table that the damaged record at the reader's position may have written.
fn tables_at(reader: &mut RecordReader) -> Result<BTreeMap<[u8; 2], u64>> {
    let mut tables = BTreeMap::new();
    for key in lenient_keys(reader)? {
        *tables.entry(table_of(&key)).or_default() += 1;
    }
    Ok(tables)
}

fn count(engine: &LogEngine) -> Result<u64> {
    let (mut keys, mut rest) = (0, Some(KeyRange::all()));
    while let Some(range) = rest {
        let chunk = engine.chunk(range, Direction::Forward, 4_096, 8 << 20)?;
        keys += chunk.pairs.len() as u64;
        rest = chunk.rest;
    }
    Ok(keys)
}
