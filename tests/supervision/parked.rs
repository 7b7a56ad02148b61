//! Parked runs exist only as rows: nothing of them is in memory, every command loads them, and no command is lost.

use futures::future::join_all;
use serde_json::{Value, json};
use storage::records::{Run as RunRow, RunState};
use storage::{Row, Scan, TenantId, Timestamp, journal};
use uuid::Uuid;

use crate::api::streams::reading::{self, Stream, address, attach, messages, said};
use crate::api::workflows::debug::play;
use crate::api::workflows::scene::{Run, approval, graph, greeting, node, of_type, outputs, workflow};
use crate::harness::{Answer, Client, TestServer, text, until};

/// The tenant of all people except the stranger.
fn tenant(server: &TestServer) -> TenantId {
    TenantId(server.user_person().tenant.parse().expect("an id"))
}

/// A server that unloads runs as soon as they wait.
async fn server() -> TestServer {
    TestServer::start_with(|config| {
        reading::unlimited(config);
        config.runs.unload_after_seconds = 0.0;
    })
    .await
}

fn row(server: &TestServer, stream: &str) -> Row<RunRow> {
    let (tenant, run) = (tenant(server), stream.parse::<Uuid>().expect("an id"));
    let row = server.store().read_now::<_, storage::Error>(|reader| reader.require::<RunRow>(tenant, &run));
    row.expect("the run has a row")
}

/// Waits until a run is unloaded, and returns its row.
async fn unloaded(server: &TestServer, stream: &str) -> Row<RunRow> {
    until("the run is unloaded", async || row(server, stream).unloaded).await;
    row(server, stream)
}

/// Number of runs that are in memory, or have to be.
fn awake(server: &TestServer) -> u64 {
    let count = server
        .store()
        .read_now::<_, storage::Error>(|reader| reader.count::<RunRow>(tenant(server), Scan::index("awake")));
    count.expect("the store reads")
}

/// Starts a run that asks for input, without reading its stream. Returns the run after it was unloaded.
async fn parked(server: &TestServer, client: &Client, assistant: &str) -> Run {
    let run = Run::start(client, assistant, json!({})).await;
    unloaded(server, &run.stream).await;
    run
}

/// The form that an unloaded run waits for.
async fn form(client: &Client, run: &Run) -> Value {
    let mut stream = run.watch(client).await;
    stream.until("form.required").await["data"].clone()
}

async fn approve(client: &Client, run: &Run) -> Answer {
    let body = json!({"action": "approve", "fields": {"note": "Go."}});
    client.post(&run.path("resume"), body).await
}

/// Checks the sequence numbers of a complete journal.
fn assert_gapless(events: &[Value]) {
    let numbers: Vec<_> = events.iter().map(|event| event["seq"].as_u64().expect("a number")).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
}

/// `start` → `paid` (waits for the event `payment`) → `done`.
fn payment() -> Value {
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("paid", "wait", json!({}), json!({"config": {"event": "payment"}})),
        node("done", "end", json!({"sum": "{{ paid.data.sum }}"}), json!({})),
    ];
    graph(json!({}), nodes, &["start paid", "paid done"])
}

/// `start` → `inner`, which runs another workflow → `done`.
fn parent_of(assistant: &str) -> Value {
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("inner", "workflow", json!({}), json!({"config": {"assistant_id": assistant}})),
        node("done", "end", json!({"action": "{{ inner.action }}"}), json!({})),
    ];
    graph(json!({}), nodes, &["start inner", "inner done"])
}

/// `start` → `rest` (a delay) → `done`.
fn delay(ms: u64) -> Value {
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("rest", "delay", json!({"ms": ms}), json!({})),
        node("done", "end", json!({"rested": true}), json!({})),
    ];
    graph(json!({}), nodes, &["start rest", "rest done"])
}

