//! Starting runs, reading their streams, and their results.

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{
    Run, approval, graph, greeting, in_node, node, nodes_of, of_type, outputs, runs, workflow, workflow_for,
    writing,
};
use crate::api::streams::reading::{
    Stream, answer, attach, conversation, lines, messages, said, server, terminal, without_gap,
};
use crate::harness::{Client, TestServer, text};

#[tokio::test]
async fn run_stores_its_answer_in_its_conversation() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, greeting()).await;
    let accepted = editor.post(&runs(&assistant), json!({"inputs": {"topic": "tides"}})).await;
    let body = accepted.expect(202).json();
    let run = Run::of(&assistant, &body);
    assert_eq!(accepted.header("x-stream-id"), Some(run.stream.as_str()));
    let place = format!("/api/conversations/{}/streams/{}", run.conversation, run.stream);
    assert_eq!(accepted.header("content-location"), Some(place.as_str()));

    let events = run.events(&editor).await;
    without_gap(&events, 0);
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert_eq!(nodes_of(&events, "node.finished"), ["start", "write", "say", "done"]);
    assert_eq!(in_node(&events, "node.started", "write")["inputs"], json!({"text": "On tides."}));
    let written = in_node(&events, "node.finished", "write");
    assert_eq!((&written["status"], &written["from"]), (&json!("succeeded"), &json!("run")));
    assert_eq!(written["outputs"], json!({"text": "On tides."}));
    assert_eq!(outputs(&events), json!({"text": "On tides.", "length": 9}));
    assert_eq!(answer(&events), "On tides.");

    let kept = messages(&editor, &run.conversation).await;
    let last = kept.last().expect("a message");
    assert_eq!(last["id"], body["message_id"]);
    assert_eq!((said(last).as_str(), &last["status"]), ("On tides.", &json!("complete")));
    let whole = editor.get(&format!("/api/conversations/{}", run.conversation)).await.ok();
    assert_eq!(whole["assistant_id"], assistant);
    assert_eq!(whole["is_system"], false);
}

#[tokio::test]
async fn client_in_wait_mode_receives_the_outputs() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, greeting()).await;
    let wait = json!({"inputs": {"topic": "wind"}, "mode": "wait"});
    let ended = editor.post(&runs(&assistant), wait).await.ok();
    assert_eq!(ended["state"], "succeeded");
    assert_eq!(ended["outputs"], json!({"text": "On wind.", "length": 8}));
    assert_eq!(ended["text"], "On wind.");
    assert_eq!((&ended["error"], &ended["cost_nanos"]), (&Value::Null, &json!(0)));

    let long = "tides ".repeat(20_000);
    let large = json!({"inputs": {"topic": long}, "mode": "wait"});
    let ended = editor.post(&runs(&assistant), large).await.ok();
    assert_eq!(ended["outputs"]["text"], json!(format!("On {long}.")), "values stored apart are included");
    assert_eq!(ended["text"], ended["outputs"]["text"]);

    let spoken = workflow(&editor, writing(12, 0)).await;
    let ended = editor.post(&runs(&spoken), json!({"mode": "wait"})).await.ok();
    assert_eq!(ended["outputs"]["text"], ended["text"]);
    assert!(ended["usage"]["output_tokens"].as_u64().expect("tokens") > 0, "{ended}");

    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("no", "fail", json!({"message": "Not today.", "code": "closed"}), json!({})),
    ];
    let failing = workflow(&editor, graph(json!({}), nodes, &["start no"])).await;
    let ended = editor.post(&runs(&failing), json!({"mode": "wait"})).await.ok();
    assert_eq!((&ended["state"], &ended["error"]["code"]), (&json!("failed"), &json!("closed")));
    assert!(text(&ended["error"]["message"]).ends_with("Not today."), "{ended}");

    let asking = workflow(&editor, approval(None)).await;
    let waiting = editor.post(&runs(&asking), json!({"mode": "wait"})).await.expect(202).json();
    assert_eq!((&waiting["state"], &waiting["outputs"]), (&json!("waiting"), &Value::Null));
}

#[tokio::test]
async fn attach_after_an_offset_completes_the_stream() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, writing(40, 1)).await;
    let asking = editor.request(Method::POST, &runs(&assistant)).json(&json!({}));
    let live = Stream::open(asking.header("accept", "text/event-stream")).await;
    let place = live.header("content-location").expect("a place").to_owned();
    let canonical = live.events().await;
    without_gap(&canonical, 0);
    let ids: Vec<_> = place.split('/').collect();
    let (home, stream) = (ids[3], ids[5]);
    for k in 0..=canonical.len() {
        let read = attach(&editor, home, stream, &format!("?after={k}")).await.events().await;
        assert_eq!(read, canonical[k..], "events after {k}");
        let read = attach(&editor, home, stream, &format!("?wire=ndjson&after={k}")).await;
        assert_eq!(lines(&read.rest().await), canonical[k..], "ndjson after {k}");
    }
    let request = editor.request(Method::POST, &format!("{}?wire=ndjson", runs(&assistant))).json(&json!({}));
    let told = lines(&Stream::open(request).await.rest().await);
    assert_eq!(terminal(&told)["status"], "succeeded");
}

