//! Deleting conversations.

use serde_json::json;

use crate::api::streams::reading::{address, ask_words, attach, conversation, server, terminal};

#[tokio::test]
async fn delete_stops_live_streams_and_removes_everything() {
    let server = server().await;
    let user = server.user();
    let (home, other) = (conversation(&user).await, conversation(&user).await);
    let done = ask_words(&user, &home, 3, 0).await;
    let done_id = done.id.clone();
    done.rest().await;
    let kept = ask_words(&user, &other, 3, 0).await;
    let kept_id = kept.id.clone();
    let kept = kept.events().await;
    let mut live = ask_words(&user, &home, 5000, 5).await;
    live.until("text.delta").await;
    let live_id = live.id.clone();
    let queue =
        json!({"message": "Later.", "on_active": "queue", "parameters": {"length": 5000, "pace_ms": 5}});
    let queued = crate::api::streams::reading::ask(&user, &home, queue).await;

    let path = format!("/api/conversations/{home}");
    user.delete(&path).await.no_content();
    assert_eq!(terminal(&live.events().await)["status"], "cancelled");
    assert_eq!(terminal(&queued.events().await)["status"], "cancelled");
    user.get(&path).await.not_found();
    user.delete(&path).await.not_found();
    user.get(&address(&home, &done_id)).await.not_found();
    user.get(&address(&home, &live_id)).await.not_found();
    user.put(&format!("{path}/payload"), json!({"messages": []})).await.not_found();
    assert_eq!(attach(&user, &other, &kept_id, "").await.events().await, kept, "other conversations stay");
}

#[tokio::test]
async fn bulk_delete_returns_a_result_per_conversation() {
    let server = server().await;
    let user = server.user();
    let (one, two) = (conversation(&user).await, conversation(&user).await);
    let foreign = conversation(&server.editor()).await;
    let live = ask_words(&user, &two, 5000, 5).await;
    let ids = json!({"conversation_ids": [one, foreign, two, one]});
    let answer = user.post("/api/conversations/bulk-delete", ids).await.ok();
    let want = json!({"deleted": 2, "results": [
        {"id": one, "status": "deleted"}, {"id": foreign, "status": "not_found"}, {"id": two, "status": "deleted"}]});
    assert_eq!(answer, want);
    assert_eq!(terminal(&live.events().await)["status"], "cancelled");
    server.editor().get(&format!("/api/conversations/{foreign}")).await.ok();
    let bulk = async |body| user.post("/api/conversations/bulk-delete", body).await.faults();
    assert_eq!(bulk(json!({"conversation_ids": []})).await, ["body.conversation_ids"]);
    assert_eq!(bulk(json!({})).await, ["body.conversation_ids"]);
    assert_eq!(bulk(json!({"conversation_ids": vec![one.clone(); 201]})).await, ["body.conversation_ids"]);
    assert_eq!(bulk(json!({"conversation_ids": ["x"]})).await, ["body.conversation_ids.0"]);
}

#[tokio::test]
async fn delete_concurrent_with_a_completion_leaves_nothing() {
    let server = server().await;
    let user = server.user();
    for _ in 0..20 {
        let home = conversation(&user).await;
        let path = format!("/api/conversations/{home}");
        let fields = json!({"message": "x", "parameters": {"length": 50, "pace_ms": 2}});
        let asked = crate::api::streams::reading::asking(&user, &home, fields).send();
        let (asked, deleted) = tokio::join!(asked, user.delete(&path));
        deleted.no_content();
        let asked = asked.expect("an answer");
        assert!(matches!(asked.status().as_u16(), 200 | 404), "{}", asked.status());
        drop(asked.text().await);
        user.get(&path).await.not_found();
        user.get(&format!("{path}/streams/active")).await.not_found();
    }
}
