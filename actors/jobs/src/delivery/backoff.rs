//! When to try again.

use std::time::Duration;

use rand::Rng;
use storage::Timestamp;
use storage::notices::DeliveryOutcome;

use super::DeliverySettings;

/// The longest pause that a receiver can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest pause in which nothing at all is tried at an endpoint that fails.
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);
/// Pauses differ by up to this part from what the settings say, so that not all come back at once.
const JITTER: f64 = 0.2;

/// What follows from a failure: `attempts` were made before this one, and `failures` at the endpoint in a row.
pub(super) fn failed(
    settings: &DeliverySettings,
    now: Timestamp,
    (attempts, failures): (u32, u32),
    error: String,
    wait: Option<Duration>,
) -> DeliveryOutcome {
    let wait = wait.map(|wait| wait.min(LONGEST_WAIT));
    let pause = |number: u32| {
        let pause = settings.pauses.get(number as usize).copied()?;
        Some(pause.mul_f64(rand::rng().random_range(1.0 - JITTER..=1.0 + JITTER)))
    };
    let longest = settings.pauses.iter().max().copied().unwrap_or_default();
    let again = pause(attempts).map(|pause| now + pause.max(wait.unwrap_or_default()));
    let rest = pause(failures).unwrap_or(longest).min(LONGEST_PAUSE);
    let pause_until = now + rest.max(wait.unwrap_or_default());
    DeliveryOutcome::Failed { error, again, pause_until, oldest: now - settings.give_up_after }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> DeliverySettings {
        DeliverySettings {
            pauses: [10, 100, 10_000].map(Duration::from_secs).to_vec(),
            give_up_after: Duration::from_secs(1_000),
            patience: Duration::from_secs(1),
            at_once: 1,
            at_once_of_user: 1,
            contact: String::new(),
            link_base: None,
            sweep_every: Duration::from_secs(1),
            budgets_every: Duration::from_secs(1),
        }
    }

    fn outcome_of(attempts: u32, failures: u32, wait: Option<u64>) -> (Option<u64>, u64) {
        let now = Timestamp::from_millis(1_000_000_000);
        let wait = wait.map(Duration::from_secs);
        match failed(&settings(), now, (attempts, failures), "no".to_owned(), wait) {
            DeliveryOutcome::Failed { again, pause_until, oldest, .. } => {
                assert_eq!(oldest, now - Duration::from_secs(1_000));
                (again.map(|at| at.since(now).as_secs()), pause_until.since(now).as_secs())
            }
            DeliveryOutcome::Delivered => unreachable!(),
        }
    }

    #[test]
    fn pauses_grow_and_end() {
        let (again, rest) = outcome_of(0, 0, None);
        assert!((8..=12).contains(&again.unwrap()) && (8..=12).contains(&rest));
        let (again, rest) = outcome_of(2, 7, None);
        assert!((8_000..=12_000).contains(&again.unwrap()), "{again:?}");
        assert_eq!(rest, 600, "others are tried before");
        assert_eq!(outcome_of(3, 0, None).0, None, "it was the last attempt");
    }

    #[test]
    fn receivers_are_heard_within_a_day() {
        assert_eq!(outcome_of(0, 0, Some(500)), (Some(500), 500));
        assert_eq!(outcome_of(0, 0, Some(500_000)), (Some(86_400), 86_400));
        let (again, _) = outcome_of(1, 0, Some(1));
        assert!((80..=120).contains(&again.unwrap()), "our own pause is longer");
    }
}
