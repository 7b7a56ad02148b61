//! Rights on video jobs.

use reqwest::Method;
use serde_json::json;

use super::scene::{done, generate, path, short, status};
use crate::harness::{Client, TestServer, text};

#[tokio::test]
async fn job_is_visible_to_its_owner_only() {
    let server = TestServer::start().await;
    let user = server.user();
    let job = generate(&user, short("a boat")).await;
    let job = done(&user, &job).await;
    for other in [server.editor(), server.admin(), server.stranger()] {
        other.get(&path(&job, "status")).await.not_found();
        other.get(&path(&job, "download")).await.not_found();
        other.post(&path(&job, "download"), json!({})).await.not_found();
        other.delete(&path(&job, "")).await.not_found();
        let watch = other.request(Method::GET, &path(&job, "status")).header("accept", "text/event-stream");
        Client::send(watch).await.not_found();
        for way in ["remix", "extend"] {
            let body = json!({"prompt": "mine", "source_job_id": job["job_id"], "model": "builtin/clip"});
            other.post(&format!("/api/video/{way}"), body).await.not_found();
        }
        assert_eq!(other.get("/api/video/jobs").await.ok()["items"], json!([]));
    }
    assert_eq!(status(&user, &job).await, job, "refused requests do not change the job");
}

#[tokio::test]
async fn video_operations_require_a_scope() {
    let server = TestServer::start().await;
    let (with, without) = (server.token(&["media:use"]).await, server.token(&["llm:use"]).await);
    let job = generate(&with, short("a boat")).await;
    done(&with, &job).await;
    let refused = async |method: Method, path: &str| {
        let answer = Client::send(without.request(method.clone(), path).json(&json!({"prompt": "x"}))).await;
        answer.problem(403, "scope_missing");
        let anonymous = server.anonymous().request(method, path).json(&json!({"prompt": "x"}));
        Client::send(anonymous).await.problem(401, "credentials_missing");
    };
    for way in ["generate", "remix", "extend"] {
        refused(Method::POST, &format!("/api/video/{way}")).await;
    }
    refused(Method::GET, "/api/video/models").await;
    refused(Method::GET, "/api/video/jobs").await;
    refused(Method::GET, &path(&job, "status")).await;
    refused(Method::GET, &path(&job, "download")).await;
    refused(Method::POST, &path(&job, "download")).await;
    refused(Method::DELETE, &path(&job, "")).await;
}

#[tokio::test]
async fn malformed_job_ids_are_not_found() {
    let server = TestServer::start().await;
    let user = server.user();
    let job = generate(&user, short("a boat")).await;
    done(&user, &job).await;
    for name in ["x", "models/veo/operations/x", "status", "a%2Fb", "..%2F..", "%F0%9F%8C%8A"] {
        user.get(&format!("/api/video/jobs/{name}/status")).await.not_found();
        user.post(&format!("/api/video/jobs/{name}/download"), json!({})).await.not_found();
        user.delete(&format!("/api/video/jobs/{name}")).await.not_found();
    }
    let of = |model: &str| format!("{}?model={model}", path(&job, "status"));
    user.get(&of("builtin/clip")).await.ok();
    user.get(&of("builtin/other")).await.not_found();
    user.post(&path(&job, "status"), json!({})).await.problem(405, "method_not_allowed");
}

#[tokio::test]
async fn job_list_is_paged() {
    let server = TestServer::start().await;
    let user = server.user();
    let mut made = Vec::new();
    for n in 0..5 {
        let job = generate(&user, short(&format!("boat {n}"))).await;
        made.push(text(&done(&user, &job).await["job_id"]));
    }
    made.reverse();
    let (mut listed, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = user.get(&format!("/api/video/jobs?limit=2{cursor}")).await.ok();
        listed.extend(page["items"].as_array().expect("items").iter().map(|job| text(&job["job_id"])));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(listed, made, "the latest first");
    assert_eq!(user.get("/api/video/jobs?limit=0").await.faults(), ["query.limit"]);
}
