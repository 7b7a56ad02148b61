//! The built-in model: clips from a prompt or from other clips, and their streams.

use reqwest::Method;
use serde_json::json;

use super::scene::{bills, done, generate, kinds, path, pictures, short, status, watch};
use crate::api::streams::reading::{Stream, lines, terminal, without_gap};
use crate::harness::{Client, TestServer, text};

#[tokio::test]
async fn clip_is_generated_and_downloaded() {
    let server = TestServer::start().await;
    let user = server.user();
    let job = generate(&user, short("a lighthouse at night")).await;
    assert_eq!(job["status"], "queued");
    assert_eq!(
        (&job["model"], &job["size"], &job["seconds"]),
        (&json!("builtin/clip"), &json!("320x180"), &json!(1))
    );
    let events = watch(&user, &job, "").await.events().await;
    without_gap(&events, 0);
    let told = kinds(&events);
    assert_eq!(told[..3], ["run.started", "video.submitting", "video.submitted"]);
    assert_eq!(told[told.len() - 2..], ["video.completed", "run.ended"]);
    let percents: Vec<_> = events.iter().filter_map(|event| event["data"]["percent"].as_u64()).collect();
    assert!(percents.is_sorted() && percents.iter().all(|percent| *percent <= 100), "{percents:?}");
    assert_eq!(terminal(&events)["status"], "succeeded");

    let job = status(&user, &job).await;
    assert_eq!((&job["status"], &job["progress"]), (&json!("completed"), &json!(100)));
    assert_eq!((&job["cost_nanos"], &job["cost"]), (&json!(0), &json!("0.000000000")));
    assert!(text(&job["expires_at"]) > text(&job["finished_at"]));
    let file = user.get(&text(&job["result"]["download"])).await;
    file.expect(200);
    assert_eq!(file.header("content-type"), Some("video/mp4"));
    assert_eq!(pictures(&file.body), 12);
    let digest = ring::digest::digest(&ring::digest::SHA256, &file.body);
    let digest = data_encoding::HEXLOWER.encode(digest.as_ref());
    assert_eq!(job["result"]["sha256"], digest);
    assert_eq!(job["result"]["size"], file.body.len());
    assert_eq!(file.header("etag"), Some(format!("\"{digest}\"").as_str()));

    let bills = bills(&server, &job).await;
    assert_eq!(bills.len(), 1);
    assert_eq!((bills[0].kind.as_str(), bills[0].quantity, bills[0].cost_nanos), ("video", 1_000, 0));
    assert!(!bills[0].estimated);
}

#[tokio::test]
async fn clip_is_remixed_and_extended() {
    let server = TestServer::start().await;
    let user = server.user();
    let first = generate(&user, short("a boat")).await;
    let first = done(&user, &first).await;
    let source = &first["job_id"];
    let remix = json!({"prompt": "at night", "source_job_id": source});
    let remix = user.post("/api/video/remix", remix).await.expect(202).json();
    let extend = json!({"prompt": "and a storm comes", "source_job_id": source, "seconds": 2});
    let extend = user.post("/api/video/extend", extend).await.expect(202).json();
    let (remix, extend) = (done(&user, &remix).await, done(&user, &extend).await);
    assert_eq!((&remix["operation"], &remix["source_job_id"]), (&json!("remix"), source));
    assert_eq!((&remix["seconds"], &extend["seconds"]), (&json!(1), &json!(2)));
    let mut files = Vec::new();
    for job in [&first, &remix, &extend] {
        files.push(user.get(&path(job, "download")).await.expect(200).body.clone());
    }
    assert_eq!(files.iter().map(|file| pictures(file)).collect::<Vec<_>>(), [12, 12, 36]);
    assert_ne!(files[0], files[1]);
    // An extension can be remixed as a whole.
    let whole = json!({"prompt": "x", "source_job_id": extend["job_id"]});
    let whole = user.post("/api/video/remix", whole).await.expect(202).json();
    assert_eq!(whole["seconds"], 3);
    let again = user.post("/api/video/generate", short("a boat")).await.expect(202).json();
    done(&user, &again).await;
    let same = user.get(&path(&again, "download")).await;
    assert_eq!(same.body, files[0], "the same prompt gives the same clip");
}

#[tokio::test]
async fn generate_uses_defaults() {
    let server = TestServer::start().await;
    let user = server.user();
    let job = generate(&user, json!({"prompt": "tides"})).await;
    let of = |name: &str| job[name].clone();
    assert_eq!((of("model"), of("size"), of("seconds")), (json!("builtin/clip"), json!("640x360"), json!(4)));
    assert_eq!((of("operation"), of("source_job_id")), (json!("generate"), json!(null)));
    user.delete(&path(&job, "")).await;
}

