//! A client that sends requests.

use super::answer::Answer;
use super::documented;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use std::sync::LazyLock;

/// Each client creates its own connection pool. A single pool for all tests would belong to the
/// runtime of the first test.
pub fn client() -> reqwest::Client {
    static PROVIDER: LazyLock<()> = LazyLock::new(|| {
        // An error means that a provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    LazyLock::force(&PROVIDER);
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client")
}

/// A caller of one server, with or without a bearer token.
#[derive(Clone)]
pub struct Client {
    url: String,
    token: Option<String>,
    inner: reqwest::Client,
}

impl Client {
    pub fn new(url: String, token: Option<String>) -> Self {
        Self { url, token, inner: client() }
    }

    /// A request that can be extended and then sent, with [`Client::send`] or manually.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.inner.request(method, format!("{}{path}", self.url));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Panics
    /// If the OpenAPI document does not describe such a response of the operation.
    pub async fn send(request: RequestBuilder) -> Answer {
        let (client, request) = request.build_split();
        let request = request.expect("a request");
        let operation = documented::operation_at(request.method().as_str(), request.url().path());
        let told = format!("{} {}", request.method(), request.url().path());
        let answer = Answer::read(client.execute(request).await.expect("an answer")).await;
        if let Some(why) = operation.and_then(|operation| documented::undocumented(operation, &answer)) {
            panic!("{told}: {why}: {answer:?}");
        }
        answer
    }

    pub async fn get(&self, path: &str) -> Answer {
        Self::send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        Self::send(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        Self::send(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        Self::send(self.request(Method::PATCH, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        Self::send(self.request(Method::DELETE, path)).await
    }

    pub fn bearer(&self) -> &str {
        self.token.as_deref().unwrap_or_default()
    }

    /// The server's base URL, `http://..`.
    pub fn url(&self) -> &str {
        &self.url
    }
}
