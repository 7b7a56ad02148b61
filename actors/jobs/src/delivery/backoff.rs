//! Decides when a failed delivery is attempted again.

use std::time::Duration;

use rand::Rng;
use storage::Timestamp;
use storage::notices::DeliveryOutcome;

use super::DeliverySettings;

/// The longest pause that a receiver can ask for.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest pause without any attempt at a failing endpoint.
const MAX_PAUSE: Duration = Duration::from_secs(10 * 60);
/// Pauses differ randomly from the settings by up to this fraction, so that retries do not coincide.
const JITTER: f64 = 0.2;

/// Computes the outcome of a failed attempt. `attempts` is the number of earlier attempts at this notice, and `failures` the
/// number of consecutive failures of the endpoint.
pub(super) fn failed(
    settings: &DeliverySettings,
    now: Timestamp,
    (attempts, failures): (u32, u32),
    error: String,
    wait: Option<Duration>,
) -> DeliveryOutcome {
    let wait = wait.map(|wait| wait.min(MAX_WAIT));
    let pause = |number: u32| {
        let pause = settings.pauses.get(number as usize).copied()?;
        Some(pause.mul_f64(rand::rng().random_range(1.0 - JITTER..=1.0 + JITTER)))
    };
    let longest = settings.pauses.iter().max().copied().unwrap_or_default();
    let again = pause(attempts).map(|pause| now + pause.max(wait.unwrap_or_default()));
    let rest = pause(failures).unwrap_or(longest).min(MAX_PAUSE);
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
    fn failed_lengthens_pauses_until_the_last_attempt() {
        let (again, rest) = outcome_of(0, 0, None);
        assert!((8..=12).contains(&again.unwrap()) && (8..=12).contains(&rest));
        let (again, rest) = outcome_of(2, 7, None);
        assert!((8_000..=12_000).contains(&again.unwrap()), "{again:?}");
        assert_eq!(rest, 600, "others are tried before");
        assert_eq!(outcome_of(3, 0, None).0, None, "it was the last attempt");
    }

    #[test]
    fn failed_honours_the_pause_of_the_receiver_up_to_one_day() {
        assert_eq!(outcome_of(0, 0, Some(500)), (Some(500), 500));
        assert_eq!(outcome_of(0, 0, Some(500_000)), (Some(86_400), 86_400));
        let (again, _) = outcome_of(1, 0, Some(1));
        assert!((80..=120).contains(&again.unwrap()), "our own pause is longer");
    }
}
