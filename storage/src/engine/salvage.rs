//! Recovers what can be read of a damaged database into a new one. The damaged files are kept.
//!
//! The result is what a crash before the damage would have left, as far as the files allow: commits behind one that
//! cannot be read are not applied, since rows and their index entries would no longer fit together.

use super::aside;
use super::compact::{beside, finish_swap, remove, sync, wait_until_released};
use super::disk::{Disk, SNAPSHOT};
use super::opened::{Tail, is_new};
use super::rescue::Lost;
use super::sled_options::{LEAST, SledOptions};
use super::wal::{LOGS, Wal};
use crate::error::{Error, Result};
use crate::room::free;
use crate::time::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files to do without, one attempt after the other: the database library rebuilds them from the rest.
const WITHOUT: [&[&str]; 3] = [&[], &[SNAPSHOT], &[SNAPSHOT, "conf"]];

/// What a [`salvage`] recovered.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// A copy of the damaged files.
    pub damaged_copy: PathBuf,
    /// Keys in the new database.
    pub keys: u64,
    /// What could not be recovered.
    pub losses: Vec<Loss>,
}

/// Something that could not be recovered.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The file, and what is wrong with it.
    pub what: String,
    /// How many keys of each table are concerned, as far as that can be known.
    pub tables: BTreeMap<[u8; 2], u64>,
}

/// Replaces the database in `dir` by one with everything of it that can be read. It must not be in use.
///
/// # Errors
/// `Corrupt` where nothing can be read, `Invalid` where the disk has too little room. Nothing was changed then.
pub(super) fn salvage(dir: &Path, options: SledOptions) -> Result<Salvaged> {
    finish_swap(dir)?;
    if is_new(dir)? {
        return Err(Error::Corrupt(format!("{} holds no database to recover", dir.display())));
    }
    let (needed, free) = (aside::size(dir)?.saturating_mul(3).saturating_add(LEAST), free(dir)?);
    if free < needed {
        let (needed, free) = (needed >> 20, free >> 20);
        return Err(Error::Invalid(format!(
            "recovering {} needs {needed} MiB on its disk for copies, and {free} MiB are free",
            dir.display()
        )));
    }
    let damaged_copy = aside::folder(dir).join(Timestamp::now().as_millis().to_string());
    let recovered = aside::copy(dir, &damaged_copy).and_then(|()| {
        sync(aside::folder(dir).parent())?;
        recover(dir, &damaged_copy, options)
    });
    remove(&beside(dir, ".work"))?;
    if recovered.is_err() {
        remove(&beside(dir, ".new"))?;
        remove(&damaged_copy)?;
    }
    let (keys, losses) = recovered?;
    Ok(Salvaged { damaged_copy, keys, losses })
}

fn recover(dir: &Path, damaged_copy: &Path, options: SledOptions) -> Result<(u64, Vec<Loss>)> {
    let (work, new) = (beside(dir, ".work"), beside(dir, ".new"));
    let options = SledOptions { power_safe: false, ..options };
    let (mut best, mut failure) = (None, None);
    for (number, without) in WITHOUT.iter().enumerate() {
        match read(damaged_copy, &work, &new, without, options) {
            Ok(read) if read.lost.is_empty() => {
                best = Some((read.keys, number, true));
                break;
            }
            Ok(read) if best.is_none_or(|(keys, ..)| read.keys > keys) => {
                best = Some((read.keys, number, false));
            }
            Ok(_) => {}
            Err(error) => failure = Some(error),
        }
    }
    let Some((_, number, is_clean)) = best else {
        let why = failure.map(|error| error.to_string()).unwrap_or_default();
        return Err(Error::Corrupt(format!(
            "nothing of {} can be read ({why}); restore a backup",
            dir.display()
        )));
    };
    let found = read(damaged_copy, &work, &new, WITHOUT[number], options)?;
    debug_assert!(!is_clean || found.lost.is_empty());
    let mut losses: Vec<Loss> = found
        .lost
        .into_iter()
        .map(|Lost { why, tables }| Loss { what: format!("{}: {why}", dir.join("db").display()), tables })
        .collect();
    let fresh = Disk::open(&new, options)?;
    let [(first, first_content), (second, second_content)] =
        [Wal::open(&work.join(LOGS[0]), false)?, Wal::open(&work.join(LOGS[1]), false)?];
    let epochs = [first.epoch(), second.epoch()];
    let known = match fresh.epoch()? {
        // The database no longer knows which logs it has all of. Applying one again does no harm.
        0 => epochs.into_iter().filter(|epoch| *epoch > 0).min().unwrap_or(1) - 1,
        known => known,
    };
    for (log, content) in LOGS.iter().zip([&first_content, &second_content]) {
        if !content.is_marked && content.damage.is_none() {
            let what = format!("{} is missing or empty; its commits are lost", dir.join(log).display());
            losses.push(Loss { what, tables: BTreeMap::new() });
        }
    }
    let tail = Tail::new(known, [(epochs[0], first_content), (epochs[1], second_content)]);
    fresh.apply(&tail.table)?;
    fresh.checkpoint(tail.epoch.max(known))?;
    for left in tail.left.into_iter().filter(|left| left.count > 0) {
        let mut tables = BTreeMap::new();
        for op in left.groups.iter().flatten() {
            *tables.entry(super::layout::table_of(op.key())).or_default() += 1;
        }
        let what = format!("{}, epoch {}: {}", dir.join(LOGS[left.log]).display(), left.epoch, left.why);
        losses.push(Loss { what, tables });
    }
    let keys = fresh.keys()?;
    drop(fresh);
    wait_until_released(&new)?;
    for log in LOGS {
        let (mut log, _) = Wal::open(&new.join(log), false)?;
        log.begin_epoch(0, None)?;
        log.sync()?;
    }
    aside::sync_all(&new)?;
    let old = beside(dir, ".old");
    std::fs::rename(dir, &old)?;
    std::fs::rename(&new, dir)?;
    sync(dir.parent())?;
    remove(&old)?;
    Ok((keys, losses))
}

/// What could be read of the database itself.
struct RescueResult {
    keys: u64,
    lost: Vec<Lost>,
}

/// Copies what can be read of the database at `kept` into a new one, going without some of its files.
fn read(
    damaged_copy: &Path,
    work: &Path,
    new: &Path,
    without: &[&str],
    options: SledOptions,
) -> Result<RescueResult> {
    remove(work)?;
    remove(new)?;
    aside::copy(damaged_copy, work)?;
    for entry in std::fs::read_dir(work)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if without.iter().any(|left_out| name.starts_with(left_out)) {
            std::fs::remove_file(entry.path())?;
        }
    }
    if !work.join("db").is_file() {
        return Err(Error::Corrupt("the file db is missing".into()));
    }
    let damaged = Disk::open_damaged(work, options)?;
    let fresh = Disk::open(new, options)?;
    let lost = [damaged.rescue_to(&fresh)?, fresh.drop_unreadable()?].into_iter().flatten().collect();
    let keys = fresh.keys()?;
    damaged.close();
    drop(fresh);
    wait_until_released(new)?;
    Ok(RescueResult { keys, lost })
}
