//! How it is told that a model gave no speech or no transcript.

use assist::ask::NoAnswer;
use providers::{MediaInfo, ProviderErrorKind};

use crate::http::{ApiError, Code};

/// The provider of the models that are part of this server.
const BUILTIN: &str = "builtin";

/// For whom it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Our own clients: 502 and 504, whatever the provider said.
    Own,
    /// Clients of the OpenAI interface: they know what to do with 400 and 429.
    Partner,
}

impl Client {
    /// The error for what a model would not do. What one of our own refuses is a fault of the field `input`:
    /// nobody else could have said so.
    pub fn refusal(self, why: NoAnswer, model: &MediaInfo, input: &'static str) -> ApiError {
        let NoAnswer::Upstream(failure) = &why else { return why.into() };
        match (&failure.kind, self) {
            (ProviderErrorKind::Refused, _) if model.provider == BUILTIN => {
                ApiError::invalid("body", [input], failure.message.clone(), "malformed")
            }
            (ProviderErrorKind::Refused, Self::Partner) => ApiError::new(Code::UpstreamRefused)
                .detail(failure.message.clone())
                .provider_code(failure.code.as_deref()),
            (ProviderErrorKind::RateLimited { .. }, Self::Partner) => {
                ApiError::new(Code::UpstreamRateLimited)
                    .detail(failure.message.clone())
                    .provider_code(failure.code.as_deref())
                    .retry_after(failure.retry_after_s().unwrap_or(1))
            }
            _ => why.into(),
        }
    }
}
