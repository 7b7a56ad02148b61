//! Tests of the client for tool servers, over real sockets.

mod calls;
mod connecting;
#[path = "../../../../tests/harness/fake_mcp/mod.rs"]
mod fake_mcp;
mod hostile;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use providers::Secret;
use providers::mcp::{Anonymous, Bearer, BearerError, McpError, McpLimits, McpSession, Progress, Token};
use providers::web::{WebClient, WebConfig};
use serde_json::{Map, Value};

use crate::socket;
use fake_mcp::FakeMcp;

/// Creates a client that may reach this machine by its address.
fn web() -> WebClient {
    WebClient::new(&WebConfig { allow: vec!["127.0.0.1".into()], ..WebConfig::default() }).expect("a client")
}

/// Limits that a slow test machine does not reach.
fn limits() -> McpLimits {
    let patient = Duration::from_secs(30);
    McpLimits { connect: patient, call: patient, longest: patient, ..McpLimits::default() }
}

async fn open(server: &FakeMcp) -> McpSession {
    McpSession::open(&web(), &server.url(), Arc::new(Anonymous), limits()).await.expect("a session")
}

async fn open_with(server: &FakeMcp, limits: McpLimits) -> Result<McpSession, McpError> {
    McpSession::open(&web(), &server.url(), Arc::new(Anonymous), limits).await
}

fn object(arguments: Value) -> Map<String, Value> {
    arguments.as_object().cloned().unwrap_or_default()
}

async fn call(session: &McpSession, tool: &str, arguments: Value) -> Result<Value, McpError> {
    session.call(tool, object(arguments), &|_| ()).await
}

/// A login with a token and the tokens of later renewals.
#[derive(Debug, Default)]
struct Login {
    token: Mutex<Option<Secret>>,
    next: Mutex<Vec<String>>,
    renewals: Mutex<Vec<(Option<String>, Option<String>)>>,
}

impl Login {
    fn new(token: Option<&str>, next: &[&str]) -> Arc<Self> {
        let next = next.iter().rev().map(|token| (*token).to_owned()).collect();
        Arc::new(Self {
            token: Mutex::new(token.map(Secret::from)),
            next: Mutex::new(next),
            ..Self::default()
        })
    }
}

#[async_trait::async_trait]
impl Bearer for Login {
    async fn token(&self) -> Result<Option<Token>, BearerError> {
        Ok(self.token.lock().clone().map(Token::from))
    }

    async fn renew(&self, stale: Option<&Secret>, challenge: Option<&str>) -> Result<Secret, BearerError> {
        let stale = stale.map(|token| token.expose().to_owned());
        self.renewals.lock().push((stale, challenge.map(str::to_owned)));
        let next = self.next.lock().pop().ok_or(BearerError::LoginRequired)?;
        let next = Secret::from(next);
        *self.token.lock() = Some(next.clone());
        Ok(next)
    }
}

/// The progress messages of a call.
#[derive(Default)]
struct ProgressLog(Mutex<Vec<Progress>>);

impl ProgressLog {
    fn ear(&self) -> impl Fn(Progress) + Send + Sync + '_ {
        |progress| self.0.lock().push(progress)
    }
}
