//! Sends protocol messages over HTTP through the guarded client, with the user's token.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::bearer::{Bearer, BearerError, Token};
use super::error::{McpError, McpErrorKind, clean};
use super::events;
use super::tool::keeping_execution;
use crate::web::{WebClient, WebRequest, WebStream};

/// Maximum size of an error response; large enough for a protocol error.
const MAX_ERROR_BODY_BYTES: usize = 64 << 10;
/// The `Accept` header of messages.
const ACCEPTED: &str = "application/json, text/event-stream";

type Failure = StreamableHttpError<McpError>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The HTTP connection to one server for one user. Cheap to clone.
#[derive(Clone)]
pub(super) struct Wire(Arc<WireInner>);

pub(super) struct WireInner {
    pub web: WebClient,
    pub bearer: Arc<dyn Bearer>,
    /// Maximum number of bytes of a response, and of an event in it.
    pub max_bytes: u64,
    pub wire_events: events::WireEvents,
    /// How long the response headers may take. A tool that answers in one piece sends them when it has finished.
    pub longest: Duration,
}

struct Outgoing {
    method: &'static str,
    url: Arc<str>,
    headers: Vec<(String, String)>,
    body: Option<Bytes>,
}

impl Wire {
    pub fn new(inner: WireInner) -> Self {
        Self(Arc::new(inner))
    }

    /// Sends a request with the user's token. If the server answers 401, renews the token and sends the request once
    /// more.
    async fn send(&self, outgoing: Outgoing) -> Result<(WebStream, Option<Token>), McpError> {
        let token = self.0.bearer.token().await.map_err(no_token)?;
        let answer = self.once(&outgoing, token.as_ref()).await?;
        if answer.status != 401 {
            return Ok((answer, token));
        }
        let challenge = answer.header("www-authenticate").map(str::to_owned);
        drop(answer);
        let stale = token.as_ref().map(|token| &token.secret);
        let renewed = self.0.bearer.renew(stale, challenge.as_deref()).await.map_err(no_token)?;
        let renewed = Token::from(renewed);
        let answer = self.once(&outgoing, Some(&renewed)).await?;
        match answer.status {
            401 => Err(McpError::login()),
            _ => Ok((answer, Some(renewed))),
        }
    }

    async fn once(&self, outgoing: &Outgoing, token: Option<&Token>) -> Result<WebStream, McpError> {
        let (key, bearer) = match token.cloned() {
            Some(Token { secret, header: Some(header) }) => (Some((header, secret)), None),
            token => (None, token.map(|token| token.secret)),
        };
        let request = WebRequest {
            headers: outgoing.headers.clone(),
            body: outgoing.body.clone(),
            bearer,
            key,
            max_bytes: self.0.max_bytes,
            timeout: self.0.longest,
            // A call's arguments are meant for the named server only, and a 401 of another server says nothing about
            // this login.
            redirects: false,
            ..WebRequest::new(outgoing.method, outgoing.url.as_ref())
        };
        let answer = self.0.web.open(request).await?;
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        // The login is valid but lacks a scope; only a new login helps.
        if answer.status == 403 && challenge.contains("insufficient_scope") {
            // Reports the challenge, so that the next login requests the missing scope.
            let _ = self.0.bearer.renew(token.map(|token| &token.secret), Some(challenge)).await;
            return Err(McpError::login());
        }
        Ok(answer)
    }

