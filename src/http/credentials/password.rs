//! Passwords: argon2id, off the web workers, a few at once.

use crate::config::AuthConfig;
use argon2::password_hash::{Error, Ident, Output, ParamsString, PasswordHash, Salt, SaltString};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use domain::{Code, Refusal};
use ring::rand::{SecureRandom, SystemRandom};
use std::ops::RangeInclusive;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

/// How many characters a password has.
pub const PASSWORD_LENGTH: RangeInclusive<usize> = 12..=256;

/// How many may wait for their turn; more are told to come back.
const WAITING: usize = 128;
/// Bytes of a hash.
const HASH: usize = 32;
/// The allocator of the C library keeps freed pieces of up to 32 MiB for later. Larger ones go back
/// to the system at once, and what is not touched of them costs nothing.
const RETURNED: usize = 33 << 20;

/// Hashes and checks passwords. Each takes tens of milliseconds and megabytes on purpose, so only
/// so many are in work at once; the others wait their turn.
pub struct Passwords {
    params: Params,
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

impl Passwords {
    /// With these prices.
    pub fn new(config: &AuthConfig) -> Result<Self, argon2::Error> {
        let params = Params::new(config.password_memory_kib, config.password_passes, 1, Some(HASH))?;
        let at_once = config.password_hashes_at_once as usize;
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Ok(Self { params, turns: semaphore(at_once), places: semaphore(at_once + WAITING) })
    }

    /// The hash of a new password, in PHC form.
    pub async fn hash(&self, password: String) -> Result<String, Refusal> {
        let params = self.params.clone();
        self.work(move || hash(&params, &password)).await?.map_err(broken)
    }

    /// The same on the calling thread, which must not be one that serves others.
    pub fn hash_blocking(&self, password: &str) -> Result<String, Refusal> {
        hash(&self.params, password).map_err(broken)
    }

    /// Whether a password belongs to a stored hash, on the calling thread, which must not be one that serves others.
    pub fn check_blocking(&self, password: &str, stored: &str) -> Result<bool, Refusal> {
        check(password, stored).map_err(broken)
    }

    /// Whether a password belongs to a stored hash. No hash takes as long as a wrong password.
    pub async fn check(&self, password: String, stored: Option<String>) -> Result<bool, Refusal> {
        let params = self.params.clone();
        let checked = self.work(move || match stored {
            Some(phc) => check(&password, &phc),
            None => derive(&params, &password, &[0; Salt::RECOMMENDED_LENGTH]).map(|_| false),
        });
        checked.await?.map_err(broken)
    }

    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
        let full = |_| Refusal::new(Code::Overloaded).retry_after(2);
        let place = self.places.clone().try_acquire_owned().map_err(full)?;
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| Code::ShuttingDown)?;
        let done = tokio::task::spawn_blocking(move || {
            let _held = (place, turn);
            work()
        });
        done.await.map_err(|error| Refusal::new(Code::Internal).because(error))
    }
}

fn broken(error: Error) -> Refusal {
    Refusal::new(Code::Internal).because(error)
}

fn derive(params: &Params, password: &str, salt: &[u8]) -> Result<[u8; HASH], Error> {
    let mut memory = Vec::with_capacity(params.block_count().max(RETURNED / Block::SIZE));
    memory.resize(params.block_count(), Block::default());
    let mut hash = [0; HASH];
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    argon.hash_password_into_with_memory(password.as_bytes(), salt, &mut hash, &mut memory)?;
    Ok(hash)
}

fn hash(params: &Params, password: &str) -> Result<String, Error> {
    let mut salt = [0; Salt::RECOMMENDED_LENGTH];
    SystemRandom::new().fill(&mut salt).map_err(|_| Error::Crypto)?;
    let hash = derive(params, password, &salt)?;
    let salt = SaltString::encode_b64(&salt)?;
    let phc = PasswordHash {
        algorithm: Ident::new_unwrap("argon2id"),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(params)?,
        salt: Some(salt.as_salt()),
        hash: Some(Output::new(&hash)?),
    };
    Ok(phc.to_string())
}

/// The price is the one in the hash, so that changing the settings locks nobody out.
fn check(password: &str, phc: &str) -> Result<bool, Error> {
    let stored = PasswordHash::new(phc)?;
    let (Some(salt), Some(hash)) = (stored.salt, stored.hash) else { return Err(Error::PhcStringField) };
    let mut bytes = [0; Salt::MAX_LENGTH];
    let salt = salt.decode_b64(&mut bytes)?;
    let derived = derive(&Params::try_from(&stored)?, password, salt)?;
    Ok(derived.ct_eq(hash.as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(memory: u32, passes: u32) -> Params {
        Params::new(memory, passes, 1, Some(HASH)).unwrap()
    }

    #[test]
    fn a_hash_knows_its_password_and_its_price() {
        let phc = hash(&params(64, 2), "correct horse battery").unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=64,t=2,p=1$"), "{phc}");
        assert!(check("correct horse battery", &phc).unwrap());
        assert!(!check("correct horse batterz", &phc).unwrap());
        assert_ne!(hash(&params(64, 2), "correct horse battery").unwrap(), phc);
    }

    #[test]
    fn hashes_are_those_that_everyone_makes() {
        use argon2::PasswordVerifier;
        let phc = hash(&params(32, 1), "correct horse battery").unwrap();
        let parsed = PasswordHash::new(&phc).unwrap();
        Argon2::default().verify_password(b"correct horse battery", &parsed).unwrap();
    }

    #[test]
    fn rubbish_is_an_error_and_no_match() {
        assert!(check("x", "").is_err());
        assert!(check("x", "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQ").is_err());
    }

    #[tokio::test]
    async fn nobody_has_any_password() {
        let mut config = crate::Config::default().auth;
        (config.password_memory_kib, config.password_passes) = (8, 1);
        let passwords = Passwords::new(&config).unwrap();
        assert!(!passwords.check(String::new(), None).await.unwrap());
        let phc = passwords.hash("a long enough password".into()).await.unwrap();
        assert!(passwords.check("a long enough password".into(), Some(phc)).await.unwrap());
    }
}
