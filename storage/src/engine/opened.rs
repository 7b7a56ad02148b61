//! A database as it is opened: with all that its logs hold.

use super::compact::sync;
use super::disk::{Disk, SNAPSHOT};
use super::memtable::Memtable;
use super::sled_options::SledOptions;
use super::wal::{Content, Damage, LOGS, Wal};
use super::{Op, aside};
use crate::error::{Error, Result};
use std::fs::File;
use std::path::Path;

/// There until all files of a new database have been made.
const CREATING: &str = "creating";
/// There once the database has a snapshot. From then on it always has one.
const SNAPSHOT_TAKEN: &str = "snapshot-taken";
/// Files that every database has.
const FILES: [&str; 4] = ["db", "conf", LOGS[0], LOGS[1]];

/// A database that has all of its logs.
pub(super) struct OpenDatabase {
    pub disk: Disk,
    pub logs: [Wal; 2],
    /// Of the last log that it has, or that was set aside.
    pub epoch: u64,
}

/// What the logs hold beyond the database.
#[derive(Default)]
pub(super) struct Tail {
    /// Writes of the log that are not in the database yet.
    pub table: Memtable,
    /// The last epoch of any log.
    pub epoch: u64,
    /// Which logs hold commits that cannot be applied, and these.
    pub left: Vec<UnappliedCommits>,
}

/// Commits of one log that cannot be applied.
pub(super) struct UnappliedCommits {
    pub log: usize,
    pub epoch: u64,
    /// How many there are at least, unreadable ones included.
    pub count: u64,
    /// The writes of those that can be read.
    pub groups: Vec<Vec<Op>>,
    /// The reason, for the log.
    pub why: String,
    /// Whether a crash explains it. Otherwise an operator has to decide what becomes of it.
    pub is_gap: bool,
}

impl Tail {
    /// Puts together what the logs hold beyond epoch `known`. After the first commit that is missing, none is applied.
    pub fn new(known: u64, logs: [(u64, Content); 2]) -> Self {
        let mut order = logs.into_iter().enumerate().collect::<Vec<_>>();
        order.sort_by_key(|(_, (epoch, _))| *epoch);
        let mut tail = Self { epoch: known, ..Self::default() };
        // How many commits of the epoch before were applied, and whether any is missing.
        let (mut applied, mut is_broken) = (None, false);
        for (log, (epoch, content)) in order {
            let Content { groups, before, damage, is_marked, .. } = content;
            if damage == Some(Damage::Mark) && !is_marked && groups.is_empty() {
                let why = "its header and its first record are damaged".to_owned();
                tail.left.push(UnappliedCommits { log, epoch, count: 1, groups, why, is_gap: false });
                is_broken = true;
                continue;
            }
            if epoch <= known {
                continue;
            }
            let follows = epoch == tail.epoch + 1 && before.zip(applied).is_none_or(|(all, had)| all == had);
            tail.epoch = epoch;
            if is_broken || !follows {
                let behind = match damage {
                    Some(Damage::Record { behind, .. }) => behind,
                    _ => Vec::new(),
                };
                let groups: Vec<_> = groups.into_iter().chain(behind).collect();
                let (count, why) = (groups.len() as u64, "commits before those in it are missing".to_owned());
                if count > 0 {
                    tail.left.push(UnappliedCommits { log, epoch, count, groups, why, is_gap: true });
                }
                is_broken = true;
                continue;
            }
            applied = Some(groups.len() as u64);
            groups.into_iter().flatten().for_each(|op| tail.table.apply(op));
            let (count, groups, why) = match damage {
                None => continue,
                Some(Damage::Mark) => (0, Vec::new(), "its header is damaged".to_owned()),
                Some(Damage::Record { offset, number, behind, last }) => {
                    is_broken = true;
                    let (count, readable) = (last - number + 1, behind.len());
                    let why = format!(
                        "the record at byte {offset} is damaged: {count} commits cannot be applied, this one and those \
                         behind it, {readable} of which can be read"
                    );
                    (count, behind, why)
                }
            };
            tail.left.push(UnappliedCommits { log, epoch, count, groups, why, is_gap: false });
        }
        tail
    }
}

