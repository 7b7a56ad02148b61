//! Files that are given to a run: they live as long as the run needs them, and no other file can be read through them.

use std::time::SystemTime;

use reqwest::Method;
use serde_json::{Value, json};
use storage::records::{RunBlob, Upload};
use storage::{Row, Scan, TenantId, Timestamp};

use super::scene::{Run, graph, node, outputs, workflow};
use crate::api::streams::reading::{conversation, terminal};
use crate::harness::{Client, TestServer, text, until};

const WORDS: &[u8] = b"The tide turns at noon.";

/// `start` → `ask` (a form for a file) → `wait` (another form) → `read` (the file of `from`) → `done`.
fn reading(from: &str) -> Value {
    let actions = json!([{"name": "go", "label": "Go"}]);
    let paper = json!([{"name": "paper", "label": "Paper", "type": "any"}]);
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node(
            "ask",
            "human",
            json!({"title": "Which file?"}),
            json!({"config": {"fields": paper, "actions": actions}}),
        ),
        node(
            "wait",
            "human",
            json!({"title": "Now?"}),
            json!({"config": {"fields": [], "actions": actions}}),
        ),
        node("read", "document", json!({"file": from}), json!({})),
        node("done", "end", json!({"text": "{{ read.text }}"}), json!({})),
    ];
    let inputs = json!({"paper": {"type": "any"}});
    graph(inputs, nodes, &["start ask", "ask.go wait", "wait.go read", "read done"])
}

async fn uploaded(server: &TestServer, client: &Client, home: &str, bytes: &[u8]) -> Value {
    let body = json!({"filename": "tide.txt", "media_type": "text/plain", "size": bytes.len()});
    let signed = client.post(&format!("/api/conversations/{home}/signed-upload-url"), body).await.ok();
    let url = text(&signed["url"]);
    let path = url.strip_prefix(server.url().as_str()).expect("an address of this server");
    let request = server.anonymous().request(Method::PUT, path).header("content-type", "text/plain");
    let mut file = Client::send(request.body(bytes.to_vec())).await.created();
    file.as_object_mut().expect("an upload").remove("upload_id");
    file
}

/// Answers the form that the run shows next.
async fn answer(client: &Client, run: &Run, title: &str, fields: Value) {
    let mut stream = run.watch(client).await;
    let form = loop {
        let form = stream.until("form.required").await["data"].clone();
        if form["title"] == title {
            break form;
        }
    };
    Client::send(run.answering(client, &form, "go", fields)).await.ok();
}

fn tenant(server: &TestServer) -> TenantId {
    TenantId(server.editor_person().tenant.parse().expect("an id"))
}

fn uploads(server: &TestServer) -> Vec<Row<Upload>> {
    let tenant = tenant(server);
    server.store().read_now(|reader| reader.scan::<Upload>(tenant, Scan::table())).expect("uploads").items
}

/// Restarts the server a day later: uploads that no message uses have expired, and unused files are deleted.
async fn a_day_later(server: TestServer) -> TestServer {
    let here = tenant(&server);
    let expire = move |tx: &mut storage::Tx| {
        for mut row in tx.scan::<Upload>(here, Scan::table())?.items {
            row.expires_at = Timestamp::from_millis(1);
            tx.update(here, row)?;
        }
        Ok::<_, storage::Error>(())
    };
    server.store().run(expire).await.expect("the uploads expire");
    let blobs = server.dir().join("blobs");
    let server = server.restart_with(|_| age(&blobs)).await;
    until("the uploads are deleted", async || uploads(&server).is_empty()).await;
    server.store().sweep_blobs().await.expect("a sweep");
    server
}

/// Makes all files in a folder old.
fn age(folder: &std::path::Path) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => age(&path),
            false => {
                let file = std::fs::File::options().append(true).open(&path).expect("a file");
                file.set_modified(SystemTime::UNIX_EPOCH).expect("another time");
            }
        }
    }
}

#[tokio::test]
async fn file_of_a_form_lives_as_long_as_its_run() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let assistant = workflow(&editor, reading("{{ ask.fields.paper }}")).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let file = uploaded(&server, &editor, &run.conversation, WORDS).await;
    answer(&editor, &run, "Which file?", json!({"paper": file})).await;
    // A file that is not used is deleted.
    let home = conversation(&editor).await;
    let unused = uploaded(&server, &editor, &home, b"Nothing needs this.").await;
    let server = a_day_later(server).await;
    let editor = server.editor();
    answer(&editor, &run, "Now?", json!({})).await;
    assert_eq!(outputs(&run.events(&editor).await), json!({"text": "The tide turns at noon."}));
    let path = format!("/api/conversations/{home}/completion");
    let fields = json!({"message": "?", "uploads": [unused["blob_id"]]});
    editor.post(&path, fields).await.expect(422);
    // The file ends with the journal.
    let (here, stream) = (tenant(&server), run.stream.parse().expect("an id"));
    server.store().run(move |tx| tx.drop_journal(here, stream)).await.expect("no journal");
    let left = server.store().read_now(|reader| reader.scan::<RunBlob>(here, Scan::table())).expect("rows");
    assert_eq!(left.items.iter().filter(|row| row.is_file).count(), 0);
}

#[tokio::test]
async fn file_of_an_input_lives_as_long_as_its_run() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let assistant = workflow(&editor, reading("{{ start.paper }}")).await;
    let home = conversation(&editor).await;
    let file = uploaded(&server, &editor, &home, WORDS).await;
    let run = Run::start(&editor, &assistant, json!({"paper": file})).await;
    answer(&editor, &run, "Which file?", json!({})).await;
    let server = a_day_later(server).await;
    let editor = server.editor();
    answer(&editor, &run, "Now?", json!({})).await;
    assert_eq!(outputs(&run.events(&editor).await), json!({"text": "The tide turns at noon."}));
}

#[tokio::test]
async fn form_gives_no_access_to_files_of_others_and_to_the_graph() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let user = server.user();
    let theirs = uploaded(&server, &user, &conversation(&user).await, b"A secret of the user.").await;
    let here = tenant(&server);
    let assistant = workflow(&editor, reading("{{ ask.fields.paper }}")).await;
    for of_run in [false, true] {
        let run = Run::start(&editor, &assistant, json!({})).await;
        let stream: uuid::Uuid = run.stream.parse().expect("an id");
        let prefix = Scan::table().prefix(stream.as_bytes());
        let own = server.store().read_now(|reader| reader.scan::<RunBlob>(here, prefix)).expect("rows").items;
        let graph =
            json!({"blob_id": own[0].blob_id, "filename": "g", "media_type": "text/plain", "size": 1});
        let file = if of_run { graph } else { theirs.clone() };
        answer(&editor, &run, "Which file?", json!({"paper": file})).await;
        answer(&editor, &run, "Now?", json!({})).await;
        let error = terminal(&run.events(&editor).await)["error"].clone();
        assert_eq!(error["code"], "not_found", "{error}");
    }
}
