//! Tool calls that are cancelled, fail, lose their approval, or need a login.

use serde_json::json;

use super::{approve, asked, connected, events, offered, one, server};
use crate::api::streams::reading::{address, answer, messages, terminal};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::hidden;

#[tokio::test]
async fn stopping_the_answer_cancels_the_call_at_the_tool_server() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = connected(&server.editor(), &fake, json!({})).await;
    let user = server.user();
    let (home, stream) = asked(&user, &id, "Please call tracker_stuck", json!({})).await;
    fake.called("stuck", 1).await;
    let receipt = user.delete(&address(&home, &stream.id)).await.ok();
    assert_eq!(receipt["status"], "cancelled");
    fake.was_cancelled().await;
    let of_call = fake.seen().into_iter().find(|seen| seen.message["params"]["name"] == "stuck").unwrap();
    assert_eq!(fake.cancelled(), [of_call.message["id"].clone()]);
    fake.idle().await;
    fake.no_complaints();
    let kept = &messages(&user, &home).await[1];
    assert!(kept["tool_calls"][0]["error"].as_str().expect("words").contains("not known"), "{kept}");
}

#[tokio::test]
async fn tool_error_is_passed_to_the_model() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = connected(&server.editor(), &fake, json!({})).await;
    let user = server.user();
    let told = events(&user, &id, "Please call tracker_fail").await;
    assert_eq!(one(&told, "tool.result")["error"], "the disk is on fire");
    assert_eq!(terminal(&told)["status"], "succeeded");
    assert!(!answer(&told).is_empty());
}

#[tokio::test]
async fn revoked_approval_ends_offers_and_calls_of_tools() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let (editor, user) = (server.editor(), server.user());
    let id = connected(&editor, &fake, json!({})).await;
    // The approval is revoked during the call of one tool; the next call in the same answer is refused.
    let message = "Please call tracker_wait and then call tracker_add {\"a\": 1, \"b\": 1}";
    let (_, mut stream) = asked(&user, &id, message, json!({})).await;
    stream.until("tool.started").await;
    fake.called("wait", 1).await;
    approve(&editor, &id, &[]).await;
    fake.go_on();
    let rest = stream.events().await;
    let results: Vec<_> = rest.iter().filter(|event| event["type"] == "tool.result").collect();
    assert_eq!(results[0]["data"]["output"], "waited");
    assert!(results[1]["data"]["error"].as_str().expect("words").contains("not approved"), "{results:?}");
    assert_eq!(fake.calls("add"), 0);
    let told = events(&user, &id, "Please call tracker_add {\"a\": 1, \"b\": 1}").await;
    assert!(told.iter().all(|event| event["type"] != "tool.call.start"));
}

#[tokio::test]
async fn tools_are_not_offered_while_the_feature_is_disabled() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = connected(&server.editor(), &fake, json!({})).await;
    let hide = hidden();
    server.admin().put("/api/tenant-admin/features/mcp/visibility", hide).await.ok();
    let told = events(&server.user(), &id, "Please call tracker_add {\"a\": 1, \"b\": 1}").await;
    assert!(told.iter().all(|event| event["type"] != "tool.call.start"));
    assert_eq!(one(&told, "tool.server")["code"], "feature_disabled");
    assert_eq!(offered(&server.user(), &id).await[0]["status"], "feature_disabled");
    assert!(fake.seen().is_empty());
}

#[tokio::test]
async fn answer_reports_a_tool_server_that_requires_a_login() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    *fake.state.tokens.lock() = vec!["a-token-of-a-user".into()];
    let id = connected(&server.editor(), &fake, json!({})).await;
    let user = server.user();
    assert_eq!(offered(&user, &id).await[0]["status"], "login_required");
    let told = events(&user, &id, "Please call tracker_log_in").await;
    let trouble: Vec<_> = told.iter().filter(|event| event["type"] == "tool.server").collect();
    assert!(!trouble.is_empty(), "{told:#?}");
    assert_eq!(
        (&trouble[0]["data"]["server"], &trouble[0]["data"]["code"]),
        (&json!("tracker"), &json!("login_required"))
    );
    let error = one(&told, "tool.result")["error"].as_str().expect("words").to_owned();
    assert!(error.starts_with("login_required:") && error.contains("\"tracker\""), "{error}");

    // If the assistant names the tools, they are offered under their names.
    let servers = json!([{"name": "tracker", "url": fake.url(), "tools": ["add"]}]);
    let id = connected(&server.editor(), &fake, json!({"tool_servers": servers})).await;
    let told = events(&user, &id, "Please call tracker_add {\"a\": 1, \"b\": 1}").await;
    assert!(one(&told, "tool.result")["error"].as_str().expect("words").starts_with("login_required:"));
    assert_eq!(fake.count("tools/call"), 0);
    assert!(!format!("{told:?}").contains("a-token-of-a-user"));
}
