//! Tests that stream journals through a body: frames, folding, and restarted answers.

use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use runs::{EventData, JournalLimits, RunJournal, Terminal, Writer};
use storage::records::RunState;
use storage::{Batch, Store, StoreOptions, TenantId, Timestamp, journal, new_id};
use tokio::sync::watch;

use understudy::http::encodings::{Constants, Encoder, Reading, Rights, Wire, stream, stream_with};

/// The journal of a run in a store of its own.
struct Run {
    journal: Arc<RunJournal>,
    writer: Writer,
    store: Store,
    _dir: tempfile::TempDir,
}

impl Run {
    async fn begin() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let store = Store::open(StoreOptions::new(dir.path())).expect("a store");
        let (tenant, run) = (TenantId(new_id()), new_id());
        let mut batch = Batch::default();
        journal::set_epoch(&mut batch, tenant, run, 1);
        store.commit(batch).await.expect("an epoch");
        let journal = RunJournal::open(store.clone(), tenant, run, 1, 0, JournalLimits::default());
        Self { writer: journal.writer(1), journal, store, _dir: dir }
    }

    /// Writes events durably, each in a commit of its own.
    async fn write(&self, events: impl IntoIterator<Item = EventData>) {
        for event in events {
            self.writer.push(event).expect("still open");
            self.writer.flush().await.expect("durable");
        }
    }

    /// Writes the run's last event durably.
    async fn end(&self) {
        let next = self.writer.preview().await.expect("still open").next_seq();
        let terminal = Terminal {
            status: RunState::Succeeded,
            reason: None,
            cancelled_by: None,
            error: None,
            usage: Default::default(),
            cost_nanos: 0,
            last_seq: next,
            started_at: None,
            finished_at: Timestamp::now(),
            partial: false,
        };
        let ((), batch, rings) =
            self.store.prepare(|_| Ok::<_, storage::Error>(())).expect("an empty commit");
        let sealed = self.writer.seal([EventData::RunEnded { terminal }], next, batch, rings);
        sealed.expect("still open").verdict().await.expect("durable");
    }

    fn reading(&self, wire: Wire, fold_until: u64) -> Reading {
        let run = Constants {
            run_id: new_id(),
            conversation_id: None,
            message_id: None,
            model: "m".into(),
            created: 0,
        };
        Reading {
            cursor: self.journal.read(0),
            encoder: Encoder::new(wire, run, false),
            fold_until,
            rights: Rights::new(|| Box::pin(async { true })),
        }
    }

    /// The first `count` frames of a reader, as text.
    async fn frames(&self, wire: Wire, fold_until: u64, count: usize) -> Vec<String> {
        let frames = stream(self.reading(wire, fold_until)).take(count).collect::<Vec<_>>().await;
        let text = |frame: Bytes| String::from_utf8(frame.to_vec()).expect("text");
        frames.into_iter().map(|frame| text(frame.expect("unbroken"))).collect()
    }
}

fn text(text: &str) -> EventData {
    EventData::TextDelta { part: "1".into(), text: text.into() }
}

fn start() -> EventData {
    EventData::TextStart { part: "1".into() }
}

#[tokio::test]
async fn stream_sends_ready_chunks_in_one_frame() {
    let run = Run::begin().await;
    run.write([start(), text("a"), text("b"), text("c")]).await;
    let frames = run.frames(Wire::Events, 0, 2).await;
    assert_eq!(frames[0], "retry: 1000\n");
    assert_eq!(frames[1].matches("\n\n").count(), 4);
    let frames = run.frames(Wire::Ndjson, 0, 1).await;
    assert_eq!(frames[0].lines().count(), 4);
}

