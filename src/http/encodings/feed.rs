//! The feed of a conversation: reports changes to every open tab. The listener only wakes the reader. Changes are
//! detected by comparing the versions of rows, so live and resumed feeds share one code path and no state is stored for
//! a tab that is away.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::Stream;
use runs::{QueuePlace, Runs};
use serde_json::{Value, json};
use storage::records::{Conversation, Message, Run, RunKind, RunState};
use storage::{ChangeListener, Reader, Row, RowMeta, Scan, Store, TenantId, Timestamp};
use telemetry::metrics::Open;
use telemetry::metrics::table::STREAMS_OPEN;
use tokio::time::Interval;
use uuid::Uuid;

use super::feed_position::Position;
use super::progress::{Progress, Task};
use super::queue::QueueWatch;
use super::rights::heartbeats;
use super::{Rights, events};
use crate::http::WholeReads;

/// A conversation with its messages and runs at one moment.
pub struct Feed {
    pub conversation: Row<Conversation>,
    /// The heads of the messages, in the order of their ids. Their bodies are loaded when they are sent.
    pub messages: Vec<RowMeta<(Uuid, Uuid)>>,
    runs: Vec<RunLine>,
    /// Running tasks outside of runs. They are not stored.
    pub tasks: BTreeMap<Uuid, Task>,
}

/// The fields of a run that the feed reports.
struct RunLine {
    id: Uuid,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    kind: RunKind,
    state: RunState,
    message_id: Option<Uuid>,
    model: String,
    started_at: Option<Timestamp>,
}

impl From<Row<Run>> for RunLine {
    fn from(row: Row<Run>) -> Self {
        let Row { id, version, created_at, updated_at, body } = row;
        let Run { kind, state, message_id, model, started_at, .. } = body;
        Self { id, version, created_at, updated_at, kind, state, message_id, model, started_at }
    }
}

enum FeedEvent {
    Event(&'static str, Value),
    /// A new message, which is loaded when the event is written.
    Created(Uuid),
    /// A changed message.
    Updated(Uuid),
}

/// Serializes a message for the events of a feed.
pub type Show = fn(Row<Message>) -> Value;

/// The state that a reader of a feed has received.
#[derive(Default)]
struct ReaderState {
    title: Option<String>,
    /// Further settings of the conversation, and the branch that is shown.
    set: Option<Value>,
    messages: HashMap<Uuid, u64>,
    /// Runs, and whether they have ended.
    runs: HashMap<Uuid, bool>,
    /// Running tasks outside of runs.
    tasks: BTreeMap<Uuid, Task>,
}

impl Feed {
    /// Reads a conversation; `None` if it does not exist.
    pub fn read(reader: &Reader, tenant: TenantId, id: Uuid) -> storage::Result<Option<Self>> {
        let Some(conversation) = reader.get::<Conversation>(tenant, &id)? else { return Ok(None) };
        let messages = reader.heads::<Message>(tenant, id.as_bytes())?;
        let mut runs = Vec::new();
        reader.visit::<Run>(tenant, Scan::index("by_conversation").prefix(id.as_bytes()), |row| {
            runs.push(RunLine::from(row));
            true
        })?;
        Ok(Some(Self { conversation, messages, runs, tasks: BTreeMap::new() }))
    }

    /// The position of a reader that knows this state.
    pub fn position(&self) -> Position {
        let rows = || {
            let messages = self.messages.iter().map(|row| (row.updated_at, row.version));
            messages.chain(self.runs.iter().map(|row| (row.updated_at, row.version)))
        };
        let own = (self.conversation.updated_at, self.conversation.version);
        let latest = rows().map(|row| row.0).fold(own.0, Ord::max);
        Position {
            millis: latest.as_millis(),
            messages: self.messages.len() as u64,
            versions: rows().map(|row| row.1).fold(own.1, u64::wrapping_add),
        }
    }

