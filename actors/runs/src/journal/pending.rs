//! Events that wait to be written, in the order in which they were pushed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use storage::{Batch, ChangeNotifications, TenantId, Timestamp, journal};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::chunk::{Chunk, Event};
use super::rate::{CommitRate, CountedWindow};
use super::write_error::SealError;
use crate::event::{EventBody, EventData};

/// Maximum number of events in one journal entry.
const ENTRY_EVENTS: usize = 64;
/// Approximate maximum size of one journal entry in bytes.
const ENTRY_BYTES: usize = 64 * 1024;
/// Maximum size in bytes of a delta into which others were folded.
const FOLDED_BYTES: usize = 32 * 1024;

/// How often the committer is called for events that no writer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Immediately after a pause, then at most once per interval of [`CommitRate`]. Applies while readers follow, or if a
    /// crash must lose as little as possible.
    Followed,
    /// This long after the first waiting event, or once an entry is full: no reader waits for events.
    Unfollowed(Duration),
}

/// Whether the committer knows about the waiting items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Schedule {
    /// Nothing waits, or everything is in flight.
    Idle,
    /// A timer will call the committer.
    Delayed,
    /// The committer was called and has not run yet.
    Called,
}

/// What the journal must do about the waiting items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Nothing: the committer will run anyway.
    None,
    /// Call the committer.
    Now,
    /// Call [`Pending::end_delay`] at this time.
    At(Instant),
}

/// Records and events that are committed together or not at all.
pub(super) struct Sealed {
    pub events: Vec<EventBody>,
    /// Sequence number that the first event must get, so that the records may share the commit of the items that wait
    /// before them; 0 if it does not matter.
    pub first_seq: u64,
    /// Whether this commit unloads the run, so that nothing may follow it.
    pub unloads: bool,
    pub batch: Batch,
    pub rings: ChangeNotifications,
    pub reply: oneshot::Sender<Result<(), SealError>>,
}

pub(super) enum Item {
    Event(EventBody, Timestamp),
    /// Events that become durable together.
    Group(Vec<EventBody>, Timestamp),
    Sealed(Sealed),
    Flush(oneshot::Sender<()>),
}

/// The entry that the committer is writing.
pub(super) struct InFlight {
    pub epoch: u32,
    pub batch: Batch,
    pub chunk: Option<Chunk>,
    pub sealed: Option<Sealed>,
    pub flushes: Vec<oneshot::Sender<()>>,
    /// Whether it contains the run's last event.
    pub ends: bool,
    /// Whether it unloads the run.
    pub unloads: bool,
    /// Number of events before the sealed ones. They remain if the sealed commit is rejected.
    unsealed: usize,
    weight: usize,
    next_seq: u64,
}

impl InFlight {
    /// Returns the events that precede the sealed commit, without that commit.
    fn without_seal(self, tenant: TenantId, run: Uuid) -> Self {
        let events = self.chunk.map_or_else(Vec::new, |chunk| chunk.events);
        let events: Vec<Event> = events.into_iter().take(self.unsealed).collect();
        let next_seq = events.last().map_or(self.next_seq, |event| event.seq + 1);
        let mut batch = Batch::default();
        journal::expect_epoch(&mut batch, tenant, run, self.epoch);
        journal::append(&mut batch, tenant, run, &events);
        let chunk = Some(Chunk::new(events));
        Self { batch, chunk, ends: false, unloads: false, next_seq, ..self }
    }
}

/// The end of a journal: its durable end, and the events that are still waiting to be written.
pub struct JournalPreview {
    /// Sequence number of the last durable event.
    pub durable: u64,
    /// The events after the durable ones.
    pub ahead: Vec<Event>,
}

impl JournalPreview {
    /// Sequence number of the event that follows all of them.
    pub fn next_seq(&self) -> u64 {
        self.durable + self.ahead.len() as u64 + 1
    }
}

