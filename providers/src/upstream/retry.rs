//! Retry policy: which failures are retried, and after which pause.

use std::time::Duration;

use rand::Rng;

use crate::chat::{ProviderError, ProviderErrorKind};

/// The maximum of the first pause; the maximum doubles with each retry, up to `MAX_DELAY`.
const FIRST: Duration = Duration::from_millis(500);
const MAX_DELAY: Duration = Duration::from_secs(8);
/// The longest pause requested by a server that is respected; if it requests more, the error is returned instead.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// Why a request got no successful response.
pub(crate) struct Failure {
    pub(crate) error: ProviderError,
    /// The pause that the server requests.
    pub(crate) retry_after: Option<Duration>,
    /// Whether retrying cannot help, whatever the kind of the error.
    pub(crate) hopeless: bool,
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        Self { error, retry_after: None, hopeless: false }
    }
}

/// Returns the pause before the next retry, or `None` if the request should not be retried after `attempt` retries.
///
/// Timeouts are not retried: the server may still be working on the response, and bill for it.
pub(crate) fn pause(attempt: u32, retries: u32, failure: &Failure) -> Option<Duration> {
    let worth_it = match failure.error.kind {
        ProviderErrorKind::Connect | ProviderErrorKind::RateLimited { .. } => true,
        ProviderErrorKind::Status(status) => status >= 500,
        _ => false,
    };
    if attempt >= retries || failure.hopeless || !worth_it {
        return None;
    }
    match failure.retry_after {
        Some(pause) => (pause <= MAX_RETRY_AFTER).then_some(pause),
        None => {
            let longest = FIRST.saturating_mul(1 << attempt.min(16)).min(MAX_DELAY);
            Some(longest.mul_f64(rand::rng().random_range(0.5..=1.0)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: ProviderErrorKind) -> Failure {
        ProviderError::new(kind, "no").into()
    }

    #[test]
    fn pause_grows_and_ends() {
        let failure = failure(ProviderErrorKind::Status(500));
        for (attempt, longest) in [(0, 500), (1, 1_000), (3, 4_000), (4, 8_000), (9, 8_000)] {
            let pause = pause(attempt, 10, &failure).unwrap().as_millis();
            assert!((longest / 2..=longest).contains(&pause), "{attempt}: {pause}");
        }
        assert_eq!(pause(2, 2, &failure), None);
        assert_eq!(pause(0, 0, &failure), None);
    }

    #[test]
    fn pause_respects_retry_after_up_to_a_limit() {
        let limited = |s| {
            let retry_after = Some(Duration::from_secs(s));
            let kind = ProviderErrorKind::RateLimited { retry_after };
            Failure { retry_after, ..failure(kind) }
        };
        assert_eq!(pause(0, 2, &limited(3)), Some(Duration::from_secs(3)));
        assert_eq!(pause(0, 2, &limited(31)), None);
        assert_eq!(pause(0, 2, &Failure { hopeless: true, ..limited(1) }), None);
    }

    #[test]
    fn pause_retries_only_transient_failures() {
        use ProviderErrorKind::{Auth, Connect, Protocol, Refused, Status, Timeout};
        for kind in [Auth, Refused, Protocol, Timeout, Status(409)] {
            assert_eq!(pause(0, 2, &failure(kind)), None);
        }
        for kind in [Connect, Status(503)] {
            assert!(pause(0, 2, &failure(kind)).is_some());
        }
    }
}
