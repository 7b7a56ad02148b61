//! Mapping of model and run failures to HTTP errors, for the two kinds of clients.

use assist::ask::NoAnswer;
use domain::{Code, Refusal};
use providers::{MediaInfo, ProviderErrorKind};
use runs::OverBudget;
use runs::Terminal;
use storage::records::RunState;

/// Provider id of the models that are built into this server.
const BUILTIN: &str = "builtin";

/// The interface that the client uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// This server's own API: upstream failures become 502 and 504, whatever the provider reported.
    Own,
    /// The OpenAI-compatible API, whose client libraries handle 400 and 429 themselves.
    Partner,
}

impl Client {
    /// Returns the error for a media request that a model did not fulfil. A refusal by a built-in model is reported as a fault of the field
    /// `input`, because only the request can have caused it.
    pub fn media_refusal(self, why: NoAnswer, model: &MediaInfo, input: &'static str) -> Refusal {
        let NoAnswer::Upstream(failure) = &why else { return why.into() };
        match (&failure.kind, self) {
            (ProviderErrorKind::Refused, _) if model.provider == BUILTIN => {
                Refusal::invalid("body", [input], failure.message.clone(), "malformed")
            }
            (ProviderErrorKind::Refused, Self::Partner) => Refusal::new(Code::UpstreamRefused)
                .detail(failure.message.clone())
                .provider_code(failure.code.as_deref()),
            (ProviderErrorKind::RateLimited { .. }, Self::Partner) => Refusal::new(Code::UpstreamRateLimited)
                .detail(failure.message.clone())
                .provider_code(failure.code.as_deref())
                .retry_after(failure.retry_after_s().unwrap_or(1)),
            _ => why.into(),
        }
    }

    /// Returns the error for a run that produced no answer, or `None` if the client receives an answer.
    pub fn run_refusal(self, terminal: &Terminal) -> Option<Refusal> {
        if self == Self::Partner && terminal.status == RunState::Interrupted && terminal.partial {
            // The partial answer is returned as one that was cut short: a client that received an error would repeat the request and get
            // the same error again.
            return None;
        }
        let error = run_failure(terminal)?;
        let code = terminal.error.as_ref().map(|error| error.code.as_str());
        let code = match (self, code) {
            (Self::Partner, Some("upstream_refused")) => Code::UpstreamRefused,
            (Self::Partner, Some("upstream_rate_limited")) => Code::UpstreamRateLimited,
            _ => return Some(error),
        };
        let error = terminal.error.as_ref();
        let words = error.map(|error| error.message.clone()).unwrap_or_default();
        let pause = error.and_then(|error| error.retry_after_s);
        // Clients retry a 429 immediately if it has no `Retry-After` header.
        let pause = pause.or((code == Code::UpstreamRateLimited).then_some(1));
        let named = error.and_then(|error| error.provider_code.as_deref());
        Some(Refusal::new(code).detail(words).provider_code(named).retry_after_if(pause))
    }
}

/// Returns the problem for a caller that waits for the whole answer when there is none. Returns `None` if the run produced an answer or was
/// cancelled, which is not a failure.
pub fn run_failure(terminal: &Terminal) -> Option<Refusal> {
    let code = match terminal.status {
        RunState::Succeeded | RunState::Partial | RunState::Cancelled => return None,
        RunState::TimedOut => Code::UpstreamTimeout,
        RunState::Failed => match terminal.error.as_ref().map(|error| error.code.as_str()) {
            Some("upstream_timeout") => Code::UpstreamTimeout,
            Some(OverBudget::CODE) => Code::BudgetExceeded,
            Some(code) if code.starts_with("upstream_") => Code::UpstreamFailed,
            _ => Code::Internal,
        },
        _ => Code::StreamInterrupted,
    };
    let error = Refusal::new(code).extra("reason", terminal.reason.clone());
    Some(match &terminal.error {
        Some(why) => error
            .detail(why.message.clone())
            .extra("upstream_code", why.code.clone())
            .provider_code(why.provider_code.as_deref())
            .retry_after_if(why.retry_after_s),
        None => error,
    })
}
