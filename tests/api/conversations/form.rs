//! Completions requested as a multipart form, with every field.

use reqwest::Method;
use serde_json::{Value, json};

use crate::api::streams::reading::{Stream, answer, asking, conversation, messages, said, server, terminal};
use crate::harness::{Answer, Client, text};

/// A field: its name, the file name if it is a file, its media type and its bytes.
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
async fn form_accepts_every_field() {
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
    assert_eq!(files[1]["media_type"], "image/png", "detected from the bytes");
    let blob = text(&files[0]["blob_id"]);
    let file = user.get(&format!("/api/conversations/{home}/files/{blob}")).await;
    assert_eq!(file.expect(200).text(), "The tide turns at noon.");
}

#[tokio::test]
async fn form_with_only_a_file_is_a_message() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let fields =
        [("files", Some("a.txt"), "text/plain", &b"Read me."[..]), plain("parameters", r#"{"length": 3}"#)];
    let events = Stream::open(form(&user, &home, &fields)).await.events().await;
    assert_eq!(terminal(&events)["status"], "succeeded");
}

#[tokio::test]
async fn form_reports_faults() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let send = async |fields: &[Field<'_>]| Client::send(form(&user, &home, fields)).await.faults();
    assert_eq!(send(&[plain("message", "x"), plain("colour", "red")]).await, ["body.colour"]);
    let binary = b"%PDF-1.7\n\xe2\xe3\xcf\xd3";
    for bytes in [&b"Read me."[..], binary, &b"x".repeat(2 << 20)] {
        let fields = [plain("message", "x"), ("file", Some("x.pdf"), "application/pdf", bytes)];
        let problem = Client::send(form(&user, &home, &fields)).await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["msg"], "unknown field; files must be sent as `files`", "{problem}");
    }
    let known =
        [plain("model", "builtin/scribe"), ("message", Some("x.pdf"), "application/pdf", &binary[..])];
    let problem = Client::send(form(&user, &home, &known)).await.problem(422, "invalid");
    assert!(problem.to_string().contains("is not text; files must be sent as `files`"), "{problem}");
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
async fn completion_refuses_references_that_do_not_exist() {
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

/// The AI SDK's `useChat` sends all messages in each request, with ids that it generates.
#[tokio::test]
async fn repeated_transcript_is_stored_once() {
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

/// A message in the format of the AI SDK.
fn told(id: &str, role: &str, text: &str) -> Value {
    json!({"id": id, "role": role, "parts": [{"type": "text", "text": text}]})
}

/// Sends messages like the AI SDK's transport in its default configuration, and returns the stored messages.
async fn send_all(user: &Client, home: &str, messages: &[Value]) -> Vec<Value> {
    let fields = json!({"id": "chat-1", "trigger": "submit-message", "messageId": "x", "messages": messages,
        "parameters": {"length": 2}});
    let events = Stream::open(asking(user, home, fields)).await.events().await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    self::messages(user, home).await
}

/// The AI SDK edits a question under its old id and continues from there.
#[tokio::test]
async fn edited_question_becomes_a_sibling_of_the_original() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let kept = send_all(&user, &home, &[told("a", "user", "One?")]).await;
    let answer = kept[1].clone();
    let whole =
        [told("a", "user", "One?"), told(&text(&answer["id"]), "assistant", "…"), told("b", "user", "Two?")];
    assert_eq!(send_all(&user, &home, &whole).await.len(), 4);

    let mut edited = whole.clone();
    edited[2] = told("b", "user", "Three?");
    let kept = send_all(&user, &home, &edited).await;
    assert_eq!(kept.len(), 6, "a sibling of the old question, and its answer");
    assert_eq!((said(&kept[4]), &kept[4]["parent_id"]), ("Three?".to_owned(), &answer["id"]));
    assert_eq!((said(&kept[2]), &kept[2]["parent_id"]), ("Two?".to_owned(), &answer["id"]));
    assert_eq!(kept[5]["parent_id"], kept[4]["id"]);

    // Sending the same messages again adds another answer to the edited question, and the next turn follows that
    // answer.
    let kept = send_all(&user, &home, &edited).await;
    assert_eq!((kept.len(), &kept[6]["parent_id"]), (7, &kept[4]["id"]));
    let mut on = edited.to_vec();
    on.extend([told(&text(&kept[6]["id"]), "assistant", "…"), told("c", "user", "Four?")]);
    let kept = send_all(&user, &home, &on).await;
    assert_eq!((kept.len(), &kept[7]["parent_id"]), (9, &kept[6]["id"]));

    // The first question can be edited as well. It has no parent.
    let kept = send_all(&user, &home, &[told("a", "user", "Zero?")]).await;
    assert_eq!((said(&kept[9]), &kept[9]["parent_id"]), ("Zero?".to_owned(), &Value::Null));
    let shown = user.get(&format!("/api/conversations/{home}")).await.ok();
    assert_eq!((&shown["current_message_id"], &shown["message_count"]), (&kept[10]["id"], &json!(11)));
}

#[tokio::test]
async fn completion_refuses_messages_out_of_order() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let first = send_all(&user, &home, &[told("a", "user", "One?")]).await[1].clone();
    let second =
        [told("a", "user", "One?"), told(&text(&first["id"]), "assistant", "…"), told("b", "user", "Two?")];
    let before = send_all(&user, &home, &second).await;
    let first = told(&text(&first["id"]), "assistant", "…");
    let path = format!("/api/conversations/{home}/completion");
    for refused in [
        vec![told("a", "user", "One?"), told("b", "user", "Two?")],
        vec![told("new", "user", "New?"), first.clone(), told("c", "user", "Three?")],
        vec![first.clone(), told("a", "user", "One?")],
        vec![told("a", "user", "One?"), json!({"id": first["id"], "role": "user", "content": "Mine?"})],
        vec![told("c", "user", "  ")],
        vec![told("c", "tool", "x"), told("d", "user", "Four?")],
    ] {
        let answer = user.post(&path, json!({"messages": refused})).await;
        assert_eq!(answer.faults(), ["body.messages"]);
    }
    assert_eq!(messages(&user, &home).await, before, "nothing has changed");
    // A part of the transcript is enough: the position of a known message is stored.
    let kept = send_all(&user, &home, &[told("b", "user", "Two?")]).await;
    assert_eq!(kept[4]["parent_id"], before[2]["id"]);
}

/// `sendMessage({ files })` of the AI SDK includes the bytes of the files in the messages of every request.
#[tokio::test]
async fn files_in_messages_are_stored_with_them() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let file = |data: &str| json!({"type": "file", "mediaType": "text/plain", "filename": "../tides.txt", "url": data});
    let with = |id: &str, url: &str| json!({"id": id, "role": "user", "parts": [file(url), {"type": "text", "text": "When?"}]});
    let high = "data:text/plain;base64,VGhlIHRpZGUgaXMgaGlnaCBhdCBub29uLg==";
    let kept = send_all(&user, &home, &[with("a", high)]).await;
    let sent = &kept[0]["attachments"][0];
    assert_eq!(
        (&sent["filename"], &sent["media_type"], &sent["size"]),
        (&json!("tides.txt"), &json!("text/plain"), &json!(25))
    );
    let file = user.get(&format!("/api/conversations/{home}/files/{}", text(&sent["blob_id"]))).await;
    assert_eq!(file.expect(200).text(), "The tide is high at noon.");
    assert_eq!(said(&kept[0]), "When?");

    // In messages that are already stored, files may have any address, and the stored files stay.
    let elsewhere = with("a", "https://example.org/tides.txt");
    let mut answered = with(&text(&kept[1]["id"]), "/api/files/1");
    answered["role"] = json!("assistant");
    let kept = send_all(&user, &home, &[elsewhere.clone(), answered, told("b", "user", "And low?")]).await;
    assert_eq!((kept.len(), &kept[0]["attachments"][0]), (4, sent));
    // The same file again is the same question. A different file makes a new question with only that file.
    assert_eq!(send_all(&user, &home, &[with("a", high)]).await.len(), 5);
    let kept = send_all(&user, &home, &[with("a", "data:;base64,TG93IGF0IHNpeC4=")]).await;
    assert_eq!((kept.len(), kept[5]["attachments"].as_array().map(Vec::len)), (7, Some(1)));
    assert_ne!(kept[5]["attachments"][0]["blob_id"], sent["blob_id"]);

    // A file of the conversation is named by its address, as in a page that shows stored messages.
    let files = format!("/api/conversations/{home}/files");
    let kept = send_all(&user, &home, &[with("c", &format!("{files}/{}", text(&sent["blob_id"])))]).await;
    assert_eq!((kept.len(), &kept[7]["attachments"][0]), (9, sent));

    let path = format!("/api/conversations/{home}/completion");
    let nowhere = format!("{files}/{}", "0".repeat(64));
    let elsewhere = "https://example.org/tides.txt";
    for url in [elsewhere, "data:text/plain,plain", "data:text/plain;base64,%%%", &nowhere] {
        let answer = user.post(&path, json!({"messages": [with("z", url)]})).await;
        assert_eq!(answer.faults(), ["body.messages.0.parts.0.url"], "{url}");
    }
    assert_eq!(messages(&user, &home).await.len(), 9);
    // Images may exceed the size limit of other bodies.
    let large = format!("data:text/plain;base64,{}", "QUJD".repeat(600_000));
    let kept = send_all(&user, &home, &[with("large", &large)]).await;
    assert_eq!(kept[9]["attachments"][0]["size"], 1_800_000);
}

