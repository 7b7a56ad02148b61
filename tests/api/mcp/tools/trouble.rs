//! Tool servers that are down, slow, or have changed.

use serde_json::json;

use super::{asked, connected, events, offered, one, server};
use crate::api::streams::reading::{answer, terminal, unlimited};
use crate::harness::TestServer;
use crate::harness::fake_mcp::FakeMcp;

#[tokio::test]
async fn answer_arrives_although_a_tool_server_is_down() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let gone = FakeMcp::start().await;
    let servers = json!([{"name": "tracker", "url": fake.url()}, {"name": "gone", "url": gone.url()}]);
    drop(gone);
    let editor = server.editor();
    let id = connected(&editor, &fake, json!({"tool_servers": servers})).await;
    super::approve(&editor, &id, &["mcp:tracker", "mcp:gone"]).await;
    let told = events(&server.user(), &id, "Please call tracker_echo {\"text\": \"here\"}").await;
    assert_eq!(terminal(&told)["status"], "succeeded");
    let trouble = one(&told, "tool.server");
    assert_eq!((&trouble["server"], &trouble["code"]), (&json!("gone"), &json!("tool_server_unreachable")));
    assert_eq!(one(&told, "tool.result")["output"], "here");
    assert!(answer(&told).contains("here"));
}

#[tokio::test]
async fn tool_server_that_hangs_times_out_and_is_not_asked_again_at_once() {
    let fake = FakeMcp::start().await;
    fake.state.silent.lock().insert("initialize".into());
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.tool_servers.connect_s = 0.3;
        config.tool_servers.failure_kept_s = 1e6;
    })
    .await;
    let id = connected(&server.editor(), &fake, json!({})).await;
    for _ in 0..2 {
        let told = events(&server.user(), &id, "Hello.").await;
        assert_eq!(terminal(&told)["status"], "succeeded");
        assert_eq!(one(&told, "tool.server")["code"], "timeout");
    }
    assert_eq!(fake.count("initialize"), 1, "a server that timed out is not asked again at once");
    assert_eq!(
        offered(&server.user(), &id).await[0]["status"],
        "timeout",
        "an explicit request reaches the server"
    );
    assert_eq!(fake.count("initialize"), 2);
}

#[tokio::test]
async fn tool_list_is_cached_and_requested_again_when_it_is_outdated() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = connected(&server.editor(), &fake, json!({})).await;
    let user = server.user();
    for _ in 0..3 {
        events(&user, &id, "Please call tracker_echo {\"text\": \"x\"}").await;
    }
    assert_eq!((fake.count("tools/list"), fake.calls("echo")), (1, 3));
    events(&server.admin(), &id, "Hello.").await;
    assert_eq!(fake.count("tools/list"), 2, "each user has their own list");
    // The model calls a tool that no longer exists; the next answer uses a new list.
    let tool = json!({"name": "other", "inputSchema": {"type": "object"}});
    *fake.state.tools.lock() = Some(vec![tool, json!({"name": "ghost", "inputSchema": {"type": "object"}})]);
    offered(&user, &id).await;
    let told = events(&user, &id, "Please call tracker_ghost").await;
    assert!(
        one(&told, "tool.result")["error"].as_str().expect("words").contains("Unknown tool"),
        "{told:#?}"
    );
    let lists = fake.count("tools/list");
    events(&user, &id, "Hello.").await;
    assert_eq!(fake.count("tools/list"), lists + 1);
}

#[tokio::test]
async fn tool_list_change_notification_refreshes_the_list() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = connected(&server.editor(), &fake, json!({})).await;
    let user = server.user();
    let told = events(&user, &id, "Please call tracker_grow").await;
    assert_eq!(one(&told, "tool.result")["output"], "it grew");
    let told = events(&user, &id, "Please call tracker_grown").await;
    assert_eq!(one(&told, "tool.call.ready")["name"], "tracker_grown");
    assert_eq!(fake.count("tools/list"), 2);
}

