//! The example workflows of the documentation are saved and run unchanged, with the built-in model.

use std::path::Path;

use serde_json::{Value, json};

use super::scene::{Run, in_node, nodes_of, of_type, outputs};
use crate::api::streams::reading::{messages, said, server, terminal};
use crate::harness::{Client, text, until};

fn example(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples").join(name);
    let json = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    serde_json::from_str(&json).expect("an example is JSON")
}

async fn saved(author: &Client, name: &str) -> String {
    text(&author.post("/api/assistants", example(name)).await.created()["id"])
}

#[tokio::test]
async fn research_example_reads_sources_in_parallel_and_answers_without_any() {
    let server = server().await;
    let editor = server.editor();
    let assistant = saved(&editor, "research.json").await;
    let moon = "The tides are caused by the pull of the moon. They rise twice a day.";
    let sources = json!([{"title": "Moon", "text": moon}, {"title": "Moon", "text": "again"},
        {"title": "Empty", "text": ""}, {"title": "Milk", "text": "Cheese is made of milk."}]);
    let inputs = json!({"question": "What causes the tides?", "sources": sources});
    let events = Run::start(&editor, &assistant, inputs).await.events(&editor).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:?}");
    assert_eq!(in_node(&events, "branch.taken", "kind")["port"], "lookup");
    assert_eq!(in_node(&events, "node.finished", "usable")["outputs"]["count"], 2);
    assert_eq!(of_type(&events, "iteration.finished").len(), 2);
    let given = outputs(&events);
    assert_eq!(given["sources_read"], 2);
    assert!(text(&given["answer"]).contains("moon"), "{given}");

    let chat = Run::start(&editor, &assistant, json!({"question": "hello"})).await;
    let events = chat.events(&editor).await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert!(nodes_of(&events, "node.skipped").contains(&"each_source".to_owned()));
    let kept = messages(&editor, &chat.conversation).await;
    assert_eq!(said(kept.last().expect("a message")), text(&outputs(&events)["answer"]));
}

#[tokio::test]
async fn approval_example_asks_two_at_once_and_ends_at_the_first_refusal() {
    let server = server().await;
    let editor = server.editor();
    let assistant = saved(&editor, "approval.json").await;
    let inputs = json!({"request": "Two desks for the new office.", "amount": 800});

    let run = Run::start(&editor, &assistant, inputs.clone()).await;
    run.until_state(&editor, "waiting").await;
    let forms = forms(&editor, &run).await;
    assert_eq!(forms.len(), 2, "{forms:?}");
    assert!(forms["budget"]["expires_at"].is_string() && forms["content"]["expires_at"].is_null());
    assert_eq!(forms["budget"]["fields"][0]["default"], 800);
    let yes = run.answering(&editor, &forms["content"], "approve", json!({"reason": "They have none."}));
    Client::send(yes).await.ok();
    let limit = run.answering(&editor, &forms["budget"], "approve", json!({"limit": 900}));
    Client::send(limit).await.ok();
    let events = run.events(&editor).await;
    assert_eq!(outputs(&events), json!({"approved": true, "limit": 900}));
    let kept = messages(&editor, &run.conversation).await;
    assert_eq!(said(kept.last().expect("a message")), "Approved up to 900: They have none.");

    let run = Run::start(&editor, &assistant, inputs).await;
    run.until_state(&editor, "waiting").await;
    let forms = self::forms(&editor, &run).await;
    let no = run.answering(&editor, &forms["content"], "reject", json!({"reason": "There are enough."}));
    Client::send(no).await.ok();
    let events = run.events(&editor).await;
    assert_eq!(outputs(&events), json!({"approved": false}));
    assert_eq!(in_node(&events, "node.finished", "budget")["status"], "cancelled");
}

#[tokio::test]
async fn digest_example_runs_in_an_automation() {
    let server = server().await;
    let editor = server.editor();
    let assistant = saved(&editor, "digest.json").await;
    let mut automation = example("digest-automation.json");
    automation["assistant_id"] = json!(assistant);
    let automation = editor.post("/api/automations", automation).await.created();
    assert_eq!(automation["next_ticks"].as_array().map(Vec::len), Some(5), "{automation}");
    let path = format!("/api/automations/{}/run", text(&automation["id"]));
    let line = editor.post(&path, json!({})).await.expect(202).json();
    let line = ended(&editor, &text(&line["id"])).await;
    assert_eq!(line["state"], "succeeded", "{line}");
    let kept = messages(&editor, &text(&line["conversation_id"])).await;
    let digest = said(kept.last().expect("a message"));
    assert!(digest.starts_with("- **Releases**: "), "{digest}");
    assert!(!digest.contains("Weather"), "{digest}");
}

/// Returns the forms that wait, by their nodes.
async fn forms(client: &Client, run: &Run) -> std::collections::BTreeMap<String, Value> {
    let mut forms = std::collections::BTreeMap::new();
    let mut stream = run.watch(client).await;
    while forms.len() < 2 {
        let event = stream.until("form.required").await;
        forms.insert(text(&event["node_id"]), event["data"].clone());
    }
    forms
}

async fn ended(client: &Client, line: &str) -> Value {
    let mut shown = Value::Null;
    until("the automation has ended", async || {
        shown = client.get(&format!("/api/automations/runs/{line}")).await.ok();
        !matches!(shown["state"].as_str(), Some("queued" | "running" | "waiting"))
    })
    .await;
    shown
}
