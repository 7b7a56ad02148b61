//! A directory on a real socket that implements Microsoft Graph and SCIM, with their paging. A test can make it
//! busy, slow, partly unavailable, or empty.

mod graph;
mod scim;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::reply::{Alteration, Reply};
use super::socket::{Listening, PATIENCE, Request};

/// The credential of the directory in both protocols. It must never appear in any output.
pub const SECRET: &str = "directory-secret-0123456789abcdef";

/// A running directory. It stops when this is dropped.
pub struct FakeDirectory {
    /// `http://127.0.0.1:<port>`.
    pub url: String,
    /// The content of the directory, and the requests that it has received.
    pub state: Arc<State>,
    _listening: Listening,
}

#[derive(Clone, Debug)]
pub struct FakePerson {
    pub mail: Option<String>,
    pub name: String,
    pub enabled: bool,
}

/// A group of the directory: the ids of people and groups in it.
#[derive(Clone, Debug, Default)]
pub struct FakeGroup {
    pub name: String,
    pub members: Vec<String>,
}

/// How the directory handles a request.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// Responds with this status, and a `Retry-After` header if seconds are given.
    Status(u16, Option<&'static str>),
    /// Breaks off the response in the middle.
    HangUp,
    /// Sends no response until the test releases it.
    Silence,
}

/// A rule for the next matching requests.
struct Rule {
    /// Text that their paths contain.
    part: String,
    /// How many more requests the rule applies to.
    times: u32,
    act: Act,
}

/// The content of a directory, and the requests that it has received.
#[derive(Default)]
pub struct State {
    pub people: Mutex<BTreeMap<String, FakePerson>>,
    pub groups: Mutex<BTreeMap<String, FakeGroup>>,
    /// The number of entries of one page.
    pub page: Mutex<usize>,
    /// Ids of groups, in the order in which they changed.
    changes: Mutex<Vec<String>>,
    /// Whether the directory no longer accepts the delta links that it has issued.
    pub forgot: Mutex<bool>,
    /// People who are deleted as soon as a page of people has been sent.
    pub vanishing: Mutex<Vec<String>>,
    /// The valid access tokens.
    tokens: Mutex<Vec<String>>,
    rules: Mutex<Vec<Rule>>,
    pub alteration: Alteration,
    /// The paths of all requests, in order.
    asked: Mutex<Vec<String>>,
    heard: Notify,
    go_on: Notify,
}

impl FakeDirectory {
    pub async fn start() -> Self {
        let state = Arc::new(State { page: Mutex::new(2), ..State::default() });
        let listening = Listening::start(&state, serve).await;
        Self { url: listening.url(""), state, _listening: listening }
    }

    /// The body of the request that connects a tenant to this directory as Microsoft Graph.
    pub fn graph(&self) -> Value {
        json!({"secret": SECRET, "directory": {"kind": "microsoft_graph", "tenant_id": "contoso.example",
            "client_id": "app-1", "login_url": self.url, "base_url": format!("{}/v1.0", self.url)}})
    }

    /// The body of the request that connects a tenant to this directory as a SCIM server.
    pub fn scim(&self) -> Value {
        json!({"secret": SECRET,
            "directory": {"kind": "scim", "base_url": format!("{}/scim", self.url), "page_size": 3}})
    }

    /// Adds a person; the id is the name before the `@`.
    pub fn person(&self, mail: &str) -> String {
        let id = mail.split('@').next().unwrap_or(mail).to_lowercase();
        let person = FakePerson { mail: Some(mail.to_owned()), name: format!("The {id}"), enabled: true };
        self.state.people.lock().insert(id.clone(), person);
        id
    }

    /// Sets the members of a group, by ids. Creates the group if it does not exist.
    pub fn group(&self, id: &str, members: &[&str]) {
        let members = members.iter().map(|member| (*member).to_owned()).collect();
        let mut groups = self.state.groups.lock();
        let group = groups.entry(id.to_owned()).or_default();
        group.members = members;
        if group.name.is_empty() {
            group.name = format!("Group {id}");
        }
        self.state.changes.lock().push(id.to_owned());
    }

    /// Gives a group another name.
    pub fn rename(&self, id: &str, name: &str) {
        self.state.groups.lock().get_mut(id).expect("a group").name = name.to_owned();
        self.state.changes.lock().push(id.to_owned());
    }

