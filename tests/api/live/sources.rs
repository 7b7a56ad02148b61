//! Everything that has a stream or a feed can be subscribed to.

use std::sync::atomic::Ordering::SeqCst;

use serde_json::json;

use super::client::{Live, ended_stream, home_of, replay, server};
use crate::api::knowledge_bases::scene::{private, upload};
use crate::api::notifications::write;
use crate::api::skills::builder::{assistant, build, history};
use crate::api::streams::reading::messages;
use crate::api::video::scene::{film, generate, path, short, with_provider};
use crate::harness::fake_video::FakeVideo;
use crate::harness::text;

#[tokio::test]
async fn streams_of_every_area_equal_their_replay() {
    let server = server().await;
    let editor = server.editor();
    let base = private(&editor).await;
    let document = upload(&editor, &base, "a.md", "The moon pulls the sea.").await.created();
    let document = text(&document["items"][0]["id"]);
    let builder = assistant(&editor, "builtin/scribe").await;
    let draft = build(&editor, &builder, json!({"prompt": "Twice.", "skill_filename": "twice.skill"})).await;
    let video = generate(&editor, short("tides")).await;
    let question = json!({"model": "builtin/scribe", "messages": [{"role": "user", "content": "x"}]});
    let answer = editor.post("/api/chat/completion", question).await;
    let chat = answer.header("x-stream-id").expect("a stream");
    let paths = [
        ("conversation", ended_stream(&editor, 10).await),
        ("chat", format!("/api/chat/streams/{chat}")),
        ("document", format!("/api/knowledge-bases/{base}/documents/{document}")),
        ("skill", format!("{}/{}/stream", history(&builder), text(&draft["job_id"]))),
        ("video", path(&video, "status")),
    ];
    let mut live = Live::open(&editor).await;
    for (id, path) in &paths {
        live.subscribe(id, path).await;
    }
    let read = live.ended(paths.len()).await;
    for (id, path) in &paths {
        let canonical = replay(&editor, path).await;
        assert_eq!(read[*id], canonical, "{id}");
        live.resume("again", path, 2).await;
        assert_eq!(live.ended(1).await["again"], canonical[2..], "{id}");
        // Other tenants reach none of them.
        let mut strange = Live::open(&server.stranger()).await;
        strange.subscribe("a", path).await;
        let refused = strange.message().await;
        assert_eq!((&refused["type"], &refused["problem"]["code"]), (&json!("ended"), &json!("not_found")));
    }
}

#[tokio::test]
async fn video_is_cancelled_by_the_operation_of_its_area() {
    let provider = FakeVideo::start().await;
    provider.seen.limit.store(50, SeqCst);
    let server = with_provider(&provider).await;
    let user = server.user();
    let video = generate(&user, film("a boat")).await;
    provider.seen.until(|seen| seen.questions.load(SeqCst) > 1).await;
    let mut live = Live::open(&user).await;
    live.subscribe("video", &path(&video, "status")).await;
    live.until("subscribed", "video").await;
    live.say(json!({"op": "cancel", "id": "video"})).await;
    let ended = live.event("video", "run.ended").await;
    assert_eq!(ended["event"]["data"]["terminal"]["status"], "cancelled");
    assert_eq!(provider.seen.deleted(), ["video_1"]);
}

#[tokio::test]
async fn feed_of_notifications_resumes_by_position() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    let mut live = Live::open(&user).await;
    live.subscribe("n", "/api/notifications").await;
    let begin = live.event("n", "unread_count").await;
    assert_eq!(begin["event"]["data"]["count"], 0);
    write(&server, &person, "one").await;
    let first = live.event("n", "notification").await;
    assert_eq!(first["event"]["data"]["title"], "one");
    assert_eq!(first["position"], first["event"]["seq"].to_string());
    drop(live);
    write(&server, &person, "two").await;
    let mut live = Live::open(&user).await;
    live.resume("n", "/api/notifications", first["position"].clone()).await;
    live.resume("all", "/api/notifications", 0).await;
    let (mut resumed, mut all) = (Vec::new(), Vec::new());
    while all.len() < 2 || resumed.is_empty() {
        let message = live.message().await;
        if message["event"]["type"] == "notification" {
            let title = text(&message["event"]["data"]["title"]);
            if message["id"] == "n" { resumed.push(title) } else { all.push(title) }
        }
    }
    assert_eq!((resumed, all), (vec!["two".to_owned()], vec!["one".to_owned(), "two".to_owned()]));
}

#[tokio::test]
async fn feed_of_a_conversation_resumes_by_position_and_ends_with_it() {
    let server = server().await;
    let user = server.user();
    let home = home_of(&ended_stream(&user, 5).await).to_owned();
    let mut live = Live::open(&user).await;
    live.subscribe("c", &home).await;
    live.event("c", "feed.opened").await;
    user.put(&home, json!({"title": "Tides"})).await.ok();
    let renamed = live.event("c", "title.updated").await;
    assert_eq!(renamed["event"]["data"]["title"], "Tides");
    let position = renamed["position"].clone();
    drop(live);
    user.put(&home, json!({"title": "Ebb"})).await.ok();
    let mut live = Live::open(&user).await;
    live.resume("c", &home, position).await;
    let missed = live.event("c", "title.updated").await;
    assert_eq!(missed["event"]["data"]["title"], "Ebb");
    let id = home.rsplit('/').next().expect("an id");
    assert_eq!(messages(&user, id).await.len(), 2);
    user.delete(&home).await.no_content();
    let ended = live.until("ended", "c").await;
    assert_eq!(ended["problem"]["code"], "not_found");
    assert_eq!(ended["problem"]["status"], 404);
}
