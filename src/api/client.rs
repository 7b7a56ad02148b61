//! Failures of models and runs, as the two kinds of clients expect them.

use assist::ask::NoAnswer;
use domain::{Code, Refusal};
use providers::{MediaInfo, ProviderErrorKind};
use runs::OverBudget;
use runs::Terminal;
use storage::records::RunState;

/// The provider of the models that are part of this server.
const BUILTIN: &str = "builtin";

/// Which interface the client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// This server's own: 502 and 504, whatever the provider said.
    Own,
    /// OpenAI's, whose libraries handle 400 and 429 themselves.
    Partner,
}

impl Client {
    /// The error for what a model would not do. What a built-in model refuses is a fault of the field `input`:
    /// only the request can have caused it.
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

    /// The error for a run that gave no answer.
    pub fn run_refusal(self, terminal: &Terminal) -> Option<Refusal> {
        if self == Self::Partner && terminal.status == RunState::Interrupted && terminal.partial {
            // What there is of it is told as an answer that was cut short: a client that was told of a fault
            // would repeat the request, and be told so again.
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
        // Clients come at once again when a 429 does not say when.
        let pause = pause.or((code == Code::UpstreamRateLimited).then_some(1));
        let named = error.and_then(|error| error.provider_code.as_deref());
        Some(Refusal::new(code).detail(words).provider_code(named).retry_after_if(pause))
    }
}

/// The problem for a caller that waits for the whole answer when there is none; `None` if the run
/// gave one, or was cancelled, which is no failure.
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
