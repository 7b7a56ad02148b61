//! `workflows.debug_restart_workflow_run`: the last debugged run is restarted from one of its nodes.

use reqwest::Method;
use serde_json::{Value, json};

use super::requests::Request;
use super::trial::Trial;
use crate::api::streams::reading;
use crate::api::workflows::debug::chain;
use crate::api::workflows::scene::{Run, outputs, workflow};
use crate::harness::{Client, text};

/// Runs a workflow to its end; the mutated requests restart this run.
async fn play(editor: &Client, assistant: &str) -> Run {
    let clear = format!("/api/workflows/{assistant}/debug/clear");
    editor.post(&clear, json!({"scope": "all"})).await.ok();
    let request = editor.request(Method::POST, &format!("/api/workflows/{assistant}/debug/play"));
    let played = Client::send(request.json(&json!({"inputs": {"x": "1"}}))).await;
    let run = Run::of(assistant, &played.expect(202).json());
    assert_eq!(outputs(&run.events(editor).await), json!({"text": "C B A 1"}));
    run
}

fn body() -> Value {
    json!({"mode": "until", "until": "c", "inputs": {"x": "2"}, "breakpoints": [{"node": "c", "when": "after"}],
        "pins": {"a": {"text": "pinned"}}, "overrides": {"b.in.text": "B {{ a.text }}!"}, "from_node": "b",
        "keep_upstream": true, "graph": "latest", "confirm_effects": false})
}

#[tokio::test]
async fn debug_restart_handles_mutated_requests() {
    let server = reading::server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let mut trial = Trial::of(&server, "workflows.debug_restart_workflow_run", &[]);
    let path = format!("/api/workflows/{{{assistant}}}/debug/restart");
    let streamed = Request::post(&path, &body()).by(&editor).query("wire", "ndjson");
    let valid = Request::post(&path, &body()).by(&editor);
    play(&editor, &assistant).await;
    trial.valid(&valid, 202).await;
    trial.valid(&streamed, 200).await;
    for round in 0..trial.rounds {
        // Every fourth request, if accepted, receives the stream of its run as the response.
        trial.mutated(if round % 4 == 3 { &streamed } else { &valid }, round).await;
        if round % 16 == 15 {
            play(&editor, &assistant).await;
        }
    }
    trial.cut_on_the_wire(&valid).await;
    play(&editor, &assistant).await;
    trial.valid(&valid, 202).await;
    let run = play(&editor, &assistant).await;
    let whole = Request::post(&path, &json!({"from_node": "b", "breakpoints": []})).by(&editor);
    let told = trial.valid(&whole, 202).await.json();
    assert_ne!(text(&told["stream_id"]), run.stream);
    let again = Run::of(&assistant, &told);
    assert_eq!(outputs(&again.events(&editor).await), json!({"text": "C B A 1"}));
    server.settled().await;
    server.stored().await;
    trial.end();
}