    fn reader_state(&self) -> ReaderState {
        ReaderState {
            title: self.conversation.title.clone(),
            set: Some(self.set()),
            messages: self.messages.iter().map(|row| (row.id.1, row.version)).collect(),
            runs: self.runs.iter().map(|row| (row.id, row.state.is_terminal())).collect(),
            tasks: self.tasks.clone(),
        }
    }

    /// Reconstructs the state of a reader that left at `position`; `None` if a message it knew has been deleted.
    /// Changes in exactly that millisecond may be reported twice.
    fn known_at(&self, position: Position) -> Option<ReaderState> {
        if self.position() == position {
            // A reader that was away does not know the current tasks.
            return Some(ReaderState { tasks: BTreeMap::new(), ..self.reader_state() });
        }
        let old = |at: storage::Timestamp| at.as_millis() <= position.millis;
        let settled = |at: storage::Timestamp| at.as_millis() < position.millis;
        let messages: HashMap<_, _> = self
            .messages
            .iter()
            .filter(|row| old(row.created_at))
            .map(|row| (row.id.1, if settled(row.updated_at) { row.version } else { 0 }))
            .collect();
        let runs = self.runs.iter().filter(|row| old(row.created_at));
        let runs = runs.map(|row| (row.id, settled(row.updated_at) && row.state.is_terminal()));
        let untouched = settled(self.conversation.updated_at);
        (messages.len() as u64 == position.messages).then(|| ReaderState {
            title: self.conversation.title.clone().filter(|_| untouched),
            set: untouched.then(|| self.set()),
            runs: runs.collect(),
            tasks: BTreeMap::new(),
            messages,
        })
    }

    /// The changes that the reader does not know yet, in the order in which they must have happened.
    fn news(&self, known: &ReaderState) -> VecDeque<FeedEvent> {
        let mut news = VecDeque::new();
        for row in self.runs.iter().filter(|row| !known.runs.contains_key(&row.id)) {
            news.push_back(FeedEvent::Event("stream.started", stream(row)));
        }
        for head in &self.messages {
            match known.messages.get(&head.id.1) {
                None => news.push_back(FeedEvent::Created(head.id.1)),
                Some(version) if *version != head.version => news.push_back(FeedEvent::Updated(head.id.1)),
                Some(_) => {}
            }
        }
        let there: HashSet<Uuid> = self.messages.iter().map(|head| head.id.1).collect();
        let mut removed: Vec<_> = known.messages.keys().copied().filter(|id| !there.contains(id)).collect();
        removed.sort_unstable();
        let deleted = |id| FeedEvent::Event("message.deleted", json!({"message_id": id}));
        news.extend(removed.into_iter().map(deleted));
        if self.conversation.title != known.title {
            news.push_back(FeedEvent::Event("title.updated", json!({"title": self.conversation.title})));
        }
        let set = self.set();
        if known.set.as_ref() != Some(&set) {
            news.push_back(FeedEvent::Event("conversation.updated", set));
        }
        for row in self.runs.iter().filter(|row| row.state.is_terminal()) {
            if known.runs.get(&row.id) != Some(&true) {
                news.push_back(FeedEvent::Event("stream.ended", stream(row)));
            }
        }
        let missing = |all: &BTreeMap<Uuid, Task>, id: &Uuid| !all.contains_key(id);
        let begun = self.tasks.iter().filter(|(id, _)| missing(&known.tasks, id));
        news.extend(begun.map(|(id, task)| FeedEvent::Event("function.started", task.shown(*id))));
        let ended = known.tasks.iter().filter(|(id, _)| missing(&self.tasks, id));
        news.extend(ended.map(|(id, task)| FeedEvent::Event("function.ended", task.shown(*id))));
        news
    }