#[tokio::test]
async fn answer_loads_a_parked_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = parked(&server, &editor, &assistant).await;
    let waiting = row(&server, &run.stream);
    assert_eq!((waiting.state, waiting.wake_at, waiting.epoch), (RunState::Waiting, None, 1));
    assert_eq!(awake(&server), 0);
    let active = editor.get(&format!("/api/conversations/{}/streams/active", run.conversation)).await.ok();
    assert_eq!((&active["stream_id"], &active["state"]), (&json!(run.stream), &json!("waiting")));
    let shown = editor.get(&format!("/api/conversations/{}", run.conversation)).await.ok();
    assert_eq!(shown["active_stream"]["stream_id"], json!(run.stream));

    let form = form(&editor, &run).await;
    let answered = run.answering(&editor, &form, "approve", json!({"note": "Go."}));
    assert_eq!(Client::send(answered).await.ok()["executions"], json!(["ask"]));
    let events = run.events(&editor).await;
    assert_gapless(&events);
    assert_eq!(reading::terminal(&events)["status"], "succeeded");
    assert_eq!(outputs(&events), json!({"action": "approve"}));
    assert!(of_type(&events, "run.recovered").is_empty(), "nothing was interrupted");
    assert_eq!(of_type(&events, "node.started").len(), 4, "nothing was started twice");
    assert_eq!(row(&server, &run.stream).epoch, 2);
    assert_eq!(row(&server, &run.stream).crashes, 0);
    let first = run.answering(&editor, &form, "approve", json!({"note": "Again."}));
    Client::send(first).await.problem(409, "form_answered");
}

#[tokio::test]
async fn readers_of_a_parked_run_continue_with_it() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, payment()).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    // One reader that attached before the run was unloaded, and two that attach later.
    let mut early = run.watch(&editor).await;
    early.until("run.waiting").await;
    let waiting = unloaded(&server, &run.stream).await;
    let mut late = run.watch(&editor).await;
    late.until("run.waiting").await;
    let end = server.store().journal_end(tenant(&server), waiting.id).expect("the store reads");
    let rest = attach(&editor, &run.conversation, &run.stream, &format!("?after={end}")).await;
    let rest = tokio::spawn(rest.events());
    assert_eq!(row(&server, &run.stream).epoch, 1, "readers load nothing");
    editor.post(&run.path("resume"), json!({"event": "payment", "fields": {"sum": 12}})).await.ok();
    let whole = run.events(&editor).await;
    assert_gapless(&whole);
    assert_eq!(outputs(&whole), json!({"sum": 12}));
    assert_eq!(early.events().await, whole[end as usize..]);
    assert_eq!(late.events().await, whole[end as usize..]);
    assert_eq!(rest.await.expect("no panic"), whole[end as usize..]);
}

#[tokio::test]
async fn timer_loads_a_parked_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, delay(3_500)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let stream = run.watch(&editor).await;
    let waiting = unloaded(&server, &run.stream).await;
    assert!(waiting.wake_at.is_some());
    let events = stream.events().await;
    assert_gapless(&events);
    assert_eq!(outputs(&events), json!({"rested": true}));
    assert_eq!(row(&server, &run.stream).epoch, 2);
}

#[tokio::test]
async fn start_loads_only_the_parked_run_that_is_due() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, delay(3_600_000)).await;
    let (due, later) =
        (parked(&server, &editor, &assistant).await, parked(&server, &editor, &assistant).await);
    let (tenant, id) = (tenant(&server), row(&server, &due.stream).id);
    let brought_forward = server.store().run(move |tx| {
        let mut row = tx.require::<RunRow>(tenant, &id)?;
        row.wake_at = Some(Timestamp::now());
        tx.update(tenant, row).map(drop)
    });
    brought_forward.await.map_err(|why: storage::Error| why).expect("the row is written");
    let server = server.restart().await;
    until("it was loaded, and waits again", async || {
        let row = row(&server, &due.stream);
        row.epoch == 2 && row.unloaded
    })
    .await;
    let later = row(&server, &later.stream);
    assert_eq!((later.epoch, later.unloaded), (1, true));
    let due = row(&server, &due.stream);
    assert!(due.wake_at.is_some_and(|at| at > Timestamp::now()), "its delay has not elapsed");
}

