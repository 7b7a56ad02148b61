//! How refusals of what runs are told over HTTP.

use assist::toolbox::BUILTIN_TOOLS;
use runs::{AttachError, BudgetScope, GraphFault, OverBudget, StartError, Terminal};
use storage::records::RunState;
use uuid::Uuid;

use crate::api::assistants::access::disabled;
use crate::http::{ApiError, Code, Fault};

/// What can be done in a conversation whose assistant is no more.
const ASSISTANT_GONE: &str = "assistant not found: the conversation's is in the bin, or not shared with you any more; \
                              name another as `assistant_id`, or take it from the conversation with PATCH and \
                              `\"assistant_id\": null`";

/// A 422 of faults in a graph or in what is given to a run; `from` leads from the top of `place` to
/// where they are located from.
pub fn located(place: &'static str, from: &[&str], faults: Vec<GraphFault>) -> ApiError {
    let fault = |fault: GraphFault| {
        let loc = from.iter().copied().chain(fault.loc.iter().map(String::as_str));
        Fault::new(place, loc, fault.msg, fault.kind)
    };
    ApiError::faulty(faults.into_iter().map(fault).collect())
}

/// 409: a stream is live; the answer names it.
pub fn stream_active(stream: Uuid) -> ApiError {
    ApiError::new(Code::StreamActive).extra("stream_id", stream.to_string())
}

impl From<StartError> for ApiError {
    fn from(why: StartError) -> Self {
        match why {
            StartError::NotFound(what) => Self::not_found(what),
            StartError::AssistantGone => Self::new(Code::NotFound).detail(ASSISTANT_GONE),
            StartError::StreamActive { stream_id } => stream_active(stream_id),
            StartError::IdempotencyMismatch => Code::IdempotencyMismatch.into(),
            StartError::Invalid { loc, msg } => Self::invalid("body", [loc], msg, "invalid"),
            StartError::AssistantDisabled(reason) => disabled(reason.as_deref()),
            StartError::UnknownModel(model) => Self::new(Code::ModelNotFound)
                .detail(format!("there is no model {model:?}; GET /api/chat/models lists those there are")),
            StartError::FeatureDisabled(feature) => {
                ApiError::new(Code::FeatureDisabled).detail(format!("{} is switched off", feature.key()))
            }
            StartError::OverBudget(over) => over.into(),
            StartError::UnknownTool(tool) => {
                let own: Vec<&str> = BUILTIN_TOOLS.iter().map(|tool| tool.name).collect();
                let why = format!(
                    "there is no tool {tool:?}; there are {}, and `server/tool` of the assistant's tool servers",
                    own.join(", ")
                );
                Self::invalid("body", ["tools"], why, "not_found")
            }
            StartError::NotAWorkflow => Code::NotAWorkflow.into(),
            StartError::GraphInvalid(faults) => located("workflow", &[], faults),
            StartError::Inputs(faults) => located("body", &["inputs"], faults),
            StartError::TooMany => {
                Self::new(Code::RateLimited).detail("too many of your runs are waiting").retry_after(5)
            }
            StartError::Busy => Self::new(Code::Overloaded).retry_after(1),
            StartError::ShuttingDown => Self::new(Code::ShuttingDown).retry_after(5),
            StartError::Expired => Code::StreamExpired.into(),
            StartError::Storage(why) => why.into(),
        }
    }
}

impl From<OverBudget> for ApiError {
    fn from(over: OverBudget) -> Self {
        let reached = &over.reached;
        let whose = match over.purse {
            BudgetScope::Tenant => "tenant",
            BudgetScope::User => "user",
        };
        let code = if over.is_of_the_day() { Code::QuotaExceeded } else { Code::BudgetExceeded };
        let error = Self::new(code)
            .detail(over.to_string())
            .extra("budget_of", whose)
            .extra("renews_at", reached.renews_at.to_string());
        if over.is_of_the_day() { error.retry_after(over.renews_in_s()) } else { error }
    }
}

impl From<AttachError> for ApiError {
    fn from(why: AttachError) -> Self {
        match why {
            AttachError::NotFound => Self::not_found("stream"),
            AttachError::Expired => Code::StreamExpired.into(),
            AttachError::Busy => Self::new(Code::Overloaded).retry_after(1),
            AttachError::Storage(why) => why.into(),
        }
    }
}

/// What a caller who waits for the whole answer is told when there is none; nothing when the run
/// gave one, or was stopped by somebody, which is no failure.
pub fn failure(terminal: &Terminal) -> Option<ApiError> {
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
    let error = ApiError::new(code).extra("reason", terminal.reason.clone());
    Some(match &terminal.error {
        Some(why) => error
            .detail(why.message.clone())
            .extra("upstream_code", why.code.clone())
            .provider_code(why.provider_code.as_deref())
            .retry_after_if(why.retry_after_s),
        None => error,
    })
}
