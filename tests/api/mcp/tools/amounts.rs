//! Tool servers that send too much, or are called too often.

use serde_json::{Value, json};

use super::{approve, connected, events, offered, one, server};
use crate::api::streams::reading::terminal;
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::text;

/// Returns `count` tools with schemas of nearly 30 KiB each.
fn large(count: usize) -> Vec<Value> {
    let schema = json!({"type": "object", "description": "x".repeat(29 << 10)});
    (0..count).map(|n| json!({"name": format!("tool{n}"), "inputSchema": schema})).collect()
}

#[tokio::test]
async fn tool_lists_and_tools_in_prompts_are_limited_in_size() {
    let server = server().await;
    let mut servers = Vec::new();
    let mut fakes = Vec::new();
    for name in ["tracker", "second", "third"] {
        let fake = FakeMcp::start().await;
        *fake.state.tools.lock() = Some(large(40));
        servers.push(json!({"name": name, "url": fake.url()}));
        fakes.push(fake);
    }
    let editor = server.editor();
    let id = connected(&editor, &fakes[0], json!({"tool_servers": servers})).await;
    approve(&editor, &id, &["mcp:tracker", "mcp:second", "mcp:third"]).await;
    for server in offered(&server.user(), &id).await.as_array().expect("servers") {
        assert_eq!(server["tools"].as_array().map(Vec::len), Some(8), "256 KiB of tools");
    }
    let told = events(&server.user(), &id, "Hello.").await;
    assert_eq!(terminal(&told)["status"], "succeeded");
    let trouble = one(&told, "tool.server");
    assert_eq!((&trouble["server"], &trouble["code"]), (&json!("third"), &json!("tools_left_out")));
    assert!(text(&trouble["message"]).contains("its last 7 tools"), "{trouble}");
}

#[tokio::test]
async fn cached_tool_lists_are_limited_per_user() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    *fake.state.tools.lock() = Some(large(8));
    let (editor, user) = (server.editor(), server.user());
    let first = connected(&editor, &fake, json!({})).await;
    events(&user, &first, "Hello.").await;
    events(&user, &first, "Hello.").await;
    assert_eq!(fake.count("tools/list"), 1);
    for _ in 0..18 {
        let id = connected(&editor, &fake, json!({})).await;
        offered(&user, &id).await;
    }
    let lists = fake.count("tools/list");
    events(&user, &first, "Hello.").await;
    assert_eq!(fake.count("tools/list"), lists + 1, "the oldest list was evicted");
}

#[tokio::test]
async fn requests_to_tool_servers_are_rate_limited() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = connected(&server.editor(), &fake, json!({})).await;
    let path = format!("/api/assistants/{id}/tool-servers");
    let user = server.user();
    let mut answered = 0;
    let refused = loop {
        let answer = user.get(&path).await;
        match answer.status {
            200 => answered += 1,
            _ => break answer,
        }
        // On a slow machine the limit allows further requests now and then.
        assert!(answered < 300, "no request is refused");
    };
    assert!(answered >= 30, "{answered}");
    refused.problem(429, "rate_limited");
    server.editor().get(&path).await.ok();
    assert_eq!(fake.count("tools/list"), answered + 1, "a refused request reaches no server");
}