#[tokio::test]
async fn parked_run_can_be_cancelled_and_its_conversation_deleted() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = parked(&server, &editor, &assistant).await;
    let receipt = editor.delete(&address(&run.conversation, &run.stream)).await.ok();
    assert_eq!(receipt["terminal"]["status"], "cancelled");
    assert_eq!(receipt["nodes_stopped"], json!(["ask"]));
    let again = editor.delete(&address(&run.conversation, &run.stream)).await.ok();
    assert_eq!(again["terminal"], receipt["terminal"]);

    let run = parked(&server, &editor, &assistant).await;
    editor.delete(&format!("/api/conversations/{}", run.conversation)).await.no_content();
    editor.get(&address(&run.conversation, &run.stream)).await.not_found();
    assert_eq!(awake(&server), 0);
    server.stored().await;
}

#[tokio::test]
async fn parked_run_accepts_one_of_two_answers() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    for _ in 0..10 {
        let run = parked(&server, &editor, &assistant).await;
        let form = form(&editor, &run).await;
        let answer = |action| Client::send(run.answering(&editor, &form, action, json!({"note": "x"})));
        let (yes, no) = tokio::join!(answer("approve"), answer("reject"));
        let mut statuses = [yes.status, no.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{yes:?} {no:?}");
        let action = if yes.status == 200 { "approve" } else { "reject" };
        assert_eq!(outputs(&run.events(&editor).await), json!({"action": action}));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_answer_is_lost_while_its_run_is_being_unloaded() {
    let server = server().await;
    let editor = server.editor();
    // A loop that asks eight times.
    let form =
        json!({"config": {"fields": [], "actions": [{"name": "on", "label": "On"}]}, "parent": "again"});
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("again", "loop", json!({}), json!({"config": {"while": "{{ again.index < 8 }}", "max": 20}})),
        node("ask", "human", json!({"title": "On?"}), form),
        node("done", "end", json!({"ok": true}), json!({})),
    ];
    let assistant = workflow(&editor, graph(json!({}), nodes, &["start again", "again done"])).await;
    let runs = (0..12).map(async |_| {
        let run = Run::start(&editor, &assistant, json!({})).await;
        let mut stream = run.watch(&editor).await;
        for _ in 0..8 {
            let form = stream.until("form.required").await["data"].clone();
            let mut other = run.watch(&editor).await;
            other.event().await;
            drop(other);
            Client::send(run.answering(&editor, &form, "on", json!({}))).await.ok();
        }
        stream.until("run.ended").await
    });
    for end in join_all(runs).await {
        assert_eq!(end["data"]["terminal"]["status"], "succeeded");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_cancel_is_lost_while_its_run_is_being_unloaded() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let runs = (0..40).map(async |number| {
        let run = Run::start(&editor, &assistant, json!({})).await;
        for _ in 0..number % 4 {
            run.watch(&editor).await.event().await;
        }
        let receipt = editor.post(&run.path("cancel"), json!({})).await.ok();
        (run, receipt)
    });
    for (run, receipt) in join_all(runs).await {
        assert_eq!(receipt["terminal"]["status"], "cancelled", "{receipt}");
        let events = run.events(&editor).await;
        assert_gapless(&events);
        assert_eq!(of_type(&events, "run.cancelling").len(), 1);
    }
    assert_eq!(awake(&server), 0);
}

#[tokio::test]
async fn debugger_step_loads_a_parked_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, greeting()).await;
    let mut step = json!({"mode": "step", "inputs": {"topic": "tides"}});
    let mut epochs = Vec::new();
    loop {
        let played = play(&editor, &assistant, step).await;
        let run = Run::of(&assistant, &played);
        until("it is unloaded or has ended", async || {
            let row = row(&server, &run.stream);
            row.unloaded || row.state.is_terminal()
        })
        .await;
        let row = row(&server, &run.stream);
        epochs.push(row.epoch);
        if row.state.is_terminal() {
            assert_eq!(row.state, RunState::Succeeded);
            assert_eq!(outputs(&run.events(&editor).await)["text"], "On tides.");
            break;
        }
        assert_eq!(row.state, RunState::Paused);
        step = json!({"mode": "step"});
    }
    assert!(epochs.len() > 3, "a step each: {epochs:?}");
    assert_eq!(epochs, (1..=epochs.len() as u32).collect::<Vec<_>>());
}