#[tokio::test]
async fn chat_encodings_contain_the_answer_of_a_run() {
    let server = server().await;
    let editor = server.editor();
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("one", "answer", json!({"text": "First the tides."}), json!({})),
        node("quiet", "template", json!({"text": "Not to be told."}), json!({})),
        node("two", "answer", json!({"text": "Then the wind."}), json!({})),
        node("done", "end", json!({}), json!({})),
    ];
    let edges = ["start one", "one quiet", "quiet two", "two done"];
    let assistant = workflow(&editor, graph(json!({}), nodes, &edges)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let canonical = run.events(&editor).await;
    let kept = said(messages(&editor, &run.conversation).await.last().expect("a message"));
    for (wire, field) in [("ui-message", "/delta"), ("openai", "/choices/0/delta/content")] {
        let told = attach(&editor, &run.conversation, &run.stream, &format!("?wire={wire}")).await;
        let told = told.rest().await;
        let frames = told.split("\n\n").filter_map(|frame| frame.strip_prefix("data: "));
        let frames: Vec<_> = frames.collect();
        assert_eq!(frames.last(), Some(&"[DONE]"), "{wire}");
        let chunks = frames[..frames.len() - 1].iter();
        let chunks: Vec<Value> = chunks.map(|chunk| serde_json::from_str(chunk).expect("JSON")).collect();
        let heard: String = chunks.iter().filter_map(|chunk| chunk.pointer(field)?.as_str()).collect();
        assert_eq!(heard, answer(&canonical), "{wire}");
        let known = [
            "start",
            "start-step",
            "text-start",
            "text-delta",
            "text-end",
            "message-metadata",
            "data-title",
            "finish-step",
            "finish",
        ];
        for chunk in chunks.iter().filter(|_| wire == "ui-message") {
            let kind = text(&chunk["type"]);
            assert!(known.contains(&kind.as_str()) || kind.starts_with("data-"), "{chunk}");
        }
    }
    assert!(kept.contains("First the tides.") && kept.contains("Then the wind."), "{kept}");
    assert!(!kept.contains("Not to be told."));
}

#[tokio::test]
async fn repeated_idempotency_key_returns_the_same_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, greeting()).await;
    let send = async |body: Value, key: &str| {
        let request = editor.request(Method::POST, &runs(&assistant)).json(&body);
        Client::send(request.header("idempotency-key", key)).await
    };
    let body = json!({"inputs": {"topic": "tides"}});
    let all = futures::future::join_all((0..8).map(|_| send(body.clone(), "k-1"))).await;
    let first = all[0].expect(202).json();
    for answer in &all {
        assert_eq!(answer.expect(202).json()["stream_id"], first["stream_id"]);
    }
    let waited = send(json!({"inputs": {"topic": "tides"}, "mode": "wait"}), "k-1").await.ok();
    assert_eq!(waited["stream_id"], first["stream_id"], "the response mode makes no difference");
    assert_eq!(waited["text"], "On tides.");
    send(json!({"inputs": {"topic": "wind"}}), "k-1").await.problem(422, "idempotency_mismatch");
    let other = send(json!({"inputs": {"topic": "wind"}}), "k-2").await.expect(202).json();
    assert_ne!(other["stream_id"], first["stream_id"]);
    assert_eq!(send(body, "").await.faults(), ["header.Idempotency-Key"]);
}

#[tokio::test]
async fn repeated_request_is_answered_before_rate_limits_apply() {
    let server = TestServer::start().await;
    let assistant = workflow(&server.editor(), greeting()).await;
    let server = server.restart_with(|config| {
        config.limits.credential_per_second = 1;
        config.limits.credential_burst = 5;
    });
    let server = server.await;
    let editor = server.editor();
    let send = async |key: &str| {
        let request = editor.request(Method::POST, &runs(&assistant));
        let request = request.json(&json!({"inputs": {"topic": "tides"}}));
        Client::send(request.header("idempotency-key", key)).await
    };
    let first = send("k-1").await.expect(202).json();
    while editor.get("/api/users/me").await.status != 429 {}
    for _ in 0..5 {
        assert_eq!(send("k-1").await.expect(202).json()["stream_id"], first["stream_id"]);
    }
    for n in 2..200 {
        // On a slow machine the limit allows another request now and then, but not each time.
        let new = send(&format!("k-{n}")).await;
        if new.status != 202 {
            new.problem(429, "rate_limited");
            return;
        }
    }
    panic!("new requests are never refused");
}

