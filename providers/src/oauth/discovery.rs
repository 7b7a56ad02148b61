//! Discovers the authorization servers of a tool server, and their endpoints.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Url;

use super::{Authority, Challenge, OAuth, OAuthError, Resource};
use crate::web::{WebAnswer, WebRequest, host_of};

/// Size limit in bytes and timeout of one metadata document.
const DOCUMENT: u64 = 256 << 10;
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server may take to answer the probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(8);
/// The body of the probe: an `initialize` request of the Model Context Protocol.
const GREETING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#,
    r#""clientInfo":{"name":"Understudy","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}}}"#
);

/// How a tool server responds to a request without a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAccess {
    /// It needs no token.
    Open,
    /// It requires a token and answered with this challenge.
    Closed(Challenge),
}

impl OAuth {
    /// Probes whether a tool server requires a token.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached or answers with a status other than 401 and 2xx.
    pub async fn probe(&self, server: &str) -> Result<ServerAccess, OAuthError> {
        if !self.web.is_private(server) {
            return Err(OAuthError::wrong("the connection to the tool server would not be encrypted"));
        }
        let accept = ("accept".to_owned(), "application/json, text/event-stream".to_owned());
        let kind = ("content-type".to_owned(), "application/json".to_owned());
        let answer = self.web.send(WebRequest {
            headers: vec![accept, kind],
            body: Some(Bytes::from_static(GREETING.as_bytes())),
            max_bytes: DOCUMENT,
            timeout: PROBE_TIMEOUT,
            redirects: false,
            ..WebRequest::new("POST", server)
        });
        let answer = answer.await.map_err(|why| OAuthError::from(why).about("the tool server"))?;
        match answer.status {
            401 => Ok(ServerAccess::Closed(challenge_of(&answer).unwrap_or_default())),
            200..=299 => {
                self.end_session(server, &answer).await;
                Ok(ServerAccess::Open)
            }
            status => Err(OAuthError::unreachable(format!("the tool server answered {status}"))),
        }
    }

    /// Ends the session that a probe created. Failures are ignored.
    async fn end_session(&self, server: &str, answer: &WebAnswer) {
        let session = answer.headers.get("mcp-session-id").and_then(|id| id.to_str().ok());
        let Some(session) = session else { return };
        let mut headers = vec![("mcp-session-id".to_owned(), session.to_owned())];
        headers.extend(version_in(&answer.body).map(|version| ("mcp-protocol-version".to_owned(), version)));
        let leave = WebRequest {
            headers,
            timeout: PROBE_TIMEOUT,
            redirects: false,
            ..WebRequest::new("DELETE", server)
        };
        let _ = self.web.send(leave).await;
    }

    /// Fetches the metadata of a protected resource (RFC 9728): from the URL in the challenge if there is one, and
    /// otherwise from the well-known locations. Returns `None` if there is no metadata.
    ///
    /// # Errors
    /// Returns an error if the document describes another server or names no authorization server.
    pub async fn resource(
        &self,
        server: &str,
        challenge: &Challenge,
    ) -> Result<Option<Resource>, OAuthError> {
        let url =
            Url::parse(server).map_err(|_| OAuthError::wrong("the server's address is not a valid URL"))?;
        if let Some(named) = &challenge.resource_metadata {
            if !self.web.is_private(named) {
                return Err(OAuthError::wrong(
                    "the server points to metadata over an unencrypted connection",
                ));
            }
            return match self.document(named).await? {
                Some(json) => Resource::read(&json, server, named).map(Some),
                None => Err(OAuthError::wrong("the server points to metadata that does not exist")),
            };
        }
        for place in places(&url, &["oauth-protected-resource"], false) {
            if let Some(json) = self.document(&place).await? {
                return Resource::read(&json, server, &place).map(Some);
            }
        }
        Ok(None)
    }

