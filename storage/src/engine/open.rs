//! Opening a database: finding the end of its log, and loading the part that the index lacks into memory.
//!
//! The log is the source of truth. The index is used if the machine has not lost power since it was written. Otherwise,
//! or if it is missing or damaged, it is rebuilt from the whole log.

use super::aside;
use super::index::{self, Covered, Index};
use super::log::Place;
use super::log::{
    BEGIN, End, Gap, HEADER, Log, LogOptions, Position, Record, Replay, Segment, Segments, name_of,
};
use super::memory::Memory;
use super::memtable::Value;
use super::options::EngineOptions;
use super::shared::{Shared, Writer};
use super::state::{self, Session, State};
use crate::error::{Error, Result};
use crate::files::create_dir_synced;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory of the log within the directory of the database. `INDEX` is the directory of the index.
pub(super) const LOG: &str = "log";
const INDEX: &str = "index";

/// Bytes that are read and rewritten at a time.
const REFRESHED: usize = 1 << 20;

/// The known effects of a power loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerLoss {
    /// The number of the last commit that survived. Any commits after it are missing.
    pub last_commit: u64,
    /// Number of later commits that could be read but were not applied, because commits before them are missing.
    pub set_aside: u64,
}

/// An opened database.
pub(super) struct Opened {
    pub shared: Shared,
    /// The effects of a power loss, if commits were not individually durable.
    pub power_loss: Option<PowerLoss>,
}

/// Whether a directory contains no database yet, or one whose creation did not finish.
pub(super) fn is_new(dir: &Path, options: &EngineOptions) -> Result<bool> {
    if State::read(&*options.files, dir)?.is_some() {
        return Ok(false);
    }
    // The state is written first, so a log without a state has lost it.
    Ok(!names(options, dir)?.iter().any(|name| name == LOG) || names(options, &dir.join(LOG))?.is_empty())
}

fn names(options: &EngineOptions, dir: &Path) -> Result<Vec<String>> {
    match options.files.names(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        names => Ok(names?),
    }
}

/// Opens the database in `dir`, or creates one.
///
/// # Errors
/// `Corrupt` if files are missing or damaged in a way that a power loss does not explain. The log is unchanged in that
/// case.
pub(super) fn open(dir: &Path, options: EngineOptions) -> Result<Opened> {
    let mut state = match State::read(&*options.files, dir)? {
        Some(state) => {
            // The process that wrote the state may have ended before the file's name was durable, and the state decides
            // which segments are removed.
            options.files.sync_dir(dir)?;
            state
        }
        None if is_new(dir, &options)? => make(dir, &options)?,
        None => {
            return Err(Error::Corrupt(format!("the file {} is missing", dir.join(state::FILE).display())));
        }
    };
    let lost_power = state.lost_power(options.boot.as_deref());
    // Otherwise each commit was durable, and missing data is damage.
    let may_have_gaps = lost_power && state.session.as_ref().is_some_and(|session| !session.power_safe);
    let segments = Arc::new(segments(dir, &options, &state, may_have_gaps)?);
    let usable = match lost_power || state.rebuild_index {
        true => None,
        false => open_index(dir, &options, &segments)?,
    };
    let (index, covered) = match usable {
        Some((index, covered)) => (index, Some(covered)),
        None => {
            // The next start must not use an index that an interrupted rebuild left behind. After a power loss it does
            // not use it anyway.
            if !lost_power && !state.rebuild_index && !segments.list().is_empty() {
                state.rebuild_index = true;
                state.write(&*options.files, dir)?;
            }
            index::remove(&dir.join(INDEX), &options)?;
            (index::open(&dir.join(INDEX), &options)?, None)
        }
    };
    let from = covered.map_or_else(|| start(&segments, &state), |covered| covered.end);
    if covered.is_none() && segments.bytes() > options.segment_bytes {
        tracing::warn!(lost_power, mib = segments.bytes() >> 20, "the index is rebuilt from the log");
    }
    // An index that is used must not get ahead of the durable log, because the next start reads the log only from the
    // index's position.
    let rebuilt = covered.is_none().then_some(&*index);
    let (mut memory, End { position, gap }) = replay(&segments, rebuilt, &options, from)?;
    if let Some(gap) = gap.as_ref().filter(|_| !may_have_gaps) {
        return Err(damaged(&segments, position, gap));
    }
    let set_aside = gap.map_or(0, |gap| gap.readable);
    let end = settle(dir, &options, &segments, position, set_aside > 0)?;
    // After a power loss, everything that was read is on the disk. Otherwise, the log before `from` has long been on
    // the disk.
    let written = if lost_power { end } else { from };
    if state.session.is_some() || end.next == 1 {
        refresh(&segments, written, end)?;
    }
    if may_have_gaps {
        let last_commit = position.next - 1;
        tracing::error!(
            last_commit,
            set_aside,
            "the machine lost power while commits were not durable: those after the last one are missing"
        );
        let before = state.power_loss.take().map_or(0, |loss| loss.set_aside);
        state.power_loss = Some(PowerLoss { last_commit, set_aside: before + set_aside });
    }
    let log = Log::new(
        segments,
        LogOptions { power_safe: options.power_safe, segment_bytes: options.segment_bytes },
        end,
    )?;
    // From now on the commits that were read are visible, so a power loss must not destroy them.
    log.segments().sync()?;
    state.rebuild_index = covered.is_none() && end.next > 1;
    state.session = Some(Session { boot: options.boot.clone(), power_safe: options.power_safe });
    state.write(&*options.files, dir)?;
    let writer = Writer { log, spans: Vec::new(), appended: 0 };
    if covered.is_none() && !memory.active.is_empty() {
        memory.freeze(writer.log.position(), writer.log.salt());
        let frozen = memory.frozen.pop_back();
        frozen.map_or(Ok(()), |frozen| index.apply(&frozen))?;
    }
    if state.rebuild_index {
        state.rebuild_index = false;
        state.write(&*options.files, dir)?;
    }
    let power_loss = state.power_loss.clone();
    Ok(Opened { shared: Shared::new(dir.to_owned(), options, index, memory, writer, state), power_loss })
}

