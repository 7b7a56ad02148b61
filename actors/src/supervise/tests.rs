//! What only the inside can bring about: panics of the supervisor and of actors, and work that outlives its epoch.

#[path = "../../tests/stage/mod.rs"]
mod stage;

use std::sync::atomic::Ordering;
use std::time::Duration;

use storage::records::{Memory, Recovery, Run};
use storage::{Scan, TenantId, journal};
use uuid::Uuid;

use super::run_actor::Panic as ActorPanic;
use super::supervisor::Panic as SupervisorPanic;
use crate::journal::{EpochStore, Fence};
use stage::{Script, Stage};

const PATIENCE: Duration = Duration::from_secs(60);

async fn until(mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it comes to that");
}

#[actix::test]
async fn a_panic_of_the_supervisor_is_a_failure_of_the_process() {
    let stage = Stage::new().await;
    assert_eq!(stage.actors.failure(), None);
    stage.actors.supervisor.do_send(SupervisorPanic);
    let why = tokio::time::timeout(PATIENCE, stage.actors.failed()).await.expect("it is noticed");
    assert_eq!(stage.actors.failure(), Some(why));
}

#[actix::test]
async fn a_supervisor_that_is_told_to_stop_has_not_failed() {
    let stage = Stage::new().await;
    stage.actors.stop().await;
    let actors = stage.actors.clone();
    until(|| !actors.supervisor.connected()).await;
    assert_eq!(actors.failure(), None);
}

#[actix::test]
async fn a_panic_of_an_actor_ends_its_work_before_the_next_epoch() {
    let stage = Stage::new().await;
    let script = Script::words(100_000).paced(2);
    let open = script.open.clone();
    let again = |start: &mut crate::completion::CompletionStart| start.recovery = Some(Recovery::Retry);
    let started = stage.start_with(script, again).await.unwrap();
    until(|| open.load(Ordering::SeqCst) == 1).await;
    let live = stage.actors.runtime.registry.find(stage.tenant, started.run_id).expect("it is live");
    live.mailbox().expect("it has an actor").do_send(ActorPanic);
    let store = stage.actors.store().clone();
    let (tenant, run) = (stage.tenant, started.run_id);
    let epoch = || store.journal_epoch(tenant, run).unwrap();
    // The work goes with its actor, and not only when the next epoch locks it out.
    until(|| open.load(Ordering::SeqCst) == 0 || epoch() == Some(2)).await;
    assert_eq!(epoch(), Some(1));
    until(|| epoch() == Some(2) && open.load(Ordering::SeqCst) == 1).await;
    stage.cancel(run).await;
}

#[actix::test]
async fn what_the_work_of_an_earlier_epoch_writes_is_refused() {
    let stage = Stage::new().await;
    let (store, run) = (stage.actors.store().clone(), Uuid::now_v7());
    let set_epoch = async |epoch: u32| {
        let tenant = stage.tenant;
        let set = store.run(move |tx| {
            journal::set_epoch(tx.batch(), tenant, run, epoch);
            Ok::<_, storage::Error>(())
        });
        set.await.unwrap();
    };
    set_epoch(1).await;
    let fenced = EpochStore::new(store.clone(), Fence { tenant: stage.tenant, run, epoch: 1 });
    let tenant = stage.tenant;
    let write = async || {
        fenced
            .run(move |tx| tx.insert(tenant, (Uuid::nil(), Uuid::now_v7()), Memory::default()).map(drop))
            .await
    };
    write().await.unwrap();
    set_epoch(2).await;
    assert!(matches!(write().await, Err(storage::Error::Superseded)));
    let kept = store.read(move |reader| reader.count::<Memory>(tenant, Scan::table())).await.unwrap();
    assert_eq!(kept, 1);
}

/// A caller that goes away at any moment leaves no run that is accepted and not launched.
#[actix::test]
async fn a_start_that_is_dropped_leaves_a_run_that_goes_on_or_none() {
    // No sweep comes to the rescue.
    let config = crate::ActorsConfig {
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
    // Those that were on their way are accepted by now, as the transactions of a caller that is there are.
    let last = stage.elsewhere().await;
    let started = last.start(Script::words(3)).await.unwrap();
    last.read_all(started.cursor).await;
    until(|| all().unwrap().iter().all(|run| run.state.is_terminal())).await;
    assert!(!all().unwrap().is_empty());
}