#[tokio::test]
async fn form_limits_the_number_of_parts_and_the_length_of_names() {
    let server = crate::harness::TestServer::start_with(|config| {
        config.limits.form_parts = 12;
        config.limits.form_bytes = 20_000;
    });
    let server = server.await;
    let user = server.user();
    let home = conversation(&user).await;
    let send = async |fields: &[Field<'_>]| Client::send(form(&user, &home, fields)).await;
    let tools = vec![plain("tools", "current_time"); 10];
    let fine = [vec![plain("message", "Hello."), plain("stream", "false")], tools].concat();
    send(&fine).await.expect(200);
    let one_more = [fine.clone(), vec![plain("tools", "count_text")]].concat();
    send(&one_more).await.problem(413, "too_large");
    let empty = ("files", Some(""), "text/plain", &b""[..]);
    send(&vec![empty; 13]).await.problem(413, "too_large");
    let long = "n".repeat(256);
    send(&[plain("message", "Hello."), plain(&long, "x")]).await.problem(400, "malformed_body");
    // Bytes outside of any part count towards the limit, too.
    let path = format!("/api/conversations/{home}/completion/");
    let request = user.request(Method::POST, &path);
    let request = request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
    let preamble = ["nothing\r\n".repeat(5_000).into_bytes(), multipart(&fine)].concat();
    let (sender, body) = futures::channel::mpsc::unbounded::<Result<Vec<u8>, std::io::Error>>();
    sender.unbounded_send(Ok(preamble)).expect("open");
    drop(sender);
    Client::send(request.body(reqwest::Body::wrap_stream(body))).await.problem(413, "too_large");
}
