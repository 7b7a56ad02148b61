//! The encoding of journal entries.
//!
//! An entry contains the events of one append. The members that all events of a run begin with (`seq`, `ts`, `run_id`,
//! `epoch`, `type`) would take most of a short event, and follow from the key and the rest of the entry, so they are
//! removed when an entry is written and added again when it is read. The layout, with numbers in LEB128:
//!
//! - a zero byte, and the epoch of the events;
//! - for each event, a byte with its [`Form`] and the code of its kind in [`KINDS`]; the length and the text of the kind
//!   if it has no code; milliseconds since the event before it (zigzag, since clocks may be set back), unless the form
//!   is `Whole`; the length and the bytes of the rest of the JSON.
//!
//! Entries that were written before this layout begin with the length of a kind, which is never zero. Their events
//! follow one after the other: a byte for the length of the kind, the kind, four bytes big-endian for the length of the
//! JSON, the JSON.

use super::{JournalEvent, Kind};
use crate::error::{Error, Result};
use crate::time::Timestamp;
use bytes::Bytes;
use uuid::Uuid;

/// The first byte of an entry.
const LAYOUT: u8 = 0;
/// Bytes of a formatted [`Timestamp`].
const TIMESTAMP: usize = 24;
/// Maximum number of bytes of a LEB128 number of 64 bits.
const NUMBER: usize = 10;

/// The kinds that have a code: their position plus one. Positions are stored, so new kinds are added at the end, up to
/// 63.
const KINDS: &[&str] = &[
    "text.delta",
    "text.start",
    "text.end",
    "reasoning.delta",
    "reasoning.start",
    "reasoning.end",
    "tool.call.start",
    "tool.call.delta",
    "tool.call.ready",
    "tool.started",
    "tool.progress",
    "tool.result",
    "source",
    "usage",
    "title",
    "run.started",
    "run.ended",
    "run.waiting",
    "run.resumed",
    "node.ready",
    "node.started",
    "node.delta",
    "node.log",
    "node.retry",
    "node.waiting",
    "node.finished",
    "node.skipped",
    "iteration.started",
    "iteration.finished",
    "branch.taken",
    "variable.changed",
    "outputs",
    "ingest.progress",
    "video.progress",
    "directory.members",
    "provider",
    "logprobs",
];
/// The bits of an event's first byte that hold the code of its kind; 0 stands for a kind without a code.
const KIND_BITS: u8 = 0x3f;

/// How much of an event's JSON is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// All of it: it does not have the canonical form.
    Whole = 0,
    /// What follows the value of `epoch`.
    AfterEpoch = 1,
    /// The value of `data` and what follows it.
    Data = 2,
}

impl Form {
    fn of(byte: u8) -> Result<Self> {
        match byte >> 6 {
            0 => Ok(Self::Whole),
            1 => Ok(Self::AfterEpoch),
            2 => Ok(Self::Data),
            _ => Err(damaged("an unknown form of event")),
        }
    }
}

pub(super) fn damaged(what: &str) -> Error {
    Error::Corrupt(format!("a journal entry with {what}"))
}

/// The members at the beginning of an event in canonical form, up to `epoch`.
struct Envelope<'a> {
    ts: &'a [u8; TIMESTAMP],
    epoch: u32,
    /// The JSON after the value of `epoch`.
    rest: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// Splits the JSON of an event. `None` if it has another form.
    fn split(json: &'a [u8], seq: u64, run: &[u8]) -> Option<Self> {
        let rest = json.strip_prefix(b"{\"seq\":")?;
        let rest = rest.strip_prefix(itoa::Buffer::new().format(seq).as_bytes())?;
        let (ts, rest) = rest.strip_prefix(b",\"ts\":\"")?.split_first_chunk()?;
        let rest = rest.strip_prefix(b"\",\"run_id\":\"")?.strip_prefix(run)?;
        let rest = rest.strip_prefix(b"\",\"epoch\":")?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at(digits);
        let epoch: u32 = std::str::from_utf8(number).ok()?.parse().ok()?;
        let is_canonical = itoa::Buffer::new().format(epoch).as_bytes() == number && rest.starts_with(b",");
        is_canonical.then_some(Self { ts, epoch, rest })
    }

    /// Writes the members again, with the brace before them.
    fn write(to: &mut Vec<u8>, seq: u64, ts: &[u8], run: &[u8], epoch: u32) {
        to.extend_from_slice(b"{\"seq\":");
        to.extend_from_slice(itoa::Buffer::new().format(seq).as_bytes());
        to.extend_from_slice(b",\"ts\":\"");
        to.extend_from_slice(ts);
        to.extend_from_slice(b"\",\"run_id\":\"");
        to.extend_from_slice(run);
        to.extend_from_slice(b"\",\"epoch\":");
        to.extend_from_slice(itoa::Buffer::new().format(epoch).as_bytes());
    }
}

