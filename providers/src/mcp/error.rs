//! Errors of requests to tool servers.

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpError};

use crate::web::{WebError, WebErrorKind};

/// The maximum number of characters of a server's message that are passed on.
const MAX_MESSAGE_CHARS: usize = 500;

/// The error of a failed request to a tool server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct McpError {
    /// The category of the failure.
    pub kind: McpErrorKind,
    /// The reason, safe to show to people and models: it contains no tokens, and long server messages are cut.
    pub message: String,
    /// Whether the request certainly had no effect because it did not reach the server or the server redirected it.
    pub unsent: bool,
}

/// Categories of failures that callers handle differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpErrorKind {
    /// The user has to log in at the server.
    LoginRequired,
    /// The server rejects the key that the assistant has for it.
    KeyRefused,
    /// The web client's policy blocks this address.
    Refused,
    /// The server cannot be reached or is temporarily unavailable.
    Unreachable,
    /// The server did not answer in time.
    Timeout,
    /// The response exceeds the size limit.
    TooLarge,
    /// The server violated the protocol or closed the connection.
    Protocol,
    /// The server answered with a protocol error, such as an unknown tool or invalid arguments.
    Denied,
    /// The tool ran and failed; the message is the tool's own.
    Tool,
}

impl McpErrorKind {
    /// Returns the stable error code of the category.
    pub fn code(self) -> &'static str {
        match self {
            Self::LoginRequired => "login_required",
            Self::KeyRefused => "tool_key_refused",
            Self::Refused => "tool_server_refused",
            Self::Unreachable => "tool_server_unreachable",
            Self::Timeout => "timeout",
            Self::TooLarge => "tool_result_too_large",
            Self::Protocol => "tool_server_protocol",
            Self::Denied => "tool_denied",
            Self::Tool => "tool",
        }
    }
}

impl McpError {
    pub(super) fn new(kind: McpErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), unsent: false }
    }

    pub(super) fn login() -> Self {
        Self {
            unsent: true,
            ..Self::new(McpErrorKind::LoginRequired, "it requires a login that the user does not have")
        }
    }

    pub(super) fn timeout(what: &str, seconds: u64) -> Self {
        Self::new(McpErrorKind::Timeout, format!("{what} took longer than {seconds} s"))
    }

    /// Whether the tool may have run although its result never arrived.
    pub fn outcome_unknown(&self) -> bool {
        use McpErrorKind::{Protocol, Timeout, TooLarge, Unreachable};
        !self.unsent && matches!(self.kind, Unreachable | Timeout | TooLarge | Protocol)
    }

    /// Clears `unsent`: another part of the same request may have reached the server.
    pub(super) fn maybe_sent(self) -> Self {
        Self { unsent: false, ..self }
    }
}

impl From<WebError> for McpError {
    fn from(error: WebError) -> Self {
        let kind = match error.kind {
            WebErrorKind::Invalid | WebErrorKind::Refused | WebErrorKind::Robots | WebErrorKind::Secret => {
                McpErrorKind::Refused
            }
            WebErrorKind::Connect => McpErrorKind::Unreachable,
            WebErrorKind::Timeout => McpErrorKind::Timeout,
            WebErrorKind::TooLarge => McpErrorKind::TooLarge,
            WebErrorKind::Redirects | WebErrorKind::Protocol => McpErrorKind::Protocol,
        };
        Self { kind, message: error.message, unsent: error.unsent }
    }
}

/// Extracts this crate's error from the transport's error if there is one.
impl From<&StreamableHttpError<McpError>> for McpError {
    fn from(error: &StreamableHttpError<McpError>) -> Self {
        match error {
            StreamableHttpError::Client(error) => error.clone(),
            StreamableHttpError::Sse(SseError::Body(error)) => match error.downcast_ref::<McpError>() {
                Some(error) => error.clone(),
                None => Self::new(McpErrorKind::Protocol, "its response was cut off"),
            },
            StreamableHttpError::SessionExpired | StreamableHttpError::SessionRecoveryTimeout => {
                Self::new(McpErrorKind::Unreachable, "it lost the session, and a new one did not help")
            }
            error => Self::new(McpErrorKind::Protocol, clean(&error.to_string())),
        }
    }
}

impl From<&DynamicTransportError> for McpError {
    fn from(error: &DynamicTransportError) -> Self {
        match error.error.downcast_ref::<StreamableHttpError<McpError>>() {
            Some(error) => error.into(),
            None => Self::new(McpErrorKind::Protocol, "the connection to it is closed"),
        }
    }
}

impl From<ClientInitializeError> for McpError {
    fn from(error: ClientInitializeError) -> Self {
        match &error {
            ClientInitializeError::TransportError { error, .. } => error.into(),
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => match fallback.as_ref() {
                ClientInitializeError::TransportError { error, .. } => error.into(),
                _ => Self::new(
                    McpErrorKind::Protocol,
                    "it supports no protocol version that this server supports",
                ),
            },
            ClientInitializeError::JsonRpcError(error) => Self::new(
                McpErrorKind::Protocol,
                format!("it refuses the connection: {}", clean(&error.message)),
            ),
            ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
                Self::new(McpErrorKind::Protocol, "it supports no protocol version that this server supports")
            }
            _ => Self::new(McpErrorKind::Protocol, "its response is not that of a tool server"),
        }
    }
}

impl From<ServiceError> for McpError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::new(McpErrorKind::Denied, clean(&error.message)),
            ServiceError::TransportSend(error) => (&error).into(),
            ServiceError::TransportClosed => {
                Self::new(McpErrorKind::Protocol, "the connection to it is closed")
            }
            ServiceError::Cancelled { .. } => Self::new(McpErrorKind::Denied, "it aborted the request"),
            _ => Self::new(McpErrorKind::Protocol, "its response does not belong to this request"),
        }
    }
}

/// Returns a server's message with control characters replaced by spaces, cut after `MAX_MESSAGE_CHARS` characters.
pub(super) fn clean(words: &str) -> String {
    let plain = words.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut shortened: String = plain.take(MAX_MESSAGE_CHARS + 1).collect();
    if shortened.chars().count() > MAX_MESSAGE_CHARS {
        shortened = shortened.chars().take(MAX_MESSAGE_CHARS).chain(['…']).collect();
    }
    shortened.trim().to_owned()
}
