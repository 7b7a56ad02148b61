//! Video jobs under `kill -9`: a job is never submitted twice, whatever it was doing, and it ends with its video
//! or with the reason why there is none.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::server::{EMAIL, PASSWORD, Server};
use super::setting;
use crate::harness::fake_video::FakeVideo;
use crate::harness::{Client, Person, text};

/// A server with this provider, and a user of the server.
async fn stage(provider: &FakeVideo) -> (Server, Client) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    // The limit for a user who requests many jobs at once.
    let settings = format!("[video]\njobs_per_user = 1000\npoll_seconds = 0.5\n\n{}", provider.toml());
    let server = Server::install_with(&settings).await;
    let person = Person::log_in(&server.url, EMAIL, PASSWORD).await;
    let client = Client::new(server.url.clone(), Some(person.access_token));
    let made = client.post("/api/auth/api-tokens", json!({"name": "crash test"})).await.created();
    let client = Client::new(server.url.clone(), Some(text(&made["token"])));
    (server, client)
}

/// Sends SIGKILL and starts the server again.
async fn crash(server: &mut Server, client: &mut Client) {
    server.kill();
    server.spawn();
    server.ready().await;
    *client = Client::new(server.url.clone(), Some(client.bearer().to_owned()));
}

async fn generate(client: &Client, prompt: &str) -> Option<String> {
    let body = json!({"prompt": prompt, "model": "fake/film", "size": "640x480", "seconds": 4});
    let answer = client.request(Method::POST, "/api/video/generate").json(&body).send().await.ok()?;
    let job: Value = answer.json().await.ok()?;
    job["job_id"].as_str().map(str::to_owned)
}

async fn ended(client: &Client, job: &str) -> Value {
    for _ in 0..9_000 {
        let shown = client.get(&format!("/api/video/jobs/{job}/status")).await.ok();
        if !["queued", "in_progress"].contains(&shown["status"].as_str().unwrap_or_default()) {
            return shown;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("job {job} does not end");
}

async fn is_whole(client: &Client, provider: &FakeVideo, job: &str) {
    let file = client.get(&format!("/api/video/jobs/{job}/download")).await;
    assert!(file.expect(200).body == *provider.seen.file.lock(), "the video differs from the file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn video_submission_without_a_response_is_not_repeated() {
    let provider = FakeVideo::start().await;
    let (mut server, mut client) = stage(&provider).await;
    provider.seen.mute.store(true, SeqCst);
    let job = generate(&client, "a boat").await.expect("accepted");
    provider.seen.until(|seen| seen.submissions() == 1).await;
    crash(&mut server, &mut client).await;
    let shown = ended(&client, &job).await;
    assert_eq!(
        (&shown["status"], &shown["error"]["code"]),
        (&json!("failed"), &json!("submission_uncertain"))
    );
    assert_eq!(provider.seen.submissions(), 1);
    // The state does not change after another crash.
    crash(&mut server, &mut client).await;
    assert_eq!(ended(&client, &job).await, shown);
    assert_eq!(provider.seen.submissions(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn video_job_is_polled_and_downloaded_across_crashes() {
    let provider = FakeVideo::start().await;
    let (mut server, mut client) = stage(&provider).await;
    provider.seen.limit.store(50, SeqCst);
    let job = generate(&client, "a boat").await.expect("accepted");
    // Crash several times while the job is polled: waiting does not count as a crash loop.
    for _ in 0..5 {
        let asked = provider.seen.questions.load(SeqCst);
        provider.seen.until(|seen| seen.questions.load(SeqCst) > asked + 1).await;
        crash(&mut server, &mut client).await;
    }
    // Crash while its file is downloaded.
    provider.seen.half.store(true, SeqCst);
    provider.seen.limit.store(100, SeqCst);
    provider.seen.until(|seen| seen.fetches.load(SeqCst) == 1).await;
    crash(&mut server, &mut client).await;
    provider.seen.until(|seen| seen.fetches.load(SeqCst) == 2).await;
    provider.seen.half.store(false, SeqCst);
    crash(&mut server, &mut client).await;
    let shown = ended(&client, &job).await;
    assert_eq!(shown["status"], "completed", "{shown}");
    is_whole(&client, &provider, &job).await;
    assert_eq!(provider.seen.submissions(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn video_job_is_never_submitted_twice() {
    let crashes = setting("UNDERSTUDY_VIDEO_CRASHES", 8);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let provider = FakeVideo::start().await;
    provider.seen.file.lock().truncate(200_000);
    let (mut server, mut client) = stage(&provider).await;
    let mut jobs = Vec::new();
    for round in 0..crashes {
        let asking = client.clone();
        let asked = tokio::spawn(async move {
            let mut accepted = Vec::new();
            for n in 0..6 {
                let prompt = format!("boat {round}-{n}.");
                match generate(&asking, &prompt).await {
                    Some(job) => accepted.push((job, prompt)),
                    None => break,
                }
            }
            accepted
        });
        sleep(Duration::from_millis(dice.random_range(0..250))).await;
        crash(&mut server, &mut client).await;
        jobs.extend(asked.await.expect("no panic"));
    }
    let mut uncertain = 0;
    for (job, prompt) in &jobs {
        let shown = ended(&client, job).await;
        let submitted = provider.seen.submitted(prompt);
        match shown["status"].as_str() {
            Some("completed") => {
                assert_eq!(submitted, 1, "seed {seed}: {shown}");
                is_whole(&client, &provider, job).await;
            }
            _ => {
                assert!(submitted <= 1, "seed {seed}: submitted {submitted} times: {shown}");
                let code = &shown["error"]["code"];
                assert!(code == "submission_uncertain" || code == "interrupted", "seed {seed}: {shown}");
                uncertain += 1;
            }
        }
    }
    println!("{} jobs, {uncertain} of them of an uncertain end", jobs.len());
}
