//! The tools and their faulty behaviour.

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::{Half, ReceivedMessage, State, plain};

fn tool(name: &str, about: &str, properties: Value, hints: Value) -> Value {
    json!({"name": name, "description": about, "annotations": hints,
        "inputSchema": {"type": "object", "properties": properties}})
}

/// All tools, as they are listed.
fn all() -> Vec<Value> {
    let number = json!({"type": "number"});
    vec![
        tool("add", "Adds two numbers.", json!({"a": number, "b": number}), json!({"readOnlyHint": true})),
        tool(
            "echo",
            "Says what it is told.",
            json!({"text": {"type": "string"}}),
            json!({"idempotentHint": true}),
        ),
        tool("steps", "Tells how far it has come.", json!({"of": number}), json!({})),
        tool("wait", "Answers when it is told to.", json!({}), json!({"readOnlyHint": true})),
        tool("grow", "Makes another tool.", json!({}), json!({})),
        tool("stuck", "Never answers.", json!({}), json!({})),
        tool("fail", "Fails.", json!({}), json!({})),
        tool("broken", "Breaks off, and can be resumed.", json!({}), json!({})),
        tool("picture", "Gives a picture.", json!({}), json!({})),
        tool("ask", "Asks its client.", json!({}), json!({})),
        tool("giant", "Gives too much.", json!({}), json!({})),
        tool("token", "Says what it was let in with.", json!({}), json!({})),
    ]
}

/// A page of the tools.
pub(super) fn list(state: &State, asked: &Value) -> Value {
    let tools = state.tools.lock().clone().unwrap_or_else(all);
    let cursor = asked["params"]["cursor"].as_str().and_then(|cursor| cursor.parse::<usize>().ok());
    let (from, page) = (cursor.unwrap_or_default(), *state.page.lock());
    if *state.endless.lock() {
        let tool = json!({"name": format!("tool{from}"), "inputSchema": {"type": "object"}});
        return json!({"tools": [tool], "nextCursor": (from + 1).to_string()});
    }
    let page = if page == 0 { tools.len() } else { page };
    let until = (from + page).min(tools.len());
    let next = (until < tools.len()).then(|| until.to_string());
    json!({"tools": tools[from.min(until)..until], "nextCursor": next})
}

/// Sends the result of a request, as an event or as plain JSON.
pub(super) async fn result(
    to: &mut Half<'_>,
    state: &State,
    id: &Value,
    result: Value,
) -> std::io::Result<()> {
    let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
    if *state.plain.lock() {
        return plain(to, 200, "content-type: application/json\r\n", &message.to_string()).await;
    }
    open(to).await?;
    event(to, None, &message).await?;
    to.shutdown().await
}

