//! A provider of videos: its requests, its costs, and its failures.

use std::sync::atomic::Ordering::SeqCst;

use serde_json::{Value, json};

use super::scene::{bills, done, film, generate, kinds, path, status, watch, with_provider, with_settings};
use crate::api::streams::reading::terminal;
use crate::harness::TestServer;
use crate::harness::fake_video::{FakeVideo, KEY};

#[tokio::test]
async fn job_is_submitted_once_and_billed_per_second() {
    let provider = FakeVideo::start().await;
    provider.seen.step.store(25, SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    let events = watch(&user, &job, "").await.events().await;
    let percents: Vec<_> = events.iter().filter_map(|event| event["data"]["percent"].as_u64()).collect();
    assert_eq!(percents, [25, 50, 75]);
    let submitted = events.iter().find(|event| event["type"] == "video.submitted").expect("submitted");
    assert_eq!(submitted["data"]["remote_id"], "video_1");
    let job = done(&user, &job).await;
    assert_eq!((&job["status"], &job["cost_nanos"]), (&json!("completed"), &json!(400_000_000)));
    assert_eq!(
        (&job["cost"], &terminal(&events)["cost_nanos"]),
        (&json!("0.400000000"), &json!(400_000_000))
    );
    let bills = bills(&server, &job).await;
    assert_eq!(bills.len(), 1);
    assert_eq!((bills[0].quantity, bills[0].cost_nanos, bills[0].estimated), (4_000, 400_000_000, false));
    assert_eq!((bills[0].model.as_str(), bills[0].provider.as_str()), ("fake/film", "fake"));
    let all = provider.seen.all();
    assert_eq!(all.len(), 1);
    let (at, form) = &all[0];
    assert_eq!(at, "/v1/videos");
    for (name, value) in [("model", "film"), ("prompt", "a boat"), ("seconds", "4"), ("size", "640x480")] {
        let field = form.split("name=").find(|part| part.starts_with(&format!("\"{name}\"")));
        assert!(field.is_some_and(|field| field.contains(value)), "{name}: {form}");
    }

    // A video made from it goes to the same provider, and only to that one.
    let source = &job["job_id"];
    let remix = json!({"prompt": "in fog", "source_job_id": source});
    let remix = user.post("/api/video/remix", remix).await.expect(202).json();
    done(&user, &remix).await;
    let extend = json!({"prompt": "and then", "source_job_id": source, "seconds": 8});
    let extend = user.post("/api/video/extend", extend).await.expect(202).json();
    let extend = done(&user, &extend).await;
    assert_eq!(extend["cost_nanos"], 800_000_000);
    let all = provider.seen.all();
    assert_eq!(all[1].0, "/v1/videos/video_1/remix");
    let body: Value = serde_json::from_str(&all[2].1).expect("JSON");
    assert_eq!(all[2].0, "/v1/videos/extensions");
    assert_eq!(body, json!({"video": {"id": "video_1"}, "prompt": "and then", "seconds": "8"}));
    let elsewhere = json!({"prompt": "x", "source_job_id": source, "model": "builtin/clip"});
    assert_eq!(user.post("/api/video/remix", elsewhere).await.faults(), ["body.model"]);
}

#[tokio::test]
async fn refused_job_reports_the_providers_message_and_is_not_billed() {
    let provider = FakeVideo::start().await;
    provider.seen.fail.store(true, SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    let job = done(&user, &job).await;
    assert_eq!((&job["status"], &job["cost_nanos"]), (&json!("failed"), &json!(0)));
    assert_eq!(job["error"]["code"], "moderation_blocked");
    let words = job["error"]["message"].as_str().expect("words");
    assert!(words.contains("not with") && !words.contains(KEY), "{words}");
    assert!(bills(&server, &job).await.is_empty());
    let refused = user.get(&path(&job, "download")).await.problem(409, "not_ready");
    assert_eq!(refused["reason"], "moderation_blocked");

    provider.seen.refuse(&[(400, "no boats, please")]);
    let job = generate(&user, film("another boat")).await;
    let job = done(&user, &job).await;
    assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!("upstream_refused")));
    assert!(job["error"]["message"].as_str().expect("words").contains("no boats, please"), "{job}");
    assert_eq!(provider.seen.submitted("another boat"), 0);
}