impl OpenDatabase {
    /// Opens or makes the database in `dir`, and reads from the logs what it lacks. Commits behind a gap, which a power
    /// cut can leave, are set aside and not applied.
    ///
    /// # Errors
    /// `Corrupt` where files are missing or damaged; nothing was changed then.
    pub fn read(dir: &Path, options: SledOptions) -> Result<Self> {
        if is_new(dir)? {
            return Self::make(dir, options);
        }
        is_whole(dir)?;
        let disk = Disk::open(dir, options)?;
        note_snapshot(dir)?;
        let known = disk.epoch()?;
        let [(first, first_content), (second, second_content)] = [
            Wal::open(&dir.join(LOGS[0]), options.power_safe)?,
            Wal::open(&dir.join(LOGS[1]), options.power_safe)?,
        ];
        let mut logs = [first, second];
        let damaged =
            |log: usize, why: &str| Error::Corrupt(format!("{}: {why}", dir.join(LOGS[log]).display()));
        let is_empty = |content: &Content| !content.is_marked && content.damage.is_none();
        // In folders of older versions, the second log has no mark until it is used.
        let empty = if is_empty(&first_content) {
            Some(0)
        } else {
            (is_empty(&second_content) && first_content.is_complete).then_some(1)
        };
        if let Some(log) = empty {
            return Err(damaged(
                log,
                "it is empty, although the database is not new; commits may be missing",
            ));
        }
        if logs[0].epoch().max(logs[1].epoch()) < known {
            tracing::warn!("the logs are older than the database: a power cut took the last commits");
        }
        let tail = Tail::new(known, [(logs[0].epoch(), first_content), (logs[1].epoch(), second_content)]);
        if let Some(left) = tail.left.iter().find(|left| !left.is_gap) {
            return Err(damaged(left.log, &left.why));
        }
        if tail.epoch > known {
            disk.apply(&tail.table)?;
            for left in &tail.left {
                let kept = aside::keep_log(dir, LOGS[left.log], left.epoch)?;
                tracing::error!(
                    commits = left.count,
                    file = %kept.display(),
                    "commits were set aside and not applied, because commits before them are missing"
                );
            }
            disk.checkpoint(tail.epoch)?;
        }
        for log in &mut logs {
            // From before every log had a mark.
            if log.epoch() == 0 {
                log.begin_epoch(0, None)?;
            }
        }
        Ok(Self { disk, logs, epoch: tail.epoch })
    }

    /// Makes a new database. A crash in the midst leaves a note, by which the next start begins again.
    pub fn make(dir: &Path, options: SledOptions) -> Result<Self> {
        std::fs::create_dir_all(dir)?;
        let note = dir.join(CREATING);
        File::create(&note)?.sync_all()?;
        for entry in std::fs::read_dir(dir)? {
            let path = entry?.path();
            match path.is_dir() {
                true => std::fs::remove_dir_all(path)?,
                false if path != note => std::fs::remove_file(path)?,
                false => {}
            }
        }
        let disk = Disk::open(dir, options)?;
        let [mut first, mut second] =
            [LOGS[0], LOGS[1]].map(|log| Wal::open(&dir.join(log), options.power_safe).map(|(wal, _)| wal));
        for log in [&mut first, &mut second].into_iter().flatten() {
            log.begin_epoch(0, None)?;
            log.sync()?;
        }
        let logs = [first?, second?];
        sync(Some(dir))?;
        std::fs::remove_file(note)?;
        sync(Some(dir))?;
        sync(dir.parent())?;
        Ok(Self { disk, logs, epoch: 0 })
    }
}

/// Whether there is no database in a folder yet, or one that was not finished.
pub(super) fn is_new(dir: &Path) -> Result<bool> {
    if dir.join(CREATING).exists() {
        return Ok(true);
    }
    match std::fs::read_dir(dir) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Refuses a database some of whose files are missing: the database library would make new ones.
fn is_whole(dir: &Path) -> Result<()> {
    let missing = |name: &str| Error::Corrupt(format!("the file {} is missing", dir.join(name).display()));
    for name in FILES {
        if !dir.join(name).is_file() {
            return Err(missing(name));
        }
    }
    match dir.join(SNAPSHOT_TAKEN).exists() && !has_snapshot(dir)? {
        true => Err(missing("snap.*")),
        false => Ok(()),
    }
}

fn has_snapshot(dir: &Path) -> Result<bool> {
    for entry in std::fs::read_dir(dir)? {
        if entry?.file_name().to_string_lossy().starts_with(SNAPSHOT) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Notes that a snapshot is there, which the database library takes when it opens a database that is not new.
fn note_snapshot(dir: &Path) -> Result<()> {
    let note = dir.join(SNAPSHOT_TAKEN);
    if !note.exists() && has_snapshot(dir)? {
        sync(Some(dir))?;
        File::create(note)?;
    }
    Ok(())
}
