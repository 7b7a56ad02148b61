//! How failures of providers are told.

use runs::Terminal;
use storage::records::RunState;

use crate::api::conversations::refusal::failure;
use crate::http::{ApiError, Code};

/// For whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// For our own clients: 502 and 504, whatever the provider said.
    Own,
    /// For clients of the OpenAI interface: they know what to do with 400 and 429.
    Partner,
}

impl Refusal {
    /// The error for a run that gave no answer.
    pub fn of(self, terminal: &Terminal) -> Option<ApiError> {
        if self == Self::Partner && terminal.status == RunState::Interrupted && terminal.partial {
            // What there is of it is told as an answer that was cut short: a client that was told of a fault
            // would repeat the request, and be told so again.
            return None;
        }
        let error = failure(terminal)?;
        let code = terminal.error.as_ref().map(|error| error.code.as_str());
        let code = match (self, code) {
            (Self::Partner, Some("upstream_refused")) => Code::UpstreamRefused,
            (Self::Partner, Some("upstream_rate_limited")) => Code::UpstreamRateLimited,
            _ => return Some(error),
        };
        let error = terminal.error.as_ref();
        let words = error.map(|error| error.message.clone()).unwrap_or_default();
        let pause = error.and_then(|error| error.retry_after_s);
        // Clients come at once again when a 429 does not say when.
        let pause = pause.or((code == Code::UpstreamRateLimited).then_some(1));
        let named = error.and_then(|error| error.provider_code.as_deref());
        Some(ApiError::new(code).detail(words).provider_code(named).retry_after_if(pause))
    }
}
