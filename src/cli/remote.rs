//! Access to a running server by its URL.

use super::people::read_line;
use super::{Done, Failure};
use clap::Args;
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit for a response.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The server and the credentials for it.
#[derive(Args)]
pub(super) struct RemoteArgs {
    /// Use a running server instead of opening its data folder
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// An access or API token for the server
    #[arg(long, env = "UNDERSTUDY_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    token: Option<String>,
    /// Log in with this email address; the password is prompted for, or read from the first line of the standard input
    #[arg(long, value_name = "EMAIL", requires = "url")]
    login: Option<String>,
}

/// A running server, with an authenticated session.
pub(super) struct Remote {
    url: String,
    token: String,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

impl Remote {
    /// Connects to the server named by `--url`, if any.
    pub fn from_args(args: &RemoteArgs) -> Done<Option<Self>> {
        let Some(url) = &args.url else { return Ok(None) };
        let url = base_url(url)?;
        // An error means that a provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().timeout(TIMEOUT).build().map_err(Failure::new)?;
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
        let mut remote = Self { url, token: String::new(), client, runtime };
        remote.token = match (&args.login, &args.token) {
            (Some(email), _) => {
                let answer =
                    remote.post("/api/auth/login/", &json!({"email": email, "password": read_line()?}))?;
                answer["access_token"].as_str().unwrap_or_default().to_owned()
            }
            (None, Some(token)) => token.clone(),
            (None, None) => {
                return Err(Failure::usage_error("--url needs --token (or UNDERSTUDY_TOKEN) or --login"));
            }
        };
        Ok(Some(remote))
    }

    /// Sends a GET request; otherwise like [`post`](Self::post).
    pub fn get(&self, path: &str) -> Done<Value> {
        self.send(self.client.get(format!("{}{path}", self.url)))
    }

    /// Sends a POST request with a JSON body and returns the JSON response. Any unsuccessful response is a failure with
    /// the server's message.
    pub fn post(&self, path: &str, body: &Value) -> Done<Value> {
        self.send(self.client.post(format!("{}{path}", self.url)).json(body))
    }

    /// Sends a PUT request; otherwise like [`post`](Self::post).
    pub fn put(&self, path: &str, body: &Value) -> Done<Value> {
        self.send(self.client.put(format!("{}{path}", self.url)).json(body))
    }

    fn send(&self, mut request: reqwest::RequestBuilder) -> Done<Value> {
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        let (status, text) = self
            .runtime
            .block_on(async {
                let answer = request.send().await?;
                Ok::<_, reqwest::Error>((answer.status(), answer.text().await?))
            })
            .map_err(|error| Failure::new(format!("{}: {}", self.url, innermost(&error))))?;
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        match status.is_success() {
            true => Ok(answer),
            false => Err(Failure::new(in_words(status.as_u16(), &answer))),
        }
    }
}

/// Normalizes a URL so that paths can be appended to it.
pub(super) fn base_url(url: &str) -> Done<String> {
    let url = url.trim_end_matches('/').to_owned();
    match url.starts_with("http://") || url.starts_with("https://") {
        true => Ok(url),
        false => {
            Err(Failure::usage_error(format!("--url begins with http:// or https://, and {url} does not")))
        }
    }
}

/// The message of the innermost cause of an error.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// Formats a problem document as one line.
pub fn in_words(status: u16, problem: &Value) -> String {
    let faults = problem["errors"].as_array().into_iter().flatten().map(|fault| {
        // The first step is the part of the request, which the command line itself has built.
        let way = fault["loc"].as_array().into_iter().flatten().skip(1);
        let way: Vec<_> =
            way.map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned)).collect();
        format!("{} {}", way.join("."), fault["msg"].as_str().unwrap_or_default())
    });
    let faults = faults.collect::<Vec<_>>().join("; ");
    let title = problem["title"].as_str().unwrap_or("the server refused");
    let detail =
        if faults.is_empty() { problem["detail"].as_str().unwrap_or_default().to_owned() } else { faults };
    let gap = if detail.is_empty() { "" } else { ": " };
    format!("{title}{gap}{detail} (status {status})")
}
