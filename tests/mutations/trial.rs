//! One operation, to which requests are sent and whose responses are checked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::replies;
use super::requests::{self, Request};
use crate::crash::setting;
use crate::harness::reply::Alteration;
use crate::harness::{Answer, PATIENCE, TestServer, client, documented};

/// Number of mutated requests per operation, unless `UNDERSTUDY_MUTATIONS` is set.
const ROUNDS: u64 = 72;
/// Time limit for a response, on a slow machine with other tests on every core.
const LONGEST: Duration = Duration::from_secs(20);
/// Operations that browsers open. They report errors as pages if a page is requested.
const PAGES: [&str; 4] =
    ["external.login", "external.auth_callback", "external.unified_oauth_callback", "mcp.callback"];

/// The part that was mutated, which determines the permitted responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutates {
    /// The request: no response may be a 5xx.
    Request,
    /// The path, so that another operation or none may respond: 404 and 405 are permitted even if undocumented.
    Path,
    /// A reply of a peer: 502, 503 and 504 are permitted as well, if they are documented.
    Reply,
}

/// One operation. Faults are collected, so that one run reports all of them; [`Trial::end`] panics with them.
pub struct Trial {
    id: &'static str,
    operation: &'static Value,
    server: String,
    client: reqwest::Client,
    secrets: Vec<String>,
    faults: Vec<String>,
    /// Description of the mutation of the last reply of a peer.
    replied: Arc<Mutex<String>>,
    seed: u64,
    pub dice: StdRng,
    pub rounds: usize,
    /// Responses with 2xx and 3xx so far.
    pub accepted: usize,
}

impl Trial {
    /// A trial of the operation with this id. No response may contain any of the secrets.
    pub fn of(server: &TestServer, id: &'static str, secrets: &[&str]) -> Self {
        let operation = documented::operation(id).unwrap_or_else(|| panic!("there is no operation {id}"));
        let rounds = usize::try_from(setting("UNDERSTUDY_MUTATIONS", ROUNDS)).expect("a number");
        let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
        println!("{id}: {rounds} rounds; UNDERSTUDY_SEED={seed} repeats them");
        let secrets = secrets.iter().map(|secret| (*secret).to_owned()).collect();
        let (server, client, dice) = (server.url(), client(), StdRng::seed_from_u64(seed));
        let (faults, replied) = (Vec::new(), Arc::default());
        Self { id, operation, server, client, secrets, faults, replied, seed, dice, rounds, accepted: 0 }
    }

    /// Adds a text that no response may contain from now on.
    pub fn keep_secret(&mut self, secret: &str) {
        self.secrets.push(secret.to_owned());
    }

    /// Sends the unmodified request, whose response must have this status.
    pub async fn valid(&mut self, request: &Request, status: u16) -> Answer {
        let answer = self.send(request).await.unwrap_or_else(|why| panic!("{}: {why}", self.told()));
        assert_eq!(answer.status, status, "{}: {}: {answer:?}", self.told(), request.target());
        if let Some(why) = self.fault_of(request, &answer, Mutates::Request) {
            self.note("the valid request", why);
        }
        answer
    }

    /// Sends the request after the mutation of a round, and checks the response; `None` if there was none.
    pub async fn mutated(&mut self, request: &Request, round: usize) -> Option<Answer> {
        let mutated = requests::mutated(request, round, &mut self.dice);
        // A different code is passed on to the authorization server, whose refusal is then reported.
        let code = |request: &Request| {
            request.query.iter().filter(|(name, _)| name == "code").cloned().collect::<Vec<_>>()
        };
        let mutates = match code(&mutated.request) == code(request) {
            false => Mutates::Reply,
            true if mutated.is_elsewhere => Mutates::Path,
            true => Mutates::Request,
        };
        self.checked(&mutated.what, &mutated.request, mutates).await
    }

    /// Sends a request, and checks the response; `None` if there was none.
    pub async fn checked(&mut self, what: &str, request: &Request, mutates: Mutates) -> Option<Answer> {
        let began = Instant::now();
        let sent = self.send(request).await;
        if began.elapsed() > LONGEST {
            let why = format!("answered after {:?}: {sent:?}", began.elapsed());
            self.note(what, why);
        }
        match sent {
            Ok(answer) => {
                if let Some(why) = self.fault_of(request, &answer, mutates) {
                    let shown: String = format!("{answer:?}").chars().take(600).collect();
                    self.note(
                        what,
                        format!("{why}\n    {} {}\n    {shown}", request.method, short(&request.target())),
                    );
                }
                Some(answer)
            }
            Err(why) => {
                self.note(what, why);
                None
            }
        }
    }

