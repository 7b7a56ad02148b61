//! Connections of assistants to tool servers, and the rights to approve and to see them.

use serde_json::{Value, json};

use super::{approve, connected, offered, server, tracker};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::text;

#[tokio::test]
async fn assistant_stores_its_tool_servers() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let editor = server.editor();
    let servers = json!([{"name": "tracker", "url": fake.url(), "tools": ["add"]},
        {"name": "weather-2", "url": "https://weather.example/mcp"}]);
    let made =
        editor.post("/api/assistants", json!({"name": "Ada", "tool_servers": servers})).await.created();
    assert_eq!(made["tool_servers"][0], servers[0]);
    assert_eq!(made["tool_servers"][1]["tools"], Value::Null, "without a list, all of them");
    let path = format!("/api/assistants/{}", text(&made["id"]));
    editor.patch(&path, json!({"name": "Bea"})).await.ok();
    assert_eq!(editor.get(&path).await.ok()["tool_servers"].as_array().map(Vec::len), Some(2));
    editor.patch(&path, json!({"tool_servers": null})).await.ok();
    assert_eq!(editor.get(&path).await.ok()["tool_servers"], json!([]));
    let changed = editor.put(&path, json!({"name": "Bea", "tool_servers": [tracker(&fake)]})).await.ok();
    assert_eq!(changed["tool_servers"][0]["name"], "tracker");
    assert!(fake.seen().is_empty(), "saving tool servers sends them no request");
}

#[tokio::test]
async fn tool_servers_report_all_faults_at_once() {
    let server = server().await;
    let editor = server.editor();
    let url = "https://tools.example/mcp";
    let many: Vec<_> = (0..11).map(|n| json!({"name": format!("s{n}"), "url": url})).collect();
    for (servers, faults) in [
        (json!([{"name": "Tracker", "url": url}]), vec!["body.tool_servers.0.name"]),
        (
            json!([{"name": "", "url": "ftp://x/"}]),
            vec!["body.tool_servers.0.name", "body.tool_servers.0.url"],
        ),
        (
            json!([{"name": "a/b", "url": "https://me:secret@x.example/"}]),
            vec!["body.tool_servers.0.name", "body.tool_servers.0.url"],
        ),
        (json!([{"name": "a", "url": url}, {"name": "a", "url": url}]), vec!["body.tool_servers.1.name"]),
        (json!([{"name": "a", "url": "https://x.example/#here"}]), vec!["body.tool_servers.0.url"]),
        (
            json!([{"name": "a", "url": url, "tools": ["x", "", "x"]}]),
            vec!["body.tool_servers.0.tools.1", "body.tool_servers.0.tools.2"],
        ),
        (json!(many), vec!["body.tool_servers"]),
        (json!([{"name": "a", "url": "http://tools.example/mcp"}]), vec!["body.tool_servers.0.url"]),
    ] {
        let answer = editor.post("/api/assistants", json!({"name": "Ada", "tool_servers": servers})).await;
        assert_eq!(answer.faults(), faults, "{servers}");
    }
    let unknown = json!([{"name": "a", "url": url, "token": "x"}]);
    editor.post("/api/assistants", json!({"name": "Ada", "tool_servers": unknown})).await.expect(422);
    assert_eq!(editor.get("/api/assistants").await.ok()["items"], json!([]));
}

#[tokio::test]
async fn approval_requires_the_owner_and_is_removed_by_a_change() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let editor = server.editor();
    let id = connected(&editor, &fake, json!({})).await;
    let path = format!("/api/assistants/{id}");
    let approvals = format!("{path}/approved-external-services");
    assert_eq!(editor.get(&path).await.ok()["approved_external_services"], json!(["mcp:tracker"]));
    let other = editor.put(&approvals, json!({"services": ["mcp:tracker", "mcp:other"]})).await;
    assert_eq!(other.faults(), ["body.services.1"]);
    server.user().put(&approvals, json!({"services": []})).await.expect(403);
    server.stranger().put(&approvals, json!({"services": []})).await.not_found();

    // Setting the same server again changes nothing. A different address or selection of tools is a different server.
    editor.patch(&path, json!({"tool_servers": [tracker(&fake)]})).await.ok();
    assert_eq!(editor.get(&path).await.ok()["approved_external_services"], json!(["mcp:tracker"]));
    for changed in [
        json!({"name": "tracker", "url": "https://other.example/mcp"}),
        json!({"name": "tracker", "url": fake.url(), "tools": ["add", "fail"]}),
    ] {
        approve(&editor, &id, &["mcp:tracker"]).await;
        let answer = editor.patch(&path, json!({"tool_servers": [changed]})).await.ok();
        assert_eq!(answer["approved_external_services"], json!([]));
    }
}