/// Creates the directories of a new database. The state is written before the first segment; from then on the database
/// is not new.
fn make(dir: &Path, options: &EngineOptions) -> Result<State> {
    index::remove(&dir.join(INDEX), options)?;
    create_dir_synced(&*options.files, &dir.join(LOG))?;
    let state = State::new();
    state.write(&*options.files, dir)?;
    Ok(state)
}

/// Opens the segments of the log, and deletes those whose removal was decided earlier.
fn segments(
    database: &Path,
    options: &EngineOptions,
    state: &State,
    may_have_gaps: bool,
) -> Result<Segments> {
    let missing = |path: PathBuf| Error::Corrupt(format!("the file {} is missing", path.display()));
    let dir = database.join(LOG);
    options.files.names(&dir).map_err(|error| match error.kind() {
        ErrorKind::NotFound => missing(dir.clone()),
        _ => error.into(),
    })?;
    let (segments, unreadable) = Segments::open(options.files.clone(), &dir)?;
    let listed = segments.list();
    for old in listed.iter().filter(|segment| segment.number < state.oldest) {
        segments.delete(old.number)?;
    }
    let last =
        listed.last().map_or(0, |segment| segment.number).max(unreadable.last().copied().unwrap_or_default());
    for number in state.oldest..=last {
        // The creation of the last segment may have been in progress when the process ended.
        let is_begun = number == last && unreadable.contains(&number);
        if segments.get(number).is_none() && !is_begun && !may_have_gaps {
            return Err(match unreadable.contains(&number) {
                true => {
                    Error::Corrupt(format!("the header of {} is damaged", segments.path(number).display()))
                }
                false => missing(segments.path(number)),
            });
        }
    }
    // A database that was closed or used before has at least one segment.
    if last == 0 && (state.session.is_some() || state.oldest > 1) && !may_have_gaps {
        return Err(missing(segments.path(state.oldest)));
    }
    Ok(segments)
}

/// Opens the index and determines what it covers, if it can be used.
fn open_index(
    dir: &Path,
    options: &EngineOptions,
    segments: &Segments,
) -> Result<Option<(Box<dyn Index>, Covered)>> {
    let index = match index::open(&dir.join(INDEX), options) {
        Err(error @ (Error::Corrupt(_) | Error::Engine(_))) => {
            tracing::warn!(%error, "the index cannot be opened");
            return Ok(None);
        }
        opened => opened?,
    };
    let Some(covered) = index.covered()? else { return Ok(None) };
    let Position { segment, offset, .. } = covered.end;
    let belongs =
        segments.get(segment).is_some_and(|found| found.salt == covered.salt && found.end() >= offset);
    Ok(belongs.then_some((index, covered)))
}

/// The beginning of the log.
fn start(segments: &Segments, state: &State) -> Position {
    let oldest = segments.get(state.oldest);
    oldest.map_or(Position { segment: state.oldest, offset: BEGIN, next: 1 }, |oldest| start_of(&oldest))
}

/// The beginning of a segment.
pub(super) fn start_of(segment: &Segment) -> Position {
    Position { segment: segment.number, offset: BEGIN, next: segment.first }
}

