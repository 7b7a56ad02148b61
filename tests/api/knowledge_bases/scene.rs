//! Set-up of the tests of knowledge bases.

use crate::harness::{Answer, Client, TestServer, text};
use reqwest::Method;
use serde_json::{Value, json};
use storage::records::{Chunk, ChunkVectors, Document};
use storage::{Record, Scan, TenantId};

/// A file in a form: name, type and bytes.
pub type File<'a> = (&'a str, &'a str, &'a [u8]);

/// Builds a form with these texts and files.
pub fn form(texts: &[(&str, &str)], files: &[File<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in texts {
        let part = format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    for (name, media_type, bytes) in files {
        let head = format!(
            "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             content-type: {media_type}\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    body
}

pub async fn post_form(client: &Client, path: &str, body: Vec<u8>) -> Answer {
    let request = client.request(Method::POST, path);
    Client::send(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await
}

/// Uploads one Markdown file and waits until its ingest has ended.
pub async fn upload(client: &Client, base: &str, name: &str, words: &str) -> Answer {
    let path = format!("/api/knowledge-bases/{base}/files?wait=true");
    post_form(client, &path, form(&[], &[(name, "text/markdown", words.as_bytes())])).await
}

/// Creates a knowledge base and returns its id.
pub async fn base(client: &Client, body: Value) -> String {
    text(&client.post("/api/knowledge-bases", body).await.created()["id"])
}

/// Creates a knowledge base that only its owner sees.
pub async fn private(client: &Client) -> String {
    base(client, json!({"name": "Handbook"})).await
}

/// Reads a knowledge base.
pub async fn shown(client: &Client, base: &str) -> Value {
    client.get(&format!("/api/knowledge-bases/{base}")).await.ok()
}

/// Reads `path` repeatedly until `so` is true, for a generous time.
pub async fn until(client: &Client, path: &str, so: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    for _ in 0..1_200 {
        last = client.get(path).await.ok();
        if so(&last) {
            return last;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("waited a minute for {path}: {last}");
}

/// Returns the numbers of documents, passages and vector blocks of the editor's tenant.
pub async fn kept(server: &TestServer) -> (usize, usize, usize) {
    async fn count<T: Record>(server: &TestServer) -> usize {
        let tenant = TenantId(server.editor_person().tenant.parse().expect("an id"));
        let rows = server.store().read(move |reader| reader.scan::<T>(tenant, Scan::table())).await;
        rows.expect("rows").items.len()
    }
    (count::<Document>(server).await, count::<Chunk>(server).await, count::<ChunkVectors>(server).await)
}