#[tokio::test]
async fn users_see_the_tools_and_not_the_addresses_of_their_servers() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let servers = json!([{"name": "tracker", "url": fake.url(), "tools": ["add", "echo", "gone"]}]);
    let id = connected(&server.editor(), &fake, json!({"tool_servers": servers})).await;
    let user = server.user();
    let path = format!("/api/assistants/{id}");
    for path in [path.clone(), format!("{path}/public")] {
        let shown = user.get(&path).await.ok().to_string();
        assert!(!shown.contains("127.0.0.1") && !shown.contains("tracker"), "{shown}");
    }
    let items = offered(&user, &id).await;
    assert_eq!((&items[0]["name"], &items[0]["status"]), (&json!("tracker"), &json!("ready")));
    let names: Vec<_> = items[0]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["add", "echo"]);
    assert_eq!(items[0]["detail"], "left out: \"gone\": the server does not offer it");
    assert_eq!(items[0]["tools"][0]["read_only"], true);
    assert_eq!(items[0]["tools"][0]["parameters"]["type"], "object");

    let path = format!("{path}/tool-servers");
    server.stranger().get(&path).await.not_found();
    server.anonymous().get(&path).await.expect(401);
    server.token(&["assistants:write"]).await.get(&path).await.expect(403);
    server.token(&["assistants:read"]).await.get(&path).await.ok();

    approve(&server.editor(), &id, &[]).await;
    // Sessions are closed on their own, a little later.
    fake.idle().await;
    let before = fake.seen().len();
    assert_eq!(offered(&user, &id).await[0]["status"], "not_approved");
    let told = super::events(&user, &id, "Please call tracker_add {\"a\": 1, \"b\": 1}").await;
    let trouble = super::one(&told, "tool.server");
    assert_eq!((&trouble["server"], &trouble["code"]), (&json!("tracker"), &json!("not_approved")));
    assert_eq!(fake.seen().len(), before, "a server without approval receives no request");
}

#[tokio::test]
async fn graph_may_name_only_the_tools_of_its_assistant() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let editor = server.editor();
    let flow = |tool: &str, agent: &[&str]| {
        json!({"schema": 1, "inputs": {}, "nodes": [
            {"id": "start", "type": "start", "in": {}},
            {"id": "call", "type": "tool", "in": {}, "config": {"tool": tool}},
            {"id": "ask", "type": "agent", "in": {"prompt": "x"}, "config": {"tools": agent}},
            {"id": "done", "type": "end", "in": {}}],
            "edges": [{"from": "start", "to": "call"}, {"from": "call", "to": "ask"}, {"from": "ask", "to": "done"}]})
    };
    let limited = json!([{"name": "tracker", "url": fake.url(), "tools": ["add"]}]);
    let make = |graph: Value| json!({"name": "Flow", "type": "workflow", "workflow": graph, "tool_servers": limited});
    for (graph, faults) in [
        (flow("tracker/fail", &["tracker/add"]), vec!["body.workflow.nodes.call.config.tool"]),
        (
            flow("other/add", &["tracker/*", "other/*"]),
            vec!["body.workflow.nodes.ask.config.tools", "body.workflow.nodes.call.config.tool"],
        ),
    ] {
        assert_eq!(editor.post("/api/assistants", make(graph)).await.faults(), faults);
    }
    let made = editor.post("/api/assistants", make(flow("tracker/add", &["tracker/*"]))).await.created();
    let path = format!("/api/assistants/{}", text(&made["id"]));
    let faults = editor.patch(&path, json!({"tool_servers": []})).await.faults();
    assert_eq!(faults.len(), 2, "servers that the graph uses cannot be removed: {faults:?}");
    editor.patch(&path, json!({"tool_servers": [], "workflow": null})).await.ok();
}