pub(super) async fn call(to: &mut Half<'_>, seen: &ReceivedMessage, state: &State) -> std::io::Result<()> {
    let (id, params) = (&seen.message["id"], &seen.message["params"]);
    let arguments = &params["arguments"];
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let given = match params["name"].as_str().unwrap_or_default() {
        "add" => {
            let sum =
                arguments["a"].as_f64().unwrap_or_default() + arguments["b"].as_f64().unwrap_or_default();
            let mut given = text(&format!("{{\"sum\":{sum}}}"));
            given["structuredContent"] = json!({"sum": sum});
            given
        }
        "echo" => text(arguments["text"].as_str().unwrap_or_default()),
        "grow" => {
            state.tools.lock().get_or_insert_with(all).push(tool("grown", "Is new.", json!({}), json!({})));
            open(to).await?;
            event(to, None, &json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await?;
            let given = json!({"jsonrpc": "2.0", "id": id, "result": text("it grew")});
            event(to, None, &given).await?;
            return to.shutdown().await;
        }
        "fail" => json!({"isError": true, "content": [{"type": "text", "text": "the disk is on fire"}]}),
        "picture" => json!({"content": [{"type": "text", "text": "a dot"},
            {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}, {"type": "hologram", "light": 1}]}),
        "giant" => text(&"x".repeat(3 << 20)),
        "token" => text(seen.headers.get("authorization").map_or("nothing", String::as_str)),
        "wait" => {
            state.go_on.notified().await;
            text("waited")
        }
        "steps" => return steps(to, seen, state).await,
        "stuck" => {
            open(to).await?;
            std::future::pending::<()>().await;
            return Ok(());
        }
        "broken" => {
            let mark = format!("mark-{}", id);
            let message = json!({"jsonrpc": "2.0", "id": id, "result": text("whole after all")});
            state.broken.lock().insert(mark.clone(), message);
            open(to).await?;
            progress(to, Some(&mark), params, 1, None).await?;
            return to.shutdown().await;
        }
        "ask" => return ask(to, id, state).await,
        name => {
            let error = json!({"code": -32602, "message": format!("Unknown tool: {name}")});
            let message = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
            return plain(to, 200, "content-type: application/json\r\n", &message).await;
        }
    };
    result(to, state, id, given).await
}

/// Reports each step, and waits for the test before it continues with the next one.
async fn steps(to: &mut Half<'_>, seen: &ReceivedMessage, state: &State) -> std::io::Result<()> {
    let (id, params) = (&seen.message["id"], &seen.message["params"]);
    let of = params["arguments"]["of"].as_u64().unwrap_or(3);
    open(to).await?;
    for step in 1..=of {
        progress(to, None, params, step, Some(of)).await?;
        state.go_on.notified().await;
    }
    let message = json!({"jsonrpc": "2.0", "id": id, "result":
        {"content": [{"type": "text", "text": format!("{of} steps")}]}});
    event(to, None, &message).await?;
    to.shutdown().await
}

/// Sends its client requests that the clients under test do not support, and reports their responses.
async fn ask(to: &mut Half<'_>, id: &Value, state: &State) -> std::io::Result<()> {
    open(to).await?;
    let asked = ["ping", "sampling/createMessage", "elicitation/create", "roots/list"];
    for (number, method) in asked.iter().enumerate() {
        let params = match *method {
            "sampling/createMessage" => json!({"messages": [], "maxTokens": 5}),
            "elicitation/create" => json!({"message": "Your password?",
                "requestedSchema": {"type": "object", "properties": {}}}),
            _ => json!({}),
        };
        let message =
            json!({"jsonrpc": "2.0", "id": format!("q{number}"), "method": method, "params": params});
        event(to, None, &message).await?;
    }
    let reply = |number: usize| state.replies.lock().get(&json!(format!("q{number}")).to_string()).cloned();
    loop {
        let heard = state.heard.notified();
        if (0..asked.len()).all(|number| reply(number).is_some()) {
            break;
        }
        heard.await;
    }
    let told = |number: usize| {
        let reply = reply(number).unwrap_or_default();
        let said = if reply["error"].is_object() { "declined".into() } else { reply["result"].to_string() };
        format!("{}: {said}", asked[number])
    };
    let text = (0..asked.len()).map(told).collect::<Vec<_>>().join("\n");
    let message =
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}});
    event(to, None, &message).await?;
    to.shutdown().await
}

/// The standing stream of a session, or the rest of a response that broke off.
pub(super) async fn resume(to: &mut Half<'_>, seen: &ReceivedMessage, state: &State) -> std::io::Result<()> {
    let Some(mark) = seen.headers.get("last-event-id") else {
        open(to).await?;
        std::future::pending::<()>().await;
        return Ok(());
    };
    let rest = state.broken.lock().remove(mark);
    match rest {
        Some(message) => {
            open(to).await?;
            event(to, None, &message).await?;
            to.shutdown().await
        }
        None => plain(to, 404, "", "").await,
    }
}

async fn progress(
    to: &mut Half<'_>,
    mark: Option<&str>,
    params: &Value,
    step: u64,
    of: Option<u64>,
) -> std::io::Result<()> {
    let told = json!({"progressToken": params["_meta"]["progressToken"], "progress": step, "total": of,
        "message": format!("step {step}")});
    event(to, mark, &json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})).await
}

async fn open(to: &mut Half<'_>) -> std::io::Result<()> {
    to.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n").await
}

async fn event(to: &mut Half<'_>, mark: Option<&str>, message: &Value) -> std::io::Result<()> {
    let mark = mark.map(|mark| format!("id: {mark}\nretry: 10\n")).unwrap_or_default();
    to.write_all(format!("event: message\n{mark}data: {message}\n\n").as_bytes()).await?;
    to.flush().await
}