#[tokio::test]
async fn submit_is_retried_if_the_provider_is_busy() {
    let provider = FakeVideo::start().await;
    provider.seen.refuse(&[(429, "too many"), (503, "busy")]);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    let events = watch(&user, &job, "").await.events().await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    let told = kinds(&events);
    assert_eq!(told.iter().filter(|kind| **kind == "video.postponed").count(), 2, "{told:?}");
    assert_eq!(provider.seen.submissions(), 1);
    assert_eq!(bills(&server, &job).await.len(), 1);
}

#[tokio::test]
async fn job_waits_for_a_provider_that_is_temporarily_unavailable() {
    let provider = FakeVideo::start().await;
    provider.seen.limit.store(50, SeqCst);
    provider.seen.breaks.store(1, SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    provider.seen.until(|seen| seen.questions.load(SeqCst) > 1).await;
    provider.seen.down.store(true, SeqCst);
    let asked = provider.seen.questions.load(SeqCst);
    provider.seen.until(|seen| seen.questions.load(SeqCst) > asked + 1).await;
    provider.seen.limit.store(100, SeqCst);
    provider.seen.down.store(false, SeqCst);
    let job = done(&user, &job).await;
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(provider.seen.fetches.load(SeqCst), 2, "an interrupted download is repeated");
    assert_eq!(user.get(&path(&job, "download")).await.expect(200).body, *provider.seen.file.lock());
    assert_eq!(provider.seen.submissions(), 1);
}

#[tokio::test]
async fn submit_that_may_have_been_accepted_is_not_repeated() {
    let provider = FakeVideo::start().await;
    provider.seen.hang_up.store(true, SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    let job = done(&user, &job).await;
    assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!("submission_uncertain")));
    assert_eq!(provider.seen.submissions(), 1);
    is_paid_by_estimate(&server, &job).await;
}

#[tokio::test]
async fn video_file_is_limited_in_size() {
    let provider = FakeVideo::start().await;
    let server = with_settings(&provider, |config| config.video.largest_mib = 1).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    let job = done(&user, &job).await;
    assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!("result_too_large")));
    is_paid_by_estimate(&server, &job).await;
    provider.seen.file.lock().clear();
    let job = generate(&user, film("nothing")).await;
    let job = done(&user, &job).await;
    assert_eq!(job["error"]["code"], "upstream_protocol", "{job}");
    is_paid_by_estimate(&server, &job).await;
}

/// The provider may charge the job in full, whatever its result here.
async fn is_paid_by_estimate(server: &TestServer, job: &Value) {
    assert_eq!((&job["status"], &job["cost_nanos"]), (&json!("failed"), &json!(400_000_000)), "{job}");
    let bills = bills(server, job).await;
    let told: Vec<_> = bills.iter().map(|bill| (bill.quantity, bill.cost_nanos, bill.estimated)).collect();
    assert_eq!(told, [(4_000, 400_000_000, true)], "{job}");
}

#[tokio::test]
async fn video_that_cannot_be_stored_is_billed() {
    let provider = FakeVideo::start().await;
    let server = with_provider(&provider).await;
    let user = server.user();
    // A page instead of a video.
    provider.seen.page.store(true, SeqCst);
    let job = generate(&user, film("a boat")).await;
    let events = watch(&user, &job, "").await.events().await;
    assert!(kinds(&events).contains(&"video.made"), "{events:?}");
    let job = status(&user, &job).await;
    assert_eq!(job["error"]["code"], "upstream_protocol");
    is_paid_by_estimate(&server, &job).await;
    provider.seen.page.store(false, SeqCst);
    // A job that the provider accepted and no longer knows.
    provider.seen.forgets.store(true, SeqCst);
    let job = generate(&user, film("a goat")).await;
    let job = done(&user, &job).await;
    assert_eq!(job["error"]["code"], "upstream_refused", "{job}");
    is_paid_by_estimate(&server, &job).await;
}

