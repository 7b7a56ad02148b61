//! Proof that the client that began a login is the one that completes it: PKCE (RFC 7636), states and nonces.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};

use super::OAuthError;
use crate::Secret;

/// Bytes of randomness in each.
const BYTES: usize = 32;

/// 32 random bytes in 43 letters that need no escaping anywhere.
///
/// # Errors
/// The system has no randomness.
pub fn random() -> Result<String, OAuthError> {
    let mut bytes = [0; BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| OAuthError::unreachable("the random source failed"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// What the authority is shown at the start in the place of the verifier, by the method `S256`.
pub fn challenge(verifier: &Secret) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.expose().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = Secret::from("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(challenge(&verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn no_two_are_the_same() {
        let (one, other) = (random().unwrap(), random().unwrap());
        assert!(
            one != other
                && one.len() == 43
                && one.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        );
    }
}
