//! Passwords: argon2id, off the web workers, a few at once.

use crate::config::AuthConfig;
use crate::http::error::{ApiError, Code};
use argon2::password_hash::{self, PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use std::ops::RangeInclusive;
use std::sync::Arc;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::Semaphore;

/// How many characters a password has.
pub const PASSWORD_LENGTH: RangeInclusive<usize> = 12..=256;

/// Hashes and checks passwords. Each takes tens of milliseconds and megabytes on purpose, so only
/// so many are in work at once; the others wait their turn.
pub struct Passwords {
    params: Params,
    turns: Arc<Semaphore>,
    /// Checked when there is no user, so that this takes as long as a wrong password.
    nobody: String,
}

impl Passwords {
    /// With these prices.
    pub fn new(config: &AuthConfig) -> Result<Self, password_hash::Error> {
        let params = Params::new(config.password_memory_kib, config.password_passes, 1, None)?;
        let nobody = hash(&params, "nobody has this password")?;
        Ok(Self { params, turns: Arc::new(Semaphore::new(config.password_hashes_at_once as usize)), nobody })
    }

    /// The hash of a new password, in PHC form.
    pub async fn hash(&self, password: String) -> Result<String, ApiError> {
        let params = self.params.clone();
        self.work(move || hash(&params, &password)).await?.map_err(|error| ApiError::new(Code::Internal).because(error))
    }

    /// The same on the calling thread, which must not be one that serves others.
    pub fn hash_blocking(&self, password: &str) -> Result<String, ApiError> {
        hash(&self.params, password).map_err(|error| ApiError::new(Code::Internal).because(error))
    }

    /// Whether a password belongs to a stored hash. `None` for a hash takes as long and is false.
    pub async fn check(&self, password: String, stored: Option<String>) -> Result<bool, ApiError> {
        let known = stored.is_some();
        let phc = stored.unwrap_or_else(|| self.nobody.clone());
        let matches = self.work(move || check(&password, &phc)).await?;
        Ok(matches && known)
    }

    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| Code::ShuttingDown)?;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        done.await.map_err(|error| ApiError::new(Code::Internal).because(error))
    }
}

fn hash(params: &Params, password: &str) -> Result<String, password_hash::Error> {
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    let mut salt = [0; 16];
    SystemRandom::new().fill(&mut salt).map_err(|_| password_hash::Error::Crypto)?;
    let salt = SaltString::encode_b64(&salt)?;
    Ok(argon.hash_password(password.as_bytes(), &salt)?.to_string())
}

/// The price is the one in the hash, so that changing the settings locks nobody out.
fn check(password: &str, phc: &str) -> bool {
    let Ok(stored) = PasswordHash::new(phc) else { return false };
    Argon2::default().verify_password(password.as_bytes(), &stored).is_ok()
}
