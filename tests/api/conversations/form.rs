//! The completion as a multipart form, with every field.

use reqwest::Method;
use serde_json::{Value, json};

use crate::api::streams::reading::{Stream, answer, asking, conversation, messages, said, server, terminal};
use crate::harness::{Answer, Client, text};

/// A field: its name, the name of its file if it is one, its type and its bytes.
type Field<'a> = (&'a str, Option<&'a str>, &'a str, &'a [u8]);

const BOUNDARY: &str = "----understudy-test";

fn multipart(fields: &[Field]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, media_type, bytes) in fields {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n");
        body.extend_from_slice(format!("{head}content-type: {media_type}\r\n\r\n").as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    body
}

fn form(client: &Client, home: &str, fields: &[Field]) -> reqwest::RequestBuilder {
    let path = format!("/api/conversations/{home}/completion/");
    let request = client.request(Method::POST, &path);
    request
        .header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
        .body(multipart(fields))
}

fn plain<'a>(name: &'a str, value: &'a str) -> Field<'a> {
    (name, None, "text/plain", value.as_bytes())
}

#[tokio::test]
async fn every_field_of_the_form() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let fields = [
        plain("message", "What does the file say?"),
        plain("model", "builtin/scribe"),
        plain("parameters", r#"{"length": 7, "pace_ms": 0}"#),
        plain("tools", "current_time"),
        plain("tools", "count_text"),
        plain("skills", "[]"),
        plain("recovery", "retry"),
        plain("stream", "true"),
        plain("wire", "events"),
        plain("on_active", "queue"),
        ("files", Some("notes.txt"), "text/plain", b"The tide turns at noon."),
        ("files", Some("dot.png"), "image/gif", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ];
    let events = Stream::open(form(&user, &home, &fields)).await.events().await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert_eq!(answer(&events).split_whitespace().count(), 7);
    let sent = &messages(&user, &home).await[0];
    assert_eq!(said(sent), "What does the file say?");
    let files = sent["attachments"].as_array().expect("files");
    assert_eq!((&files[0]["filename"], &files[0]["size"]), (&json!("notes.txt"), &json!(23)));
    assert_eq!(files[1]["media_type"], "image/png", "told by its bytes");
    let blob = text(&files[0]["blob_id"]);
    let file = user.get(&format!("/api/conversations/{home}/files/{blob}")).await;
    assert_eq!(file.expect(200).text(), "The tide turns at noon.");
}

#[tokio::test]
async fn a_file_alone_is_a_message() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let fields =
        [("files", Some("a.txt"), "text/plain", &b"Read me."[..]), plain("parameters", r#"{"length": 3}"#)];
    let events = Stream::open(form(&user, &home, &fields)).await.events().await;
    assert_eq!(terminal(&events)["status"], "succeeded");
}

#[tokio::test]
async fn faults_of_the_form() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let send = async |fields: &[Field<'_>]| Client::send(form(&user, &home, fields)).await.faults();
    assert_eq!(send(&[plain("message", "x"), plain("colour", "red")]).await, ["body.colour"]);
    let binary = b"%PDF-1.7\n\xe2\xe3\xcf\xd3";
    for bytes in [&b"Read me."[..], binary, &b"x".repeat(2 << 20)] {
        let fields = [plain("message", "x"), ("file", Some("x.pdf"), "application/pdf", bytes)];
        let problem = Client::send(form(&user, &home, &fields)).await.problem(422, "invalid");
        assert_eq!(
            problem["errors"][0]["msg"], "there is no such field; files are sent as `files`",
            "{problem}"
        );
    }
    let known =
        [plain("model", "builtin/scribe"), ("message", Some("x.pdf"), "application/pdf", &binary[..])];
    let problem = Client::send(form(&user, &home, &known)).await.problem(422, "invalid");
    assert!(problem.to_string().contains("is not text; files are sent as `files`"), "{problem}");
    assert_eq!(send(&[plain("message", "  ")]).await, ["body.message"]);
    assert_eq!(send(&[plain("model", "builtin/scribe")]).await, ["body.message"]);
    let faulty = [
        plain("message", "x"),
        plain("parameters", "{"),
        plain("recovery", "pray"),
        plain("stream", "perhaps"),
        plain("assistant_id", "x"),
    ];
    let want = ["body.assistant_id", "body.parameters", "body.recovery", "body.stream"];
    assert_eq!(send(&faulty).await, want);
    let id = "01980000-0000-7000-8000-000000000001";
    let both = [plain("message", "x"), plain("regenerate_message_id", id), plain("messages", "[]")];
    let want = ["body.messages", "body.messages", "body.regenerate_message_id"];
    assert_eq!(send(&both).await, want);
    let request = user.request(Method::POST, &format!("/api/conversations/{home}/completion"));
    let answer = Client::send(request.header("content-type", "text/plain").body("x")).await;
    assert!(matches!(answer.status, 400 | 415), "{answer:?}");
    let long = "x".repeat(101);
    let path = format!("/api/conversations/{home}/completion?context={long}");
    assert_eq!(user.post(&path, json!({"message": "x"})).await.faults(), ["query.context"]);
    assert!(messages(&user, &home).await.is_empty(), "nothing was stored");
}

#[tokio::test]
async fn what_is_answered_must_be_there() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let id = "01980000-0000-7000-8000-000000000001";
    let send =
        async |fields: Value| Answer::read(asking(&user, &home, fields).send().await.expect("sent")).await;
    send(json!({"regenerate_message_id": id})).await.not_found();
    send(json!({"message": "x", "assistant_id": id})).await.not_found();
    send(json!({"message": "x", "model": "none/such"})).await.problem(404, "model_not_found");
    assert_eq!(send(json!({"message": "x", "uploads": [id]})).await.faults(), ["body.uploads"]);
    let answered = send(json!({"messages": [{"role": "assistant", "content": "x"}]})).await;
    assert_eq!(answered.faults(), ["body.messages"]);
}

/// As `useChat` of the AI SDK sends it: all messages each time, with ids of its own making.
#[tokio::test]
async fn a_transcript_is_taken_over_once() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mine = |id: &str, text: &str| json!({"id": id, "role": "user", "metadata": {"x": 1}, "parts": [{"type": "text", "text": text, "state": "done"}]});
    let first = json!({"messages": [mine("aB3x", "One?")], "parameters": {"length": 2}});
    Stream::open(asking(&user, &home, first)).await.rest().await;
    let kept = messages(&user, &home).await;
    assert_eq!((kept.len(), said(&kept[0])), (2, "One?".to_owned()));
    let answered = json!({"id": kept[1]["id"], "role": "assistant", "parts": [{"type": "step-start"}]});
    let second = json!({"messages": [mine("aB3x", "One?"), answered, mine("zZ9", "Two?")], "parameters": {"length": 2}});
    Stream::open(asking(&user, &home, second)).await.rest().await;
    let kept = messages(&user, &home).await;
    assert_eq!(kept.len(), 4, "nothing twice");
    assert_eq!((&kept[2]["parent_id"], said(&kept[2])), (&kept[1]["id"], "Two?".to_owned()));
    let plain = json!({"messages": [{"role": "user", "content": "Elsewhere?"}], "parameters": {"length": 2}});
    Stream::open(asking(&user, &home, plain)).await.rest().await;
    assert_eq!(messages(&user, &home).await[4]["parent_id"], Value::Null);
}
