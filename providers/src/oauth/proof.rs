//! Proof that the client that began a login is the one that completes it: PKCE (RFC 7636), states and nonces.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};

use super::OAuthError;
use crate::Secret;

/// Bytes of randomness in each value.
const BYTES: usize = 32;

/// Returns 32 random bytes as 43 URL-safe characters that never need escaping.
///
/// # Errors
/// Returns an error if the system's random source fails.
pub fn random() -> Result<String, OAuthError> {
    let mut bytes = [0; BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| OAuthError::unreachable("the random source failed"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns the PKCE challenge of a verifier (method `S256`), which is sent when a login begins.
pub fn challenge(verifier: &Secret) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.expose().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenge_matches_the_standard() {
        // RFC 7636, appendix B.
        let verifier = Secret::from("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(challenge(&verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn random_values_differ() {
        let (one, other) = (random().unwrap(), random().unwrap());
        assert!(
            one != other
                && one.len() == 43
                && one.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        );
    }
}
