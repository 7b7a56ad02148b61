//! A conversation's feed: what changes in it, told to every open tab. The bell only wakes the
//! reader; what has changed is seen by comparing the rows' versions, so live and resumed feeds are
//! one path and nothing has to be kept for a tab that is away.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};
use std::io;
use std::str::FromStr;
use std::sync::Arc;

use bytes::Bytes;
use futures::Stream;
use serde_json::{Value, json};
use storage::records::{Conversation, Message, Run};
use storage::{Bell, Reader, Row, Scan, Store, TenantId};
use tokio::time::Interval;
use uuid::Uuid;

use super::progress::{Progress, Task};
use super::rights::heartbeats;
use super::{Rights, events};

/// How far a reader of a feed has come: the `id` of its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The latest change, in milliseconds since 1970.
    millis: i64,
    /// How many messages there were.
    messages: u64,
    /// All versions added up: any change makes it larger, but for deletions.
    versions: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.millis, self.messages, self.versions)
    }
}

impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut pieces = text.splitn(3, '-').map(|piece| piece.parse().ok());
        let mut next = || pieces.next().flatten().ok_or(());
        let (millis, messages, versions) = (next()?, next()?, next()?);
        let millis = i64::try_from(millis).map_err(|_| ())?;
        Ok(Self { millis, messages, versions })
    }
}

/// A conversation with its messages and runs, as it is at one moment.
pub struct Feed {
    /// The conversation.
    pub conversation: Row<Conversation>,
    /// Its messages, in the order of their ids.
    pub messages: Vec<Row<Message>>,
    /// Its runs.
    pub runs: Vec<Row<Run>>,
    /// What is under way beside them; no part of what is stored.
    pub tasks: BTreeMap<Uuid, Task>,
}

/// How a message stands in the events that tell of it.
pub type Show = fn(Row<Message>) -> Value;

/// What a reader of a feed has been told of.
#[derive(Default)]
struct Known {
    title: Option<String>,
    /// What else was set of the conversation, and which branch is shown.
    set: Option<Value>,
    messages: HashMap<Uuid, u64>,
    /// Runs, and whether they have ended.
    runs: HashMap<Uuid, bool>,
    /// What is under way beside them.
    tasks: BTreeMap<Uuid, Task>,
}

impl Feed {
    /// Reads a conversation; none when there is none.
    pub fn read(reader: &Reader, tenant: TenantId, id: Uuid) -> storage::Result<Option<Self>> {
        let Some(conversation) = reader.get::<Conversation>(tenant, &id)? else { return Ok(None) };
        let messages = reader.scan(tenant, Scan::table().prefix(id.as_bytes()))?.items;
        let runs = reader.scan(tenant, Scan::index("by_conversation").prefix(id.as_bytes()))?.items;
        Ok(Some(Self { conversation, messages, runs, tasks: BTreeMap::new() }))
    }

    /// Where a reader stands who knows all of this.
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

    fn known(&self) -> Known {
        Known {
            title: self.conversation.title.clone(),
            set: Some(self.set()),
            messages: self.messages.iter().map(|row| (row.id.1, row.version)).collect(),
            runs: self.runs.iter().map(|row| (row.id, row.state.is_terminal())).collect(),
            tasks: self.tasks.clone(),
        }
    }