    /// Fetches the metadata of an authorization server (RFC 8414 and OpenID Connect Discovery). The `issuer` in the
    /// document must match exactly.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached or its metadata is not usable.
    pub async fn authority(&self, issuer: &str) -> Result<Authority, OAuthError> {
        let about = |why: OAuthError| {
            why.about(&format!("the authorization server {}", super::error::printable(issuer)))
        };
        let wrong = |what: &str| about(OAuthError::wrong(what));
        let url = Url::parse(issuer).map_err(|_| wrong("its address is not a valid URL"))?;
        if !self.web.is_private(issuer) || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong(
                "its address has to begin with https://, and to have neither query nor fragment",
            ));
        }
        let mut first = None;
        for place in places(&url, &["oauth-authorization-server", "openid-configuration"], true) {
            let found = match self.document(&place).await {
                Ok(Some(json)) => Authority::read(&json, issuer, |address| self.web.is_private(address)),
                Ok(None) => continue,
                Err(why) => Err(why),
            };
            match found {
                Ok(authority) => return Ok(authority),
                Err(why) => first = first.or(Some(why)),
            }
        }
        Err(about(first.unwrap_or_else(|| OAuthError::wrong("it does not name an authorization endpoint"))))
    }

    /// Fetches a JSON document. Returns `None` for other content, since many servers answer every path with an HTML
    /// page.
    async fn document(&self, url: &str) -> Result<Option<Bytes>, OAuthError> {
        let answer = self.web.send(WebRequest {
            headers: vec![("accept".to_owned(), "application/json".to_owned())],
            hosts: Some(host_of(url).into_iter().collect()),
            max_bytes: DOCUMENT,
            timeout: TIMEOUT,
            ..WebRequest::new("GET", url)
        });
        let answer = answer.await?;
        match answer.status {
            200 if answer.body.first() == Some(&b'{') || answer.media_type().ends_with("json") => {
                Ok(Some(answer.body))
            }
            429 | 500.. => {
                Err(OAuthError::unreachable(format!("{} answered {}", shown_at(url), answer.status)))
            }
            _ => Ok(None),
        }
    }
}

/// Returns the protocol version in the response to the probe, which is JSON or an event stream.
fn version_in(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let json = text
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .find(|line| line.contains("protocolVersion"));
    let message: serde_json::Value = serde_json::from_str(json.unwrap_or(text).trim()).ok()?;
    message["result"]["protocolVersion"].as_str().map(str::to_owned)
}

/// Returns the first challenge in the headers of a response.
pub(super) fn challenge_of(answer: &WebAnswer) -> Option<Challenge> {
    let all = answer.headers.get_all("www-authenticate").iter();
    all.filter_map(|value| Challenge::read(value.to_str().ok()?)).next()
}

/// Returns the well-known locations of documents about a URL. The path of the URL follows the well-known prefix;
/// OpenID Connect issuers may also have it before the prefix, and resources may also use the root.
fn places(url: &Url, names: &[&str], is_issuer: bool) -> Vec<String> {
    let (origin, path) = (url.origin().ascii_serialization(), url.path().trim_end_matches('/'));
    let mut places: Vec<String> =
        names.iter().map(|name| format!("{origin}/.well-known/{name}{path}")).collect();
    if path.is_empty() {
        return places;
    }
    match is_issuer {
        true => places.push(format!("{origin}{path}/.well-known/openid-configuration")),
        false => places.extend(names.iter().map(|name| format!("{origin}/.well-known/{name}"))),
    }
    places
}

fn shown_at(url: &str) -> String {
    host_of(url).unwrap_or_else(|| "the server".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_in_reads_json_and_event_streams() {
        let json = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}"#;
        let event = format!("event: message\ndata: {json}\n\n");
        for body in [json, &event] {
            assert_eq!(version_in(body.as_bytes()).as_deref(), Some("2025-06-18"));
        }
        assert_eq!(version_in(b"<html>"), None);
    }

    #[test]
    fn places_returns_the_well_known_locations() {
        let at = |url: &str, names: &[&str], is_issuer| places(&Url::parse(url).unwrap(), names, is_issuer);
        let issuer = ["oauth-authorization-server", "openid-configuration"];
        assert_eq!(
            at("https://a.example/tenant/", &issuer, true),
            [
                "https://a.example/.well-known/oauth-authorization-server/tenant",
                "https://a.example/.well-known/openid-configuration/tenant",
                "https://a.example/tenant/.well-known/openid-configuration",
            ]
        );
        assert_eq!(at("https://a.example", &issuer, true).len(), 2);
        assert_eq!(
            at("https://a.example:8443/mcp", &["oauth-protected-resource"], false),
            [
                "https://a.example:8443/.well-known/oauth-protected-resource/mcp",
                "https://a.example:8443/.well-known/oauth-protected-resource",
            ]
        );
    }
}