pub(super) struct Pending {
    pub epoch: u32,
    pub bytes: usize,
    pub in_flight: Option<InFlight>,
    /// Owned by a later epoch, ended or unloaded: no more items are accepted.
    pub closed: bool,
    next_seq: u64,
    queue: VecDeque<Item>,
    /// An entry that failed because the disk is full or because its sealed commit was rejected. It is retried unchanged.
    again: Option<InFlight>,
    schedule: Schedule,
    pace: Pace,
    rate: Arc<CommitRate>,
    /// When an entry last became durable.
    landed_at: Option<Instant>,
    counted: CountedWindow,
    /// Whether a preview included the last item. Nothing may be folded into that item any more.
    foretold: bool,
    shown: Option<Shown>,
}

/// The queued events that a preview serialized, so that they are serialized only once.
struct Shown {
    /// The events; the first one has the sequence number `first`.
    events: Vec<Event>,
    first: u64,
    /// Number of queued items that the events come from.
    items: usize,
}

impl Pending {
    pub fn new(epoch: u32, next_seq: u64, pace: Pace, rate: Arc<CommitRate>) -> Self {
        Self {
            epoch,
            bytes: 0,
            in_flight: None,
            closed: false,
            next_seq,
            queue: VecDeque::new(),
            again: None,
            schedule: Schedule::Idle,
            pace,
            rate,
            landed_at: None,
            counted: CountedWindow::default(),
            foretold: false,
            shown: None,
        }
    }

    /// Hands over to a later epoch. Returns false while a commit is in flight.
    pub fn succeed(&mut self, epoch: u32) -> bool {
        if self.in_flight.is_some() {
            return false;
        }
        // A call of the committer that is still on its way serves the new epoch as well.
        let schedule = self.schedule;
        *self = Self { schedule, ..Self::new(epoch, self.next_seq, self.pace, self.rate.clone()) };
        true
    }

    /// Sequence number of the next event if nothing else waits.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Returns the events that are not durable yet as they will be written, or `None` if a commit waits that may be rejected.
    pub fn build_preview(&mut self, run: Uuid) -> Option<JournalPreview> {
        let in_hand = self.in_flight.as_ref().or(self.again.as_ref());
        let is_sealed = |item: &Item| matches!(item, Item::Sealed(_));
        if in_hand.is_some_and(|it| it.sealed.is_some()) || self.queue.iter().any(is_sealed) {
            return None;
        }
        let (mut ahead, mut next_seq) = (Vec::new(), self.next_seq);
        if let Some(in_hand) = in_hand {
            ahead.extend(in_hand.chunk.iter().flat_map(|chunk| chunk.events.iter().cloned()));
            next_seq = in_hand.next_seq;
        }
        let mut sheet = EventBuffer::new(next_seq, run, self.epoch);
        for item in &self.queue {
            match item {
                Item::Event(body, ts) => sheet.write(*ts, body),
                Item::Group(bodies, ts) => bodies.iter().for_each(|body| sheet.write(*ts, body)),
                Item::Sealed(_) | Item::Flush(_) => {}
            }
        }
        let events = sheet.events();
        ahead.extend(events.iter().cloned());
        self.shown = Some(Shown { events, first: next_seq, items: self.queue.len() });
        self.foretold = true;
        Some(JournalPreview { durable: self.next_seq - 1, ahead })
    }

    /// Appends an item to the queue.
    pub fn push(&mut self, item: Item) -> Call {
        if let Item::Event(body, _) = &item {
            if let Some(Item::Event(last, _)) = self.queue.back_mut().filter(|_| !self.foretold) {
                let before = last.data.weight();
                if last.fold(body, FOLDED_BYTES) {
                    self.bytes += last.data.weight() - before;
                    return Call::None;
                }
            }
            self.bytes += body.data.weight();
        }
        if let Item::Group(bodies, _) = &item {
            self.bytes += bodies.iter().map(|body| body.data.weight()).sum::<usize>();
        }
        self.foretold = false;
        let is_awaited = !matches!(item, Item::Event(..) | Item::Group(..));
        self.queue.push_back(item);
        match self.schedule {
            Schedule::Called => Call::None,
            Schedule::Delayed if !is_awaited && self.bytes < ENTRY_BYTES => Call::None,
            Schedule::Idle | Schedule::Delayed => self.call(is_awaited),
        }
    }