#[tokio::test]
async fn conversation_has_one_live_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let path = runs(&assistant);
    for _ in 0..10 {
        let home = conversation(&editor).await;
        let body = json!({"conversation_id": home});
        let (one, two) = tokio::join!(editor.post(&path, body.clone()), editor.post(&path, body));
        let (taken, refused) = if one.status == 202 { (one, two) } else { (two, one) };
        let run = Run::of(&assistant, &taken.expect(202).json());
        assert_eq!(run.conversation, home);
        assert_eq!(refused.problem(409, "stream_active")["stream_id"], run.stream);
        let instead = format!("{}?on_active=cancel", runs(&assistant));
        let next = editor.post(&instead, json!({"conversation_id": home})).await.expect(202).json();
        assert_eq!(terminal(&run.events(&editor).await)["status"], "cancelled");
        assert_ne!(next["stream_id"], run.stream);
    }
}

#[tokio::test]
async fn start_refuses_invalid_runs_and_leaves_nothing() {
    let server = server().await;
    let editor = server.editor();
    let chat = text(&editor.post("/api/assistants", json!({"name": "Chat"})).await.created()["id"]);
    let draft = json!({"name": "Draft", "type": "workflow"});
    let draft = text(&editor.post("/api/assistants", draft).await.created()["id"]);
    let assistant = workflow(&editor, greeting()).await;
    let theirs = conversation(&server.admin()).await;
    let before = server.stored().await;
    editor.post(&runs(&chat), json!({})).await.problem(422, "not_a_workflow");
    editor.post(&runs(&draft), json!({})).await.problem(422, "not_a_workflow");
    let faults = async |body: Value| editor.post(&runs(&assistant), body).await.faults();
    assert_eq!(faults(json!({})).await, ["body.inputs.topic"]);
    assert_eq!(
        faults(json!({"inputs": {"topic": 5, "colour": "red"}})).await,
        ["body.inputs.colour", "body.inputs.topic"]
    );
    assert_eq!(
        faults(json!({"inputs": [], "mode": "later", "x": 1})).await,
        ["body.inputs", "body.mode", "body.x"]
    );
    assert_eq!(server.stored().await, before);
    let elsewhere = json!({"inputs": {"topic": "x"}, "conversation_id": theirs});
    editor.post(&runs(&assistant), elsewhere).await.not_found();
}

#[tokio::test]
async fn start_requires_access_to_the_assistant() {
    let server = server().await;
    let editor = server.editor();
    let (own, shared) =
        (workflow(&editor, greeting()).await, workflow_for(&editor, greeting(), "tenant").await);
    let body = json!({"inputs": {"topic": "tides"}});
    for other in [server.user(), server.stranger()] {
        other.post(&runs(&own), body.clone()).await.not_found();
    }
    server.stranger().post(&runs(&shared), body.clone()).await.not_found();
    server.anonymous().post(&runs(&shared), body.clone()).await.problem(401, "credentials_missing");
    let reader = server.token(&["conversations:write", "assistants:write"]).await;
    reader.post(&runs(&shared), body.clone()).await.problem(403, "scope_missing");
    let run = Run::start(&server.user(), &shared, json!({"topic": "tides"})).await;
    assert_eq!(terminal(&run.events(&server.user()).await)["status"], "succeeded");
    for other in [server.stranger(), editor, server.admin()] {
        other.get(&format!("/api/conversations/{}", run.conversation)).await.not_found();
        other
            .get(&format!("/api/conversations/{}/streams/{}", run.conversation, run.stream))
            .await
            .not_found();
    }
}

#[tokio::test]
async fn run_uses_the_graph_it_was_started_with() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let form = run.form(&editor).await;
    let path = format!("/api/assistants/{assistant}");
    editor.patch(&path, json!({"workflow": greeting()})).await.ok();
    let server = server.restart().await;
    let editor = server.editor();
    Client::send(run.answering(&editor, &form, "approve", json!({"note": "fine"}))).await.ok();
    let events = run.events(&editor).await;
    assert_eq!(outputs(&events), json!({"action": "approve"}));
    let pinned = of_type(&events, "graph")[0]["data"]["hash"].clone();
    let next = Run::start(&editor, &assistant, json!({"topic": "tides"})).await.events(&editor).await;
    assert_ne!(of_type(&next, "graph")[0]["data"]["hash"], pinned);
    assert_eq!(outputs(&next)["text"], "On tides.");
}
