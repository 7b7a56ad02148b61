//! An authorization server on a real socket, with the resources that it issues tokens for: a tool server at `/mcp`
//! that requires a token, and an API at `/api`. It enforces OAuth 2.1 strictly: proofs, one-time codes, exact
//! addresses, resources, and refresh tokens whose reuse ends the whole grant. A test configures faulty behaviour with
//! [`Behaviour`].

mod rules;

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use reqwest::Url;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::reply::{Alteration, Reply};

/// The client that is registered from the start, and its secret. Neither the secret nor any token may appear in any
/// output.
pub const CLIENT: &str = "understudy";
pub const SECRET: &str = "hush-client-secret-0123456789";

/// How the server behaves.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// Whether clients can register.
    pub registers: bool,
    /// Whether it reads client metadata documents.
    pub documents: bool,
    /// Whether its metadata lists S256 as a supported proof method.
    pub s256: bool,
    /// Whether its metadata says that its responses contain the issuer, and which issuer they then contain.
    pub names: Option<String>,
    /// The issuer in its metadata, if it is not its own address.
    pub issuer: Option<String>,
    /// The authorization endpoint in its metadata, if it is not its own.
    pub authorization_endpoint: Option<String>,
    /// The resource in the tool server's metadata, if it is not its own address.
    pub resource: Option<String>,
    /// Whether the tool server's metadata is at the root of its host.
    pub at_root: bool,
    /// Whether the tool server's challenge contains the address of its metadata. Otherwise clients have to derive the
    /// address.
    pub points: bool,
    /// The scope that the tool server requests in its challenge.
    pub challenge_scope: Option<String>,
    /// The scope that the tool server requires of tokens, in addition to their validity.
    pub wants: Option<String>,
    /// The methods by which clients can authenticate.
    pub methods: Vec<&'static str>,
    /// Lifetime of access tokens in seconds.
    pub life: u64,
    /// Whether refresh tokens can be used only once.
    pub rotates: bool,
    /// A fixed response to token requests, in place of the normal response.
    pub token_answer: Option<(u16, String)>,
    /// Whether tokens can be revoked, and if so, the status of the response.
    pub revokes: Option<u16>,
    /// Whether the user denies access.
    pub denies: bool,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            registers: true,
            documents: false,
            s256: true,
            names: None,
            issuer: None,
            authorization_endpoint: None,
            resource: None,
            at_root: false,
            points: true,
            challenge_scope: None,
            wants: None,
            methods: vec!["client_secret_basic", "client_secret_post", "none"],
            life: 3_600,
            rotates: true,
            token_answer: None,
            revokes: Some(200),
            denies: false,
        }
    }
}

/// A request to the authorization server or one of its resources.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    pub method: String,
    pub path: String,
    pub authorization: String,
    /// The query, or the form.
    pub fields: HashMap<String, String>,
    /// The body, if it was JSON.
    pub json: Value,
}

/// A client as the server knows it.
#[derive(Clone, Debug)]
struct Client {
    secret: Option<String>,
    redirects: Option<Vec<String>>,
}

/// An issued authorization code, with the request that it was issued for.
#[derive(Clone, Debug)]
struct Code {
    client: String,
    redirect: String,
    challenge: String,
    resource: Option<String>,
    scope: String,
    spent: Option<usize>,
}

/// A grant by a user. Its tokens are issued and expire independently of it.
#[derive(Clone, Debug, Default)]
struct Grant {
    client: String,
    resource: Option<String>,
    scope: String,
    over: bool,
}

#[derive(Default)]
struct State {
    issuer: String,
    behaviour: Behaviour,
    clients: HashMap<String, Client>,
    codes: HashMap<String, Code>,
    grants: Vec<Grant>,
    /// Valid access tokens, with their grants.
    access: HashMap<String, usize>,
    /// Refresh tokens, with their grants and whether they were used.
    refresh: HashMap<String, (usize, bool)>,
    /// Everything that must stay secret.
    secrets: HashSet<String>,
    seen: Vec<ReceivedRequest>,
    made: usize,
}

/// A running authorization server. It stops when this is dropped.
pub struct FakeAuthority {
    issuer: String,
    state: Arc<Mutex<State>>,
    pub alteration: Arc<Alteration>,
    /// Token requests wait for a permit.
    gate: Arc<Semaphore>,
    task: tokio::task::JoinHandle<()>,
}

