//! How it is told over HTTP that a model gave nothing.

use assist::ask::NoAnswer;

use crate::http::{ApiError, Code};

impl From<NoAnswer> for ApiError {
    fn from(why: NoAnswer) -> Self {
        let pause = match &why {
            NoAnswer::Upstream(failure) => failure.retry_after_s(),
            _ => None,
        };
        let named = why.provider_code().map(str::to_owned);
        let code = match why {
            NoAnswer::Storage(why) => return why.into(),
            NoAnswer::OverBudget(over) => return over.into(),
            NoAnswer::UnknownModel(_) => Code::ModelNotFound,
            NoAnswer::Upstream(_) if why.is_timeout() => Code::UpstreamTimeout,
            NoAnswer::Upstream(_) | NoAnswer::Unusable(_) => Code::UpstreamFailed,
        };
        Self::new(code)
            .detail(why.to_string())
            .extra("reason", why.code())
            .provider_code(named.as_deref())
            .retry_after_if(pause)
    }
}