#[tokio::test]
async fn video_withdrawn_by_the_provider_is_billed() {
    let provider = FakeVideo::start().await;
    provider.seen.breaks.store(1_000, SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    provider.seen.until(|seen| seen.fetches.load(SeqCst) > 0).await;
    provider.seen.fail.store(true, SeqCst);
    let job = done(&user, &job).await;
    assert_eq!(job["error"]["code"], "moderation_blocked");
    is_paid_by_estimate(&server, &job).await;
}

#[tokio::test]
async fn job_times_out() {
    let provider = FakeVideo::start().await;
    provider.seen.limit.store(50, SeqCst);
    let server = with_settings(&provider, |config| config.video.job_minutes = 0.03).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    let job = done(&user, &job).await;
    assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!("timed_out")));
    assert_eq!(provider.seen.deleted(), ["video_1"], "the job is cancelled at the provider");
    assert!(bills(&server, &job).await[0].estimated);
}

#[tokio::test]
async fn job_is_refused_by_an_exhausted_budget() {
    let provider = FakeVideo::start().await;
    let server = with_provider(&provider).await;
    let (admin, user) = (server.admin(), server.user());
    let job = generate(&user, film("a boat")).await;
    done(&user, &job).await;
    let (tenant, row) = (storage::TenantId::SYSTEM, server.user_person().tenant.parse().expect("an id"));
    let limits = storage::records::Budget { cost_nanos_month: Some(1), ..Default::default() };
    let put = server.store().run(move |tx| {
        let mut governed = tx.require::<storage::records::Tenant>(tenant, &row)?;
        governed.governed.budgets = true;
        tx.update(tenant, governed)?;
        tx.insert(storage::TenantId(row), uuid::Uuid::nil(), limits).map(drop)
    });
    let put: storage::Result<()> = put.await;
    put.expect("the budget");
    user.post("/api/video/generate", film("another boat")).await.problem(402, "budget_exceeded");
    admin.post("/api/video/generate", film("another boat")).await.problem(402, "budget_exceeded");
    assert_eq!(provider.seen.submissions(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn jobs_per_user_are_limited_under_concurrency() {
    let provider = FakeVideo::start().await;
    provider.seen.limit.store(10, SeqCst);
    let server = with_settings(&provider, |config| config.video.jobs_per_user = 2).await;
    let user = server.user();
    let asked = (0..12).map(|n| user.post("/api/video/generate", film(&format!("film {n}"))));
    let answers = futures::future::join_all(asked).await;
    let accepted = answers.iter().filter(|answer| answer.status == 202).count();
    let refused = answers.iter().filter(|answer| answer.status == 429).count();
    assert_eq!((accepted, refused), (2, 10));
}

#[tokio::test]
async fn jobs_per_user_are_limited() {
    let provider = FakeVideo::start().await;
    provider.seen.limit.store(10, SeqCst);
    let server = with_settings(&provider, |config| config.video.jobs_per_user = 2).await;
    let (user, editor) = (server.user(), server.editor());
    let first = generate(&user, film("one")).await;
    generate(&user, film("two")).await;
    let third = user.post("/api/video/generate", film("three")).await;
    third.problem(429, "rate_limited");
    assert!(third.header("retry-after").is_some());
    generate(&editor, film("of another user")).await;
    provider.seen.until(|seen| seen.submissions() == 3).await;
    user.delete(&path(&first, "")).await;
    done(&user, &first).await;
    generate(&user, film("three")).await;
}