impl FakeAuthority {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let known = Client { secret: Some(SECRET.to_owned()), redirects: None };
        let state = State {
            issuer: issuer.clone(),
            clients: HashMap::from([(CLIENT.to_owned(), known)]),
            secrets: HashSet::from([SECRET.to_owned()]),
            ..State::default()
        };
        let state = Arc::new(Mutex::new(state));
        let gate = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        let alteration = Arc::new(Alteration::default());
        let (all, held, altered) = (state.clone(), gate.clone(), alteration.clone());
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (state, gate, altered) = (all.clone(), held.clone(), altered.clone());
                tokio::spawn(async move {
                    let service = service_fn(move |request| {
                        let answer = answer(request, state.clone(), gate.clone());
                        let altered = altered.clone();
                        async move { alter(&altered, answer.await).await }
                    });
                    let server = hyper::server::conn::http1::Builder::new();
                    let _ = server.serve_connection(TokioIo::new(socket), service).await;
                });
            }
        });
        Self { issuer, state, alteration, gate, task }
    }

    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The URL of the tool server that requires its tokens.
    pub fn tool_server(&self) -> String {
        format!("{}/mcp", self.issuer)
    }

    /// Changes how it behaves from now on.
    pub fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.state.lock().behaviour);
    }

    /// Simulates the user's browser at the login page and returns the URL to which it is redirected. Panics if the
    /// page does not redirect.
    pub async fn log_in(&self, authorization_url: &str) -> Url {
        let answer = crate::harness::client().get(authorization_url).send().await.expect("an answer");
        let status = answer.status().as_u16();
        let location = answer.headers().get("location").map(|value| value.to_str().expect("text").to_owned());
        let said = answer.text().await.unwrap_or_default();
        assert_eq!(status, 302, "{said}");
        location.expect("a redirect").parse().expect("an address")
    }

    /// The requests to a path so far.
    pub fn seen(&self, path: &str) -> Vec<ReceivedRequest> {
        self.state.lock().seen.iter().filter(|seen| seen.path == path).cloned().collect()
    }

    /// Number of token requests so far with this grant type.
    pub fn grants_of(&self, kind: &str) -> usize {
        self.seen("/token")
            .iter()
            .filter(|seen| seen.fields.get("grant_type").is_some_and(|it| it == kind))
            .count()
    }

    /// Number of access tokens that are valid at present.
    pub fn tokens_that_hold(&self) -> usize {
        let state = self.state.lock();
        state.access.values().filter(|grant| !state.grants[**grant].over).count()
    }

    /// Expires all access tokens; refresh tokens stay valid.
    pub fn expire_access(&self) {
        self.state.lock().access.clear();
    }

    /// Ends every grant, so that no token issued under it is valid any more.
    pub fn end_grants(&self) {
        self.state.lock().grants.iter_mut().for_each(|grant| grant.over = true);
    }

    /// Forgets all clients that have registered.
    pub fn forget_clients(&self) {
        self.state.lock().clients.retain(|id, _| id == CLIENT);
    }

    /// Blocks token requests from now on.
    pub fn close_gate(&self) {
        self.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    /// Lets all blocked token requests continue.
    pub fn open_gate(&self) {
        self.gate.add_permits(1_000);
    }

    /// Panics if a text contains a token, code or secret that the server has issued.
    #[track_caller]
    pub fn keeps_secrets(&self, text: &str) {
        let state = self.state.lock();
        if let Some(secret) = state.secrets.iter().find(|secret| text.contains(secret.as_str())) {
            panic!("{secret} shows in {text}");
        }
    }
}

impl Drop for FakeAuthority {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    request: Request<Incoming>,
    state: Arc<Mutex<State>>,
    gate: Arc<Semaphore>,
) -> (String, Response<Full<Bytes>>) {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let query = head.uri.query().unwrap_or_default().to_owned();
    let form = if body.starts_with(b"{") { query } else { String::from_utf8_lossy(&body).into_owned() };
    let form = if body.is_empty() { head.uri.query().unwrap_or_default().to_owned() } else { form };
    let pairs = Url::parse(&format!("http://x/?{form}")).expect("a query");
    let mut fields = HashMap::new();
    for (name, value) in pairs.query_pairs() {
        let before = fields.insert(name.clone().into_owned(), value.into_owned());
        assert!(before.is_none(), "{name} was sent twice");
    }
    let authorization = head.headers.get("authorization").and_then(|value| value.to_str().ok());
    let seen = ReceivedRequest {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        authorization: authorization.unwrap_or_default().to_owned(),
        fields,
        json: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let line = format!("{} {}", seen.method, seen.path);
    state.lock().seen.push(seen.clone());
    if seen.path == "/token" {
        let _permit = gate.acquire().await;
        return (line, rules::answer(&mut state.lock(), &seen));
    }
    (line, rules::answer(&mut state.lock(), &seen))
}

/// Alters a response if a test requests it. A truncated response ends with an error, on which the connection is
/// closed.
async fn alter(
    alteration: &Alteration,
    (line, answer): (String, Response<Full<Bytes>>),
) -> Result<Response<BoxBody<Bytes, io::Error>>, Infallible> {
    let (head, body) = answer.into_parts();
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes())));
    let (status, headers) = (head.status.as_u16(), headers.collect());
    let body = body.collect().await?.to_bytes().to_vec();
    let Reply { status, headers, body, cut_at } =
        alteration.apply(&line, Reply { status, headers, body, cut_at: None });
    let mut builder = Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    let body = match cut_at {
        None => Full::new(Bytes::from(body)).map_err(|never| match never {}).boxed(),
        Some(at) => {
            builder = builder.header("content-length", body.len());
            let some = Frame::data(Bytes::copy_from_slice(&body[..at.min(body.len())]));
            let cut = io::Error::other("the reply is cut");
            BodyExt::boxed(StreamBody::new(futures::stream::iter([Ok(some), Err(cut)])))
        }
    };
    Ok(builder.body(body).expect("an answer"))
}
