//! The response of a server, and assertions about it.

use reqwest::header::HeaderMap;
use serde_json::Value;
use std::fmt;

/// A complete response. The methods named after a status panic, with the body, if the response has
/// another status.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.text())
    }
}

/// A JSON string as a `String`.
#[track_caller]
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

impl Answer {
    pub async fn read(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, body: response.bytes().await.expect("a body").to_vec() }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    #[track_caller]
    pub fn expect(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    #[track_caller]
    pub fn ok(&self) -> Value {
        self.expect(200).json()
    }

    #[track_caller]
    pub fn created(&self) -> Value {
        self.expect(201).json()
    }

    #[track_caller]
    pub fn no_content(&self) {
        self.expect(204);
        assert!(self.body.is_empty(), "{self:?}");
    }

    /// A problem document with this status and code.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        let problem = self.expect(status).json();
        assert_eq!(problem["code"], code, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        assert_eq!(problem["request_id"].as_str(), self.header("x-request-id"), "{self:?}");
        problem
    }

    #[track_caller]
    pub fn not_found(&self) {
        self.problem(404, "not_found");
    }

    /// The locations of all errors of a 422 response, joined with dots, in alphabetical order.
    #[track_caller]
    pub fn faults(&self) -> Vec<String> {
        let problem = self.expect(422).json();
        let step = |step: &Value| step.as_str().map_or_else(|| step.to_string(), str::to_owned);
        let faults = problem["errors"].as_array().unwrap_or_else(|| panic!("no errors: {self:?}"));
        let mut places: Vec<_> = faults
            .iter()
            .map(|fault| fault["loc"].as_array().expect("loc").iter().map(step).collect::<Vec<_>>().join("."))
            .collect();
        places.sort();
        places
    }
}
