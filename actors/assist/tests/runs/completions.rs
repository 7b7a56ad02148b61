//! Tests of runs from outside the crate: real storage in a temporary folder, and models that follow the script of a
//! test.

use std::time::Duration;

use crate::stage::{self, Script, Stage};
use assist::completion::{Input, OnActive};
use providers::{ChatDelta, FinishReason};
use runs::{ActorsConfig, AttachError, EventData, StartError, StreamEvent};
use storage::records::{MessageStatus, Recovery, Run, RunState};
use storage::{Scan, TenantId};

async fn until(mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("the condition becomes true");
}

fn texts(events: &[StreamEvent]) -> String {
    let text = |event: &StreamEvent| match &event.event {
        EventData::TextDelta { text, .. } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

fn terminal(events: &[StreamEvent]) -> runs::Terminal {
    match &events.last().expect("no events").event {
        EventData::RunEnded { terminal } => terminal.clone(),
        other => panic!("the last event is {other:?}"),
    }
}

#[actix::test]
async fn attach_at_any_offset_continues_the_canonical_sequence() {
    let stage = Stage::new().await;
    let started = stage.start(Script::words(300)).await.unwrap();
    let canonical = stage.read_all(started.cursor).await;
    assert!(canonical.iter().enumerate().all(|(at, event)| event.seq == at as u64 + 1));
    assert_eq!(texts(&canonical).split_whitespace().count(), 300);
    for k in 0..=canonical.len() as u64 {
        let rest = stage.read_all(stage.attach(started.run.id, k).await.unwrap()).await;
        assert_eq!(rest, canonical[k as usize..], "after {k}");
    }
    let message = stage.message(started.message_id).await;
    assert_eq!(message.status, MessageStatus::Complete);
    let restarted = stage.restart().await;
    for k in [0, 1, canonical.len() as u64 / 2, canonical.len() as u64] {
        let rest = restarted.read_all(restarted.attach(started.run.id, k).await.unwrap()).await;
        assert_eq!(rest, canonical[k as usize..], "after {k}, after a restart");
    }
}

#[actix::test]
async fn attach_during_streaming_returns_the_same_events() {
    let stage = Stage::new().await;
    let started = stage.start(Script::words(400).paced(1)).await.unwrap();
    let mut readers = Vec::new();
    for k in 0..20u64 {
        let cursor = stage.attach(started.run.id, k).await.unwrap();
        readers.push((k, actix::spawn(stage::read_all(cursor))));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let canonical = stage.read_all(started.cursor).await;
    for (k, reader) in readers {
        let rest = reader.await.unwrap();
        // A reader that was ahead of the end when it joined starts at the first event after its offset.
        let expected: Vec<_> = canonical.iter().filter(|event| event.seq > k).cloned().collect();
        assert_eq!(rest, expected, "after {k}");
    }
}

#[actix::test]
async fn cancel_stops_the_upstream_call_and_keeps_the_text() {
    let stage = Stage::new().await;
    let script = Script::words(100_000).paced(1);
    let open = script.open.clone();
    let mut started = stage.start(script).await.unwrap();
    let first = started.cursor.next().await.unwrap().unwrap();
    assert_eq!(&*first.events[0].kind, "run.started");
    while !started
        .cursor
        .next()
        .await
        .unwrap()
        .unwrap()
        .events
        .iter()
        .any(|event| &*event.kind == "text.delta")
    {}
    assert_eq!(open.load(std::sync::atomic::Ordering::SeqCst), 1);
    let outcome = stage.cancel(started.run.id).await;
    assert_eq!(open.load(std::sync::atomic::Ordering::SeqCst), 0, "the upstream call is still open");
    let terminal = outcome.terminal.unwrap();
    assert_eq!((terminal.status, terminal.cancelled_by), (RunState::Cancelled, Some(stage.user)));
    let again = stage.cancel(started.run.id).await;
    assert_eq!(again.terminal.unwrap(), terminal);
    let events = stage.read_all(stage.attach(started.run.id, 0).await.unwrap()).await;
    let message = stage.message(started.message_id).await;
    assert_eq!(message.status, MessageStatus::Stopped);
    assert_eq!(stage::text_of(&message), texts(&events));
    assert!(terminal.usage.output_tokens > 0, "what was given is billed: {terminal:?}");
}

#[actix::test]
async fn cancel_stops_a_model_that_always_has_text() {
    const WORDS: u64 = 200_000;
    let stage = Stage::new().await;
    let script = Script::words(WORDS);
    let open = script.open.clone();
    let mut started = stage.start(script).await.unwrap();
    let is_text = |event: &runs::Event| &*event.kind == "text.delta";
    while !started.cursor.next().await.unwrap().unwrap().events.iter().any(is_text) {}
    let outcome = stage.cancel(started.run.id).await;
    assert_eq!(open.load(std::sync::atomic::Ordering::SeqCst), 0, "the upstream call is still open");
    assert_eq!(outcome.terminal.unwrap().status, RunState::Cancelled);
    let text = stage::text_of(&*stage.message(started.message_id).await);
    assert!(!text.is_empty() && !text.contains(&format!("word{} ", WORDS - 1)), "it was read to its end");
}

#[actix::test]
async fn cancel_and_success_never_overwrite_each_other() {
    let stage = Stage::new().await;
    for n in 0..200u64 {
        let started = stage.start(Script::words(n % 7)).await.unwrap();
        for _ in 0..(n % 11) {
            tokio::task::yield_now().await;
        }
        let (one, two) = futures::join!(stage.cancel(started.run.id), stage.cancel(started.run.id));
        let events = stage.read_all(started.cursor).await;
        let end = terminal(&events);
        assert_eq!(one.terminal.as_ref(), Some(&end));
        assert_eq!(two.terminal.as_ref(), Some(&end));
        assert_eq!(end.last_seq, events.last().unwrap().seq);
        assert_eq!(stage.actors.active(stage.tenant, stage.conversation).map(|run| run.run_id), None);
    }
}

#[actix::test]
async fn panic_ends_the_epoch_and_follows_the_policy() {
    for (recovery, status) in [
        (Recovery::Keep, RunState::Interrupted),
        (Recovery::Continue, RunState::Succeeded),
        (Recovery::Retry, RunState::Succeeded),
    ] {
        let stage = Stage::new().await;
        let neighbour = stage.elsewhere().await;
        let other = neighbour.start(Script::words(200).paced(2)).await.unwrap();
        let script = Script::words(20).panics_at(10).once();
        let started = stage.start_with(script, |start| start.recovery = Some(recovery)).await.unwrap();
        let events = stage.read_all(started.cursor).await;
        let end = terminal(&events);
        assert_eq!(end.status, status, "{recovery:?}: {end:?}");
        assert_eq!(events.last().unwrap().epoch, 2);
        let kinds: Vec<_> = events.iter().map(|event| event.event.kind()).collect();
        let marks = |kind| kinds.iter().filter(|other| **other == kind).count();
        let message = stage.message(started.message_id).await;
        match recovery {
            Recovery::Keep => {
                assert_eq!(message.status, MessageStatus::Interrupted);
                assert_eq!(stage::text_of(&message), texts(&events));
                assert!(end.partial);
            }
            Recovery::Continue => assert_eq!(marks("run.recovered"), 1),
            Recovery::Retry => {
                assert_eq!(marks("run.reset"), 1);
                assert_eq!(stage::text_of(&message).split_whitespace().count(), 20);
            }
        }
        let others = neighbour.read_all(other.cursor).await;
        assert_eq!(terminal(&others).status, RunState::Succeeded);
    }
}

#[actix::test]
async fn run_that_always_panics_is_failed() {
    let stage = Stage::new().await;
    let script = Script::words(3).panics_at(1);
    let started = stage.start_with(script, |start| start.recovery = Some(Recovery::Retry)).await.unwrap();
    let events = stage.read_all(started.cursor).await;
    let end = terminal(&events);
    assert!(end.status.is_terminal() && end.status != RunState::Succeeded, "{end:?}");
    assert_ne!(stage.message(started.message_id).await.status, MessageStatus::Streaming);
}

#[actix::test]
async fn start_permits_one_run_per_conversation_unless_queued() {
    let stage = Stage::new().await;
    let first = stage.start(Script::words(100_000).paced(1)).await.unwrap();
    match stage.start(Script::words(1)).await.map(|started| started.run.id) {
        Err(StartError::StreamActive { stream_id }) => assert_eq!(stream_id, first.run.id),
        other => panic!("{other:?}"),
    }
    let queued = stage.start_with(Script::words(2), |start| start.on_active = OnActive::Queue).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(stage.state(queued.run.id).await, RunState::Queued);
    let replaced =
        stage.start_with(Script::words(3), |start| start.on_active = OnActive::Queue).await.unwrap();
    let outcome = stage.cancel(replaced.run.id).await;
    assert_eq!(outcome.terminal.unwrap().status, RunState::Cancelled, "queued, and cancelled at once");
    stage.cancel(first.run.id).await;
    let events = stage.read_all(queued.cursor).await;
    assert_eq!(terminal(&events).status, RunState::Succeeded);
}

#[actix::test]
async fn start_with_the_same_key_returns_the_same_stream() {
    let stage = Stage::new().await;
    let key = |start: &mut assist::completion::CompletionStart| {
        start.idempotency_key = Some(runs::RequestKey::new(start.tenant, start.user, "k"));
    };
    let one = stage.start_with(Script::words(5), key).await.unwrap();
    let two = stage.start_with(Script::words(5), key).await.unwrap();
    assert_eq!((one.run.id, one.message_id), (two.run.id, two.message_id));
    assert!(!one.resumed && two.resumed);
    let (one, two) = (stage.read_all(one.cursor).await, stage.read_all(two.cursor).await);
    assert_eq!(one, two);
    let other = stage.start_with(Script::words(5), |start| {
        key(start);
        start.request_sha256 = "another".into();
    });
    assert!(matches!(other.await, Err(StartError::IdempotencyMismatch)));
}

#[actix::test]
async fn provider_failure_is_reported_in_the_terminal_record() {
    let stage = Stage::new().await;
    let started = stage.start(Script::words(4).fails_at(2, "the model is overloaded")).await.unwrap();
    let end = terminal(&stage.read_all(started.cursor).await);
    assert_eq!(end.status, RunState::Failed);
    assert_eq!(end.error.unwrap().message, "the model is overloaded");
    assert!(end.partial);
    assert_eq!(stage.message(started.message_id).await.status, MessageStatus::Failed);
}

#[actix::test]
async fn completion_calls_tools_in_a_loop() {
    let stage = Stage::new().await;
    let call = vec![
        ChatDelta::ToolCallStart { index: 0, call_id: "c".into(), name: "count_text".into() },
        ChatDelta::ToolCallArguments { index: 0, delta: "{\"text\":".into() },
        ChatDelta::ToolCallArguments { index: 0, delta: "\"a b\"}".into() },
        ChatDelta::Finish(FinishReason::ToolCalls),
    ];
    let script = Script::turns(vec![
        call.clone(),
        call,
        vec![ChatDelta::Text("two words".into()), ChatDelta::Finish(FinishReason::Stop)],
    ]);
    let offer =
        |start: &mut assist::completion::CompletionStart| start.tools = Some(vec!["count_text".into()]);
    let started = stage.start_with(script, offer).await.unwrap();
    let events = stage.read_all(started.cursor).await;
    let results: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.event {
            EventData::ToolResult { call_id, output, error: None } => Some((call_id.clone(), output.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(results.len(), 2);
    assert_ne!(results[0].0, results[1].0, "call ids are unique in the run");
    assert_eq!(results[0].1.as_ref().unwrap()["words"], 2);
    let message = stage.message(started.message_id).await;
    assert_eq!(message.tool_calls.len(), 2);
    assert_eq!(stage::text_of(&message), "two words");
    let unknown = stage.start_with(Script::words(1), |start| start.tools = Some(vec!["rm".into()])).await;
    assert!(matches!(unknown, Err(StartError::UnknownTool { tool, .. }) if tool == "rm"));
}

#[actix::test]
async fn missing_objects_are_not_found() {
    let stage = Stage::new().await;
    let started = stage.start(Script::words(1)).await.unwrap();
    stage.read_all(started.cursor).await;
    let stranger = storage::TenantId(uuid::Uuid::now_v7());
    let other = stage.actors.attach(stranger, started.run.id, 0).await;
    assert!(matches!(other, Err(AttachError::NotFound)));
    let stranger = stage.start_with(Script::words(1), |start| start.user = uuid::Uuid::now_v7()).await;
    assert!(matches!(stranger, Err(StartError::NotFound("conversation"))));
    let empty = stage.start_with(Script::words(1), |start| {
        start.input = Input::Message { text: " ".into(), attachments: Vec::new(), parent: None };
    });
    assert!(matches!(empty.await, Err(StartError::Invalid { loc: "message", .. })));
}

#[actix::test]
async fn limits_queue_runs_and_then_reject_them() {
    let limits = runs::RunLimits { per_user: 2, queued_per_user: 3, ..Default::default() };
    let stage = Stage::with(ActorsConfig { limits, ..Stage::config() }).await;
    let mut runs = Vec::new();
    for _ in 0..5 {
        let place = stage.elsewhere().await;
        runs.push(place.start(Script::words(100_000).paced(1)).await.unwrap());
    }
    let running = async || {
        let states = futures::future::join_all(runs.iter().map(|run| stage.state(run.run.id))).await;
        states.into_iter().filter(|state| *state == RunState::Running).count()
    };
    let both = async {
        while running().await < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), both).await.expect("two run");
    // Enough time for a third run to start, if it could.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(running().await, 2);
    let place = stage.elsewhere().await;
    assert!(matches!(place.start(Script::words(1)).await, Err(StartError::TooMany)));
    for run in &runs {
        stage.cancel(run.run.id).await;
    }
    assert_eq!(stage.actors.live().len(), 0);
}

/// A caller that disconnects at any moment leaves no run that is accepted and not launched.
#[actix::test]
async fn dropped_start_leaves_a_launched_run_or_none() {
    // Without sweeps, which would launch such a run.
    let config = ActorsConfig {
        sweep_every: Duration::from_secs(100_000),
        fresh: Duration::from_secs(100_000),
        ..Stage::config()
    };
    let stage = Stage::with(config).await;
    for polls in 0..40_u32 {
        let place = stage.elsewhere().await;
        let mut start = Box::pin(place.start(Script::words(3)));
        for _ in 0..polls {
            if futures::poll!(start.as_mut()).is_ready() {
                break;
            }
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
    }
    let (store, tenant): (_, TenantId) = (stage.actors.store().clone(), stage.tenant);
    let all =
        || store.read_now::<_, storage::Error>(|reader| Ok(reader.scan::<Run>(tenant, Scan::table())?.items));
    // By now the pending transactions have committed, because a later one has.
    let last = stage.elsewhere().await;
    let started = last.start(Script::words(3)).await.unwrap();
    last.read_all(started.cursor).await;
    until(|| all().unwrap().iter().all(|run| run.state.is_terminal())).await;
    assert!(!all().unwrap().is_empty());
}
