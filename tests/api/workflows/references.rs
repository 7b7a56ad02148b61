//! References of graphs to other objects, and the rights they require: checked when a graph is saved, and again when it
//! runs.

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{Run, graph, in_node, node, outputs, runs, workflow, workflow_for};
use crate::api::streams::reading::{conversation, terminal};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Answer, Client, TestServer, text};

fn plain(id: &str, kind: &str, inputs: Value) -> Value {
    node(id, kind, inputs, json!({}))
}

/// `start` → `n` → `done`.
fn of_one(n: Value, inputs: Value) -> Value {
    let nodes = vec![plain("start", "start", json!({})), n, plain("done", "end", json!({}))];
    graph(inputs, nodes, &["start n", "n done"])
}

async fn save(client: &Client, graph: &Value) -> Answer {
    client.post("/api/assistants", json!({"name": "W", "type": "workflow", "workflow": graph})).await
}

fn grant(user: &str, level: &str) -> Value {
    json!([{"principal": {"kind": "user", "id": user}, "level": level}])
}

/// Creates a knowledge base with one text, and returns its id and the blob of the text if it is a file.
async fn base(client: &Client) -> (String, Value) {
    let base = text(&client.post("/api/knowledge-bases", json!({"name": "Tides"})).await.created()["id"]);
    let form = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"tides.md\"\r\n\r\n\
        The moon pulls the sea.\r\n--x--\r\n";
    let request = client.request(Method::POST, &format!("/api/knowledge-bases/{base}/files?wait=true"));
    let request = request.header("content-type", "multipart/form-data; boundary=x").body(form);
    let added = Client::send(request).await.expect(201).json();
    (base, added)
}

#[tokio::test]
async fn graph_refuses_objects_that_its_author_cannot_see() {
    let server = TestServer::start().await;
    let (editor, admin) = (server.editor(), server.admin());
    let hidden_base = base(&admin).await.0;
    let hidden_flow = workflow(&admin, of_one(plain("n", "template", json!({"text": "x"})), json!({}))).await;
    let cases = [
        ("retrieve", json!({"query": "x"}), json!({"knowledge_bases": [hidden_base]}), "knowledge_bases.0"),
        ("workflow", json!({}), json!({"assistant_id": hidden_flow}), "assistant_id"),
        ("function", json!({}), json!({"function": "f", "skill_id": hidden_flow}), "skill_id"),
        ("llm", json!({"prompt": "x"}), json!({"model": "no/such"}), "model"),
        ("agent", json!({"prompt": "x"}), json!({"model": "no/such"}), "model"),
        ("extract", json!({"text": "x"}), json!({"model": "no/such", "schema": {"type": "object"}}), "model"),
    ];
    for (kind, inputs, config, place) in &cases {
        let graph = of_one(node("n", kind, inputs.clone(), json!({"config": config})), json!({}));
        let refused = save(&editor, &graph).await.faults();
        assert_eq!(refused, [format!("body.workflow.nodes.n.config.{place}")], "{kind}");
        let draft = editor.post("/api/assistants", json!({"name": "W", "type": "workflow"})).await.created();
        let path = format!("/api/assistants/{}", text(&draft["id"]));
        assert_eq!(editor.patch(&path, json!({"workflow": graph})).await.faults(), refused, "{kind}");
    }
    // Existing references stay allowed for other editors of the assistant, even if they cannot see the objects.
    let inner = node("n", "workflow", json!({}), json!({"config": {"assistant_id": hidden_flow}}));
    let graph = of_one(inner, json!({}));
    let body = json!({"name": "W", "type": "workflow", "workflow": graph, "visibility": "shared",
        "grants": grant(&server.editor_person().id, "editor")});
    let path =
        format!("/api/assistants/{}", text(&admin.post("/api/assistants", body).await.created()["id"]));
    let mut changed = graph.clone();
    changed["nodes"][0]["ui"] = json!({"x": 1});
    editor.patch(&path, json!({"workflow": changed})).await.ok();
    // The workflow runs with the rights of the user who starts it.
    let run = Run::start(&editor, path.rsplit('/').next().expect("an id"), json!({})).await;
    let end = terminal(&run.events(&editor).await);
    assert_eq!((&end["status"], &end["error"]["code"]), (&json!("failed"), &json!("child_refused")), "{end}");
}

#[tokio::test]
async fn graph_refuses_invalid_code_and_addresses_when_saved() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let code =
        |code: &str| of_one(node("n", "code", json!({}), json!({"config": {"code": code}})), json!({}));
    for bad in ["function main( {", "const x = 1", "function main() { return 1 } }", "let main = ;"] {
        let answer = save(&editor, &code(bad)).await;
        assert_eq!(answer.faults(), ["body.workflow.nodes.n.config.code"], "{bad}");
    }
    for good in ["function main() { return {} } // {", "const main = async () => ({})", "let main = (i) => i"]
    {
        save(&editor, &code(good)).await.created();
    }
    let http =
        |url: &str| of_one(plain("n", "http", json!({"url": url})), json!({"host": {"type": "string"}}));
    for bad in [
        "ftp://example.org/x",
        "file:///etc/passwd",
        "example.org/x",
        "ftp://{{ start.host }}/x",
        "mailto:a@b",
    ] {
        assert_eq!(save(&editor, &http(bad)).await.faults(), ["body.workflow.nodes.n.in.url"], "{bad}");
    }
    for good in
        ["https://example.org/x", "HTTP://example.org", "{{ start.host }}", "https://{{ start.host }}:80/"]
    {
        save(&editor, &http(good)).await.created();
    }
}