    fn call(&mut self, is_awaited: bool) -> Call {
        let now = Instant::now();
        let at = match self.pace {
            Pace::Followed => self.landed_at.map(|landed_at| landed_at + self.rate.interval(now)),
            Pace::Unfollowed(delay) if self.bytes < ENTRY_BYTES => Some(now + delay),
            Pace::Unfollowed(_) => None,
        };
        match at.filter(|at| !is_awaited && now < *at) {
            Some(at) => {
                self.schedule = Schedule::Delayed;
                Call::At(at)
            }
            None => {
                self.schedule = Schedule::Called;
                Call::Now
            }
        }
    }

    /// Changes the pace. Items that were delayed under the previous pace are committed immediately if readers follow now.
    pub fn set_pace(&mut self, pace: Pace) -> Call {
        self.pace = pace;
        match pace == Pace::Followed && self.end_delay() {
            true => Call::Now,
            false => Call::None,
        }
    }

    /// Ends a delay. Returns whether the committer still has to be called.
    pub fn end_delay(&mut self) -> bool {
        let is_delayed = self.schedule == Schedule::Delayed;
        if is_delayed {
            self.schedule = Schedule::Called;
        }
        is_delayed
    }

    /// Takes the next entry from the queue as a batch.
    pub fn take(&mut self, tenant: TenantId, run: Uuid) -> Option<Batch> {
        let in_flight = match self.again.take() {
            Some(again) => again,
            None => match self.gather(tenant, run) {
                Some(gathered) => gathered,
                None => {
                    self.schedule = Schedule::Idle;
                    return None;
                }
            },
        };
        let batch = in_flight.batch.clone();
        self.in_flight = Some(in_flight);
        Some(batch)
    }

    fn gather(&mut self, tenant: TenantId, run: Uuid) -> Option<InFlight> {
        let (mut batch, mut flushes) = (Batch::default(), Vec::new());
        let (mut shown, mut weight) = self.take_shown(&mut flushes);
        let mut sheet = EventBuffer::new(self.next_seq + shown.len() as u64, run, self.epoch);
        let mut sealed = None;
        let (mut ends, mut unloads, mut unsealed) = (false, false, 0);
        while shown.len() + sheet.written.len() < ENTRY_EVENTS && sheet.json.len() < ENTRY_BYTES {
            let is_first = shown.is_empty() && sheet.written.is_empty();
            match self.queue.front() {
                Some(Item::Event(..) | Item::Group(..) | Item::Flush(_)) => {}
                // A commit that was prepared from a preview of the items before it shares their entry. Other commits get an
                // entry of their own, so that a rejection delays nothing else.
                Some(Item::Sealed(item)) if is_first || item.first_seq != 0 => {}
                Some(Item::Sealed(_)) | None => break,
            }
            match self.queue.pop_front() {
                Some(Item::Event(body, ts)) => {
                    weight += body.data.weight();
                    sheet.write(ts, &body);
                }
                Some(Item::Group(bodies, ts)) => {
                    for body in &bodies {
                        weight += body.data.weight();
                        sheet.write(ts, body);
                    }
                }
                // Nothing is in flight here, so everything before a flush at the head of the queue is durable.
                Some(Item::Flush(reply)) if is_first => notify(reply),
                Some(Item::Flush(reply)) => flushes.push(reply),
                Some(Item::Sealed(mut item)) => {
                    if item.first_seq != 0 && item.first_seq != sheet.next_seq() {
                        let _ = item.reply.send(Err(SealError::Moved));
                        continue;
                    }
                    unsealed = shown.len() + sheet.written.len();
                    unloads = item.unloads;
                    let now = Timestamp::now();
                    for body in &item.events {
                        ends |= matches!(body.data, EventData::RunEnded { .. });
                        sheet.write(now, body);
                    }
                    batch = std::mem::take(&mut item.batch);
                    sealed = Some(item);
                    break;
                }
                None => break,
            }
        }
        // A run that waits for days does not retain the capacity that a burst needed.
        if self.queue.capacity() > 4 * self.queue.len().max(8) {
            self.queue.shrink_to(self.queue.len());
        }
        let next_seq = sheet.next_seq();
        shown.extend(sheet.events());
        let events = shown;
        if events.is_empty() && sealed.is_none() {
            flushes.into_iter().for_each(notify);
            return None;
        }
        journal::expect_epoch(&mut batch, tenant, run, self.epoch);
        let chunk = (!events.is_empty()).then(|| {
            journal::append(&mut batch, tenant, run, &events);
            Chunk::new(events)
        });
        let epoch = self.epoch;
        Some(InFlight { epoch, batch, chunk, sealed, flushes, ends, unloads, unsealed, weight, next_seq })
    }