#[tokio::test]
async fn parent_of_a_parked_run_is_parked_and_continues_when_it_ends() {
    let server = server().await;
    let editor = server.editor();
    let inner = workflow(&editor, approval(None)).await;
    let outer = workflow(&editor, parent_of(&inner)).await;
    let run = parked(&server, &editor, &outer).await;
    assert_eq!(row(&server, &run.stream).wake_at, None);
    let events = {
        let mut stream = run.watch(&editor).await;
        stream.until("node.waiting").await
    };
    let child = Run {
        assistant: inner.clone(),
        conversation: text(&events["data"]["conversation_id"]),
        stream: text(&events["data"]["run_id"]),
    };
    unloaded(&server, &child.stream).await;
    assert_eq!(awake(&server), 0);
    // Restart in between: the dependency between the runs is recovered from their rows alone.
    let server = server.restart().await;
    let editor = server.editor();
    approve(&editor, &child).await.ok();
    let events = run.events(&editor).await;
    assert_gapless(&events);
    assert_eq!(outputs(&events), json!({"action": "approve"}));
    let begun = of_type(&events, "node.started");
    let of_inner = begun.iter().filter(|event| event["node_id"] == "inner");
    assert_eq!(of_inner.count(), 1, "it was not started again");
}

#[tokio::test]
async fn cancelling_a_parked_parent_cancels_its_parked_child() {
    let server = server().await;
    let editor = server.editor();
    let inner = workflow(&editor, approval(None)).await;
    let outer = workflow(&editor, parent_of(&inner)).await;
    let run = parked(&server, &editor, &outer).await;
    let child = {
        let mut stream = run.watch(&editor).await;
        text(&stream.until("node.waiting").await["data"]["run_id"])
    };
    unloaded(&server, &child).await;
    let receipt = editor.post(&run.path("cancel"), json!({})).await.ok();
    assert_eq!(receipt["terminal"]["status"], "cancelled");
    assert_eq!(receipt["children_stopped"], json!([child]));
    assert_eq!(row(&server, &child).state, RunState::Cancelled);
}

#[tokio::test]
async fn parked_run_keeps_its_conversation_occupied() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let first = parked(&server, &editor, &assistant).await;
    let queued = json!({"message": "The next one.", "on_active": "queue"});
    let second = Stream::open(reading::asking(&editor, &first.conversation, queued)).await.id;
    until("the first is in memory again", async || !row(&server, &first.stream).unloaded).await;
    assert_eq!(row(&server, &second).state, RunState::Queued);
    let form = form(&editor, &first).await;
    Client::send(first.answering(&editor, &form, "approve", json!({"note": "Go."}))).await.ok();
    unloaded(&server, &second).await;
    let (first, second) = (row(&server, &first.stream), row(&server, &second));
    assert!(first.ended_at.is_some() && first.ended_at <= second.started_at, "{first:?} {second:?}");
}

#[tokio::test]
async fn completion_waits_for_a_parked_run_in_its_conversation() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let first = parked(&server, &editor, &assistant).await;
    let chat = editor.post("/api/assistants", json!({"name": "Chat"})).await.created();
    let queued = json!({"message": "Beside it.", "assistant_id": chat["id"], "on_active": "queue"});
    let second = Stream::open(reading::asking(&editor, &first.conversation, queued)).await.id;
    assert_eq!(row(&server, &second).state, RunState::Queued);
    let form = form(&editor, &first).await;
    Client::send(first.answering(&editor, &form, "approve", json!({"note": "Go."}))).await.ok();
    until("the completion has ended", async || row(&server, &second).ended_at.is_some()).await;
    let (first, second) = (row(&server, &first.stream), row(&server, &second));
    assert!(first.ended_at.is_some() && first.ended_at <= second.started_at, "{first:?} {second:?}");
}