    async fn post(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let body = serde_json::to_vec(&message)?;
        let mut headers = plain(headers, session.as_deref(), ACCEPTED);
        headers.push(("content-type".into(), "application/json".into()));
        let outgoing = Outgoing { method: "POST", url, headers, body: Some(body.into()) };
        let (answer, token) = self.send(outgoing).await.map_err(StreamableHttpError::Client)?;
        let request_id = match &message {
            ClientJsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        };
        match answer.status {
            202 | 204 => return Ok(StreamableHttpPostResponse::Accepted),
            404 if session.is_some() => return Err(StreamableHttpError::SessionExpired),
            200..=299 => {}
            _ => {
                return refusal(answer, &message, session.is_some())
                    .await
                    .map_err(StreamableHttpError::Client);
            }
        }
        let session = answer.header("mcp-session-id").map(str::to_owned);
        match answer.media_type().as_str() {
            "text/event-stream" => Ok(StreamableHttpPostResponse::Sse(self.events(answer, token), session)),
            // Some servers send a body in response to notifications, which require none.
            _ if request_id.is_none() => Ok(StreamableHttpPostResponse::Accepted),
            "application/json" => {
                let body = self.body(answer, token).await?;
                let message =
                    read(&keeping_execution(body), request_id).map_err(StreamableHttpError::Client)?;
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            other => {
                let why = format!("its answer is of the type {:?}", clean(other));
                Err(StreamableHttpError::Client(McpError::new(McpErrorKind::Protocol, why)))
            }
        }
    }

    fn events(&self, answer: WebStream, token: Option<Token>) -> Events {
        let secret = token.map(|token| token.secret);
        events::read(answer.into_body(), self.0.max_bytes as usize, secret, self.0.wire_events.clone())
    }

    async fn body(&self, answer: WebStream, token: Option<Token>) -> Result<String, Failure> {
        let body = answer.whole(self.0.max_bytes as usize).await;
        let body = body.map_err(|error| StreamableHttpError::Client(McpError::from(error).maybe_sent()))?;
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(events::without(body, token.as_ref().map(|token| &token.secret)))
    }
}

impl StreamableHttpClient for Wire {
    type Error = McpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post(uri, message, session_id, custom_headers).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let headers = plain(custom_headers, Some(&session_id), ACCEPTED);
        let outgoing = Outgoing { method: "DELETE", url: uri, headers, body: None };
        // The result does not matter: the session is not used again, and the server eventually expires it.
        self.send(outgoing).await.map(drop).map_err(StreamableHttpError::Client)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Failure> {
        let mut headers = plain(custom_headers, session_id.as_deref(), "text/event-stream");
        headers.extend(last_event_id.map(|id| ("last-event-id".to_owned(), id)));
        let outgoing = Outgoing { method: "GET", url: uri, headers, body: None };
        let (answer, token) = self.send(outgoing).await.map_err(StreamableHttpError::Client)?;
        match (answer.status, answer.media_type().as_str()) {
            (200, "text/event-stream") => Ok(self.events(answer, token)),
            // A server without a notification stream answers 405; some servers use other status codes.
            _ => Err(StreamableHttpError::ServerDoesNotSupportSse),
        }
    }
}

/// Builds the headers of a request.
fn plain(
    headers: HashMap<HeaderName, HeaderValue>,
    session: Option<&str>,
    accept: &str,
) -> Vec<(String, String)> {
    let text = |(name, value): (HeaderName, HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    let own = [("accept".to_owned(), accept.to_owned())].into_iter();
    let session = session.map(|id| ("mcp-session-id".to_owned(), id.to_owned()));
    own.chain(session).chain(headers.into_iter().filter_map(text)).collect()
}

/// Parses a response, which must belong to this request or carry no request id.
fn read(body: &str, request_id: Option<&RequestId>) -> Result<ServerJsonRpcMessage, McpError> {
    let wrong = |why: &str| McpError::new(McpErrorKind::Protocol, why);
    let message: ServerJsonRpcMessage =
        serde_json::from_str(body).map_err(|_| wrong("its response is not a valid protocol message"))?;
    let answers = match &message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => return Err(wrong("its response does not belong to this request")),
    };
    match (request_id, answers) {
        (Some(request_id), Some(id)) if request_id.to_string() != id.to_string() => {
            Err(wrong("its response belongs to another request"))
        }
        // An error without an id belongs to the only pending request.
        (Some(request_id), None) => match message {
            ServerJsonRpcMessage::Error(error) => {
                Ok(ServerJsonRpcMessage::error(error.error, Some(request_id.clone())))
            }
            message => Ok(message),
        },
        _ => Ok(message),
    }
}

/// Interprets an error response: returns the protocol error in its body if there is one.
async fn refusal(
    answer: WebStream,
    message: &ClientJsonRpcMessage,
    in_session: bool,
) -> Result<StreamableHttpPostResponse, McpError> {
    let status = answer.status;
    if (300..400).contains(&status) {
        return Err(redirected(status, answer.header("location")));
    }
    let body = answer.whole(MAX_ERROR_BODY_BYTES).await.unwrap_or_default();
    let body = String::from_utf8_lossy(&body);
    if let ClientJsonRpcMessage::Request(request) = message {
        if let Ok(reply @ ServerJsonRpcMessage::Error(_)) = read(&body, None) {
            let ServerJsonRpcMessage::Error(reply) = reply else { return Err(status_error(status)) };
            let reply = ServerJsonRpcMessage::error(reply.error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(reply, None));
        }
        // Servers that do not support discovery answer with a client error.
        let probes = matches!(request.request, ClientRequest::DiscoverRequest(_)) && !in_session;
        if probes && (400..500).contains(&status) && status != 403 {
            let error = ErrorData::invalid_request(format!("it answered {status}"), None);
            let reply = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(reply, None));
        }
    }
    Err(status_error(status))
}

/// Returns the error for a redirect. Redirects are never followed: arguments are only for the server that the
/// assistant names.
fn redirected(status: u16, location: Option<&str>) -> McpError {
    let location = location.map_or_else(|| "an address that it does not name".to_owned(), clean);
    let why = format!(
        "it answered {status}, a redirect to {location}, which is not followed; if that is the right address, enter it \
         as the tool server's"
    );
    McpError { unsent: true, ..McpError::new(McpErrorKind::Protocol, why) }
}

fn status_error(status: u16) -> McpError {
    let kind = match status {
        408 | 504 => McpErrorKind::Timeout,
        429 | 500..=599 => McpErrorKind::Unreachable,
        _ => McpErrorKind::Protocol,
    };
    McpError::new(kind, format!("it answered {status}"))
}

fn no_token(why: BearerError) -> McpError {
    match why {
        BearerError::LoginRequired => McpError::login(),
        BearerError::KeyRefused => McpError::new(McpErrorKind::KeyRefused, why.to_string()),
        BearerError::Unavailable(why) => McpError {
            unsent: true,
            ..McpError::new(
                McpErrorKind::Unreachable,
                format!("the login at it cannot be renewed: {}", clean(&why)),
            )
        },
    }
}