    /// Sends the head of a request that announces a longer body than follows, half of the body, and nothing more. The
    /// response, if there is one, must be a client error.
    pub async fn cut_on_the_wire(&mut self, request: &Request) {
        let body = request.body.clone().unwrap_or_else(|| b"{}".to_vec());
        for (what, length) in
            [("less body than announced", body.len() + 100), ("half of the body", body.len())]
        {
            let mut head =
                format!("{} {} HTTP/1.1\r\nhost: x\r\n", request.method, request.target()).into_bytes();
            for (name, value) in request.headers.iter().filter(|(name, _)| *name != "host") {
                head.extend_from_slice(format!("{name}: ").as_bytes());
                head.extend_from_slice(value);
                head.extend_from_slice(b"\r\n");
            }
            head.extend_from_slice(format!("content-length: {length}\r\n\r\n").as_bytes());
            head.extend_from_slice(&body[..body.len() / 2]);
            let address = self.server.trim_start_matches("http://");
            let mut socket = TcpStream::connect(address).await.expect("the server listens");
            socket.write_all(&head).await.expect("it is sent");
            socket.shutdown().await.expect("it is ended");
            let mut answer = Vec::new();
            let read = tokio::time::timeout(PATIENCE, socket.read_to_end(&mut answer)).await;
            let told = String::from_utf8_lossy(&answer);
            let status = told.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok());
            if read.is_err() {
                self.note(what, "the connection stays open".to_owned());
            } else if status.is_some_and(|status| !(400..500).contains(&status)) && self.takes_a_body() {
                self.note(what, format!("is answered: {}", short(&told)));
            }
            if let Some(secret) = self.secrets.iter().find(|secret| told.contains(secret.as_str())) {
                let why = format!("{secret:?} is in the answer");
                self.note(what, why);
            }
        }
    }

    /// Makes a peer mutate its reply to the `nth` request, from 0, whose method and path contain this text.
    pub fn mutate_reply(&mut self, alteration: &Alteration, asked: &'static str, nth: usize, round: usize) {
        let (mut dice, mut seen) = (StdRng::seed_from_u64(self.dice.random()), 0);
        let replied = self.replied.clone();
        replied.lock().clear();
        alteration.set(move |request, reply| {
            if !request.contains(asked) {
                return reply;
            }
            seen += 1;
            if seen != nth + 1 {
                return reply;
            }
            let (what, reply) = replies::mutated(reply, round, &mut dice);
            *replied.lock() = format!("{request} is replied to with {}", short(&what));
            reply
        });
    }

    /// Includes the replies in the trial of another operation in the faults of this one.
    pub fn told_by(&mut self, other: &Self) {
        self.replied = other.replied.clone();
    }

    /// Records a fault.
    pub fn note(&mut self, what: &str, why: String) {
        let replied = self.replied.lock().clone();
        let parts: Vec<_> = [short(what), replied].into_iter().filter(|part| !part.is_empty()).collect();
        self.faults.push(format!("{}: {why}", parts.join(": ")));
    }

    /// Reports the faults of another operation as well.
    pub fn include(&mut self, other: Self) {
        println!("{}: {} requests were accepted", other.told(), other.accepted);
        self.faults.extend(other.faults.iter().map(|fault| format!("{}: {fault}", other.told())));
    }

    /// Panics if any fault was recorded.
    pub fn end(self) {
        let told = self.told();
        assert!(self.faults.is_empty(), "{told}: {} faults:\n{}", self.faults.len(), self.faults.join("\n"));
        println!("{told}: {} requests were accepted", self.accepted);
    }

    fn told(&self) -> String {
        format!("{} with UNDERSTUDY_SEED={}", self.id, self.seed)
    }

    fn takes_a_body(&self) -> bool {
        !self.operation["requestBody"].is_null()
    }

    async fn send(&mut self, request: &Request) -> Result<Answer, String> {
        let sent = tokio::time::timeout(PATIENCE, request.build(&self.client, &self.server).send()).await;
        let response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(why)) => return Err(format!("no response: {why:?}")),
            Err(_) => return Err("no response within a minute".to_owned()),
        };
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if status < 400 {
            self.accepted += 1;
        }
        let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        // A stream lasts as long as its run, which may be halted.
        let is_stream = kind.starts_with("text/event-stream") || kind.starts_with("application/x-ndjson");
        let body = match is_stream {
            true => tokio::time::timeout(Duration::from_millis(200), response.bytes())
                .await
                .unwrap_or(Ok(Default::default())),
            false => response.bytes().await,
        };
        let body = body.map_err(|why| format!("the answer breaks off: {why:?}"))?.to_vec();
        Ok(Answer { status, headers, body })
    }

    /// Describes what is wrong with a response.
    fn fault_of(&self, request: &Request, answer: &Answer, mutates: Mutates) -> Option<String> {
        let (text, status) = (answer.text(), answer.status);
        let headers = format!("{:?}", answer.headers);
        let shown = |secret: &&String| text.contains(secret.as_str()) || headers.contains(secret.as_str());
        if let Some(secret) = self.secrets.iter().find(shown) {
            return Some(format!("{secret:?} is in the answer"));
        }
        if let 500.. = status {
            let allowed = mutates == Mutates::Reply && matches!(status, 502..=504);
            if !allowed {
                return Some(format!("{status} is the server's fault"));
            }
        }
        let is_elsewhere = mutates == Mutates::Path && matches!(status, 404 | 405);
        if let (Some(why), false) = (documented::undocumented(self.operation, answer), is_elsewhere) {
            return Some(why);
        }
        match status {
            400.. if PAGES.contains(&self.id) && request.wants_page() => None,
            400.. => fault_of_problem(answer),
            _ => None,
        }
    }
}

/// Checks that an error is a problem document with a code, the status and the request's id, and that a 422 lists its
/// errors.
fn fault_of_problem(answer: &Answer) -> Option<String> {
    let kind = answer.header("content-type").unwrap_or_default();
    if kind != "application/problem+json" {
        return Some(format!("an error of the type {kind:?}"));
    }
    let Ok(problem) = serde_json::from_slice::<Value>(&answer.body) else {
        return Some("an error that is not JSON".to_owned());
    };
    if problem["code"].as_str().unwrap_or_default().is_empty() {
        return Some("an error without a code".to_owned());
    }
    if problem["status"] != answer.status {
        return Some(format!("a problem of status {} with {}", problem["status"], answer.status));
    }
    if problem["request_id"].as_str() != answer.header("x-request-id") {
        return Some("an error with another request_id than the header".to_owned());
    }
    (answer.status == 422 && !problem["errors"].is_array()).then(|| "a 422 without errors".to_owned())
}

fn short(text: &str) -> String {
    text.chars().take(300).collect()
}