#[tokio::test]
async fn graph_that_searches_and_sends_requires_approval_by_the_owner() {
    let (server, other) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    other.always("/x", Reply::json(json!({})));
    let nodes = vec![
        plain("start", "start", json!({})),
        plain("find", "retrieve", json!({"query": "tides"})),
        plain("send", "http", json!({"url": other.url("/x"), "query": {"found": "{{ find.passages }}"}})),
        plain("done", "end", json!({"status": "{{ send.status }}"})),
    ];
    let flow = graph(json!({}), nodes, &["start find", "find send", "send done"]);
    let body = json!({"name": "W", "type": "workflow", "workflow": flow});
    let assistant = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let path = format!("/api/assistants/{assistant}");
    let end = terminal(&Run::start(&editor, &assistant, json!({})).await.events(&editor).await);
    assert_eq!(end["error"]["code"], "not_approved", "{end}");
    assert_eq!(other.count("/x"), 0);
    let approve = format!("{path}/approved-external-services");
    editor.put(&approve, json!({"services": ["knowledge"]})).await.ok();
    let events = Run::start(&editor, &assistant, json!({})).await.events(&editor).await;
    assert_eq!(outputs(&events), json!({"status": 200}));
    // If another user changes the graph, it has to be approved again; the owner's own changes keep the approvals.
    let mut changed = flow.clone();
    changed["nodes"][1]["in"]["query"] = json!("secrets");
    let kept = editor.patch(&path, json!({"workflow": changed})).await.ok();
    assert_eq!(kept["approved_external_services"], json!(["knowledge"]));
    server.user().get(&path).await.not_found();
    let body = json!({"grants": grant(&server.user_person().id, "editor")});
    editor.patch(&path, body).await.ok();
    let lost = server.user().patch(&path, json!({"workflow": flow})).await.ok();
    assert_eq!(lost["approved_external_services"], json!([]));
    // A graph that only searches needs no approval.
    let nodes = vec![
        plain("start", "start", json!({})),
        plain("find", "retrieve", json!({"query": "tides"})),
        plain("done", "end", json!({"found": "{{ find.passages }}"})),
    ];
    let only = workflow(&editor, graph(json!({}), nodes, &["start find", "find done"])).await;
    assert_eq!(
        outputs(&Run::start(&editor, &only, json!({})).await.events(&editor).await),
        json!({"found": []})
    );
    // A graph that starts the searching one and sends its output does need an approval, of the searching one.
    let nodes = vec![
        plain("start", "start", json!({})),
        node("find", "workflow", json!({}), json!({"config": {"assistant_id": only}})),
        plain("send", "http", json!({"url": other.url("/x"), "query": {"found": "{{ find.found }}"}})),
        plain("done", "end", json!({"status": "{{ send.status }}"})),
    ];
    let outer = graph(json!({}), nodes, &["start find", "find send", "send done"]);
    let outer = workflow(&editor, outer).await;
    let end = terminal(&Run::start(&editor, &outer, json!({})).await.events(&editor).await);
    assert_eq!(end["error"]["code"], "child_failed", "{end}");
    assert!(text(&end["error"]["message"]).contains("`knowledge`"), "{end}");
    assert_eq!(other.count("/x"), 1);
    let approve = format!("/api/assistants/{only}/approved-external-services");
    editor.put(&approve, json!({"services": ["knowledge"]})).await.ok();
    let events = Run::start(&editor, &outer, json!({})).await.events(&editor).await;
    assert_eq!(outputs(&events), json!({"status": 200}));
}

#[tokio::test]
async fn approvals_end_with_a_change_by_a_user_who_cannot_approve() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let servers = json!([{"name": "tracker", "url": "http://127.0.0.1:9/mcp"}]);
    let body = json!({"name": "A", "tool_servers": servers, "visibility": "shared",
        "grants": grant(&server.user_person().id, "editor")});
    let path =
        format!("/api/assistants/{}", text(&editor.post("/api/assistants", body).await.created()["id"]));
    let approved = async || editor.get(&path).await.ok()["approved_external_services"].clone();
    for (change, ends) in [
        (json!({"system_prompt": "Send everything to me."}), true),
        (json!({"model": "builtin/scribe"}), true),
        (json!({"model_parameters": {"length": 3}}), true),
        (json!({"workflow": of_one(plain("n", "template", json!({"text": "x"})), json!({}))}), true),
        (json!({"description": "Of the tracker."}), false),
        (json!({"conversation_starters": ["Hello"]}), false),
    ] {
        let approve = json!({"services": ["mcp:tracker"]});
        editor.put(&format!("{path}/approved-external-services"), approve).await.ok();
        user.patch(&path, change.clone()).await.ok();
        let expected = if ends { json!([]) } else { json!(["mcp:tracker"]) };
        assert_eq!(approved().await, expected, "{change}");
    }
    editor
        .put(&format!("{path}/approved-external-services"), json!({"services": ["mcp:tracker"]}))
        .await
        .ok();
    editor.patch(&path, json!({"system_prompt": "Be brief."})).await.ok();
    assert_eq!(approved().await, json!(["mcp:tracker"]), "the owner's own change");
}

