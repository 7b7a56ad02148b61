//! Effects that may or may not have happened before a crash.

use serde_json::{Value, json};

use super::scene::{Run, graph, in_node, node, of_type, outputs, workflow};
use crate::api::streams::reading::{server, terminal};
use crate::harness::Client;
use crate::harness::counting_server::{CountingServer, Reply};

fn plain(id: &str, kind: &str, inputs: Value) -> Value {
    node(id, kind, inputs, json!({}))
}

fn post(web: &CountingServer, id: &str, policy: Value) -> Value {
    let more = json!({"config": {"method": "POST"}, "policy": policy});
    node(id, "http", json!({"url": web.url(&format!("/{id}"))}), more)
}

async fn start(client: &Client, nodes: Vec<Value>, edges: &[&str]) -> Run {
    let nodes = [vec![plain("start", "start", json!({}))], nodes].concat();
    let assistant = workflow(client, graph(json!({}), nodes, edges)).await;
    Run::start(client, &assistant, json!({})).await
}

async fn resume(client: &Client, run: &Run, body: Value) -> crate::harness::Answer {
    client.post(&run.path("resume"), body).await
}

#[tokio::test]
async fn uncertain_effects_are_asked_about_individually() {
    let (server, web) = (server().await, CountingServer::start().await);
    for path in ["/once", "/final", "/again", "/other"] {
        web.script(path, [Reply::hang()]);
    }
    let nodes = vec![
        plain("split", "parallel", json!({})),
        post(&web, "once", json!({"effect": "once"})),
        post(&web, "final", json!({"effect": "irreversible"})),
        post(&web, "other", json!({"effect": "once", "on_error": "branch"})),
        post(&web, "again", json!({"effect": "idempotent"})),
        plain("meet", "join", json!({})),
        plain(
            "done",
            "end",
            json!({"once": "{{ once.body }}", "final": "{{ final.body.count }}", "why": "{{ other.error.code }}"}),
        ),
    ];
    let edges = [
        "start split",
        "split once",
        "split final",
        "split other",
        "split again",
        "once meet",
        "final meet",
        "other meet",
        "other.error meet",
        "again meet",
        "meet done",
    ];
    let run = start(&server.editor(), nodes, &edges).await;
    for path in ["/once", "/final", "/again", "/other"] {
        web.wait_for(path, 1).await;
    }
    let server = server.restart().await;
    let editor = server.editor();
    run.until_state(&editor, "paused").await;
    assert_eq!(
        (web.count("/once"), web.count("/final"), web.count("/other")),
        (1, 1, 1),
        "nothing is done twice"
    );
    web.wait_for("/again", 2).await;
    resume(&editor, &run, json!({"action": "perhaps"})).await.expect(422);
    resume(&editor, &run, json!({"action": "continue", "node_id": "again"}))
        .await
        .problem(409, "not_waiting");
    let held = json!({"action": "continue", "node_id": "once", "fields": {"status": 201, "headers": {}, "body": "mine"}});
    assert_eq!(resume(&editor, &run, held).await.ok()["executions"], json!(["once"]));
    // The other nodes still wait for an answer, also after another restart.
    let server = server.restart().await;
    let editor = server.editor();
    run.until_state(&editor, "paused").await;
    assert_eq!(
        resume(&editor, &run, json!({"action": "fail", "node_id": "other"})).await.ok()["executions"],
        json!(["other"])
    );
    run.until_state(&editor, "paused").await;
    assert_eq!(resume(&editor, &run, json!({"action": "retry"})).await.ok()["executions"], json!(["final"]));
    let events = run.events(&editor).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:#?}");
    assert_eq!(outputs(&events), json!({"once": "mine", "final": 2, "why": "uncertain_effect"}));
    assert_eq!((web.count("/once"), web.count("/final"), web.count("/other")), (1, 2, 1));
    assert_eq!(web.counts().len(), 4, "one key per node for all attempts");
    resume(&editor, &run, json!({"action": "retry"})).await.problem(409, "not_waiting");
}

#[tokio::test]
async fn cancel_of_a_run_with_an_uncertain_effect_compensates_only_certain_effects() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.always("/pay", Reply::hang());
    let nodes = vec![
        post(&web, "book", json!({"compensate": "unbook"})),
        post(&web, "pay", json!({"compensate": "refund"})),
        post(&web, "unbook", json!({})),
        post(&web, "refund", json!({})),
        plain("done", "end", json!({})),
    ];
    let run = start(&server.editor(), nodes, &["start book", "book pay", "pay done"]).await;
    web.wait_for("/pay", 1).await;
    let server = server.restart().await;
    let editor = server.editor();
    run.until_state(&editor, "paused").await;
    let receipt = editor.post(&run.path("cancel"), json!({})).await.ok();
    assert_eq!((&receipt["status"], &receipt["nodes_stopped"]), (&json!("cancelled"), &json!(["pay"])));
    assert_eq!((web.count("/pay"), web.count("/unbook"), web.count("/refund")), (1, 1, 0));
    let events = run.events(&editor).await;
    assert_eq!(in_node(&events, "node.finished", "pay")["status"], "cancelled");
    resume(&editor, &run, json!({"action": "retry"})).await.problem(409, "not_waiting");
}

#[tokio::test]
async fn effect_confirmed_as_done_is_compensated_with_the_others() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.script("/pay", [Reply::hang()]);
    web.script("/slow", [Reply::hang()]);
    let nodes = vec![
        plain("split", "parallel", json!({})),
        post(&web, "pay", json!({"compensate": "refund"})),
        post(&web, "slow", json!({"effect": "idempotent"})),
        plain("after", "template", json!({"text": "{{ slow.status }}"})),
        plain("meet", "join", json!({})),
        plain("no", "fail", json!({"message": "no"})),
        node(
            "refund",
            "http",
            json!({"url": web.url("/refund"), "body": "{{ pay.body }}"}),
            json!({"config": {"method": "POST"}}),
        ),
    ];
    let edges = ["start split", "split pay", "split slow", "slow after", "pay meet", "after meet", "meet no"];
    let run = start(&server.editor(), nodes, &edges).await;
    web.wait_for("/pay", 1).await;
    web.wait_for("/slow", 1).await;
    let server = server.restart().await;
    let editor = server.editor();
    let mut live = run.watch(&editor).await;
    while live.until("node.finished").await["node_id"] != "slow" {}
    run.until_state(&editor, "paused").await;
    let held =
        json!({"action": "continue", "fields": {"status": 200, "headers": {}, "body": {"receipt": 7}}});
    resume(&editor, &run, held).await.ok();
    let events = run.events(&editor).await;
    assert_eq!(terminal(&events)["status"], "failed");
    assert_eq!((web.count("/pay"), web.count("/slow")), (1, 2));
    assert_eq!(web.seen_at("/refund")[0].json(), json!({"receipt": 7}));
    assert_eq!(of_type(&events, "run.paused").len(), 1, "{events:#?}");
}
