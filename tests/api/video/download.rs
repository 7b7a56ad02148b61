//! Downloads: complete, in ranges, too early and too late.

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{done, film, generate, kept, path, short, with_provider};
use crate::harness::fake_video::FakeVideo;
use crate::harness::{Answer, Client, TestServer, until};

async fn part(client: &Client, job: &Value, headers: &[(&str, &str)]) -> Answer {
    let request = client.request(Method::GET, &path(job, "download"));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    Client::send(request).await
}

#[tokio::test]
async fn download_ranges_add_up_to_the_file() {
    let provider = FakeVideo::start().await;
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    let job = done(&user, &job).await;
    assert_eq!(job["status"], "completed", "{job}");
    let whole = user.get(&path(&job, "download")).await.expect(200).body.clone();
    assert_eq!(whole, *provider.seen.file.lock());
    assert!(!path(&job, "download").is_empty());
    for step in [1_000_000, 999_983, whole.len()] {
        let mut joined = Vec::new();
        while joined.len() < whole.len() {
            let (first, last) = (joined.len(), joined.len() + step - 1);
            let answer = part(&user, &job, &[("range", &format!("bytes={first}-{last}"))]).await;
            answer.expect(206);
            let last = last.min(whole.len() - 1);
            let range = format!("bytes {first}-{last}/{}", whole.len());
            assert_eq!(answer.header("content-range"), Some(range.as_str()));
            assert_eq!(answer.header("content-length"), Some((last - first + 1).to_string().as_str()));
            joined.extend(answer.body);
        }
        assert!(joined == whole, "in steps of {step}");
    }
    let one = |range: &'static str| {
        let (user, job) = (&user, &job);
        async move { part(user, job, &[("range", range)]).await }
    };
    assert_eq!(one("bytes=0-0").await.expect(206).body, whole[..1]);
    assert_eq!(one("bytes=-7").await.expect(206).body, whole[whole.len() - 7..]);
    assert_eq!(one("bytes=5999990-").await.expect(206).body, whole[5_999_990..]);
    for whole_again in ["bytes=5-2", "bytes=0-1,4-5", "pages=1-2", "bytes=x"] {
        assert!(one(whole_again).await.expect(200).body == whole, "{whole_again}");
    }
    let beyond = one("bytes=6000000-").await;
    beyond.problem(416, "range_not_satisfiable");
    assert_eq!(beyond.header("content-range"), Some("bytes */6000000"));
}

#[tokio::test]
async fn download_range_respects_if_range() {
    let server = TestServer::start().await;
    let user = server.user();
    let job = generate(&user, short("a boat")).await;
    done(&user, &job).await;
    let whole = user.get(&path(&job, "download")).await;
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    let tag = whole.header("etag").expect("a tag").to_owned();
    let range = ("range", "bytes=1-9");
    assert_eq!(part(&user, &job, &[range, ("if-range", &tag)]).await.expect(206).body, whole.body[1..10]);
    assert_eq!(part(&user, &job, &[range, ("if-range", "\"other\"")]).await.expect(200).body, whole.body);
    let date = "Sat, 29 Oct 1994 19:43:31 GMT";
    part(&user, &job, &[range, ("if-range", date)]).await.expect(200);
    for held in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
        assert!(part(&user, &job, &[("if-none-match", &held)]).await.expect(304).body.is_empty());
    }

    let post = user.request(Method::POST, &path(&job, "download"));
    assert_eq!(Client::send(post.try_clone().unwrap()).await.expect(200).body, whole.body, "without a body");
    let with = |body: Value| Client::send(post.try_clone().unwrap().json(&body));
    assert_eq!(with(json!({"model": "builtin/clip"})).await.expect(200).body, whole.body);
    with(json!({"model": "builtin/other"})).await.not_found();
    assert_eq!(with(json!({"nonsense": 1})).await.faults(), ["body.nonsense"]);
    let ranged = post.try_clone().unwrap().header("range", "bytes=1-9");
    assert_eq!(Client::send(ranged).await.expect(206).body, whole.body[1..10]);
}

#[tokio::test]
async fn download_is_available_from_the_end_to_the_expiry() {
    let provider = FakeVideo::start().await;
    provider.seen.limit.store(40, std::sync::atomic::Ordering::SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let job = generate(&user, film("a boat")).await;
    provider.seen.until(|seen| seen.questions.load(std::sync::atomic::Ordering::SeqCst) > 1).await;
    user.get(&path(&job, "download")).await.problem(409, "not_ready");
    for way in ["remix", "extend"] {
        let body = json!({"prompt": "x", "source_job_id": job["job_id"]});
        user.post(&format!("/api/video/{way}"), body).await.problem(409, "not_ready");
    }
    let server = server.restart_with(|config| config.video.keep_hours = 0.000_01).await;
    let user = server.user();
    provider.seen.limit.store(100, std::sync::atomic::Ordering::SeqCst);
    done(&user, &job).await;
    let mut answer = user.get(&path(&job, "download")).await;
    // The file is retained for 36 ms.
    while answer.status == 200 {
        answer = user.get(&path(&job, "download")).await;
    }
    answer.problem(410, "result_expired");
    let shown = super::scene::status(&user, &job).await;
    assert_eq!((&shown["status"], &shown["result"]), (&json!("completed"), &json!(null)));
    // The sweep releases the file.
    until("the file is claimed no more", async || {
        kept(&server, server.user_person(), &job).await.result.is_none()
    })
    .await;
}