    /// What a reader knows who left at `position`; none when a message it knew is gone. What
    /// changed in that very millisecond may be told twice.
    fn known_at(&self, position: Position) -> Option<Known> {
        if self.position() == position {
            // Whoever was away knows nothing of what is under way now.
            return Some(Known { tasks: BTreeMap::new(), ..self.known() });
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
        (messages.len() as u64 == position.messages).then(|| Known {
            title: self.conversation.title.clone().filter(|_| untouched),
            set: untouched.then(|| self.set()),
            runs: runs.collect(),
            tasks: BTreeMap::new(),
            messages,
        })
    }

    /// What is not known yet, in the order in which it must have happened.
    fn news(&self, known: &Known, show: Show) -> Vec<(&'static str, Value)> {
        let mut news = Vec::new();
        for row in self.runs.iter().filter(|row| !known.runs.contains_key(&row.id)) {
            news.push(("stream.started", stream(row)));
        }
        for row in &self.messages {
            match known.messages.get(&row.id.1) {
                None => news.push(("message.created", show(row.clone()))),
                Some(version) if *version != row.version => {
                    news.push(("message.updated", show(row.clone())));
                }
                Some(_) => {}
            }
        }
        let mut gone: Vec<_> = known.messages.keys().copied().collect();
        gone.retain(|id| !self.messages.iter().any(|row| row.id.1 == *id));
        gone.sort_unstable();
        news.extend(gone.into_iter().map(|id| ("message.deleted", json!({"message_id": id}))));
        if self.conversation.title != known.title {
            news.push(("title.updated", json!({"title": self.conversation.title})));
        }
        let set = self.set();
        if known.set.as_ref() != Some(&set) {
            news.push(("conversation.updated", set));
        }
        for row in self.runs.iter().filter(|row| row.state.is_terminal()) {
            if known.runs.get(&row.id) != Some(&true) {
                news.push(("stream.ended", stream(row)));
            }
        }
        let missing = |all: &BTreeMap<Uuid, Task>, id: &Uuid| !all.contains_key(id);
        let begun = self.tasks.iter().filter(|(id, _)| missing(&known.tasks, id));
        news.extend(begun.map(|(id, task)| ("function.started", task.shown(*id))));
        let ended = known.tasks.iter().filter(|(id, _)| missing(&self.tasks, id));
        news.extend(ended.map(|(id, task)| ("function.ended", task.shown(*id))));
        news
    }

    /// What can be set of the conversation, but for its title, which has an event of its own.
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

    /// Live streams, for a reader who knows of nothing.
    fn live(&self) -> Vec<(&'static str, Value)> {
        let live = self.runs.iter().filter(|row| !row.state.is_terminal());
        let streams = live.map(|row| ("stream.started", stream(row)));
        streams.chain(self.tasks.iter().map(|(id, task)| ("function.started", task.shown(*id)))).collect()
    }
}

fn stream(row: &Row<Run>) -> Value {
    json!({
        "stream_id": row.id, "kind": row.kind, "state": row.state, "message_id": row.message_id,
        "model": row.model, "started_at": row.started_at,
    })
}

/// The body of a feed. A reader that comes back with the `id` of its last event is told what it
/// missed; one whose place cannot be found again gets `feed.reset` and has to load anew. The feed
/// ends with the conversation, or with the reader's rights.
pub fn feed(
    store: Store,
    progress: Arc<Progress>,
    tenant: TenantId,
    conversation: Uuid,
    from: Option<Position>,
    rights: Rights,
    show: Show,
) -> impl Stream<Item = Result<Bytes, io::Error>> {
    let bell = store.bell(tenant, conversation);
    let ticks = heartbeats();
    let state = State { store, progress, tenant, conversation, from, rights, show, bell, ticks, known: None };
    futures::stream::unfold(state, |mut state| async move { Some((state.next().await?, state)) })
}

struct State {
    store: Store,
    progress: Arc<Progress>,
    tenant: TenantId,
    conversation: Uuid,
    from: Option<Position>,
    rights: Rights,
    show: Show,
    bell: Bell,
    ticks: Interval,
    known: Option<Known>,
}

impl State {
    async fn next(&mut self) -> Option<Result<Bytes, io::Error>> {
        loop {
            if self.known.is_some() {
                tokio::select! {
                    biased;
                    () = self.rights.changed() => {}
                    () = self.bell.rung() => {}
                    _ = self.ticks.tick() => {
                        let alive = self.rights.hold().await;
                        return alive.then(|| Ok(Bytes::from_static(events::HEARTBEAT.as_bytes())));
                    }
                }
            }
            if !self.rights.stand().await {
                return None;
            }
            let (tenant, id) = (self.tenant, self.conversation);
            match self.store.read(move |reader| Feed::read(reader, tenant, id)).await {
                Ok(None) => return None,
                Ok(Some(mut now)) => {
                    now.tasks = self.progress.of(tenant, id);
                    let told = self.look(&now);
                    if !told.is_empty() {
                        return Some(Ok(told.into()));
                    }
                }
                Err(why) => {
                    tracing::error!(conversation = %id, %why, "the feed could not be read");
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            }
        }
    }

    /// Compares what is there with what is known, and tells the difference.
    fn look(&mut self, now: &Feed) -> String {
        let mut out = String::new();
        let mut news = match &self.known {
            Some(known) => now.news(known, self.show),
            None => {
                out.push_str(events::HEAD);
                opening(now, self.from, self.show)
            }
        };
        self.known = Some(now.known());
        let last = news.pop();
        let tell = |out: &mut String, (kind, data): (&str, Value), id: &str| {
            let event = json!({"type": kind, "conversation_id": self.conversation, "data": data});
            let _ = write!(out, "{id}event: {kind}\ndata: {event}\n\n");
        };
        news.into_iter().for_each(|event| tell(&mut out, event, ""));
        if let Some(event) = last {
            // Only the last event moves the reader on: one who was told a part is told all again.
            tell(&mut out, event, &format!("id: {}\n", now.position()));
        }
        out
    }
}

/// What a connection begins with.
fn opening(now: &Feed, from: Option<Position>, show: Show) -> Vec<(&'static str, Value)> {
    let known = from.map(|position| now.known_at(position));
    let mut news = match &known {
        Some(Some(known)) => now.news(known, show),
        Some(None) => vec![("feed.reset", json!({}))],
        None => Vec::new(),
    };
    if !matches!(known, Some(Some(_))) {
        news.extend(now.live());
    }
    news.push(("feed.opened", json!({})));
    news
}