    /// Takes the previewed events at the head of the queue if they fit into an entry, and returns them with their weight.
    fn take_shown(&mut self, flushes: &mut Vec<oneshot::Sender<()>>) -> (Vec<Event>, usize) {
        let fits = |shown: &Shown| {
            let bytes: usize = shown.events.iter().map(|event| event.json.len()).sum();
            shown.events.len() < ENTRY_EVENTS && bytes < ENTRY_BYTES
        };
        let shown = self.shown.take().filter(|shown| shown.first == self.next_seq && fits(shown));
        let Some(shown) = shown.filter(|shown| shown.items <= self.queue.len()) else {
            return (Vec::new(), 0);
        };
        let mut weight = 0;
        for item in self.queue.drain(..shown.items) {
            match item {
                Item::Event(body, _) => weight += body.data.weight(),
                Item::Group(bodies, _) => {
                    weight += bodies.iter().map(|body| body.data.weight()).sum::<usize>()
                }
                Item::Flush(reply) => flushes.push(reply),
                // Cannot occur: a preview is not made while a sealed commit waits.
                Item::Sealed(_) => {}
            }
        }
        (shown.events, weight)
    }

    /// Records that the committer has made `in_flight` durable. `is_followed` tells whether the run has waiting readers.
    pub fn landed(&mut self, in_flight: &InFlight, is_followed: bool) {
        let now = Instant::now();
        if is_followed {
            self.rate.count(&mut self.counted, now);
        }
        if in_flight.epoch == self.epoch {
            self.next_seq = in_flight.next_seq;
            self.bytes = self.bytes.saturating_sub(in_flight.weight);
            // Events before the first words are not a burst: the words must follow immediately.
            let is_preface = |chunk: &Chunk| chunk.events.iter().all(|event| precedes_words(&event.kind));
            if !in_flight.chunk.as_ref().is_some_and(is_preface) {
                self.landed_at = Some(now);
            }
            if in_flight.ends || in_flight.unloads {
                // A cancel that was noted at the same instant is too late for an end; the code that unloads a run checks for one.
                self.close();
            }
        }
    }

    /// Must be called after each commit. Returns whether the committer has to run again; if not, it has to be called for the
    /// next item.
    pub fn next_call(&mut self) -> Call {
        match self.again.is_some() || !self.queue.is_empty() {
            true => self.call(self.again.is_some() || self.is_awaited()),
            false => {
                self.schedule = Schedule::Idle;
                Call::None
            }
        }
    }

    /// Whether a writer waits for a queued item, so that the committer should not wait for more items.
    pub fn is_awaited(&self) -> bool {
        self.queue.iter().any(|item| !matches!(item, Item::Event(..) | Item::Group(..)))
    }

    /// Handles a rejected entry: either the sealed commit conflicted with another change, and its owner may retry it, or a
    /// later epoch has begun, which ends this one. Returns whether the committer has to run again for the other items.
    pub fn refused(&mut self, mut in_flight: InFlight, tenant: TenantId, run: Uuid) -> Call {
        match in_flight.sealed.take() {
            Some(sealed) => {
                if in_flight.unsealed > 0 && in_flight.epoch == self.epoch {
                    self.again = Some(in_flight.without_seal(tenant, run));
                }
                let _ = sealed.reply.send(Err(SealError::Conflict));
            }
            None if in_flight.epoch == self.epoch => self.close(),
            None => {}
        }
        self.next_call()
    }

    /// Stores an entry that could not be written, to be retried unchanged.
    pub fn put_back(&mut self, in_flight: InFlight) {
        if in_flight.epoch == self.epoch {
            self.again = Some(in_flight);
        }
    }

