//! When to ask again, and after which pause.

use std::time::Duration;

use rand::Rng;

use crate::chat::{ProviderError, ProviderErrorKind};

/// The longest first pause; each further one is twice as long at most.
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(8);
/// A server that asks for a longer pause is not waited for; the caller is told instead.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why an answer did not begin.
pub(crate) struct Failure {
    pub(crate) error: ProviderError,
    /// The pause the server asks for.
    pub(crate) retry_after: Option<Duration>,
    /// Asking again will not help, whatever the kind.
    pub(crate) hopeless: bool,
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        Self { error, retry_after: None, hopeless: false }
    }
}

/// The pause before asking again, if that is right after `attempt` earlier repetitions.
///
/// A time-out is not repeated: the server may be at work on the answer, and on the bill.
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
        Some(pause) => (pause <= PATIENCE).then_some(pause),
        None => {
            let longest = FIRST.saturating_mul(1 << attempt.min(16)).min(LONGEST);
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
    fn pauses_grow_and_end() {
        let failure = failure(ProviderErrorKind::Status(500));
        for (attempt, longest) in [(0, 500), (1, 1_000), (3, 4_000), (4, 8_000), (9, 8_000)] {
            let pause = pause(attempt, 10, &failure).unwrap().as_millis();
            assert!((longest / 2..=longest).contains(&pause), "{attempt}: {pause}");
        }
        assert_eq!(pause(2, 2, &failure), None);
        assert_eq!(pause(0, 0, &failure), None);
    }

    #[test]
    fn the_server_says_how_long_unless_that_is_too_long() {
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
    fn only_what_may_pass_is_asked_again() {
        use ProviderErrorKind::{Auth, Connect, Protocol, Refused, Status, Timeout};
        for kind in [Auth, Refused, Protocol, Timeout, Status(409)] {
            assert_eq!(pause(0, 2, &failure(kind)), None);
        }
        for kind in [Connect, Status(503)] {
            assert!(pause(0, 2, &failure(kind)).is_some());
        }
    }
}
