//! Nodes that read files.

use actors::workflow::graph::NodeKind;
use serde_json::{Value, json};

use super::Stage;

async fn file(stage: &Stage, filename: &str, media_type: &str, bytes: &[u8]) -> Value {
    let id = stage.means.store.blobs().put_bytes(stage.tenant, bytes.to_vec().into()).await.unwrap();
    json!({"file": {"blob_id": id.as_str(), "filename": filename, "media_type": media_type, "size": bytes.len()}})
}

#[tokio::test]
async fn texts_are_read_as_they_are_and_pages_as_people_see_them() {
    let stage = Stage::local();
    for (filename, media_type, bytes, text, told) in [
        ("a.txt", "text/plain; charset=utf-8", &b"a\nb"[..], "a\nb", "text/plain"),
        ("a.md", "", b"# a", "# a", "text/markdown"),
        ("a.csv", "application/octet-stream", b"a,b", "a,b", "text/csv"),
        ("a.json", "application/json", b"{}", "{}", "application/json"),
        ("a.html", "text/html", b"<p>a<p>b", "a\nb", "text/html"),
        ("a", "text/plain", &[0xff, 0xfe, b'a', 0, b'b', 0], "ab", "text/plain"),
        ("a", "text/plain", &[0xef, 0xbb, 0xbf, b'a', 0xff], "a\u{fffd}", "text/plain"),
    ] {
        let inputs = file(&stage, filename, media_type, bytes).await;
        let outputs = stage.done(NodeKind::Document, inputs).await.outputs;
        assert_eq!(
            Value::Object(outputs),
            json!({"text": text, "pages": 1, "media_type": told}),
            "{filename}"
        );
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_named() {
    let stage = Stage::local();
    let pdf = file(&stage, "a.pdf", "application/pdf", b"%PDF").await;
    let binary = file(&stage, "a.txt", "text/plain", b"a\0b").await;
    let gone = json!({"file": {"blob_id": "0".repeat(64), "media_type": "text/plain"}});
    for (inputs, code) in [
        (pdf, "unavailable"),
        (binary, "invalid_input"),
        (gone, "not_found"),
        (json!({"file": {"blob_id": "../x"}}), "type_mismatch"),
        (json!({"file": "text"}), "type_mismatch"),
        (json!({}), "type_mismatch"),
    ] {
        assert_eq!(stage.fails(NodeKind::Document, inputs.clone()).await.code, code, "{inputs}");
    }
}
