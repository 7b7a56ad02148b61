//! Video jobs in tests.

use reqwest::Method;
use serde_json::{Value, json};
use storage::records::{UsageRecord, VideoJob};
use storage::{Row, Scan, TenantId};

use crate::api::streams::reading::Stream;
use crate::harness::fake_video::FakeVideo;
use crate::harness::{Client, Person, TestServer, text};

/// Starts a server whose only other provider is this one.
pub async fn with_provider(provider: &FakeVideo) -> TestServer {
    with_settings(provider, |_| {}).await
}

/// Like `with_provider`, with further settings.
pub async fn with_settings(
    provider: &FakeVideo,
    settings: impl FnOnce(&mut understudy::Config),
) -> TestServer {
    let config = provider.config();
    TestServer::start_with(|all| {
        all.providers = vec![config];
        settings(all);
    })
    .await
}

/// Requests a video and returns its job.
pub async fn generate(client: &Client, body: Value) -> Value {
    client.post("/api/video/generate", body).await.expect(202).json()
}

/// A short clip of the built-in model.
pub fn short(prompt: &str) -> Value {
    json!({"prompt": prompt, "model": "builtin/clip", "size": "320x180", "seconds": 1})
}

/// A video of the provider.
pub fn film(prompt: &str) -> Value {
    json!({"prompt": prompt, "model": "fake/film", "size": "640x480", "seconds": 4})
}

pub fn path(job: &Value, what: &str) -> String {
    let name = format!("/api/video/jobs/{}", text(&job["job_id"]));
    if what.is_empty() { name } else { format!("{name}/{what}") }
}

/// Returns the current state of a job.
pub async fn status(client: &Client, job: &Value) -> Value {
    client.get(&path(job, "status")).await.ok()
}

/// Opens the stream of a job. `query` begins with `?` or is empty.
pub async fn watch(client: &Client, job: &Value, query: &str) -> Stream {
    let request = client.request(Method::GET, &format!("{}{query}", path(job, "status")));
    Stream::open(request.header("accept", "text/event-stream")).await
}

/// Waits until a job has ended, and returns it.
pub async fn done(client: &Client, job: &Value) -> Value {
    let events = watch(client, job, "").await.events().await;
    assert_eq!(events.last().expect("events")["type"], "run.ended", "{events:?}");
    status(client, job).await
}

/// Returns the usage records of a job.
pub async fn bills(server: &TestServer, job: &Value) -> Vec<Row<UsageRecord>> {
    let tenant = TenantId(server.user_person().tenant.parse().expect("an id"));
    let run = text(&job["job_id"]).parse().ok();
    let all = server.store().read(move |reader| reader.scan::<UsageRecord>(tenant, Scan::table()));
    let all: storage::Result<_> = all.await;
    all.expect("records").items.into_iter().filter(|row| row.run_id == run).collect()
}

/// Returns the stored row of a job.
pub async fn kept(server: &TestServer, owner: &Person, job: &Value) -> Row<VideoJob> {
    let tenant = TenantId(owner.tenant.parse().expect("an id"));
    let id = (owner.id.parse().expect("an id"), text(&job["job_id"]).parse().expect("an id"));
    let row = server.store().read(move |reader| reader.require::<VideoJob>(tenant, &id)).await;
    let row: storage::Result<_> = row;
    row.expect("the job")
}

/// Returns the types of the events in order.
pub fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["type"].as_str()).collect()
}

/// Counts the frames of an MP4 file by its sample size table.
pub fn pictures(file: &[u8]) -> u32 {
    assert_eq!(&file[4..8], b"ftyp");
    let at = file.windows(4).position(|name| name == b"stsz").expect("a table of sizes");
    u32::from_be_bytes(file[at + 12..at + 16].try_into().expect("four bytes"))
}