/// Reads the log from a position into memory, and from there into an index that is being rebuilt.
fn replay(
    segments: &Arc<Segments>,
    rebuilt: Option<&dyn Index>,
    options: &EngineOptions,
    from: Position,
) -> Result<(Memory, End)> {
    let mut memory = Memory::default();
    let mut replay = Replay::new(segments, from);
    while let Some((at, record)) = replay.next()? {
        let end = Position {
            segment: at.segment,
            offset: u64::from(at.offset) + record.len() as u64,
            next: record.number + 1,
        };
        add(&mut memory, at, &record)?;
        if memory.active.bytes() >= options.memtable_bytes {
            let salt = segments.get(at.segment).map_or(0, |segment| segment.salt);
            memory.freeze(end, salt);
            if let Some(index) = rebuilt {
                memory.frozen.drain(..).try_for_each(|frozen| index.apply(&frozen))?;
            }
        }
    }
    Ok((memory, replay.end()?))
}

/// Adds the writes of a record to the memory.
fn add(memory: &mut Memory, at: Place, record: &Record) -> Result<()> {
    for op in record.ops() {
        let (key, value) = op?;
        let value = value.map(|(span, bytes)| {
            let place = Place { segment: at.segment, offset: at.offset + span.offset };
            // Copied, so that the value does not reference the buffer that the log was read into.
            Value::new(place, Bytes::copy_from_slice(&bytes))
        });
        memory.active.write(Bytes::copy_from_slice(&key), value);
    }
    Ok(())
}

fn damaged(segments: &Segments, at: Position, gap: &Gap) -> Error {
    let count = gap.last - at.next + 1;
    Error::Corrupt(format!(
        "{}: the record at byte {} is damaged: {count} commits cannot be applied, this one and those behind it, {} of which \
         can be read",
        segments.path(at.segment).display(),
        at.offset,
        gap.readable
    ))
}

/// Rewrites the end of the log with the same content. A sync may have failed before the process ended. The system then
/// still shows the written data but considers it durable, and later syncs would omit it.
fn refresh(segments: &Segments, from: Position, end: Position) -> Result<()> {
    let longest = segments.list().iter().map(|segment| segment.end()).max().unwrap_or_default();
    let mut buffer = vec![0; REFRESHED.min(longest as usize)];
    for segment in segments.list().iter().filter(|segment| segment.number >= from.segment) {
        segment.write_header()?;
        let mut at = if segment.number == from.segment { from.offset } else { BEGIN };
        while at < segment.end() {
            let len = buffer.len().min((segment.end() - at) as usize);
            let read = segment.file.read_at(&mut buffer[..len], at)?;
            if read == 0 {
                break;
            }
            segment.file.write_at(&buffer[..read], at)?;
            at += read as u64;
        }
    }
    // Data that was cut off must not follow the last record either.
    match segments.get(end.segment) {
        Some(last) => Ok(last.file.write_at(&[0; HEADER], end.offset)?),
        None => Ok(()),
    }
}

/// Ends the log at a position, and returns where it continues. Commits after a gap are moved away. Those in the segment
/// that ends there are also left in place, since truncating them may fail unnoticed. The log therefore continues in
/// another segment, so that they can never follow a new commit.
fn settle(
    dir: &Path,
    options: &EngineOptions,
    segments: &Segments,
    end: Position,
    has_gap: bool,
) -> Result<Position> {
    let files = &*options.files;
    let mut later: Vec<u32> = segments.list().iter().map(|segment| segment.number).collect();
    later.retain(|number| *number > end.segment);
    if has_gap {
        let ending = segments.get(end.segment).map(|segment| segment.number);
        for number in ending.into_iter().chain(later.iter().copied()) {
            let name = format!("log.{}.commit-{}", name_of(number), end.next);
            let file = aside::preserve(files, dir, &segments.path(number), &name)?;
            tracing::error!(
                file = %file.display(),
                "commits were set aside and not applied, because commits before them are missing"
            );
        }
    }
    // Newest first, so that there is never a segment after a missing one.
    for number in later.into_iter().rev() {
        segments.delete(number)?;
    }
    // A segment whose creation had begun, without a header.
    for name in names(options, &dir.join(LOG))? {
        let path = dir.join(LOG).join(&name);
        let is_known = segments.list().iter().any(|segment| segments.path(segment.number) == path);
        if !is_known {
            files.remove(&path)?;
        }
    }
    let Some(last) = segments.get(end.segment) else { return Ok(end) };
    last.set_end(end.offset);
    if has_gap {
        return Ok(Position { segment: end.segment + 1, offset: BEGIN, next: end.next });
    }
    last.truncate()?;
    Ok(end)
}
