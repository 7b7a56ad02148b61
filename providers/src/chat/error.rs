use std::time::Duration;

/// Maximum length of a provider's error code; longer codes are dropped.
const MAX_CODE_LENGTH: usize = 64;

/// Why a provider gave no response, or only part of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// The category of the failure.
    pub kind: ProviderErrorKind,
    /// The reason, with the provider's message if possible; never contains a key.
    pub message: String,
    /// The provider's own code for the failure, such as `insufficient_quota`: up to 64 of `A-Z a-z 0-9 _ . -`,
    /// beginning with a letter. Any other value is dropped.
    pub code: Option<String>,
    /// How long the server asks us to wait, if the kind does not contain it.
    pause: Option<Duration>,
}

/// Categories of failures that callers handle differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderErrorKind {
    /// No data arrived within the first-byte or idle timeout.
    Timeout,
    /// The server could not be reached, or closed the connection before it responded.
    Connect,
    /// The server responded with this HTTP status.
    Status(u16),
    /// The server throttles requests.
    RateLimited {
        /// How long the server asks us to wait, if it says.
        retry_after: Option<Duration>,
    },
    /// The server violated the protocol: it closed the connection during a response or sent invalid data.
    Protocol,
    /// The server understood the request and rejects it.
    Refused,
    /// The server rejects our key.
    Auth,
    /// The circuit breaker is open after repeated failures of the server; nothing was sent.
    Unavailable {
        /// How long the circuit stays open.
        retry_after: Option<Duration>,
    },
}

impl ProviderError {
    /// Creates an error of a kind with a message that is safe to show.
    pub fn new(kind: ProviderErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), code: None, pause: None }
    }

    /// Adds the provider's own error code.
    pub(crate) fn with_code(self, code: Option<String>) -> Self {
        Self { code, ..self }
    }

    /// Adds the pause that the server requests.
    pub(crate) fn after(self, pause: Option<Duration>) -> Self {
        Self { pause, ..self }
    }

    /// The number of seconds after which the server asks for a retry, if it says. Rounded up, so that a retry at that
    /// time is not too early. At least 1.
    #[must_use]
    pub fn retry_after_s(&self) -> Option<u64> {
        let reason = match self.kind {
            ProviderErrorKind::RateLimited { retry_after }
            | ProviderErrorKind::Unavailable { retry_after } => retry_after,
            _ => None,
        };
        // A refused request would be refused again, so the pause is meaningless.
        let pause = reason.or(self.pause).filter(|_| self.retryable())?;
        Some(pause.as_secs().saturating_add(u64::from(pause.subsec_nanos() > 0)).max(1))
    }

    /// The stable error code that runs and metrics use: `upstream_timeout`, ...
    #[must_use]
    pub const fn stable_code(&self) -> &'static str {
        match self.kind {
            ProviderErrorKind::Timeout => "upstream_timeout",
            ProviderErrorKind::Connect => "upstream_unreachable",
            ProviderErrorKind::Unavailable { .. } => "upstream_unavailable",
            ProviderErrorKind::Status(_) => "upstream_error",
            ProviderErrorKind::RateLimited { .. } => "upstream_rate_limited",
            ProviderErrorKind::Protocol => "upstream_protocol",
            ProviderErrorKind::Refused => "upstream_refused",
            ProviderErrorKind::Auth => "upstream_auth",
        }
    }

    /// Whether the same request may succeed later without any change.
    #[must_use]
    pub fn retryable(&self) -> bool {
        match self.kind {
            ProviderErrorKind::Timeout
            | ProviderErrorKind::Connect
            | ProviderErrorKind::RateLimited { .. }
            | ProviderErrorKind::Unavailable { .. }
            | ProviderErrorKind::Protocol => true,
            ProviderErrorKind::Status(status) => status >= 500,
            ProviderErrorKind::Refused | ProviderErrorKind::Auth => false,
        }
    }

    pub(crate) fn timeout(message: impl Into<String>) -> Self {
        Self::new(ProviderErrorKind::Timeout, message)
    }

    pub(crate) fn connect(message: impl Into<String>) -> Self {
        Self::new(ProviderErrorKind::Connect, message)
    }

    pub(crate) fn protocol(message: impl Into<String>) -> Self {
        Self::new(ProviderErrorKind::Protocol, message)
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(ProviderErrorKind::Refused, message)
    }
}

/// Whether a text has the form of an error code, and is not a number, a sentence or a URL.
pub(crate) fn is_code(text: &str) -> bool {
    let within = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    text.len() <= MAX_CODE_LENGTH
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(within)
}
