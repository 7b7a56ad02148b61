//! Sender authentication: a signed token for the push service (VAPID, RFC 8292).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::PushError;

/// How long a token is valid; push services accept up to a day.
const HOLDS: Duration = Duration::from_secs(12 * 60 * 60);

/// The key by which push services identify this installation. Browsers receive its public half when they subscribe,
/// so it must never change.
pub struct PushKey {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl PushKey {
    /// Generates a new key and returns its storage format (PKCS #8).
    ///
    /// # Errors
    /// Returns an error if the system's random source fails.
    pub fn generate() -> Result<Vec<u8>, PushError> {
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let key = key.map_err(|_| PushError::Crypto("the random source failed"))?;
        Ok(key.as_ref().to_vec())
    }

    /// Parses a stored key.
    ///
    /// # Errors
    /// Returns an error if the key is invalid.
    pub fn read(pkcs8: &[u8]) -> Result<Self, PushError> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8, &random);
        let pair = pair.map_err(|_| PushError::Crypto("the stored key is not valid"))?;
        Ok(Self { pair, random })
    }

    /// Returns the public key in the format for browsers (`applicationServerKey`).
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.pair.public_key().as_ref())
    }

    /// Returns the `Authorization` header for a push service. `contact` is a `mailto:` or `https:` URL through which
    /// the service can contact the operator.
    pub(super) fn authorization(&self, endpoint: &str, contact: &str) -> Result<String, PushError> {
        let origin = Url::parse(endpoint).map_err(|_| PushError::Address)?.origin();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let claims = serde_json::json!({
            "aud": origin.ascii_serialization(), "exp": (now + HOLDS).as_secs(), "sub": contact,
        });
        let head = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let word = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signed = self.pair.sign(&self.random, word.as_bytes());
        let signed = signed.map_err(|_| PushError::Crypto("the random source failed"))?;
        Ok(format!("vapid t={word}.{}, k={}", URL_SAFE_NO_PAD.encode(signed.as_ref()), self.public()))
    }
}

impl std::fmt::Debug for PushKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushKey").field("public", &self.public()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    #[test]
    fn authorization_contains_audience_contact_and_signature() {
        let stored = PushKey::generate().unwrap();
        let key = PushKey::read(&stored).unwrap();
        let header =
            key.authorization("https://push.example.org:8443/a/b?c", "mailto:ops@example.org").unwrap();
        let (word, public) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(public, PushKey::read(&stored).unwrap().public());
        let (said, signature) = word.rsplit_once('.').unwrap();
        let point = URL_SAFE_NO_PAD.decode(public).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
        public.verify(said.as_bytes(), &signature).unwrap();
        let claims = URL_SAFE_NO_PAD.decode(said.split_once('.').unwrap().1).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!(claims["aud"], "https://push.example.org:8443");
        assert_eq!(claims["sub"], "mailto:ops@example.org");
        assert!(PushKey::read(b"no key").is_err() && key.authorization("nowhere", "").is_err());
    }
}
