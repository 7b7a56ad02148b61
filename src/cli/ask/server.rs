//! Sends the requests of `ask` to the server.

use super::super::people::read_line;
use super::super::remote::{in_words, innermost};
use super::super::{Done, Failure};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit for connecting, and the interval of probes on a silent connection.
const CONNECT: Duration = Duration::from_secs(10);
const KEEPALIVE: Duration = Duration::from_secs(15);

/// The credentials for the server.
pub(super) enum Credentials {
    /// An access or API token.
    Token(String),
    /// The email and password of an account. Its access tokens expire while a stream is read, so the password is kept
    /// in memory.
    Account { email: String, password: String },
}

impl Credentials {
    /// Determines the credentials: `--login`, a token, or the administrator in the environment.
    pub fn find(login: Option<&str>, token: Option<&str>) -> Done<Self> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        if let Some(email) = login {
            return Ok(Self::Account { email: email.to_owned(), password: read_line()? });
        }
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            return Ok(Self::Token(token.to_owned()));
        }
        let password = variable("UNDERSTUDY_ADMIN_PASSWORD").ok_or_else(|| {
            Failure::usage_error(
                "no credentials: set UNDERSTUDY_TOKEN or UNDERSTUDY_ADMIN_PASSWORD, or use --login EMAIL",
            )
        })?;
        let email = variable("UNDERSTUDY_ADMIN_EMAIL").unwrap_or_else(|| "admin@localhost".to_owned());
        Ok(Self::Account { email, password })
    }
}

/// Why a request did not succeed.
pub(super) struct RequestError {
    /// A message for people.
    pub words: String,
    /// Whether the same request may succeed soon: the server is unreachable, starting, or asks the client to wait.
    pub transient: bool,
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Self::new(error.words)
    }
}

pub(super) struct Server {
    /// The base URL without a trailing slash.
    pub url: String,
    credentials: Credentials,
    /// The access token; empty until the first request.
    token: String,
    client: reqwest::Client,
}

impl Server {
    pub fn new(url: String, credentials: Credentials) -> Done<Self> {
        // An error means that a provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // There is no timeout for a whole response because a stream may be silent for hours. Probes detect a lost peer.
        let client = reqwest::Client::builder().connect_timeout(CONNECT).tcp_keepalive(KEEPALIVE);
        let client = client.tcp_keepalive_interval(KEEPALIVE).tcp_keepalive_retries(3);
        let client = client.build().map_err(Failure::new)?;
        Ok(Self { url, credentials, token: String::new(), client })
    }

    /// Creates a GET request for a path below the URL, without credentials.
    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url))
    }

    /// Creates a POST request with a JSON body, without credentials.
    pub fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.url)).json(body)
    }

    /// Sends a request with credentials, and once more after a login if the access token has expired.
    pub async fn send(&mut self, request: RequestBuilder) -> Result<Response, RequestError> {
        let again = match (self.token.is_empty(), &self.credentials) {
            (true, _) => {
                self.log_in().await?;
                None
            }
            (false, Credentials::Account { .. }) => request.try_clone(),
            (false, Credentials::Token(_)) => None,
        };
        let mut response = self.exchange(request.bearer_auth(&self.token)).await?;
        if let Some(again) = again.filter(|_| response.status() == StatusCode::UNAUTHORIZED) {
            self.log_in().await?;
            response = self.exchange(again.bearer_auth(&self.token)).await?;
        }
        accepted(response).await
    }

    /// Sends a request like [`send`](Self::send), and parses the JSON response.
    pub async fn send_json(&mut self, request: RequestBuilder) -> Result<Value, RequestError> {
        let response = self.send(request).await?;
        self.json(response).await
    }

    async fn log_in(&mut self) -> Result<(), RequestError> {
        let (email, password) = match &self.credentials {
            Credentials::Account { email, password } => (email, password),
            Credentials::Token(token) => {
                self.token.clone_from(token);
                return Ok(());
            }
        };
        let body = json!({"email": email, "password": password});
        let response = accepted(self.exchange(self.post("/api/auth/login/", &body)).await?).await?;
        let session = self.json(response).await?;
        self.token = session["access_token"].as_str().unwrap_or_default().to_owned();
        Ok(())
    }

    async fn json(&self, response: Response) -> Result<Value, RequestError> {
        let unreadable = |error| RequestError { words: self.unreachable(&error), transient: true };
        response.json().await.map_err(unreadable)
    }

    async fn exchange(&self, request: RequestBuilder) -> Result<Response, RequestError> {
        request
            .send()
            .await
            .map_err(|error| RequestError { words: self.unreachable(&error), transient: !error.is_builder() })
    }

    fn unreachable(&self, error: &reqwest::Error) -> String {
        format!("{}: {}", self.url, innermost(error))
    }
}

/// Returns a successful response, or otherwise the server's error message.
async fn accepted(response: Response) -> Result<Response, RequestError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let problem: Value = response.json().await.unwrap_or_default();
    // 502 and 504 without a problem document come from a proxy whose server is not reachable.
    let transient = match status.as_u16() {
        429 | 503 => true,
        502 | 504 => problem.is_null(),
        _ => false,
    };
    Err(RequestError { words: in_words(status.as_u16(), &problem), transient })
}
