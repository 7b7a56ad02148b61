//! Recovery of runs whose actor or process ended, and removal of expired journals.

use std::time::Duration;

use crate::stage::{self, Script, Stage};
use runs::{ActorsConfig, AttachError, EventData, StartError};
use storage::records::{MessageStatus, Recovery, Run, RunState};
use uuid::Uuid;

async fn first_text(cursor: &mut runs::Cursor) {
    while let Some(chunk) = cursor.next().await.unwrap() {
        if chunk.events.iter().any(|event| &*event.kind == "text.delta") {
            return;
        }
    }
    panic!("no text came");
}

#[actix::test]
async fn restart_follows_the_policy_of_each_run() {
    let stage = Stage::new().await;
    let mut runs = Vec::new();
    for recovery in [Recovery::Keep, Recovery::Continue, Recovery::Retry] {
        let place = stage.elsewhere().await;
        // Still in progress whenever the process ends.
        let script = Script::words(300).paced(1).stalls_at(100).once();
        let mut started = place.start_with(script, |start| start.recovery = Some(recovery)).await.unwrap();
        first_text(&mut started.cursor).await;
        runs.push((recovery, place.conversation, started.run.id, started.message_id));
    }
    let mut seen = Vec::new();
    for (_, _, run, _) in &runs {
        let mut cursor = stage.attach(*run, 0).await.unwrap();
        let mut events = Vec::new();
        while let Some(chunk) = cursor.try_next() {
            events.extend(chunk.events.iter().map(|event| (event.seq, event.json.clone())));
        }
        seen.push(events);
    }
    let stage = stage.restart_at_once().await;
    for ((recovery, conversation, run, message), seen) in runs.into_iter().zip(seen) {
        let place = stage.at(conversation);
        let events = place.read_all(place.attach(run, 0).await.unwrap()).await;
        for (event, (seq, json)) in events.iter().zip(&seen) {
            assert_eq!(event.seq, *seq);
            assert_eq!(*event, serde_json::from_slice(json).unwrap(), "what was seen has changed");
        }
        assert!(events.len() >= seen.len(), "what was seen is gone");
        let Some(EventData::RunEnded { terminal }) = events.last().map(|event| &event.event) else {
            panic!("{recovery:?} did not end")
        };
        let message = place.message(message).await;
        match recovery {
            Recovery::Keep => {
                assert_eq!(terminal.status, RunState::Interrupted);
                assert_eq!(message.status, MessageStatus::Interrupted);
                assert!(terminal.usage.output_tokens > 0, "what came is billed");
            }
            Recovery::Continue | Recovery::Retry => {
                let output_tokens = |event: &runs::StreamEvent| match event.event {
                    EventData::Usage { usage, .. } => usage.output_tokens,
                    _ => 0,
                };
                let output_tokens: u64 = events.iter().map(output_tokens).sum();
                assert!(output_tokens > 0, "what came before the crash is billed");
                assert_eq!(terminal.usage.output_tokens, output_tokens, "usage adds up");
                assert_eq!(terminal.status, RunState::Succeeded);
                assert_eq!(message.status, MessageStatus::Complete);
            }
        }
        let words = stage::text_of(&message).split_whitespace().count();
        match recovery {
            Recovery::Keep => assert!(words < 300),
            Recovery::Continue => assert!(words > 300, "the kept text and a whole answer"),
            Recovery::Retry => assert_eq!(words, 300),
        }
    }
}

#[actix::test]
async fn recovery_fails_runs_that_crash_repeatedly() {
    let mut stage = Stage::new().await;
    let script = Script::words(100_000).paced(5);
    let retry = |start: &mut assist::completion::CompletionStart| start.recovery = Some(Recovery::Retry);
    let started = stage.start_with(script, retry).await.unwrap();
    let run = started.run.id;
    drop(started);
    for _ in 0..=Stage::config().max_recoveries {
        let mut cursor = stage.attach(run, 0).await.unwrap();
        first_text(&mut cursor).await;
        drop(cursor);
        stage = stage.restart_at_once().await;
    }
    let events = stage.read_all(stage.attach(run, 0).await.unwrap()).await;
    let Some(EventData::RunEnded { terminal }) = events.last().map(|event| &event.event) else {
        panic!("it did not end")
    };
    assert_eq!(
        (terminal.status, terminal.reason.as_deref()),
        (RunState::Interrupted, Some("recovery_limit"))
    );
}

#[actix::test]
async fn sweep_recovers_a_run_that_was_not_launched() {
    let config = ActorsConfig { fresh: Duration::ZERO, ..Stage::config() };
    let stage = Stage::with(config).await;
    let (tenant, user, id) = (stage.tenant, stage.user, Uuid::now_v7());
    let conversation = stage.conversation;
    let lost = Run {
        user,
        conversation_id: Some(conversation),
        model: "builtin/scribe".into(),
        epoch: 1,
        request: serde_json::json!({}),
        ..Run::default()
    };
    stage
        .actors
        .store()
        .run(move |tx| {
            tx.insert(tenant, id, lost.clone())?;
            storage::journal::set_epoch(tx.batch(), tenant, id, 1);
            Ok::<_, storage::Error>(())
        })
        .await
        .unwrap();
    let ended = async {
        loop {
            let row = stage.actors.store().read(move |reader| reader.require::<Run>(tenant, &id));
            if row.await.unwrap().state.is_terminal() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the sweep finds it");
}

#[actix::test]
async fn sweep_removes_an_expired_journal_and_keeps_the_message() {
    let config = ActorsConfig { stream_ttl: Duration::from_millis(1), ..Stage::config() };
    let stage = Stage::with(config).await;
    let started = stage.start(Script::words(3)).await.unwrap();
    stage.read_all(started.cursor).await;
    let (tenant, run) = (stage.tenant, started.run.id);
    let gone = async {
        loop {
            let end = stage.actors.store().read(move |reader| reader.journal_end(tenant, run));
            if end.await.unwrap() == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.expect("the sweep removes it");
    assert!(matches!(stage.attach(run, 0).await, Err(AttachError::Expired)));
    assert_eq!(stage::text_of(&*stage.message(started.message_id).await), "word0 word1 word2 ");
    let outcome = stage.cancel(run).await;
    assert_eq!(outcome.terminal.unwrap().status, RunState::Succeeded, "its end is for ever");
}

#[actix::test]
async fn runs_start_and_end_while_the_supervisor_is_busy() {
    let stage = Stage::new().await;
    let place = stage.elsewhere().await;
    // The supervisor is executed on this thread, which is blocked while another one starts a run.
    let worker = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut started = place.start(Script::words(1)).await.unwrap();
            while started.cursor.next().await.unwrap().is_some() {}
            started.run.id
        })
    });
    let run = worker.join().unwrap();
    let events = stage.read_all(stage.attach(run, 0).await.unwrap()).await;
    assert!(matches!(events.last().unwrap().event, EventData::RunEnded { .. }));
}

#[actix::test]
async fn drain_rejects_new_runs_and_lets_the_others_end() {
    let stage = Stage::new().await;
    let started = stage.start(Script::words(50).paced(2)).await.unwrap();
    let place = stage.elsewhere().await;
    let (remaining, refused) = futures::join!(stage.actors.drain(Duration::from_secs(30)), async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        place.start(Script::words(1)).await.map(|started| started.run.id)
    });
    assert_eq!(remaining, 0);
    assert!(matches!(refused, Err(StartError::ShuttingDown)));
    let events = stage.read_all(started.cursor).await;
    assert!(matches!(events.last().unwrap().event, EventData::RunEnded { .. }));
}
