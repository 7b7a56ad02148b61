//! Passwords: hashing with argon2id, and generation of passwords.

use std::ops::RangeInclusive;

use argon2::password_hash::{Error, Ident, Output, ParamsString, PasswordHash, Salt, SaltString};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;

use super::secret::random;
use crate::{Code, Refusal, Result};

/// Length of a password, in characters.
pub const PASSWORD_LENGTH: RangeInclusive<usize> = 12..=256;

/// Length of a hash, in bytes.
const HASH: usize = 32;
/// The allocator of the C library keeps freed blocks of up to 32 MiB for reuse. It returns larger blocks to the system
/// at once, and their untouched pages cost nothing.
const RETURNED: usize = 33 << 20;
/// Characters of generated passwords, without any that look alike.
const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789-";
/// Length of a generated password, in characters of five bits each.
const GENERATED: usize = 24;

/// Hashes and verifies passwords. Each call takes tens of milliseconds and megabytes on purpose, and blocks its thread.
#[derive(Clone, Debug)]
pub struct PasswordHasher {
    params: Params,
}

impl PasswordHasher {
    /// Creates a hasher that uses `memory_kib` KiB and `passes` passes for each new hash.
    ///
    /// # Errors
    /// Returns an error if the parameters are outside the range of argon2.
    pub fn new(memory_kib: u32, passes: u32) -> Result<Self, argon2::Error> {
        Ok(Self { params: Params::new(memory_kib, passes, 1, Some(HASH))? })
    }

    /// Returns the hash of a new password, in PHC form.
    ///
    /// # Errors
    /// `internal` if the system provides no randomness.
    pub fn hash(&self, password: &str) -> Result<String> {
        hash(&self.params, password).map_err(internal)
    }

    /// Returns whether a password matches a stored hash. Without a hash, the call takes as long as for a wrong password,
    /// so that the time does not reveal whether the account exists.
    ///
    /// # Errors
    /// `internal` if the stored hash is malformed.
    pub fn verify(&self, password: &str, stored: Option<&str>) -> Result<bool> {
        let verified = match stored {
            Some(phc) => check(password, phc),
            None => derive(&self.params, password, &[0; Salt::RECOMMENDED_LENGTH]).map(|_| false),
        };
        verified.map_err(internal)
    }
}

fn internal(error: Error) -> Refusal {
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

/// Uses the parameters stored in the hash, so that existing passwords stay valid when the settings change.
fn check(password: &str, phc: &str) -> Result<bool, Error> {
    let stored = PasswordHash::new(phc)?;
    let (Some(salt), Some(hash)) = (stored.salt, stored.hash) else { return Err(Error::PhcStringField) };
    let mut bytes = [0; Salt::MAX_LENGTH];
    let salt = salt.decode_b64(&mut bytes)?;
    let derived = derive(&Params::try_from(&stored)?, password, salt)?;
    Ok(derived.ct_eq(hash.as_bytes()).into())
}

/// Generates a password that is impractical to guess and easy to type.
///
/// # Errors
/// `internal` if the system provides no randomness.
pub fn generate_password() -> Result<String> {
    let bytes = random::<GENERATED>()?;
    // There are 32 letters, so each byte chooses one without bias. The password neither begins nor ends with a dash.
    let letter = |byte: &u8| char::from(ALPHABET[usize::from(byte % 32)]);
    let inner: String = bytes[1..GENERATED - 1].iter().map(letter).collect();
    let edge = |byte: u8| char::from(ALPHABET[usize::from(byte) % 31]);
    Ok(format!("{}{inner}{}", edge(bytes[0]), edge(bytes[GENERATED - 1])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(memory: u32, passes: u32) -> Params {
        Params::new(memory, passes, 1, Some(HASH)).unwrap()
    }

    #[test]
    fn hash_verifies_its_password_and_records_its_parameters() {
        let phc = hash(&params(64, 2), "correct horse battery").unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=64,t=2,p=1$"), "{phc}");
        assert!(check("correct horse battery", &phc).unwrap());
        assert!(!check("correct horse batterz", &phc).unwrap());
        assert_ne!(hash(&params(64, 2), "correct horse battery").unwrap(), phc);
    }

    #[test]
    fn hashes_follow_the_standard() {
        use argon2::PasswordVerifier;
        let phc = hash(&params(32, 1), "correct horse battery").unwrap();
        let parsed = PasswordHash::new(&phc).unwrap();
        Argon2::default().verify_password(b"correct horse battery", &parsed).unwrap();
    }

    #[test]
    fn malformed_hashes_are_errors() {
        assert!(check("x", "").is_err());
        assert!(check("x", "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQ").is_err());
    }

    #[test]
    fn generated_passwords_are_accepted_as_passwords() {
        for _ in 0..200 {
            let password = generate_password().unwrap();
            assert!(PASSWORD_LENGTH.contains(&password.chars().count()));
            assert!(!password.starts_with('-') && !password.ends_with('-'));
        }
        assert_ne!(generate_password().unwrap(), generate_password().unwrap());
    }

    #[test]
    fn no_password_matches_without_a_hash() {
        let hasher = PasswordHasher::new(8, 1).unwrap();
        assert!(!hasher.verify("", None).unwrap());
        let phc = hasher.hash("a long enough password").unwrap();
        assert!(hasher.verify("a long enough password", Some(&phc)).unwrap());
    }
}