/// Removes the members between the value of `epoch` and that of `data`, if they are as usual.
fn data_of<'a>(rest: &'a [u8], kind: &[u8]) -> Option<&'a [u8]> {
    rest.strip_prefix(b",\"type\":\"")?.strip_prefix(kind)?.strip_prefix(b"\",\"data\":")
}

/// A timestamp with its text: consecutive events often have the same.
#[derive(Default)]
struct Clock {
    millis: i64,
    text: Option<[u8; TIMESTAMP]>,
}

impl Clock {
    /// Advances to a formatted timestamp, and returns the milliseconds since the last one. `None` if it is not in
    /// canonical form.
    fn advance_to(&mut self, text: &[u8; TIMESTAMP]) -> Option<i64> {
        if self.text.as_ref() == Some(text) {
            return Some(0);
        }
        let moment = Timestamp::from_ascii(text).filter(|moment| moment.ascii() == *text)?;
        let delta = moment.as_millis() - self.millis;
        *self = Self { millis: moment.as_millis(), text: Some(*text) };
        Some(delta)
    }

    /// Advances by milliseconds, and returns the formatted timestamp.
    fn advance_by(&mut self, delta: i64) -> Result<&[u8; TIMESTAMP]> {
        if delta != 0 || self.text.is_none() {
            let millis = self.millis.checked_add(delta).ok_or_else(|| damaged("an impossible time"))?;
            let moment = Timestamp::from_millis(millis);
            if moment.as_millis() != millis {
                return Err(damaged("an impossible time"));
            }
            *self = Self { millis, text: Some(moment.ascii()) };
        }
        self.text.as_ref().ok_or_else(|| damaged("no time"))
    }
}

fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

const fn from_zigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

/// Encodes events with consecutive `seq` as the value of an entry.
pub(super) fn encode(run: Uuid, events: &[JournalEvent]) -> Vec<u8> {
    let mut buffer = Uuid::encode_buffer();
    let run = run.as_hyphenated().encode_lower(&mut buffer).as_bytes();
    let split = |event: &JournalEvent| Envelope::split(&event.json, event.seq, run).map(|it| it.epoch);
    let epoch = events.iter().find_map(split).unwrap_or_default();
    let mut value = Vec::with_capacity(16 + events.iter().map(|event| event.json.len()).sum::<usize>());
    value.push(LAYOUT);
    put_number(&mut value, epoch.into());
    let mut clock = Clock::default();
    for event in events {
        let kind = &event.kind.0[..event.kind.0.len().min(255)];
        let envelope = Envelope::split(&event.json, event.seq, run).filter(|it| it.epoch == epoch);
        let timed = envelope.and_then(|it| Some((clock.advance_to(it.ts)?, it.rest)));
        let (form, rest) = match timed {
            None => (Form::Whole, &event.json[..]),
            Some((_, rest)) => match data_of(rest, kind) {
                Some(data) => (Form::Data, data),
                None => (Form::AfterEpoch, rest),
            },
        };
        let code = KINDS.iter().position(|known| known.as_bytes() == kind).map_or(0, |at| at as u8 + 1);
        value.push(code | (form as u8) << 6);
        if code == 0 {
            value.push(kind.len() as u8);
            value.extend_from_slice(kind);
        }
        if let Some((delta, _)) = timed {
            put_number(&mut value, zigzag(delta));
        }
        put_number(&mut value, rest.len() as u64);
        value.extend_from_slice(rest);
    }
    value.shrink_to_fit();
    value
}