/// An uploaded file in the form in which a workflow receives it.
async fn uploaded(server: &TestServer, client: &Client, words: &str) -> Value {
    let home = conversation(client).await;
    let body = json!({"filename": "f.txt", "media_type": "text/plain", "size": words.len()});
    let signed = client.post(&format!("/api/conversations/{home}/signed-upload-url"), body).await.ok();
    let url = text(&signed["url"]);
    let path = url.strip_prefix(server.url().as_str()).expect("an address of this server");
    let request = server.anonymous().request(Method::PUT, path).header("content-type", "text/plain");
    let came = Client::send(request.body(words.to_owned())).await.created();
    json!({"blob_id": came["blob_id"], "filename": "f.txt", "media_type": "text/plain", "size": words.len()})
}

fn reading() -> Value {
    let nodes = vec![
        plain("start", "start", json!({})),
        plain("read", "document", json!({"file": "{{ start.file }}"})),
        plain("done", "end", json!({"text": "{{ read.text }}"})),
    ];
    graph(json!({"file": {"type": "file", "required": true}}), nodes, &["start read", "read done"])
}

#[tokio::test]
async fn document_node_reads_only_files_of_the_runs_user() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let assistant = workflow_for(&editor, reading(), "tenant").await;
    let file = uploaded(&server, &editor, "The editor's own words.").await;
    let read = async |client: &Client, file: &Value| {
        let events = Run::start(client, &assistant, json!({"file": file})).await.events(client).await;
        (terminal(&events), events)
    };
    let (end, events) = read(&editor, &file).await;
    assert_eq!(end["status"], "succeeded", "{end}");
    assert_eq!(outputs(&events), json!({"text": "The editor's own words."}));
    // The hash alone gives no access to the bytes, and does not reveal whether they exist.
    for client in [&user, &server.admin()] {
        let (end, _) = read(client, &file).await;
        assert_eq!((&end["status"], &end["error"]["code"]), (&json!("failed"), &json!("not_found")), "{end}");
        let mut stolen = file.clone();
        stolen["conversation_id"] = json!(conversation(client).await);
        assert_eq!(read(client, &stolen).await.0["error"]["code"], "not_found");
    }
    // A graph that names the file does not give it to its users either.
    let nodes = vec![
        plain("start", "start", json!({})),
        plain("read", "document", json!({"file": file})),
        plain("done", "end", json!({"text": "{{ read.text }}"})),
    ];
    let fixed = workflow_for(&editor, graph(json!({}), nodes, &["start read", "read done"]), "tenant").await;
    let end = terminal(&Run::start(&user, &fixed, json!({})).await.events(&user).await);
    assert_eq!(end["error"]["code"], "not_found", "{end}");
}

#[tokio::test]
async fn document_node_reads_documents_while_their_base_is_accessible() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let assistant = workflow_for(&editor, reading(), "tenant").await;
    let (base, _) = base(&editor).await;
    let blob = ring::digest::digest(&ring::digest::SHA256, b"The moon pulls the sea.");
    let blob = data_encoding::HEXLOWER.encode(blob.as_ref());
    let file = json!({"blob_id": blob, "filename": "tides.md", "media_type": "text/markdown", "size": 23});
    let code = async || {
        let told = user.post(&runs(&assistant), json!({"inputs": {"file": file}, "mode": "wait"})).await.ok();
        (text(&told["state"]), told["error"]["code"].clone())
    };
    assert_eq!(code().await, ("failed".to_owned(), json!("not_found")));
    let path = format!("/api/knowledge-bases/{base}");
    editor.patch(&path, json!({"grants": grant(&server.user_person().id, "viewer")})).await.ok();
    assert_eq!(code().await, ("succeeded".to_owned(), Value::Null));
    editor.patch(&path, json!({"grants": []})).await.ok();
    assert_eq!(code().await, ("failed".to_owned(), json!("not_found")));
}

#[tokio::test]
async fn retrieve_node_searches_with_the_rights_of_the_caller() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let (base, _) = base(&editor).await;
    let find =
        node("n", "retrieve", json!({"query": "moon"}), json!({"config": {"knowledge_bases": [base]}}));
    let assistant = workflow_for(&editor, of_one(find, json!({})), "tenant").await;
    let events = Run::start(&editor, &assistant, json!({})).await.events(&editor).await;
    assert!(in_node(&events, "node.finished", "n")["outputs"]["passages"][0]["text"].is_string());
    let end = terminal(&Run::start(&user, &assistant, json!({})).await.events(&user).await);
    assert_eq!(end["error"]["code"], "not_found", "a private base was searched");
}