    /// The settings of the conversation, except its title, which has its own event.
    fn set(&self) -> Value {
        let Conversation {
            assistant_id,
            project_id,
            model,
            archived,
            pinned,
            current_message_id,
            skills,
            ..
        } = &self.conversation.body;
        json!({
            "assistant_id": assistant_id, "project_id": project_id, "model": model, "archived": archived,
            "pinned": pinned, "current_message_id": current_message_id, "skills": skills,
        })
    }

    /// Events for the live streams and tasks, for a reader without any state.
    fn live(&self) -> impl Iterator<Item = FeedEvent> {
        let live = self.runs.iter().filter(|row| !row.state.is_terminal());
        let streams = live.map(|row| FeedEvent::Event("stream.started", stream(row)));
        let task = |(id, task): (&Uuid, &Task)| FeedEvent::Event("function.started", task.shown(*id));
        streams.chain(self.tasks.iter().map(task))
    }
}

fn stream(row: &RunLine) -> Value {
    json!({
        "stream_id": row.id, "kind": row.kind, "state": row.state, "message_id": row.message_id,
        "model": row.model, "started_at": row.started_at,
    })
}

/// The event for a change of a run's place in the queue.
fn queued((run, place): (Uuid, Option<QueuePlace>)) -> FeedEvent {
    FeedEvent::Event("stream.queued", json!({"stream_id": run, "queue": place}))
}

/// The sources that a feed reads.
pub struct Sources {
    /// The store that contains the conversations.
    pub store: Store,
    /// Running tasks outside of runs, which are not stored.
    pub progress: Arc<Progress>,
    /// Limits concurrent reads of entire conversations.
    pub reads: Arc<WholeReads>,
    /// The live runs, whose places in the queue are not stored.
    pub runs: Runs,
}

/// The body of a feed. A reader that reconnects with the `id` of its last event receives the events it missed. If its
/// position is no longer known, it receives `feed.reset` and has to load the conversation again. The feed ends when the
/// conversation is deleted or the reader loses its rights.
pub fn feed(
    sources: Sources,
    tenant: TenantId,
    conversation: Uuid,
    from: Option<Position>,
    rights: Rights,
    show: Show,
) -> impl Stream<Item = Result<Bytes, io::Error>> {
    let Sources { store, progress, reads, runs } = sources;
    let listener = store.subscribe(tenant, conversation);
    let ticks = heartbeats();
    let (known, pending, position) = (None, VecDeque::new(), None);
    let state = State {
        store,
        progress,
        reads,
        queue: QueueWatch::new(runs, tenant),
        tenant,
        conversation,
        from,
        rights,
        show,
        listener,
        ticks,
        known,
        pending,
        position,
        _open: STREAMS_OPEN.open(["feed"]),
    };
    futures::stream::unfold(state, |mut state| async move { Some((state.next().await?, state)) })
}

/// The approximate number of bytes that are sent at once.
const PIECE: usize = 256 << 10;

struct State {
    store: Store,
    progress: Arc<Progress>,
    reads: Arc<WholeReads>,
    queue: QueueWatch,
    tenant: TenantId,
    conversation: Uuid,
    from: Option<Position>,
    rights: Rights,
    show: Show,
    listener: ChangeListener,
    ticks: Interval,
    known: Option<ReaderState>,
    /// Events of the last read that have not been sent yet.
    pending: VecDeque<FeedEvent>,
    /// The position of the reader once the pending events are sent.
    position: Option<Position>,
    _open: Open,
}

impl State {
    async fn next(&mut self) -> Option<Result<Bytes, io::Error>> {
        loop {
            let mut is_queue_due = false;
            let is_idle = self.known.is_some() && self.pending.is_empty();
            if is_idle {
                tokio::select! {
                    biased;
                    () = self.rights.changed() => {}
                    () = self.listener.changed() => {}
                    () = self.queue.due() => is_queue_due = true,
                    _ = self.ticks.tick() => {
                        let alive = self.rights.check_at_heartbeat().await;
                        return alive.then(|| Ok(Bytes::from_static(events::HEARTBEAT.as_bytes())));
                    }
                }
            }
            if !self.rights.check().await {
                return None;
            }
            if is_queue_due {
                self.pending.extend(self.queue.changes().into_iter().map(queued));
            }
            let next_event = match self.pending.is_empty() && !is_queue_due {
                true => self.refresh().await,
                false => Ok(Some(String::new())),
            };
            let next_event = match next_event {
                Ok(Some(out)) => self.write_pending(out).await,
                Ok(None) => return None,
                Err(why) => Err(why),
            };
            match next_event {
                Ok(out) if out.is_empty() => {}
                Ok(out) => return Some(Ok(out.into())),
                Err(why) => {
                    tracing::error!(conversation = %self.conversation, %why, "the feed could not be read");
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            }
        }
    }

    /// Compares the current state with the known one and records the differences as pending events. Returns the text to
    /// be sent before them; `None` if the conversation has been deleted.
    async fn refresh(&mut self) -> storage::Result<Option<String>> {
        let (tenant, id) = (self.tenant, self.conversation);
        let Some(turn) = self.reads.feed_turn().await else { return Ok(None) };
        let read = self.store.read(move |reader| Feed::read(reader, tenant, id)).await?;
        drop(turn);
        let Some(mut now) = read else { return Ok(None) };
        now.tasks = self.progress.tasks(tenant, id);
        let mut out = String::new();
        self.pending = match &self.known {
            Some(known) => now.news(known),
            None => {
                out.push_str(events::HEAD);
                opening(&now, self.from)
            }
        };
        let live = now.runs.iter().filter(|row| !row.state.is_terminal()).map(|row| row.id).collect();
        self.pending.extend(self.queue.observe(live).into_iter().map(queued));
        self.position = Some(now.position());
        self.known = Some(now.reader_state());
        Ok(Some(out))
    }

    /// Writes pending events up to the size that is sent at once. Messages that have since been deleted are omitted:
    /// the next read detects their deletion.
    async fn write_pending(&mut self, mut out: String) -> storage::Result<String> {
        if self.pending.is_empty() {
            return Ok(out);
        }
        let (tenant, conversation, show, position) =
            (self.tenant, self.conversation, self.show, self.position);
        let mut pending = std::mem::take(&mut self.pending);
        let write = move |reader: &Reader| {
            while out.len() < PIECE
                && let Some(news) = pending.pop_front()
            {
                let load = |id| reader.get::<Message>(tenant, &(conversation, id));
                let event = match news {
                    FeedEvent::Event(kind, data) => Some((kind, data)),
                    FeedEvent::Created(id) => load(id)?.map(|row| ("message.created", show(row))),
                    FeedEvent::Updated(id) => load(id)?.map(|row| ("message.updated", show(row))),
                };
                let Some((kind, data)) = event else { continue };
                let event = json!({"type": kind, "conversation_id": conversation, "data": data});
                let _ = writeln!(out, "event: {kind}\ndata: {event}");
                // Only the last event advances the position: a reader that received only a part receives all of it
                // again.
                if let Some(position) = position.filter(|_| pending.is_empty()) {
                    let _ = writeln!(out, "id: {position}");
                }
                out.push('\n');
            }
            Ok::<_, storage::Error>((out, pending))
        };
        let (out, pending) = self.store.read(write).await?;
        self.pending = pending;
        Ok(out)
    }
}

/// The events at the beginning of a connection.
fn opening(now: &Feed, from: Option<Position>) -> VecDeque<FeedEvent> {
    let known = from.map(|position| now.known_at(position));
    let mut news = match &known {
        Some(Some(known)) => now.news(known),
        Some(None) => VecDeque::from([FeedEvent::Event("feed.reset", json!({}))]),
        None => VecDeque::new(),
    };
    if !matches!(known, Some(Some(_))) {
        news.extend(now.live());
    }
    news.push_back(FeedEvent::Event("feed.opened", json!({})));
    news
}
