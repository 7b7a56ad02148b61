//! Supervision of runs: no race between concurrent runs, no damaged row and no change of the clock stops an actor or
//! leaves a run unattended.

mod pacing;
mod parked;

use futures::future::join_all;
use serde_json::json;
use storage::records::{Run, RunState};
use storage::{Batch, Record, Scan, TenantId};
use uuid::Uuid;

use crate::api::streams::reading::{self, ask, conversation, unlimited};
use crate::api::workflows::scene::{self, approval, workflow};
use crate::crash::server::{EMAIL, PASSWORD, Server};
use crate::harness::{Client, Person, TestServer, until};

/// The key of a run's row.
fn row_key(tenant: TenantId, run: Uuid) -> Vec<u8> {
    [&Run::TABLE[..], tenant.0.as_bytes(), run.as_bytes()].concat()
}

fn tenant(server: &TestServer) -> TenantId {
    TenantId(server.user_person().tenant.parse().expect("an id"))
}

fn uuid(text: &str) -> Uuid {
    text.parse().expect("an id")
}

/// Starts a workflow that waits for a form, and cancels it: the user is notified of the form, and the notification is
/// then resolved.
async fn start_and_cancel(client: &Client, assistant: &str) {
    let run = scene::Run::start(client, assistant, json!({})).await;
    run.form(client).await;
    client.post(&run.path("cancel"), json!({})).await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_notifications_of_one_user_restart_no_actor() {
    let server = TestServer::start_with(unlimited).await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let clients = (0..12).map(async |_| {
        for _ in 0..6 {
            start_and_cancel(&editor, &assistant).await;
        }
    });
    join_all(clients).await;
    let runs = server.store().read_now::<_, storage::Error>(|reader| {
        Ok(reader.scan::<Run>(tenant(&server), Scan::table())?.items)
    });
    let runs = runs.expect("the store reads");
    assert_eq!(runs.len(), 72);
    for run in runs {
        assert_eq!((run.epoch, run.crashes), (1, 0), "the actor of {} was restarted", run.id);
        assert_eq!(run.state, RunState::Cancelled);
    }
}

#[tokio::test]
async fn damaged_run_does_not_prevent_others_from_continuing_after_a_restart() {
    let server = TestServer::start_with(unlimited).await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let (damaged, whole) = (
        scene::Run::start(&editor, &assistant, json!({})).await,
        scene::Run::start(&editor, &assistant, json!({})).await,
    );
    damaged.form(&editor).await;
    let form = whole.form(&editor).await;
    let mut harm = Batch::new();
    harm.put(row_key(tenant(&server), uuid(&damaged.stream)), "no row");
    server.store().commit(harm).await.expect("the row is overwritten");

    let server = server.restart().await;
    let editor = server.editor();
    let answer = whole.answering(&editor, &form, "approve", json!({"note": "Go."}));
    assert_eq!(answer.send().await.expect("an answer").status(), 200);
    assert_eq!(reading::terminal(&whole.events(&editor).await)["status"], "succeeded");
    let report = tokio::task::spawn_blocking({
        let store = server.store().clone();
        move || storage::doctor::examine(&store, false, &mut |_| {})
    });
    let report = report.await.expect("no panic").expect("the store reads");
    let named = report.problems.iter().any(|problem| problem.where_.contains(&damaged.stream));
    assert!(named, "the doctor names the row: {:?}", report.problems);
    let metrics = server.anonymous().get("/metrics").await.text();
    assert!(metrics.contains("upkeep_failures_total{task=\"run_recovery\"}"), "{metrics}");
}

#[tokio::test]
async fn run_from_the_future_is_recovered_after_the_clock_was_set_back() {
    let server = TestServer::start_with(unlimited).await;
    let user = server.user();
    let home = conversation(&user).await;
    let asked = json!({"message": "Tell me of the tides.", "recovery": "keep",
        "parameters": {"length": 100_000, "pace_ms": 5}});
    let mut stream = ask(&user, &home, asked).await;
    let run = uuid(&stream.id);
    // A run that has not started yet would be started after a restart, and would not be "interrupted".
    stream.until("text.delta").await;
    drop(stream);
    // The row as it would be if the clock had been a day ahead when the run was accepted: its times follow its version.
    let tenant = tenant(&server);
    let tomorrow = storage::Timestamp::now() + std::time::Duration::from_secs(86_400);
    let row = server.store().read_now::<_, storage::Error>(|reader| reader.require::<Run>(tenant, &run));
    let row = row.expect("the run has a row");
    let mut value = vec![1];
    value.extend_from_slice(&row.version.to_be_bytes());
    for _ in 0..2 {
        value.extend_from_slice(&(tomorrow.as_millis() as u64).to_be_bytes());
    }
    value.extend_from_slice(&serde_json::to_vec(&row.body).expect("JSON"));
    let mut ahead = Batch::new();
    ahead.put(row_key(tenant, run), value);
    server.store().commit(ahead).await.expect("the row is written");
    let server = server.restart().await;
    // The run is not "running" without an actor: the recovery at this start has ended it, as the request's policy
    // demands.
    let stream = reading::attach(&server.user(), &home, &run.to_string(), "").await;
    assert_eq!(reading::terminal(&stream.events().await)["status"], "interrupted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_run_is_logged_once() {
    let settings = "[[providers]]\nname = \"gone\"\nbase_url = \"http://127.0.0.1:9/v1\"\nretries = 0\nmodels = [\"m\"]\n";
    let server = Server::install_with(settings).await;
    let person = Person::log_in(&server.url, EMAIL, PASSWORD).await;
    let client = Client::new(server.url.clone(), Some(person.access_token));
    let home = conversation(&client).await;
    let stream = ask(&client, &home, json!({"message": "Why?", "model": "gone/m"})).await;
    let run = stream.id.clone();
    let end = reading::terminal(&stream.events().await);
    assert_eq!((&end["status"], &end["error"]["code"]), (&json!("failed"), &json!("upstream_unreachable")));
    until("it is logged", async || server.logged().contains(&run)).await;
    let log = server.logged();
    let lines: Vec<_> = log.lines().filter(|line| line.contains(&run) && !line.contains("INFO")).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    for part in ["WARN", "a run failed", "Completion", "upstream_unreachable", &person.tenant] {
        assert!(lines[0].contains(part), "{part}: {}", lines[0]);
    }
}