#[tokio::test]
async fn disabling_an_assistant_stops_its_parked_runs() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = parked(&server, &editor, &assistant).await;
    let body = json!({"assistant_ids": [assistant], "reason": "It is wrong."});
    server.admin().post("/api/control-tower/overview/bulk/disable", body).await.ok();
    until("it is stopped", async || row(&server, &run.stream).state == RunState::Cancelled).await;
}

#[tokio::test]
async fn automation_of_a_parked_run_is_parked_and_continues() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let body = json!({"name": "Flow", "assistant_id": assistant, "inputs": {}});
    let made = editor.post("/api/automations", body).await.created();
    let path = format!("/api/automations/{}", text(&made["id"]));
    let accepted = editor.post(&format!("{path}/run"), json!({})).await.expect(202).json();
    let line = format!("/api/automations/runs/{}", text(&accepted["id"]));
    until("both runs are unloaded", async || {
        awake(&server) == 0 && editor.get(&line).await.ok()["state"] == "waiting"
    })
    .await;
    let waiting = editor.get(&line).await.ok();
    let run = Run::of(&assistant, &waiting);
    approve(&editor, &run).await.ok();
    until("it has succeeded", async || editor.get(&line).await.ok()["state"] == "succeeded").await;
    let answer = messages(&editor, &run.conversation).await;
    assert_eq!(said(answer.last().expect("a message")), "Yes: Go.");
}

#[tokio::test]
async fn start_loads_none_of_ten_thousand_parked_runs() {
    const COUNT: usize = 10_000;
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = parked(&server, &editor, &assistant).await;
    let (tenant, row) = (tenant(&server), row(&server, &run.stream));
    for _ in 0..COUNT / 500 {
        let body = row.body.clone();
        let copied = server.store().run(move |tx| {
            for _ in 0..500 {
                let id = Uuid::now_v7();
                tx.insert(tenant, id, RunRow { conversation_id: None, message_id: None, ..body.clone() })?;
                journal::set_epoch(tx.batch(), tenant, id, 1);
            }
            Ok::<_, storage::Error>(())
        });
        copied.await.expect("the rows are written");
    }
    let server = server.restart().await;
    let editor = server.editor();
    // The counts of a start are complete once the gauge has this value. Other servers in this process set the gauge
    // as well.
    until("they are counted", async || {
        let metrics = server.anonymous().get("/metrics").await.text();
        metrics.contains(&format!("understudy_runs_parked {}", COUNT + 1))
    })
    .await;
    assert_eq!(awake(&server), 0);
    approve(&editor, &run).await.ok();
    assert_eq!(reading::terminal(&run.events(&editor).await)["status"], "succeeded");
    let loaded = server.store().read_now::<_, storage::Error>(|reader| {
        let mut loaded = 0;
        reader.visit::<RunRow>(tenant, Scan::table(), |row| {
            loaded += u32::from(row.epoch > 1);
            true
        })?;
        Ok(loaded)
    });
    assert_eq!(loaded.expect("the store reads"), 1);
}

#[tokio::test]
async fn question_seen_by_a_reader_is_announced_before_the_run_is_unloaded() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let mut stream = {
        let request =
            editor.request(reqwest::Method::POST, &format!("/api/workflows/{assistant}/runs?wire=events"));
        Stream::open(request.json(&json!({"inputs": {}}))).await
    };
    stream.until("run.waiting").await;
    let id = stream.id.clone();
    assert!(!row(&server, &id).unloaded);
    assert!(row(&server, &id).told.is_empty());
    drop(stream);
    let row = unloaded(&server, &id).await;
    assert_eq!(row.told.len(), 1, "a notification was sent");
}
