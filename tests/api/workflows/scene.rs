//! Workflows for tests, and how tests run and read them.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::api::streams::reading::{self, Stream};
use crate::harness::{Client, text, until};

/// A node. `more` contains further fields of the node.
pub fn node(id: &str, kind: &str, inputs: Value, more: Value) -> Value {
    let mut node = json!({"id": id, "type": kind, "in": inputs});
    for (name, value) in more.as_object().expect("an object") {
        node[name] = value.clone();
    }
    node
}

/// A graph with these inputs and nodes. An edge is written `from to` or `from.port to`.
pub fn graph(inputs: Value, nodes: Vec<Value>, edges: &[&str]) -> Value {
    let edge = |edge: &&str| {
        let (from, to) = edge.split_once(' ').expect("two ends");
        let (from, port) = from.split_once('.').unwrap_or((from, "out"));
        json!({"from": from, "port": port, "to": to})
    };
    json!({"schema": 1, "inputs": inputs, "nodes": nodes, "edges": edges.iter().map(edge).collect::<Vec<_>>()})
}

/// `start` → `write` (a template) → `say` (an answer) → `done`.
pub fn greeting() -> Value {
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("write", "template", json!({"text": "On {{ start.topic }}."}), json!({})),
        node("say", "answer", json!({"text": "{{ write.text }}"}), json!({})),
        node(
            "done",
            "end",
            json!({"text": "{{ write.text }}", "length": "{{ write.text | length }}"}),
            json!({}),
        ),
    ];
    let inputs = json!({"topic": {"type": "string", "required": true}, "tone": {"type": "string"}});
    graph(inputs, nodes, &["start write", "write say", "say done"])
}

/// `start` → `ask` (a form), by `approve` → `yes`, by `reject` → `no`, each an answer → `done`.
pub fn approval(expires_ms: Option<u64>) -> Value {
    let fields = json!([{"name": "note", "label": "Why", "type": "string", "required": true},
        {"name": "stars", "label": "How good", "type": "integer"}]);
    let actions = json!([{"name": "approve", "label": "Yes"}, {"name": "reject", "label": "No"}]);
    let config = json!({"config": {"fields": fields, "actions": actions, "expires_ms": expires_ms}});
    let mut nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("ask", "human", json!({"title": "May it go out?", "message": "See {{ start.what }}."}), config),
        node("yes", "answer", json!({"text": "Yes: {{ ask.fields.note }}"}), json!({})),
        node("no", "answer", json!({"text": "No: {{ ask.fields.note }}"}), json!({})),
        node("done", "end", json!({"action": "{{ ask.action }}"}), json!({})),
    ];
    let mut edges = vec!["start ask", "ask.approve yes", "ask.reject no", "yes done", "no done"];
    if expires_ms.is_some() {
        nodes.push(node("late", "answer", json!({"text": "There was no answer."}), json!({})));
        edges.extend(["ask.expired late", "late done"]);
    }
    graph(json!({"what": {"type": "string", "default": "the draft"}}), nodes, &edges)
}

/// `start` → `write` (the built-in model, with this many words) → `done`. The text of the model is the answer.
pub fn writing(words: u64, pace_ms: u64) -> Value {
    let parameters = json!({"length": words, "pace_ms": pace_ms});
    let config = json!({"config": {"model": "builtin/scribe", "answer": true, "parameters": parameters}});
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("write", "llm", json!({"prompt": "Tell me of {{ start.topic }}."}), config),
        node("done", "end", json!({"text": "{{ write.text }}"}), json!({})),
    ];
    graph(json!({"topic": {"type": "string", "default": "tides"}}), nodes, &["start write", "write done"])
}

/// Saves an assistant with this workflow, and returns its id.
pub async fn workflow(author: &Client, graph: Value) -> String {
    workflow_for(author, graph, "private").await
}

/// Saves an assistant with this workflow and `visibility`, and returns its id.
pub async fn workflow_for(author: &Client, graph: Value, visibility: &str) -> String {
    let body = json!({"name": "Flow", "type": "workflow", "workflow": graph, "visibility": visibility});
    text(&author.post("/api/assistants", body).await.created()["id"])
}

/// The path at which runs of an assistant are started.
pub fn runs(assistant: &str) -> String {
    format!("/api/workflows/{assistant}/runs")
}

/// A run that was accepted.
#[derive(Clone, Debug)]
pub struct Run {
    pub assistant: String,
    pub conversation: String,
    pub stream: String,
}

impl Run {
    /// The run of a response to a start request.
    pub fn of(assistant: &str, accepted: &Value) -> Self {
        let (conversation, stream) = (text(&accepted["conversation_id"]), text(&accepted["stream_id"]));
        Self { assistant: assistant.to_owned(), conversation, stream }
    }

    /// Starts a run of the assistant's workflow.
    pub async fn start(client: &Client, assistant: &str, inputs: Value) -> Self {
        let answer = client.post(&runs(assistant), json!({"inputs": inputs})).await;
        Self::of(assistant, &answer.expect(202).json())
    }

    /// The path of `cancel` or `resume`.
    pub fn path(&self, what: &str) -> String {
        format!("/api/workflows/{}/runs/{}/{what}", self.assistant, self.conversation)
    }

    /// Opens the stream of the run at the first event.
    pub async fn watch(&self, client: &Client) -> Stream {
        reading::attach(client, &self.conversation, &self.stream, "").await
    }

    /// Waits until the run has ended, and returns all its events.
    pub async fn events(&self, client: &Client) -> Vec<Value> {
        self.watch(client).await.events().await
    }

    /// Reads until the run asks for something, and returns the form.
    pub async fn form(&self, client: &Client) -> Value {
        self.watch(client).await.until("form.required").await["data"].clone()
    }

    /// Waits until the conversation shows the run in this state.
    pub async fn until_state(&self, client: &Client, state: &str) {
        let path = format!("/api/conversations/{}/streams/active", self.conversation);
        until(&format!("the run is {state}"), async || {
            let answer = client.get(&path).await;
            answer.status == 200 && answer.json()["state"] == state
        })
        .await;
    }

    /// Builds the answer to a form.
    pub fn answering(&self, client: &Client, form: &Value, action: &str, fields: Value) -> RequestBuilder {
        let body = json!({"form_id": form["form_id"], "action": action, "fields": fields});
        client.request(Method::POST, &self.path("resume")).json(&body)
    }
}

/// An address that refuses connections. The port stays reserved as long as this exists.
pub struct Closed {
    pub url: String,
    _bound: TcpSocket,
}

impl Closed {
    pub fn find() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
        let url = format!("http://{}/", socket.local_addr().expect("an address"));
        Self { url, _bound: socket }
    }
}

/// Returns the events of a type.
pub fn of_type<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

/// Returns the nodes of the events of a type, in their order.
pub fn nodes_of(events: &[Value], kind: &str) -> Vec<String> {
    of_type(events, kind).iter().map(|event| text(&event["node_id"])).collect()
}

/// Returns the only event of a type in a node.
#[track_caller]
pub fn in_node<'e>(events: &'e [Value], kind: &str, node: &str) -> &'e Value {
    let found: Vec<_> = of_type(events, kind).into_iter().filter(|event| event["node_id"] == node).collect();
    assert_eq!(found.len(), 1, "{kind} in {node}: {found:?}");
    &found[0]["data"]
}

#[track_caller]
pub fn outputs(events: &[Value]) -> Value {
    let told = of_type(events, "outputs");
    assert_eq!(told.len(), 1, "{told:?}");
    told[0]["data"]["outputs"].clone()
}
