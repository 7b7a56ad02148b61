//! Tests of failures, timeouts, and removal of automations with live runs.

use std::time::Duration;

use storage::records::AutomationRunState::{Failed, Running, Succeeded, TimedOut};
use storage::records::{Assistant, AutomationRun, PausedReason, RunState};
use storage::{Row, Scan};

use crate::scene::{Scene, failing, quick, slow};

#[actix::test]
async fn failures_notify_once_then_pause_and_a_success_notifies() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(failing()).await;
    let id = scene.automation(assistant, |automation| automation.pause_after_failures = 3).await;
    let mut states = Vec::new();
    for minute in 1..=3 {
        scene.to_minute(minute);
        states.push(Failed);
        let lines = scene.until_states(id, &states).await;
        assert!(lines.last().unwrap().error.is_some());
    }
    let row = scene.automation_row(id).await;
    assert_eq!((row.enabled, row.paused_reason), (false, Some(PausedReason::Failures)));
    assert_eq!(scene.notices().await, ["automation.failed", "automation.paused"]);
    scene.to_minute(4);
    scene.until(id, |lines| lines.len() == 4).await;

    let tenant = scene.stage.tenant;
    let mend = scene.store().run(move |tx| {
        let mut row = tx.require::<Assistant>(tenant, &assistant)?;
        row.model_parameters = Default::default();
        tx.update(tenant, row).map(drop)
    });
    mend.await.map_err(|why: storage::Error| why).unwrap();
    scene.automations.run_now(tenant, id, scene.stage.user, Default::default()).await.unwrap();
    scene.until(id, |lines| lines.last().is_some_and(|line| line.state == Succeeded)).await;
    assert_eq!(scene.notices().await, ["automation.failed", "automation.paused", "automation.recovered"]);
    assert!(!scene.automation_row(id).await.enabled, "only its owner switches it on again");
}

#[actix::test]
async fn failures_do_not_notify_a_user_who_declines_notifications() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(failing()).await;
    let quiet = |automation: &mut storage::records::Automation| {
        (automation.notify, automation.pause_after_failures) = (false, 1);
    };
    let id = scene.automation(assistant, quiet).await;
    scene.to_minute(1);
    scene.until_states(id, &[Failed]).await;
    assert!(!scene.automation_row(id).await.enabled);
    assert!(scene.notices().await.is_empty());
}

#[actix::test]
async fn run_is_stopped_at_its_working_time_limit() {
    let scene = Scene::with(|settings| settings.run_timeout = Duration::from_secs(2)).await;
    let assistant = scene.assistant(slow()).await;
    let id = scene.automation(assistant, |_| ()).await;
    scene.to_minute(1);
    let line = scene.until_states(id, &[TimedOut]).await.remove(0);
    assert_eq!(line.error.as_ref().map(|error| error.code.as_str()), Some("run_timeout"));
    assert!(line.usage.output_tokens > 0, "what it used until then is told");
    let runs = scene.runs().await;
    assert!(runs.iter().all(|run| run.state.is_terminal()));
    let child = runs.iter().find(|run| Some(run.id) == line.stream_id).unwrap();
    assert_eq!(child.state, RunState::Cancelled);
    assert_eq!(scene.notices().await, ["automation.failed"]);
}

#[actix::test]
async fn remove_stops_live_runs_and_leaves_nothing() {
    let scene = Scene::new().await;
    let (slow, quick) = (scene.assistant(slow()).await, scene.assistant(quick()).await);
    let (tenant, user) = (scene.stage.tenant, scene.stage.user);
    let id = scene.automation(slow, |_| ()).await;
    let other = scene.automation(quick, |_| ()).await;
    scene.to_minute(1);
    let line = scene.until_states(id, &[Running]).await.remove(0);
    scene.until_states(other, &[Succeeded]).await;
    scene.automations.remove(tenant, id, user).await.unwrap();
    assert!(scene.lines(id).await.is_empty());
    assert!(scene.conversation(line.conversation_id.unwrap()).await.is_none());
    assert!(scene.messages(line.conversation_id.unwrap()).await.is_empty());
    assert_eq!(scene.runs().await.len(), 2, "those of the other are still there");
    scene.to_minute(2);
    scene.until_states(other, &[Succeeded; 2]).await;
    assert!(scene.lines(id).await.is_empty(), "nothing of it is armed");
    assert!(scene.automations.remove(tenant, id, user).await.is_err());
}

#[actix::test]
async fn remove_run_of_a_live_entry_lets_the_next_tick_run() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(slow()).await;
    let id = scene.automation(assistant, |_| ()).await;
    scene.to_minute(1);
    let line = scene.until_states(id, &[Running]).await.remove(0);
    scene.automations.remove_run(scene.stage.tenant, line.id, scene.stage.user).await.unwrap();
    assert!(scene.lines(id).await.is_empty());
    scene.settle().await;
    assert!(scene.lines(id).await.is_empty(), "its tick does not run again");
    scene.to_minute(2);
    scene.until_states(id, &[Running]).await;
}

#[actix::test]
async fn pass_runs_a_hundred_ticks_due_at_once() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    // This exceeds the number of runs of one user that may work at the same time. Each run has a child run.
    for _ in 0..100 {
        scene.automation(assistant, |_| ()).await;
    }
    scene.to_minute(1);
    let tenant = scene.stage.tenant;
    for _ in 0..3_000 {
        let scan = Scan::table();
        let lines = scene.store().read(move |reader| reader.scan::<AutomationRun>(tenant, scan)).await;
        let lines: Vec<Row<AutomationRun>> = lines.unwrap().items;
        if lines.len() == 100 && lines.iter().all(|line| line.state == Succeeded) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("they do not end");
}

#[actix::test]
async fn entry_is_ended_if_its_run_no_longer_exists() {
    let scene = Scene::new().await;
    let assistant = scene.assistant(quick()).await;
    let id = scene.automation(assistant, |_| ()).await;
    let (tenant, owner) = (scene.stage.tenant, scene.stage.user);
    let line = AutomationRun { automation_id: id, owner, run_id: Some(id), ..AutomationRun::default() };
    let insert = scene.store().run(move |tx| tx.insert(tenant, storage::new_id(), line.clone()));
    insert.await.unwrap();
    let line = scene.until_states(id, &[Failed]).await.remove(0);
    assert_eq!(line.error.as_ref().map(|error| error.code.as_str()), Some("interrupted"));
}
