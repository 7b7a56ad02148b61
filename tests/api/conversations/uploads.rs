//! Signed uploads, and the files of messages.

use reqwest::Method;
use serde_json::{Value, json};

use crate::api::streams::reading::{ask, conversation, messages, server};
use crate::harness::parts::is_sent_in_parts;
use crate::harness::{Answer, Client, text};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

async fn address(client: &Client, home: &str, body: Value) -> Answer {
    client.post(&format!("/api/conversations/{home}/signed-upload-url"), body).await
}

async fn upload(anonymous: &Client, url: &str, media_type: &str, bytes: &[u8]) -> Answer {
    let path = url.strip_prefix(anonymous.url()).expect("an address of this server");
    let request = anonymous.request(Method::PUT, path).header("content-type", media_type);
    Client::send(request.body(bytes.to_vec())).await
}

fn announced(name: &str, media_type: &str, bytes: &[u8]) -> Value {
    json!({"filename": name, "media_type": media_type, "size": bytes.len()})
}

#[tokio::test]
async fn upload_is_accepted_once_and_attached_to_a_message() {
    let server = server().await;
    let (user, anonymous) = (server.user(), server.anonymous());
    let home = conversation(&user).await;
    let notes = b"The tide turns at noon.";
    let signed = address(&user, &home, announced("notes.txt", "text/plain", notes)).await.ok();
    assert_eq!(
        (&signed["method"], &signed["headers"]["content-type"]),
        (&json!("PUT"), &json!("text/plain"))
    );
    let url = text(&signed["url"]);
    let fields =
        json!({"message": "Read this.", "uploads": [signed["upload_id"]], "parameters": {"length": 3}});
    let path = format!("/api/conversations/{home}/completion");
    assert_eq!(
        user.post(&path, fields.clone()).await.faults(),
        ["body.uploads"],
        "the file has not been uploaded yet"
    );

    upload(&anonymous, &url, "text/html", notes).await.problem(415, "wrong_content_type");
    upload(&anonymous, &url, "text/plain", &notes[..5]).await.expect(422);
    upload(&anonymous, &url, "text/plain", &[notes, &b"more"[..]].concat()).await.expect(422);
    let forged = url.replace("token=", "token=00");
    upload(&anonymous, &forged, "text/plain", notes).await.not_found();
    let elsewhere = url.replace(&home, &conversation(&user).await);
    upload(&anonymous, &elsewhere, "text/plain", notes).await.not_found();
    let came = upload(&anonymous, &url, "text/plain", notes).await.created();
    assert_eq!((&came["size"], &came["filename"]), (&json!(notes.len()), &json!("notes.txt")));
    upload(&anonymous, &url, "text/plain", notes).await.problem(410, "upload_expired");

    ask(&user, &home, fields).await.rest().await;
    let sent = &messages(&user, &home).await[0]["attachments"][0];
    assert_eq!((&sent["blob_id"], &sent["media_type"]), (&came["blob_id"], &json!("text/plain")));
    let file = user.get(&format!("/api/conversations/{home}/files/{}", text(&came["blob_id"]))).await;
    assert_eq!(
        (file.expect(200).body.as_slice(), file.header("content-type")),
        (&notes[..], Some("text/plain"))
    );
    assert!(file.header("content-disposition").expect("a name").starts_with("attachment"));
    assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
}

#[tokio::test]
async fn download_supports_ranges() {
    let server = server().await;
    let (user, anonymous) = (server.user(), server.anonymous());
    let home = conversation(&user).await;
    let bytes = b"0123456789";
    let signed = address(&user, &home, announced("digits.txt", "text/plain", bytes)).await.ok();
    let came = upload(&anonymous, &text(&signed["url"]), "text/plain", bytes).await.created();
    let fields = json!({"message": "?", "uploads": [came["upload_id"]], "parameters": {"length": 1}});
    ask(&user, &home, fields).await.rest().await;
    let path = format!("/api/conversations/{home}/files/{}", text(&came["blob_id"]));
    is_sent_in_parts(&user, &path, bytes).await;
}

#[tokio::test]
async fn upload_url_is_bound_to_the_announced_file() {
    let server = server().await;
    let (user, anonymous) = (server.user(), server.anonymous());
    let home = conversation(&user).await;
    let signed = address(&user, &home, announced("photo.jpg", "image/jpeg", PNG)).await.ok();
    upload(&anonymous, &text(&signed["url"]), "image/jpeg", PNG).await.problem(415, "wrong_content_type");
    let faulty = json!({"filename": "../x", "media_type": "png", "size": 0, "sha256": "xyz"});
    let want = ["body.filename", "body.media_type", "body.sha256", "body.size"];
    assert_eq!(address(&user, &home, faulty).await.faults(), want);
    let huge = json!({"filename": "x", "media_type": "video/mp4", "size": 1u64 << 40});
    address(&user, &home, huge).await.problem(413, "too_large");
    let id = "01980000-0000-7000-8000-000000000001";
    let path = format!("/api/conversations/{home}/uploads/{id}");
    Client::send(anonymous.request(Method::PUT, &path).body("x")).await.expect(422);
    Client::send(anonymous.request(Method::PUT, &format!("{path}?token=00")).body("x")).await.not_found();
    server
        .editor()
        .post(&format!("/api/conversations/{home}/signed-upload-url"), json!({}))
        .await
        .expect(404);
    user.get(&format!("/api/conversations/{home}/files/{}", "0".repeat(64))).await.not_found();
}

#[tokio::test]
async fn concurrent_uploads_to_one_url_succeed_once() {
    let server = server().await;
    let (user, anonymous) = (server.user(), server.anonymous());
    let home = conversation(&user).await;
    for _ in 0..10 {
        let signed = address(&user, &home, announced("a.png", "image/png", PNG)).await.ok();
        let url = text(&signed["url"]);
        let (one, two) = tokio::join!(
            upload(&anonymous, &url, "image/png", PNG),
            upload(&anonymous, &url, "image/png", PNG)
        );
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 410]);
    }
}

#[tokio::test]
async fn upload_is_bound_to_its_conversation() {
    let server = server().await;
    let (user, anonymous) = (server.user(), server.anonymous());
    let (home, other) = (conversation(&user).await, conversation(&user).await);
    let signed = address(&user, &home, announced("a.png", "image/png", PNG)).await.ok();
    upload(&anonymous, &text(&signed["url"]), "image/png", PNG).await.created();
    let fields = json!({"message": "See.", "uploads": [signed["upload_id"]]});
    let path = format!("/api/conversations/{other}/completion");
    assert_eq!(user.post(&path, fields).await.faults(), ["body.uploads"]);
    let signed = address(&user, &home, announced("b.png", "image/png", PNG)).await.ok();
    user.delete(&format!("/api/conversations/{home}")).await.no_content();
    upload(&anonymous, &text(&signed["url"]), "image/png", PNG).await.not_found();
}