#[tokio::test]
async fn generate_reports_all_faults_at_once() {
    let server = TestServer::start().await;
    let user = server.user();
    let faults = async |path: &str, body| user.post(path, body).await.faults();
    let generate = "/api/video/generate";
    assert_eq!(faults(generate, json!({})).await, ["body.prompt"]);
    assert_eq!(faults(generate, json!({"prompt": "  "})).await, ["body.prompt"]);
    let wrong = json!({"prompt": "", "size": "big", "seconds": 0, "colour": "red"});
    assert_eq!(faults(generate, wrong).await, ["body.colour", "body.prompt", "body.seconds", "body.size"]);
    assert_eq!(faults(generate, json!({"prompt": "x", "size": "641x360"})).await, ["body.size"]);
    assert_eq!(faults(generate, json!({"prompt": "x", "seconds": 11})).await, ["body.seconds"]);
    assert_eq!(faults(generate, json!({"prompt": "x", "source_job_id": "y"})).await, ["body.source_job_id"]);
    assert_eq!(faults("/api/video/remix", json!({})).await, ["body.prompt", "body.source_job_id"]);
    user.post(generate, json!({"prompt": "x", "model": "builtin/none"}))
        .await
        .problem(404, "model_not_found");
    user.post(generate, json!({"prompt": "x", "model": "builtin/scribe"}))
        .await
        .problem(404, "model_not_found");
    let nowhere = json!({"prompt": "x", "source_job_id": "01890000-0000-7000-8000-000000000000"});
    user.post("/api/video/extend", nowhere).await.not_found();
    user.post("/api/video/extend", json!({"prompt": "x", "source_job_id": "a/b"})).await.not_found();
    assert_eq!(user.get("/api/video/jobs").await.ok()["items"], json!([]));
    let source = generate_short(&user).await;
    let other = |more: serde_json::Value| {
        let mut body = json!({"prompt": "x", "source_job_id": source});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    assert_eq!(faults("/api/video/remix", other(json!({"size": "640x360"}))).await, ["body.size"]);
    assert_eq!(faults("/api/video/remix", other(json!({"seconds": 2}))).await, ["body.seconds"]);
}

async fn generate_short(user: &Client) -> String {
    let job = generate(user, short("tides")).await;
    text(&done(user, &job).await["job_id"])
}

#[tokio::test]
async fn repeated_idempotency_key_returns_the_same_job() {
    let server = TestServer::start().await;
    let user = server.user();
    let ask = |prompt: &str, key: &str| {
        let request = user.request(Method::POST, "/api/video/generate").json(&short(prompt));
        Client::send(request.header("idempotency-key", key.to_owned()))
    };
    let (first, second) = tokio::join!(ask("a boat", "one"), ask("a boat", "one"));
    let (first, second) = (first.expect(202).json(), second.expect(202).json());
    assert_eq!(first["job_id"], second["job_id"]);
    ask("a goat", "one").await.problem(422, "idempotency_mismatch");
    let other = ask("a boat", "two").await.expect(202).json();
    assert_ne!(first["job_id"], other["job_id"]);
    let (first, other) = tokio::join!(done(&user, &first), done(&user, &other));
    assert_eq!((&first["status"], &other["status"]), (&json!("completed"), &json!("completed")));
    assert_eq!(first["result"]["sha256"], other["result"]["sha256"]);
    let later = ask("a boat", "one").await.expect(202).json();
    assert_eq!((&later["job_id"], &later["status"]), (&first["job_id"], &json!("completed")));
}

#[tokio::test]
async fn stream_of_a_job_can_be_read_from_any_offset() {
    let server = TestServer::start().await;
    let user = server.user();
    let job = generate(&user, short("tides")).await;
    let canonical = watch(&user, &job, "").await.events().await;
    without_gap(&canonical, 0);
    let server = server.restart().await;
    let user = server.user();
    for k in 0..=canonical.len() {
        let by_query = watch(&user, &job, &format!("?after={k}")).await.events().await;
        assert_eq!(by_query, canonical[k..], "events after {k}");
        let by_line = user.request(Method::GET, &path(&job, "status"));
        let by_line = by_line.header("accept", "application/x-ndjson").header("last-event-id", k);
        assert_eq!(lines(&Stream::open(by_line).await.rest().await), canonical[k..], "ndjson after {k}");
    }
}

#[tokio::test]
async fn model_list_describes_the_videos_that_models_make() {
    let server = TestServer::start().await;
    let user = server.user();
    let all = user.get("/api/video/models").await.ok();
    assert_eq!(all["total"], 1);
    let clip = &all["items"][0];
    assert_eq!((&clip["id"], &clip["is_default"]), (&json!("builtin/clip"), &json!(true)));
    assert_eq!((&clip["kind"], &clip["price_unit"]), (&json!("video"), &json!("second")));
    assert_eq!(clip["sizes"][0], "640x360");
    assert_eq!(clip["seconds"], json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    let total =
        async |query: &str| user.get(&format!("/api/video/models{query}")).await.ok()["total"].clone();
    assert_eq!(total("?tags=remix&tags=built-in").await, 1);
    assert_eq!(total("?tags=remix&tags=sound").await, 0);
}