/// Decodes the events of the entry with this key.
///
/// # Errors
/// `Corrupt` if the key or the value is malformed.
pub(crate) fn decode(key: &[u8], value: Bytes) -> Result<Vec<JournalEvent>> {
    let (head, seq) = key.split_last_chunk().ok_or_else(|| damaged("a short key"))?;
    let seq = u64::from_be_bytes(*seq);
    match value.first() {
        Some(&LAYOUT) => {
            let run = head.last_chunk().ok_or_else(|| damaged("a short key"))?;
            decode_shortened(Uuid::from_bytes(*run), seq, value)
        }
        _ => decode_whole(seq, value),
    }
}

/// What is left of a value.
struct Rest(Bytes);

impl Rest {
    fn piece(&mut self, len: usize) -> Result<Bytes> {
        if self.0.len() < len {
            return Err(damaged("a truncated event"));
        }
        Ok(self.0.split_to(len))
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.piece(1)?[0])
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for at in 0..NUMBER {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number of more than 64 bits"))
    }

    fn len(&mut self) -> Result<usize> {
        usize::try_from(self.number()?).map_err(|_| damaged("a truncated event"))
    }

    fn kind(&mut self) -> Result<Kind> {
        let len = self.byte()?;
        Kind::read(self.piece(len.into())?)
    }
}

fn after(seq: u64) -> Result<u64> {
    seq.checked_add(1).ok_or_else(|| damaged("the highest possible sequence number"))
}

fn decode_shortened(run: Uuid, first: u64, value: Bytes) -> Result<Vec<JournalEvent>> {
    let mut buffer = Uuid::encode_buffer();
    let run = run.as_hyphenated().encode_lower(&mut buffer).as_bytes();
    // The events share one allocation. Three times the size suits short events.
    let mut json = Vec::with_capacity(3 * value.len());
    let mut ends: Vec<(Kind, usize)> = Vec::new();
    let mut rest = Rest(value.slice(1..));
    let epoch = u32::try_from(rest.number()?).map_err(|_| damaged("an impossible epoch"))?;
    let (mut seq, mut clock) = (first, Clock::default());
    while !rest.0.is_empty() {
        let byte = rest.byte()?;
        let form = Form::of(byte)?;
        let kind = match (byte & KIND_BITS) as usize {
            0 => rest.kind()?,
            code => Kind::from(*KINDS.get(code - 1).ok_or_else(|| damaged("an unknown kind of event"))?),
        };
        if form != Form::Whole {
            let delta = from_zigzag(rest.number()?);
            Envelope::write(&mut json, seq, clock.advance_by(delta)?, run, epoch);
        }
        if form == Form::Data {
            json.extend_from_slice(b",\"type\":\"");
            json.extend_from_slice(&kind.0);
            json.extend_from_slice(b"\",\"data\":");
        }
        let len = rest.len()?;
        json.extend_from_slice(&rest.piece(len)?);
        ends.push((kind, json.len()));
        seq = after(seq)?;
    }
    if ends.is_empty() {
        return Err(damaged("no event"));
    }
    json.shrink_to_fit();
    let (json, mut begin) = (Bytes::from(json), 0);
    let event = |(seq, (kind, end)): (u64, (Kind, usize))| {
        let event = JournalEvent { seq, kind, json: json.slice(begin..end) };
        begin = end;
        event
    };
    Ok((first..).zip(ends).map(event).collect())
}

fn decode_whole(first: u64, value: Bytes) -> Result<Vec<JournalEvent>> {
    let (mut rest, mut seq, mut events) = (Rest(value), first, Vec::new());
    while !rest.0.is_empty() {
        let kind = rest.kind()?;
        let len = rest.piece(4)?.first_chunk().copied().map(u32::from_be_bytes).unwrap_or_default();
        events.push(JournalEvent { seq, kind, json: rest.piece(len as usize)? });
        seq = after(seq)?;
    }
    Ok(events)
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
