//! `kill -9` of the real binary, under load, at random moments, many times.
//!
//! Clients stream from a server that is killed without warning and started again on the same folder.
//! Everything that any client was shown must still be there afterwards, byte for byte and without a
//! gap. Every run must end, or continue, according to its recovery policy, and a run that has ended
//! must never change.
//!
//! `UNDERSTUDY_CRASHES` sets the number of crashes (50), `UNDERSTUDY_SEED` repeats a run's random
//! choices, and `UNDERSTUDY_BIN` names another binary than the one that was built for the tests.

mod chat;
mod client;
mod groups;
mod knowledge;
mod ledger;
mod notifications;
mod parked;
mod search;
pub mod server;
mod tools;
mod usage;
mod verdict;
mod video;
mod workflows;
mod workflows_graphs;
mod workflows_laws;
mod workflows_undo;
mod workflows_ward;

use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use client::{Client, Play};
use ledger::{Ledger, Recovery};
use server::Server;

/// Number of completions started between two crashes.
const LOAD: usize = 16;
/// Time limit until a restarted server has shown again everything that it had shown before.
const CAUGHT_UP: Duration = Duration::from_secs(90);
/// Time limit until every run has ended when there are no further crashes.
const ALL_ENDED: Duration = Duration::from_secs(180);

pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_shown_is_lost_when_the_server_is_killed() {
    let crashes = setting("UNDERSTUDY_CRASHES", 50);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    // The TLS provider of the workspace, which is selected once per process; this test uses plain
    // HTTP only.
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let ledger = Arc::new(Ledger::default());
    let mut server = Server::install().await;
    let client = Client::new(&server, ledger.clone()).await;

    for crash in 0..crashes {
        let mut readers = JoinSet::new();
        // Everything shown before the last crash is read again while new completions start. These
        // readers keep reading, because their runs continue.
        for run in ledger.unfinished() {
            readers.spawn(client.clone().follow(run, 0));
        }
        for _ in 0..LOAD {
            readers.spawn(client.clone().play(Play::roll(&mut dice)));
        }
        // Occasionally the crash occurs before anything was shown again.
        if dice.random_ratio(4, 5) {
            let caught_up = timeout(CAUGHT_UP, ledger.caught_up()).await;
            ledger.assert_sound(&format!("after crash {crash}, seed {seed}"));
            assert!(caught_up.is_ok(), "crash {crash}, seed {seed}: not shown again: {:#?}", ledger.behind());
        }
        sleep(Duration::from_millis(dice.random_range(0..400))).await;
        server.kill();
        while readers.join_next().await.is_some() {}
        ledger.assert_sound(&format!("crash {crash}, seed {seed}"));
        ledger.crashed();
        if dice.random_ratio(1, 8) {
            // Kill the server again while it is still starting.
            server.spawn();
            sleep(Duration::from_millis(dice.random_range(0..150))).await;
            server.kill();
        }
        server.spawn();
        server.ready().await;
        client.moved(&server);
        client.repeat_unanswered().await;
    }

    let mut readers = JoinSet::new();
    for run in ledger.unfinished() {
        readers.spawn(client.clone().follow(run, 0));
    }
    let ended = timeout(ALL_ENDED, async { while readers.join_next().await.is_some() {} }).await;
    ledger.assert_sound(&format!("after the last crash, seed {seed}"));
    assert!(ended.is_ok(), "seed {seed}: runs that have not ended: {:#?}", ledger.unfinished());
    verdict::assert_kept(&client, &ledger, seed).await;
    println!("{}", ledger.summary());
    for recovery in Recovery::ALL {
        assert!(
            crashes < 20 || ledger.recovered(recovery) > 0,
            "no run met the policy {recovery:?}; seed {seed}"
        );
    }
}
