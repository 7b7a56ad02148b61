//! Tests of ticks that are due while an earlier run has not ended.

use storage::Row;
use storage::records::AutomationRunState::{Cancelled, Queued, Running, Skipped, Succeeded};
use storage::records::{AutomationRun, Overlap, RunState, SkipReason};

use crate::scene::{Scene, quick, reasons, slow};

async fn at_work(scene: &Scene, overlap: Overlap) -> uuid::Uuid {
    let assistant = scene.assistant(slow()).await;
    let id = scene.automation(assistant, |automation| automation.overlap = overlap).await;
    scene.to_minute(1);
    scene.until_states(id, &[Running]).await;
    id
}

async fn stop(scene: &Scene, line: &Row<AutomationRun>) {
    scene.stage.cancel(line.stream_id.unwrap()).await;
}

#[actix::test]
async fn skip_records_the_skipped_tick() {
    let scene = Scene::new().await;
    let id = at_work(&scene, Overlap::Skip).await;
    scene.to_minute(2);
    let lines = scene.until_states(id, &[Running, Skipped]).await;
    assert_eq!(reasons(&lines), [None, Some(SkipReason::Overlap)]);
    assert_eq!(lines[1].conversation_id, None);
    stop(&scene, &lines[0]).await;
    scene.until_states(id, &[Cancelled, Skipped]).await;
    scene.to_minute(3);
    scene.until_states(id, &[Cancelled, Skipped, Running]).await;
}

#[actix::test]
async fn buffer_one_keeps_at_most_one_waiting_entry() {
    let scene = Scene::new().await;
    let id = at_work(&scene, Overlap::BufferOne).await;
    scene.to_minute(2);
    scene.until_states(id, &[Running, Queued]).await;
    scene.to_minute(3);
    let lines = scene.until_states(id, &[Running, Queued, Skipped]).await;
    assert_eq!(reasons(&lines)[2], Some(SkipReason::Overlap));
    assert_eq!(lines[1].run_id, None);
    stop(&scene, &lines[0]).await;
    let lines = scene.until_states(id, &[Cancelled, Running, Skipped]).await;
    assert!(lines[0].finished_at <= lines[1].started_at);
    // An entry that waits does not run if the automation is disabled in the meantime.
    scene.to_minute(4);
    let lines = scene.until_states(id, &[Cancelled, Running, Skipped, Queued]).await;
    scene.change(id, |automation| automation.enabled = false).await;
    stop(&scene, &lines[1]).await;
    let lines = scene.until_states(id, &[Cancelled, Cancelled, Skipped, Skipped]).await;
    assert_eq!(reasons(&lines)[3], Some(SkipReason::Paused));
}

#[actix::test]
async fn cancel_other_stops_the_earlier_run_first() {
    let scene = Scene::new().await;
    let id = at_work(&scene, Overlap::CancelOther).await;
    scene.to_minute(2);
    let lines = scene.until_states(id, &[Cancelled, Running]).await;
    assert!(lines[0].finished_at <= lines[1].started_at);
    let child = lines[0].stream_id.unwrap();
    let run = scene.runs().await.into_iter().find(|run| run.id == child).unwrap();
    assert_eq!(run.state, RunState::Cancelled, "what it had started is stopped, too");
}

#[actix::test]
async fn allow_runs_both() {
    let scene = Scene::new().await;
    let id = at_work(&scene, Overlap::Allow).await;
    scene.to_minute(2);
    let lines = scene.until_states(id, &[Running, Running]).await;
    assert_ne!(lines[0].conversation_id, lines[1].conversation_id);
}

#[actix::test]
async fn run_now_ignores_overlaps_and_the_schedule() {
    let scene = Scene::new().await;
    let id = at_work(&scene, Overlap::Skip).await;
    let (tenant, user) = (scene.stage.tenant, scene.stage.user);
    let line = scene.automations.run_now(tenant, id, user, Default::default()).await.unwrap();
    assert_eq!((line.tick, line.state), (None, Queued));
    scene.until_states(id, &[Running, Running]).await;
    scene.change(id, |automation| automation.enabled = false).await;
    scene.automations.run_now(tenant, id, user, Default::default()).await.unwrap();
    scene.until_states(id, &[Running, Running, Running]).await;
}

#[actix::test]
async fn ticks_due_at_once_run_in_order() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    let every = |every_s: u64| {
        move |automation: &mut storage::records::Automation| automation.trigger.every_s = Some(every_s)
    };
    // The automation that is created first is due later.
    let late = scene.automation(assistant, every(110)).await;
    let early = scene.automation(assistant, every(100)).await;
    scene.to_minute(2);
    let late = scene.until_states(late, &[Succeeded]).await.remove(0);
    let early = scene.until_states(early, &[Succeeded]).await.remove(0);
    assert!(early.tick < late.tick && early.id < late.id, "lines are made in the order of ticks");
}
