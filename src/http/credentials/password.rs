//! Hashes passwords off the web workers, with limited concurrency.

use domain::credentials::PasswordHasher;
use domain::{Code, Refusal};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The number of requests that may wait for their turn; further requests are refused.
const WAITING: usize = 128;

/// Hashes and verifies passwords. Each takes much memory, so only a limited number runs at once and the others wait.
pub struct Passwords {
    hasher: PasswordHasher,
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

impl Passwords {
    /// Limits a hasher to `at_once` passwords at a time.
    pub fn new(hasher: PasswordHasher, at_once: usize) -> Self {
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self { hasher, turns: semaphore(at_once), places: semaphore(at_once + WAITING) }
    }

    /// Returns the hash of a new password, in PHC format.
    ///
    /// # Errors
    /// `overloaded` if too many requests are waiting.
    pub async fn hash(&self, password: String) -> Result<String, Refusal> {
        let hasher = self.hasher.clone();
        self.work(move || hasher.hash(&password)).await?
    }

    /// Verifies a password against a stored hash. Without a stored hash this takes as long as with a wrong password.
    ///
    /// # Errors
    /// `overloaded` if too many requests are waiting.
    pub async fn check(&self, password: String, stored: Option<String>) -> Result<bool, Refusal> {
        let hasher = self.hasher.clone();
        self.work(move || hasher.verify(&password, stored.as_deref())).await?
    }

    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
        let full = |_| Refusal::new(Code::Overloaded).retry_after(2);
        let place = self.places.clone().try_acquire_owned().map_err(full)?;
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| Code::ShuttingDown)?;
        let done = tasks::blocking(move || {
            let _held = (place, turn);
            work()
        });
        done.await.map_err(|error| Refusal::new(Code::Internal).because(error))
    }
}
