//! The feed of a user's notices. Changes are numbered in the order of their commits and read from the store, so missed
//! and new changes share one code path, and no state is stored for a slow or absent reader.

use std::fmt::Write;
use std::io;

use bytes::Bytes;
use futures::Stream;
use serde_json::{Value, json};
use storage::notices::{self, NoticeCounts};
use storage::records::{Notice, NoticeChange, NoticeEvent};
use storage::{ChangeListener, Reader, Row, Store, TenantId};
use telemetry::metrics::Open;
use telemetry::metrics::table::STREAMS_OPEN;
use tokio::time::Interval;
use uuid::Uuid;

use super::rights::heartbeats;
use super::{Rights, events};

/// The maximum number of changes that are sent in one frame.
const BATCH: usize = 100;

/// Serializes a notice for the events of a feed.
pub type ShowNotice = fn(Row<Notice>) -> Value;

/// The body of a feed. A reader that reconnects with the number of its last event receives the events it missed. If its
/// position is no longer known, it receives `reset`. The feed ends when the reader loses its rights.
pub fn notices(
    store: Store,
    tenant: TenantId,
    user: Uuid,
    from: Option<u64>,
    rights: Rights,
    show: ShowNotice,
) -> impl Stream<Item = Result<Bytes, io::Error>> {
    let listener = store.subscribe(tenant, user);
    let ticks = heartbeats();
    let position = ReadPosition { opened: false, seq: from, caught_up: false };
    let _open = STREAMS_OPEN.open(["notices"]);
    let state = State { store, tenant, user, rights, show, listener, ticks, position, _open };
    futures::stream::unfold(state, |mut state| async move { Some((state.next().await?, state)) })
}

struct State {
    store: Store,
    tenant: TenantId,
    user: Uuid,
    rights: Rights,
    show: ShowNotice,
    listener: ChangeListener,
    ticks: Interval,
    position: ReadPosition,
    _open: Open,
}

/// The position of a reader.
#[derive(Clone, Copy)]
struct ReadPosition {
    /// Whether the beginning of the connection has been sent.
    opened: bool,
    /// The number of the last change that was sent; `None` until a reader without a position has read the newest
    /// number.
    seq: Option<u64>,
    /// Whether all changes found by the last read were sent.
    caught_up: bool,
}

/// The result of one read.
struct Unread {
    notice_counts: NoticeCounts,
    changes: Vec<(u64, NoticeEvent, Option<Row<Notice>>)>,
}

impl State {
    async fn next(&mut self) -> Option<Result<Bytes, io::Error>> {
        loop {
            if self.position.caught_up {
                tokio::select! {
                    biased;
                    () = self.rights.changed() => {}
                    () = self.listener.changed() => {}
                    _ = self.ticks.tick() => {
                        let alive = self.rights.check_at_heartbeat().await;
                        return alive.then(|| Ok(Bytes::from_static(events::HEARTBEAT.as_bytes())));
                    }
                }
            }
            if !self.rights.check().await {
                return None;
            }
            let (tenant, user, after) = (self.tenant, self.user, self.position.seq);
            match self.store.read(move |reader| read_changes(reader, tenant, user, after)).await {
                Ok(found) => {
                    let text = self.position.write_events(found, self.show);
                    if !text.is_empty() {
                        return Some(Ok(text.into()));
                    }
                }
                Err(why) => {
                    tracing::error!(%user, %why, "notifications could not be read");
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            }
        }
    }
}

fn read_changes(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    after: Option<u64>,
) -> storage::Result<Unread> {
    // Read the newest number first: everything up to it can then be read.
    let notice_counts = notices::notice_counts(reader, tenant, user)?;
    let changes = match after.filter(|after| notice_counts.reaches(*after)) {
        Some(after) => notices::changes(reader, tenant, user, after, notice_counts.seq, BATCH)?,
        None => Vec::new(),
    };
    Ok(Unread { notice_counts, changes })
}

impl ReadPosition {
    /// Formats the new changes as events, and advances the position.
    fn write_events(&mut self, unread: Unread, show: ShowNotice) -> String {
        let mut out = String::new();
        let Unread { notice_counts, changes } = unread;
        let opening = !std::mem::replace(&mut self.opened, true);
        if opening {
            out.push_str(events::HEAD);
        }
        let from = *self.seq.get_or_insert(notice_counts.seq);
        // The first changes after such an old position may have just been deleted.
        let gap = changes.first().is_some_and(|(seq, ..)| *seq != from + 1);
        if gap || !notice_counts.reaches(from) {
            self.seq = Some(notice_counts.seq);
            self.caught_up = true;
            event(&mut out, notice_counts.seq, "reset", &json!({}));
            event(&mut out, notice_counts.seq, "unread_count", &json!({"count": notice_counts.unread}));
            return out;
        }
        let changed = !changes.is_empty();
        for (seq, change, notice) in changes {
            self.seq = Some(seq);
            if let Some((kind, data)) = event_of(change, notice, show) {
                event(&mut out, seq, kind, &data);
            }
        }
        self.caught_up = self.seq >= Some(notice_counts.seq);
        if self.caught_up && (opening || changed) {
            event(&mut out, notice_counts.seq, "unread_count", &json!({"count": notice_counts.unread}));
        }
        out
    }
}

/// The event for a change; `None` if the notice has been deleted.
fn event_of(
    change: NoticeEvent,
    notice: Option<Row<Notice>>,
    show: ShowNotice,
) -> Option<(&'static str, Value)> {
    let NoticeEvent { change, notices, at } = change;
    Some(match change {
        NoticeChange::Told => ("notification", show(notice?)),
        NoticeChange::Read => ("read", json!({"notification_ids": notices, "read_at": at})),
        NoticeChange::Deleted => ("deleted", json!({"notification_ids": notices})),
    })
}

fn event(out: &mut String, seq: u64, kind: &str, data: &Value) {
    let json_text = json!({"type": kind, "seq": seq, "data": data});
    // Writing to a `String` never fails.
    let _ = write!(out, "event: {kind}\ndata: {json_text}\nid: {seq}\n\n");
}
