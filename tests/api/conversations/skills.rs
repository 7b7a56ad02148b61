//! Skills of a conversation.

use serde_json::json;
use uuid::Uuid;

use crate::api::skills::scene::skill;
use crate::api::streams::reading::conversation;
use crate::harness::TestServer;

#[tokio::test]
async fn skills_are_enabled_and_disabled() {
    let server = TestServer::start().await;
    let chat = skill(&server.editor(), "Weather", &[("usable_in", "chat")]).await;
    let flow = skill(&server.editor(), "Invoice", &[("usable_in", "workflow")]).await;
    let user = server.user();
    let path = format!("/api/conversations/{}/skills", conversation(&user).await);
    assert_eq!(user.get(&path).await.ok()["items"], json!([]));
    for _ in 0..2 {
        let on = user.post(&format!("{path}/{chat}"), json!({})).await.ok();
        assert_eq!(on["items"][0]["name"], "Weather");
        assert_eq!(on["items"].as_array().expect("items").len(), 1, "twice changes nothing");
    }
    assert_eq!(user.get(&path).await.ok()["items"][0]["id"], json!(chat));
    user.post(&format!("{path}/{flow}"), json!({})).await.problem(409, "conflict");
    let unknown = Uuid::from_u128(7);
    user.post(&format!("{path}/{unknown}"), json!({})).await.not_found();
    assert_eq!(user.post(&format!("{path}/x"), json!({})).await.faults(), ["path.skill_id"]);
    server.editor().get(&path).await.not_found();
    assert_eq!(user.delete(&format!("{path}/{chat}")).await.ok()["items"], json!([]));
    user.delete(&format!("{path}/{chat}")).await.not_found();
}
