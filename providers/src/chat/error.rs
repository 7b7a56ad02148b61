use std::time::Duration;

/// Longer names of failures are not told on, in characters.
const LONGEST_CODE: usize = 64;

/// Why a provider gave no answer, or only a part of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What sort of failure it was.
    pub kind: ProviderErrorKind,
    /// What happened, where possible in the provider's own words; never with a key in it.
    pub message: String,
    /// The name that the provider itself has for it, such as `insufficient_quota`: up to 64 of
    /// `A-Z a-z 0-9 _ . -`, beginning with a letter. What is anything else is no name, and not told on.
    pub code: Option<String>,
    /// How long the server asks us to wait, where the kind does not say it.
    pause: Option<Duration>,
}

/// The sorts of failure that callers treat differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderErrorKind {
    /// Nothing came within the time for the first byte, or for the next.
    Timeout,
    /// The server could not be reached, or hung up before it said anything.
    Connect,
    /// The server answered with this HTTP status.
    Status(u16),
    /// The server asks for fewer requests.
    RateLimited {
        /// How long it asks us to wait, if it says so.
        retry_after: Option<Duration>,
    },
    /// The server did not keep to the protocol: it hung up in mid-answer or sent rubbish.
    Protocol,
    /// The server understood the request and will not have it.
    Refused,
    /// The server does not accept our key.
    Auth,
    /// The server has failed so often that it is left alone for a while; nothing was sent.
    Unavailable {
        /// How long it is left alone.
        retry_after: Option<Duration>,
    },
}

impl ProviderError {
    /// An error of a kind with a message fit to be shown.
    pub fn new(kind: ProviderErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), code: None, pause: None }
    }

    /// The same, with the provider's own name for it.
    pub(crate) fn with_code(self, code: Option<String>) -> Self {
        Self { code, ..self }
    }

    /// The same, of a server that says when to come again.
    pub(crate) fn after(self, pause: Option<Duration>) -> Self {
        Self { pause, ..self }
    }

    /// Seconds after which the server asks to be called again, if it says so; rounded up, so that a retry at that
    /// time is not too early. At least 1.
    #[must_use]
    pub fn retry_after_s(&self) -> Option<u64> {
        let reason = match self.kind {
            ProviderErrorKind::RateLimited { retry_after }
            | ProviderErrorKind::Unavailable { retry_after } => retry_after,
            _ => None,
        };
        // What is refused once is refused again.
        let pause = reason.or(self.pause).filter(|_| self.retryable())?;
        Some(pause.as_secs().saturating_add(u64::from(pause.subsec_nanos() > 0)).max(1))
    }

    /// The stable code of the failure, as runs and metrics name it: `upstream_timeout`, ...
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

    /// Whether the same request may succeed later without anyone changing anything.
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

/// Whether it is a name for a failure and nothing else: no number, no sentence, no address.
pub(crate) fn is_code(text: &str) -> bool {
    let within = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    text.len() <= LONGEST_CODE
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(within)
}
