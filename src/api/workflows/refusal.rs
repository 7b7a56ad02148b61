//! How refusals of runs, and of those who debug them, are told over HTTP.

use serde_json::json;
use workflow::ResumeRefused;
use workflow::debug::{DebugError, Forecast};

use crate::api::conversations::refusal::located;
use crate::http::{ApiError, Code};

/// Why a run does not take what it was given.
pub fn resume(why: ResumeRefused) -> ApiError {
    match why {
        ResumeRefused::NotWaiting | ResumeRefused::Ending => Code::NotWaiting.into(),
        ResumeRefused::NoSuchForm => ApiError::not_found("form"),
        ResumeRefused::Answered { first } => ApiError::new(Code::FormAnswered).extra("first", first),
        ResumeRefused::Expired => Code::FormExpired.into(),
        ResumeRefused::Invalid(faults) => located("body", &[], faults),
    }
}

impl From<DebugError> for ApiError {
    fn from(why: DebugError) -> Self {
        match why {
            DebugError::NoRun => Code::NoRun.into(),
            DebugError::OtherInputs(stream) => Self::new(Code::StreamActive)
                .detail("a run with other inputs is live; clear its outputs, or restart it")
                .extra("stream_id", stream.to_string()),
            DebugError::Invalid(faults) => located("body", &[], faults),
            DebugError::Unconfirmed(forecast) => unconfirmed(&forecast),
            DebugError::Busy => Self::new(Code::Overloaded).detail("the run does not answer").retry_after(1),
            DebugError::Start(why) => why.into(),
            DebugError::Storage(why) => why.into(),
        }
    }
}

/// 409: what would happen again, in words, and the forecast.
fn unconfirmed(forecast: &Forecast) -> ApiError {
    let effects: Vec<_> = forecast.irreversible.iter().map(|again| again.what.as_str()).collect();
    ApiError::new(Code::ConfirmEffects)
        .detail(format!("it {}", effects.join("; it ")))
        .extra("effects", json!(forecast.irreversible))
        .extra("forecast", json!(forecast))
}
