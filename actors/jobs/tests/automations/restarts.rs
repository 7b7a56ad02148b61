//! Tests of restarts: no tick runs twice, and none is lost.

use std::time::Duration;

use storage::records::AutomationRunState::{Partial, Queued, Running, Succeeded};
use storage::records::{Assistant, Overlap, Recovery, RunKind};

use crate::scene::{START, Scene, moment, quick, slow};

async fn set_recovery(scene: &Scene, assistant: uuid::Uuid, recovery: Recovery) {
    let tenant = scene.stage.tenant;
    let set = scene.store().run(move |tx| {
        let mut row = tx.require::<Assistant>(tenant, &assistant)?;
        row.recovery = Some(recovery);
        tx.update(tenant, row).map(drop)
    });
    set.await.map_err(|why: storage::Error| why).unwrap();
}

#[actix::test]
async fn restart_continues_with_the_same_child_run() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(serde_json::json!({"length": 60, "pace_ms": 15})).await;
    set_recovery(&scene, assistant, Recovery::Retry).await;
    let id = scene.automation(assistant, |_| ()).await;
    scene.to_minute(1);
    let before = scene.until_states(id, &[Running]).await.remove(0);
    let scene = scene.restart_at(moment(START) + Duration::from_secs(70)).await;
    let after = scene.until_states(id, &[Succeeded]).await.remove(0);
    assert_eq!((after.id, after.stream_id, after.run_id), (before.id, before.stream_id, before.run_id));
    let children = scene.runs().await.into_iter().filter(|run| run.kind == RunKind::Completion).count();
    assert_eq!(children, 1);
    assert_eq!(scene.messages(after.conversation_id.unwrap()).await.len(), 2);
}

#[actix::test]
async fn restart_marks_an_interrupted_answer_as_partial() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(slow()).await;
    let id = scene.automation(assistant, |_| ()).await;
    scene.to_minute(1);
    let line = scene.until_states(id, &[Running]).await.remove(0);
    // Wait until the answer contains text that is retained.
    let mut reader = scene.stage.attach(line.stream_id.unwrap(), 0).await.unwrap();
    let is_text = |chunk: &runs::Chunk| chunk.events.iter().any(|event| &*event.kind == "text.delta");
    while !is_text(&reader.next().await.unwrap().unwrap()) {}
    drop(reader);
    let scene = scene.restart_at(moment(START) + Duration::from_secs(70)).await;
    let line = scene.until_states(id, &[Partial]).await.remove(0);
    assert!(line.usage.output_tokens > 0);
}

#[actix::test]
async fn restart_keeps_waiting_entries_and_runs_them() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(slow()).await;
    let id = scene.automation(assistant, |automation| automation.overlap = Overlap::BufferOne).await;
    scene.to_minute(1);
    scene.until_states(id, &[Running]).await;
    scene.to_minute(2);
    scene.until_states(id, &[Running, Queued]).await;
    let scene = scene.restart_at(moment(START) + Duration::from_secs(130)).await;
    let lines = scene.until(id, |lines| lines.len() == 2 && lines[1].state == Running).await;
    assert!(lines[0].state.is_terminal());
    assert_eq!(lines[1].tick, Some(moment(START) + Duration::from_secs(120)));
}

#[actix::test]
async fn restarts_within_one_minute_run_its_tick_once() {
    let mut scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    set_recovery(&scene, assistant, Recovery::Retry).await;
    let id = scene.automation(assistant, |_| ()).await;
    scene.to_minute(1);
    for round in 0..6 {
        tokio::time::sleep(Duration::from_millis(7 * round)).await;
        scene = scene.restart_at(moment(START) + Duration::from_secs(61 + round)).await;
    }
    let line = scene.until_states(id, &[Succeeded]).await.remove(0);
    scene.settle().await;
    assert_eq!(scene.lines(id).await.len(), 1);
    let kinds = scene.runs().await.into_iter().map(|run| run.kind).collect::<Vec<_>>();
    assert_eq!(kinds.len(), 2, "{kinds:?}");
    assert_eq!(scene.messages(line.conversation_id.unwrap()).await.len(), 2);
}
