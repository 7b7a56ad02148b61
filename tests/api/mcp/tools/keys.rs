//! Tool servers that require a key.

use serde_json::{Value, json};

use super::{asked, connected, events, one, server, tracker};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::text;

const KEY: &str = "tk-0123456789abcdef0123456789abcdef";
const ADD: &str = "Please call tracker_add {\"a\": 2, \"b\": 3}";

fn place(assistant: &str) -> String {
    format!("/api/assistants/{assistant}/tool-servers/tracker/key")
}

async fn listed(client: &crate::harness::Client, assistant: &str) -> Value {
    client.get(&format!("/api/assistants/{assistant}/tool-servers")).await.ok()["items"][0].clone()
}

#[tokio::test]
async fn key_of_the_assistant_is_used_for_all_users_and_never_shown() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    fake.state.tokens.lock().push(KEY.to_owned());
    let (owner, user) = (server.editor(), server.user());
    let assistant = connected(&owner, &fake, json!({})).await;
    assert_eq!(listed(&user, &assistant).await["status"], "login_required");
    owner.put(&place(&assistant), json!({"key": KEY})).await.expect(204);
    let seen = listed(&user, &assistant).await;
    assert_eq!((&seen["status"], &seen["has_key"]), (&json!("ready"), &json!(true)), "{seen}");
    let (home, stream) = asked(&user, &assistant, ADD, json!({})).await;
    let told = stream.events().await;
    assert_eq!(one(&told, "tool.result")["error"], Value::Null, "{told:#?}");
    let standing = user.get(&format!("/api/mcp/oauth/assistants/{assistant}/status")).await.ok();
    assert_eq!(standing["items"][0]["status"], "not_required");
    for shown in [
        owner.get(&format!("/api/assistants/{assistant}")).await.text(),
        owner.get(&format!("/api/assistants/{assistant}/tool-servers")).await.text(),
        user.get(&format!("/api/conversations/{home}")).await.text(),
        server.admin().get("/api/tenant-admin/audit").await.text(),
    ] {
        assert!(!shown.contains(KEY), "{shown}");
    }

    // The key survives a restart and is deleted when it is revoked.
    let server = server.restart().await;
    assert_eq!(listed(&server.user(), &assistant).await["status"], "ready");
    server.editor().delete(&place(&assistant)).await.expect(204);
    assert_eq!(listed(&server.user(), &assistant).await["status"], "login_required");
}

#[tokio::test]
async fn key_in_a_custom_header_is_sent_unchanged() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let owner = server.editor();
    let assistant = connected(&owner, &fake, json!({})).await;
    owner.put(&place(&assistant), json!({"key": KEY, "header": "X-API-Key"})).await.expect(204);
    assert_eq!(listed(&owner, &assistant).await["status"], "ready");
    let seen = fake.seen();
    assert!(seen.iter().all(|seen| seen.headers.get("x-api-key").is_some_and(|key| key == KEY)), "{seen:?}");
    assert!(seen.iter().all(|seen| !seen.headers.contains_key("authorization")), "{seen:?}");
}

#[tokio::test]
async fn key_that_the_tool_server_rejects_is_reported() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    fake.state.tokens.lock().push("another-one-altogether".to_owned());
    let owner = server.editor();
    let assistant = connected(&owner, &fake, json!({})).await;
    owner.put(&place(&assistant), json!({"key": KEY})).await.expect(204);
    assert_eq!(listed(&owner, &assistant).await["status"], "tool_key_refused");
    let told = events(&owner, &assistant, ADD).await;
    assert_eq!(one(&told, "tool.server")["code"], "tool_key_refused");
}

#[tokio::test]
async fn key_is_bound_to_one_address_and_one_owner() {
    let (server, fake, other) = (server().await, FakeMcp::start().await, FakeMcp::start().await);
    let owner = server.editor();
    let assistant = connected(&owner, &fake, json!({})).await;
    let path = format!("/api/assistants/{assistant}");
    owner.put(&place(&assistant), json!({"key": KEY})).await.expect(204);

    // The address changes, and changes back to the first one.
    for servers in [json!([tracker(&other)]), json!([tracker(&fake)])] {
        owner.patch(&path, json!({"tool_servers": servers})).await.ok();
        super::approve(&owner, &assistant, &["mcp:tracker"]).await;
        assert_eq!(listed(&owner, &assistant).await["has_key"], false);
    }
    assert!(other.seen().iter().all(|seen| !seen.headers.contains_key("authorization")));

    owner.put(&place(&assistant), json!({"key": KEY})).await.expect(204);
    let admin = server.admin();
    let me = text(&admin.get("/api/users/me").await.ok()["id"]);
    let given = format!("/api/control-tower/overview/{assistant}/transfer-ownership");
    admin.post(&given, json!({"new_owner_id": me})).await.ok();
    assert_eq!(listed(&admin, &assistant).await["has_key"], false);
}

#[tokio::test]
async fn key_is_set_by_the_owner_only_and_faulty_requests_change_nothing() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let owner = server.editor();
    let assistant = connected(&owner, &fake, json!({})).await;
    let place = place(&assistant);
    server.user().put(&place, json!({"key": KEY})).await.problem(403, "not_allowed");
    server.user().delete(&place).await.problem(403, "not_allowed");
    server.stranger().put(&place, json!({"key": KEY})).await.not_found();
    owner.put(&place.replace("tracker", "unknown"), json!({"key": KEY})).await.not_found();
    for wrong in [
        json!({}),
        json!({"key": ""}),
        json!({"key": " x"}),
        json!({"key": "a\nb"}),
        json!({"key": KEY, "header": "Host"}),
        json!({"key": KEY, "header": "Mcp-Session-Id"}),
        json!({"key": KEY, "header": "a b"}),
        json!({"key": KEY, "more": 1}),
    ] {
        owner.put(&place, wrong).await.expect(422);
    }
    assert_eq!(listed(&owner, &assistant).await["has_key"], false);
}
