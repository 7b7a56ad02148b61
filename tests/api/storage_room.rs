//! A disk with little free space: which requests are refused, which continue, and recovery once there is space again.

use super::streams::reading::{ask, asking, conversation, messages, server};
use crate::harness::{Answer, Client, text, until};
use reqwest::Method;
use serde_json::json;

async fn upload(client: &Client, conversation: &str) -> Answer {
    let body = "--cut\r\ncontent-disposition: form-data; name=\"files\"; filename=\"tide.txt\"\r\n\
                content-type: text/plain\r\n\r\nThe tide.\r\n--cut--\r\n";
    let path = format!("/api/conversations/{conversation}/completion");
    let request = client.request(Method::POST, &path);
    Client::send(request.header("content-type", "multipart/form-data; boundary=cut").body(body)).await
}

/// More than the capacity of any disk.
const ALL: u64 = 1 << 40;

#[tokio::test]
async fn runs_and_uploads_below_the_low_water_mark_get_507_and_other_requests_continue() {
    let server = server().await;
    let home = conversation(&server.user()).await;
    ask(&server.user(), &home, json!({"message": "Hello", "parameters": {"length": 3}})).await.rest().await;
    let server = server.restart_with(|config| config.storage.low_water_mib = ALL).await;
    let user = server.user();
    let refused = Client::send(asking(&user, &home, json!({"message": "Hello"}))).await;
    let refused = refused.problem(507, "storage_full");
    assert!(text(&refused["detail"]).contains("too little free space"), "{refused}");
    upload(&user, &home).await.problem(507, "storage_full");
    let address = json!({"filename": "tide.txt", "media_type": "text/plain", "size": 5});
    let path = format!("/api/conversations/{home}/signed-upload-url");
    user.post(&path, address).await.problem(507, "storage_full");
    let chat = json!({"model": "builtin/scribe", "messages": [{"role": "user", "content": "Hello"}]});
    let chat = user.post("/api/chat/partner_compatible/v1/chat/completions", chat).await;
    assert_eq!(chat.expect(507).json()["error"]["code"], "storage_full");
    // Reads continue, and so do small changes.
    assert_eq!(messages(&user, &home).await.len(), 2);
    conversation(&user).await;
    let ready = server.anonymous().get("/readyz").await.ok();
    assert_eq!(ready["status"], "degraded");
    assert!(text(&ready["warnings"][0]).contains("nearly full"), "{ready}");
    let metrics = server.anonymous().get("/metrics").await.expect(200).text();
    assert!(
        metrics.contains("understudy_disk_free_bytes") && metrics.contains("understudy_storage_low"),
        "{metrics}"
    );
    let server = server.restart_with(|config| config.storage.low_water_mib = 1).await;
    ask(&server.user(), &home, json!({"message": "Hello", "parameters": {"length": 3}})).await.rest().await;
    assert_eq!(server.anonymous().get("/readyz").await.ok()["status"], "ready");
}

#[tokio::test]
async fn server_on_a_full_disk_serves_reads_and_recovers_once_there_is_space() {
    let server = server().await;
    let home = conversation(&server.user()).await;
    // A run in progress when the server stops.
    let slow = json!({"message": "Hello", "parameters": {"length": 400, "pace_ms": 5}});
    let mut stream = ask(&server.user(), &home, slow).await;
    stream.until("text.delta").await;
    drop(stream);
    let server = server.restart_with(|config| config.storage.reserve_mib = ALL).await;
    let user = server.user();
    assert_eq!(text(&user.get(&format!("/api/conversations/{home}")).await.ok()["id"]), home);
    let refused = user.post("/api/conversations", json!({})).await.problem(507, "storage_full");
    assert!(refused["detail"].is_string(), "{refused}");
    let ready = server.anonymous().get("/readyz").await.ok();
    assert!(text(&ready["warnings"][0]).contains("nothing is written"), "{ready}");
    let server = server.restart_with(|config| config.storage.reserve_mib = 1).await;
    conversation(&server.user()).await;
    // The run that waited for free space ends.
    let user = server.user();
    until("the answer is there", async || {
        let all = messages(&user, &home).await;
        all.len() == 2 && all[1]["status"] != "streaming"
    })
    .await;
}

#[tokio::test]
async fn commits_set_aside_are_reported_until_they_are_moved_away() {
    let server = server().await;
    let folder = server.dir().join("engine.damaged");
    let (dir, log) = (folder.clone(), folder.join("log.1.epoch-7"));
    std::fs::create_dir_all(&dir).expect("a folder");
    std::fs::write(&log, "commits").expect("a file");
    let server = server.restart().await;
    let ready = server.anonymous().get("/readyz").await.ok();
    assert_eq!(ready["status"], "degraded");
    let warning = text(&ready["warnings"][0]);
    assert!(warning.contains("log.1.epoch-7") && warning.contains("set aside"), "{warning}");
    std::fs::remove_file(&log).expect("it is there");
    let server = server.restart().await;
    assert_eq!(server.anonymous().get("/readyz").await.ok()["status"], "ready");
}