    fn close(&mut self) {
        self.closed = true;
        self.bytes = 0;
        self.shown = None;
        // Dropping the replies notifies the waiting writers.
        self.queue.clear();
    }
}

/// Whether an event of this type precedes the first words of an answer. There are few such events, one at a time.
fn precedes_words(kind: &str) -> bool {
    kind.starts_with("run.")
        || matches!(
            kind,
            "title" | "tool.server" | "source" | "knowledge.closed" | "memories" | "model.answering"
        )
}

fn notify(flushed: oneshot::Sender<()>) {
    // The receiver may have been dropped.
    let _ = flushed.send(());
}

/// Events in their canonical form, written one after the other, so that all events of an entry share one allocation.
struct EventBuffer {
    first: u64,
    run: Uuid,
    epoch: u32,
    /// The last timestamp, with its text: many events share one.
    moment: Option<(Timestamp, String)>,
    json: Vec<u8>,
    /// The types of the events, and the offset at which each ends.
    written: Vec<(&'static str, usize)>,
}

impl EventBuffer {
    fn new(first: u64, run: Uuid, epoch: u32) -> Self {
        Self { first, run, epoch, moment: None, json: Vec::new(), written: Vec::new() }
    }

    fn next_seq(&self) -> u64 {
        self.first + self.written.len() as u64
    }

    fn write(&mut self, ts: Timestamp, EventBody { node, data }: &EventBody) {
        let moment = self.moment.take().filter(|(last, _)| *last == ts);
        let moment = self.moment.insert(moment.unwrap_or_else(|| (ts, ts.to_string())));
        let (seq, json) = (self.first + self.written.len() as u64, &mut self.json);
        json.reserve(256);
        json.extend_from_slice(b"{\"seq\":");
        json.extend_from_slice(itoa::Buffer::new().format(seq).as_bytes());
        json.extend_from_slice(b",\"ts\":\"");
        json.extend_from_slice(moment.1.as_bytes());
        json.extend_from_slice(b"\",\"run_id\":\"");
        json.extend_from_slice(self.run.as_hyphenated().encode_lower(&mut Uuid::encode_buffer()).as_bytes());
        json.extend_from_slice(b"\",\"epoch\":");
        json.extend_from_slice(itoa::Buffer::new().format(self.epoch).as_bytes());
        if let Some(node) = node
            && join(json, &**node)
        {
            json.pop();
        }
        if !write_delta(json, data) && !join(json, data) {
            json.push(b'}');
        }
        self.written.push((data.kind(), json.len()));
    }

    fn events(mut self) -> Vec<Event> {
        self.json.shrink_to_fit();
        let (json, mut begin) = (Bytes::from(self.json), 0);
        let event = |(seq, (kind, end)): (u64, (&'static str, usize))| {
            let event = Event { seq, kind: kind.into(), json: json.slice(begin..end) };
            begin = end;
            event
        };
        (self.first..).zip(self.written).map(event).collect()
    }
}

/// Appends the members of a text delta and the brace that closes the event. Equivalent to [`join`], but faster. Returns
/// false for all other events.
fn write_delta(json: &mut Vec<u8>, data: &EventData) -> bool {
    let EventData::TextDelta { part, text } = data else { return false };
    let begun = json.len();
    let strings = [(&b",\"type\":\"text.delta\",\"data\":{\"part\":"[..], part), (b",\"text\":", text)];
    for (before, string) in strings {
        json.extend_from_slice(before);
        if serde_json::to_writer(&mut *json, string).is_err() {
            json.truncate(begun);
            return false;
        }
    }
    json.extend_from_slice(b"}}");
    true
}

/// Appends the members of a value that serializes to an object, and the brace that closes the event: the opening brace
/// of the object is replaced by a comma.
fn join(json: &mut Vec<u8>, object: &impl serde::Serialize) -> bool {
    let brace = json.len();
    let joined = serde_json::to_writer(&mut *json, object).is_ok() && json.get(brace) == Some(&b'{');
    match joined {
        true => json[brace] = b',',
        false => json.truncate(brace),
    }
    joined
}
