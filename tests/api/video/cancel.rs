//! Stopping video jobs in every state, and their state after a restart.

use std::sync::atomic::Ordering::SeqCst;

use serde_json::{Value, json};

use super::scene::{bills, done, film, generate, path, short, status, with_provider, with_settings};
use crate::harness::fake_video::FakeVideo;
use crate::harness::{Client, TestServer};

/// Stops a job and waits until it has ended.
async fn stop(client: &Client, job: &Value) -> Value {
    let receipt = client.delete(&path(job, "")).await;
    assert!([200, 202].contains(&receipt.status), "{receipt:?}");
    let stopped = done(client, job).await;
    let (first, second) =
        (client.delete(&path(job, "")).await.ok(), client.delete(&path(job, "")).await.ok());
    assert_eq!(first, second, "the receipt does not change");
    let status = if stopped["status"] == "completed" { "succeeded" } else { "cancelled" };
    assert_eq!((&first["status"], &first["terminal"]["status"]), (&json!(status), &json!(status)));
    stopped
}

#[tokio::test]
async fn cancelled_queued_job_is_never_submitted() {
    let provider = FakeVideo::start().await;
    provider.seen.mute.store(true, SeqCst);
    let server = with_settings(&provider, |config| config.runs.per_user = 1).await;
    let user = server.user();
    let first = generate(&user, film("a boat")).await;
    provider.seen.until(|seen| seen.submissions() == 1).await;
    let second = generate(&user, film("a goat")).await;
    assert_eq!(stop(&user, &second).await["status"], "cancelled");
    assert_eq!(stop(&user, &first).await["status"], "cancelled");
    assert_eq!(provider.seen.submitted("a goat"), 0);
    // It is unknown whether the first one was accepted, so it may be charged.
    let bill = bills(&server, &first).await;
    assert_eq!((bill.len(), bill[0].cost_nanos, bill[0].estimated), (1, 400_000_000, true));
    assert!(bills(&server, &second).await.is_empty());
}

#[tokio::test]
async fn cancelled_job_is_withdrawn_at_its_provider() {
    let provider = FakeVideo::start().await;
    provider.seen.limit.store(50, SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    provider.seen.until(|seen| seen.questions.load(SeqCst) > 1).await;
    let job = stop(&user, &job).await;
    assert_eq!(
        (&job["status"], &job["result"], &job["error"]),
        (&json!("cancelled"), &json!(null), &json!(null))
    );
    assert_eq!(provider.seen.deleted(), ["video_1"]);
    let bills = bills(&server, &job).await;
    assert_eq!(bills.len(), 1, "a submitted job may be charged");
    assert!(bills[0].estimated);
    user.get(&path(&job, "download")).await.problem(409, "not_ready");
}

#[tokio::test]
async fn job_is_cancelled_during_its_download() {
    let provider = FakeVideo::start().await;
    provider.seen.half.store(true, SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    provider.seen.until(|seen| seen.fetches.load(SeqCst) == 1).await;
    assert_eq!(stop(&user, &job).await["status"], "cancelled");
    assert_eq!(bills(&server, &job).await.len(), 1);
}

#[tokio::test]
async fn cancel_of_an_ended_job_changes_nothing() {
    let server = TestServer::start().await;
    let user = server.user();
    let job = generate(&user, short("a boat")).await;
    let before = done(&user, &job).await;
    assert_eq!(stop(&user, &job).await, before);
    user.get(&path(&job, "download")).await.expect(200);
}

#[tokio::test]
async fn job_resumes_after_a_restart() {
    let provider = FakeVideo::start().await;
    provider.seen.limit.store(50, SeqCst);
    let server = with_provider(&provider).await;
    let far = generate(&server.user(), film("a boat")).await;
    let clip = json!({"prompt": "tides", "model": "builtin/clip", "size": "480x480", "seconds": 10});
    let near = generate(&server.user(), clip).await;
    provider.seen.until(|seen| seen.questions.load(SeqCst) > 1).await;
    let server = server.restart().await;
    let user = server.user();
    assert_eq!(status(&user, &far).await["status"], "in_progress");
    provider.seen.limit.store(100, SeqCst);
    assert_eq!(done(&user, &far).await["status"], "completed");
    assert_eq!(provider.seen.submissions(), 1);
    assert_eq!(bills(&server, &far).await.len(), 1);
    let near = done(&user, &near).await;
    assert_eq!(near["status"], "completed", "{near}");
    assert_eq!(super::scene::pictures(&user.get(&path(&near, "download")).await.body), 120);
    server.stored().await;
}