    pub fn drop_group(&self, id: &str) {
        self.state.groups.lock().remove(id);
        self.state.changes.lock().push(id.to_owned());
    }

    /// Sets how the next requests whose path contains `part` are handled.
    pub fn next(&self, part: &str, times: u32, act: Act) {
        self.state.rules.lock().push(Rule { part: part.to_owned(), times, act });
    }

    /// Removes all rules, and releases the requests that wait.
    pub fn calm(&self) {
        self.state.rules.lock().clear();
        self.state.go_on.notify_waiters();
    }

    /// Revokes all tokens issued so far.
    pub fn expire_tokens(&self) {
        self.state.tokens.lock().clear();
    }

    /// Number of requests whose path contains `part`.
    pub fn asked(&self, part: &str) -> usize {
        self.state.asked.lock().iter().filter(|path| path.contains(part)).count()
    }

    /// Waits until this many requests had `part` in their path.
    pub async fn until_asked(&self, part: &str, times: usize) {
        let asked = async {
            loop {
                let heard = self.state.heard.notified();
                if self.asked(part) >= times {
                    return;
                }
                heard.await;
            }
        };
        let asked = tokio::time::timeout(PATIENCE, asked).await;
        assert!(asked.is_ok(), "{part} was requested only {} times in a minute", self.asked(part));
    }
}

/// The parts of a request that the directory uses.
pub struct DirectoryRequest {
    method: String,
    /// The path without the query.
    path: String,
    query: BTreeMap<String, String>,
    bearer: Option<String>,
    body: String,
}

async fn serve(mut socket: TcpStream, state: Arc<State>) -> Option<()> {
    let url = format!("http://{}", socket.local_addr().ok()?);
    let asked = DirectoryRequest::read(&mut socket).await?;
    let line = format!("{} {}?{:?}", asked.method, asked.path, asked.query);
    // Subscribed before the request is recorded: a test that sees it may release it at once.
    let go_on = state.go_on.notified();
    state.asked.lock().push(line.clone());
    state.heard.notify_waiters();
    let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    let (status, body) = match act(&state, &line) {
        Some(Act::Status(status, wait)) => {
            headers.extend(wait.map(|seconds| ("Retry-After".to_owned(), seconds.to_owned())));
            (status, json!({"error": {"message": format!("told to, {SECRET}")}}))
        }
        Some(Act::HangUp) => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"value\": [";
            socket.write_all(head.as_bytes()).await.ok()?;
            return socket.shutdown().await.ok();
        }
        Some(Act::Silence) => {
            let mut rest = [0; 1];
            tokio::select! {
                () = go_on => {}
                // The client has disconnected.
                _ = socket.read(&mut rest) => return None,
            }
            answer(&state, &url, &asked)
        }
        None => answer(&state, &url, &asked),
    };
    let reply = Reply { status, headers, body: body.to_string().into_bytes(), cut_at: None };
    let reply = state.alteration.apply(&line, reply);
    socket.write_all(&reply.bytes()).await.ok()?;
    socket.shutdown().await.ok()
}

fn act(state: &State, line: &str) -> Option<Act> {
    let mut rules = state.rules.lock();
    let rule = rules.iter_mut().find(|rule| rule.times > 0 && line.contains(&rule.part))?;
    rule.times -= 1;
    Some(rule.act)
}

fn answer(state: &State, url: &str, asked: &DirectoryRequest) -> (u16, Value) {
    match asked.path.starts_with("/scim/") {
        true => scim::answer(state, asked),
        false => graph::answer(state, url, asked),
    }
}

impl DirectoryRequest {
    async fn read(socket: &mut TcpStream) -> Option<Self> {
        let request = Request::read(socket).await?;
        let target = reqwest::Url::parse(&format!("http://x{}", request.target)).ok()?;
        let decoded = target.path_segments()?.collect::<Vec<_>>().join("/");
        Some(Self {
            path: format!("/{decoded}"),
            query: target.query_pairs().into_owned().collect(),
            bearer: request.bearer().map(str::to_owned),
            body: String::from_utf8_lossy(&request.body).into_owned(),
            method: request.method,
        })
    }
}
