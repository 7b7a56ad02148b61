//! `kill -9` around an installation: an acknowledged installation is complete afterwards, and its documents are
//! ingested.

use serde_json::json;

use super::scene::{DESK, Desk, desk, id, installed, papers, path, put, resource};
use crate::crash::server::{EMAIL, PASSWORD, Server};
use crate::harness::{Client, text};

#[tokio::test]
async fn ingest_of_documents_resumes_after_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let papers_of =
        (0..12).map(|n| (format!("paper-{n:02}.md"), format!("Paper {n}. {}", "It goes on. ".repeat(400))));
    put(folder.path(), "desk", &desk("1.0.0", &Desk { papers: papers_of.collect(), ..Desk::default() }));
    let settings = format!("[catalog]\nfolders = [{:?}]\n", folder.path().display().to_string());
    let mut server = Server::install_with(&settings).await;
    let anonymous = Client::new(server.url.clone(), None);
    let answer = anonymous.post("/api/auth/login/", json!({"email": EMAIL, "password": PASSWORD})).await.ok();
    let token = text(&answer["access_token"]);
    let client = Client::new(server.url.clone(), Some(token.clone()));
    let made = super::scene::install(&client, DESK, json!({})).await;
    server.kill();
    server.spawn();
    server.ready().await;
    let client = Client::new(server.url.clone(), Some(token));
    assert_eq!(papers(&client, &id(&made, "papers")).await.len(), 12);
    let shown = installed(&client, DESK).await;
    assert_eq!(shown["id"], made["id"]);
    for key in ["counting", "papers", "clerk", "report"] {
        assert_eq!(resource(&shown, key)["state"], "present", "{key}");
        client.get(&path(&shown, key)).await.ok();
    }
}

#[tokio::test]
async fn installation_is_complete_or_absent_after_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "desk", &desk("1.0.0", &Desk::default()));
    let settings = format!("[catalog]\nfolders = [{:?}]\n", folder.path().display().to_string());
    for wait_ms in [0, 15, 40, 90, 160, 260] {
        let mut server = Server::install_with(&settings).await;
        let anonymous = Client::new(server.url.clone(), None);
        let answer =
            anonymous.post("/api/auth/login/", json!({"email": EMAIL, "password": PASSWORD})).await.ok();
        let token = text(&answer["access_token"]);
        let client = Client::new(server.url.clone(), Some(token.clone()));
        let request =
            client.request(reqwest::Method::POST, &super::scene::at(DESK, "install")).json(&json!({}));
        let sent = tokio::spawn(async move { request.send().await.map(|answer| answer.status().as_u16()) });
        tokio::time::sleep(std::time::Duration::from_millis(wait_ms)).await;
        server.kill();
        let answered = sent.await.expect("no panic").ok();
        server.spawn();
        server.ready().await;
        let client = Client::new(server.url.clone(), Some(token));
        let shown = installed(&client, DESK).await;
        let assistants = client.get("/api/assistants").await.ok();
        let count = assistants["items"].as_array().map(Vec::len);
        match shown.is_null() {
            true => assert_eq!((answered, count), (None, Some(0)), "after {wait_ms} ms"),
            false => {
                assert_eq!(count, Some(1), "after {wait_ms} ms");
                papers(&client, &id(&shown, "papers")).await;
                let resources = shown["resources"].as_array().expect("resources");
                assert!(resources.iter().all(|one| one["state"] == "present"), "after {wait_ms} ms: {shown}");
            }
        }
    }
}
