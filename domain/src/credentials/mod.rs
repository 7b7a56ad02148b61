//! Secrets that callers present: API tokens, links and passwords. Only hashes of them are stored.

mod password;
mod secret;

pub use password::{PASSWORD_LENGTH, PasswordHasher, generate_password};
pub use secret::{ApiSecret, LinkSecret, hex, random, secrets_match, sha256, sha256_hex, unhex};