#[tokio::test]
async fn stream_folds_a_backlog_up_to_its_end() {
    let run = Run::begin().await;
    run.write([start(), text("a"), text("b")]).await;
    run.write([text("c"), text("d")]).await;
    let frames = run.frames(Wire::Ndjson, 3, 2).await;
    assert_eq!(frames[0].lines().count(), 2, "{frames:?}");
    assert!(frames[0].contains(r#""text":"ab""#) && frames[0].contains(r#""seq":3"#));
    assert!(frames[1].contains(r#""text":"c""#) && frames[1].contains(r#""text":"d""#));
}

#[tokio::test]
async fn stream_without_offsets_sends_only_the_valid_answer() {
    let run = Run::begin().await;
    run.write([start(), text("void"), EventData::RunReset {}, start(), text("good")]).await;
    let output = run.frames(Wire::UiMessage, 5, 2).await.concat();
    assert!(output.contains("good") && !output.contains("void"), "{output}");
}

#[tokio::test]
async fn stream_waits_for_the_restart_decision_of_a_recovered_run() {
    for wire in [Wire::UiMessage, Wire::OpenAi] {
        let run = Run::begin().await;
        run.write([start(), text("void")]).await;
        run.journal.expect_restart();
        let mut body = Box::pin(stream(run.reading(wire, 2)));
        let head = body.next().await.expect("a head").expect("unbroken");
        assert!(futures::poll!(body.next()).is_pending(), "after {head:?}");
        run.write([EventData::RunReset {}, start(), text("good")]).await;
        let frame = body.next().await.expect("a frame").expect("unbroken");
        let frame = String::from_utf8_lossy(&frame);
        assert!(frame.contains("good") && !frame.contains("void"), "{frame}");
        let frames = run.frames(Wire::Events, 0, 2).await;
        assert!(frames[1].contains("void"), "encodings with offsets need not wait");
    }
}

#[tokio::test]
async fn stream_ends_when_sent_events_become_void() {
    for (wire, want) in [
        (
            Wire::UiMessage,
            r#"{"type":"error","errorText":"the answer was restarted; read the stream again"}"#,
        ),
        (Wire::OpenAi, r#""code":"stream_restarted""#),
    ] {
        let run = Run::begin().await;
        run.write([start(), text("void")]).await;
        let mut body = Box::pin(stream(run.reading(wire, 0)));
        let head = body.next().await.expect("a head").expect("unbroken");
        let frame = body.next().await.expect("a frame").expect("unbroken");
        assert!(!head.is_empty() && String::from_utf8_lossy(&frame).contains("void"));
        run.write([EventData::RunReset {}]).await;
        let rest: Vec<_> = body.collect().await;
        let rest = String::from_utf8(rest.into_iter().flatten().flatten().collect()).expect("text");
        assert!(rest.contains(want) && rest.ends_with("data: [DONE]\n\n"), "{rest}");
        let frames = run.frames(Wire::Events, 0, 2).await;
        assert!(frames[1].contains("run.reset"), "wires with offsets tell it all");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stream_wakes_waiting_readers_for_every_event_and_the_end() {
    let run = Run::begin().await;
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async {
            let readers: Vec<_> = [Wire::Ndjson, Wire::Events, Wire::OpenAi]
                .map(|wire| tokio::task::spawn_local(stream(run.reading(wire, 0)).collect::<Vec<_>>()))
                .into();
            run.write([start()]).await;
            for number in 0..200 {
                run.write([text(&format!("<{number}>"))]).await;
            }
            run.end().await;
            for reader in readers {
                let frames =
                    reader.await.expect("no panic").into_iter().map(|frame| frame.expect("unbroken"));
                let output = String::from_utf8(frames.flatten().collect()).expect("text");
                let places: Vec<_> = (0..200).map(|number| output.find(&format!("<{number}>"))).collect();
                assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{output}");
            }
        })
        .await;
}

#[tokio::test]
async fn stream_ends_while_it_waits_if_the_reader_loses_its_rights() {
    let run = Run::begin().await;
    run.write([start(), text("a")]).await;
    let (closing, closed) = watch::channel(false);
    let mut reading = run.reading(Wire::OpenAi, 0);
    reading.rights = reading.rights.until(closed);
    let mut body = Box::pin(stream(reading));
    body.next().await.expect("a head").expect("unbroken");
    body.next().await.expect("a frame").expect("unbroken");
    assert!(futures::poll!(body.next()).is_pending());
    closing.send_replace(true);
    let last = body.next().await.expect("a reason").expect("unbroken");
    assert!(String::from_utf8_lossy(&last).contains("not_found"), "{last:?}");
    assert!(body.next().await.is_none());
}

#[tokio::test]
async fn stream_sends_heartbeats_while_it_waits_and_checks_the_rights_at_the_fourth() {
    let run = Run::begin().await;
    run.write([start()]).await;
    let mut reading = run.reading(Wire::OpenAi, 0);
    reading.rights = Rights::new(|| Box::pin(async { false }));
    let ticks = tokio::time::interval(std::time::Duration::from_millis(5));
    let frames: Vec<_> = stream_with(reading, ticks).skip(1).collect().await;
    let frames: Vec<_> = frames.into_iter().map(|frame| frame.expect("unbroken")).collect();
    assert_eq!(frames.len(), 4, "{frames:?}");
    assert!(frames[..3].iter().all(|frame| frame == ": heartbeat\n"), "{frames:?}");
    assert!(String::from_utf8_lossy(&frames[3]).contains("not_found"), "{frames:?}");
}

#[tokio::test]
async fn stream_ends_with_the_usage_of_the_run() {
    let run = Run::begin().await;
    run.write([start(), text("a")]).await;
    run.end().await;
    let mut reading = run.reading(Wire::OpenAi, 0);
    let constants = Constants {
        run_id: new_id(),
        conversation_id: None,
        message_id: None,
        model: "m".into(),
        created: 0,
    };
    reading.encoder = Encoder::new(Wire::OpenAi, constants, true);
    let frames: Vec<_> = stream(reading).collect().await;
    let output = String::from_utf8(frames.into_iter().flatten().flatten().collect()).expect("text");
    assert!(output.contains(r#""usage":{"#) && output.ends_with("data: [DONE]\n\n"), "{output}");
}