#[tokio::test]
async fn tool_call_times_out() {
    let fake = FakeMcp::start().await;
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.tool_servers.call_timeout_s = 0.3;
    })
    .await;
    let id = connected(&server.editor(), &fake, json!({})).await;
    let told = events(&server.user(), &id, "Please call tracker_stuck").await;
    let error = one(&told, "tool.result")["error"].as_str().expect("words").to_owned();
    assert!(error.starts_with("timeout:"), "{error}");
    assert!(error.contains("whether the tool ran is unknown"), "{error}");
    assert_eq!(terminal(&told)["status"], "succeeded");
    fake.was_cancelled().await;
}

#[tokio::test]
async fn tool_server_that_restarts_during_an_answer_is_reconnected() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = connected(&server.editor(), &fake, json!({})).await;
    let message = "Please call tracker_wait and then call tracker_echo {\"text\": \"again\"}";
    let (_, stream) = asked(&server.user(), &id, message, json!({})).await;
    fake.called("wait", 1).await;
    fake.go_on();
    fake.forget();
    let told = stream.events().await;
    let outputs: Vec<_> = told
        .iter()
        .filter(|event| event["type"] == "tool.result")
        .map(|event| &event["data"]["output"])
        .collect();
    assert_eq!(outputs, ["waited", "again"]);
}

#[tokio::test]
async fn tool_servers_at_private_addresses_require_a_setting() {
    let fake = FakeMcp::start().await;
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.web.allow = Vec::new();
    })
    .await;
    let id = connected(&server.editor(), &fake, json!({})).await;
    assert_eq!(offered(&server.user(), &id).await[0]["status"], "tool_server_refused");
    assert!(fake.seen().is_empty());
}

#[tokio::test]
async fn tool_call_does_not_follow_redirects() {
    let (server, fake, other) = (server().await, FakeMcp::start().await, FakeMcp::start().await);
    let id = connected(&server.editor(), &fake, json!({})).await;
    fake.state.instead.lock().insert("tools/call".into(), (307, other.url()));
    let told = events(&server.user(), &id, "Please call tracker_echo {\"text\": \"private\"}").await;
    let error = one(&told, "tool.result")["error"].as_str().expect("words").to_owned();
    assert!(error.starts_with("tool_server_protocol:"), "{error}");
    assert!(error.contains(&format!("a redirect to {}", other.url())), "{error}");
    assert!(!error.contains("whether the tool ran is unknown"), "{error}");
    assert!(other.seen().is_empty(), "{:?}", other.seen());
}

#[tokio::test]
async fn unusable_tools_are_omitted_and_named() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let object = json!({"type": "object"});
    *fake.state.tools.lock() = Some(vec![
        json!({"name": "echo", "inputSchema": object, "execution": {"taskSupport": "optional"}}),
        json!({"name": "long", "inputSchema": object, "execution": {"taskSupport": "required"}}),
        json!({"name": "odd", "inputSchema": {"type": "string"}}),
        json!({"name": "two words", "inputSchema": object}),
        json!({"name": "bare"}),
    ]);
    for plain in [false, true] {
        *fake.state.plain.lock() = plain;
        let id = connected(&server.editor(), &fake, json!({})).await;
        let items = offered(&server.user(), &id).await;
        let names: Vec<_> =
            items[0]["tools"].as_array().expect("tools").iter().map(|it| &it["name"]).collect();
        assert_eq!((names, &items[0]["status"]), (vec![&json!("echo")], &json!("ready")));
        let detail = items[0]["detail"].as_str().expect("words");
        for why in [
            "\"long\": it can only be called as a task",
            "\"odd\": its schema",
            "\"two words\": its name",
            "\"bare\": it is not told of as the protocol asks",
        ] {
            assert!(detail.contains(why), "{detail}");
        }
    }
}
