//! Secrets of API tokens and of links.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::{Code, Refusal, Result};

/// Bytes of randomness in a secret.
const SECRET_BYTES: usize = 32;

/// `und_<id>_<secret>`: the secret of an API token.
pub struct ApiSecret {
    /// The id of the token.
    pub id: Uuid,
    secret: String,
}

impl ApiSecret {
    /// Generates the secret of the API token with this id.
    ///
    /// # Errors
    /// `internal` when the system provides no randomness.
    pub fn new(id: Uuid) -> Result<Self> {
        Ok(Self { id, secret: hex(&random::<SECRET_BYTES>()?) })
    }

    /// Returns whether a credential has the prefix of an API token.
    pub fn is_like(token: &str) -> bool {
        token.starts_with("und_")
    }

    /// Parses a token; `None` if it is malformed.
    pub fn parse(token: &str) -> Option<Self> {
        Self::parse_unprefixed(token.strip_prefix("und_")?)
    }

    fn parse_unprefixed(token: &str) -> Option<Self> {
        let (id, secret) = token.split_once('_')?;
        let id = (id.len() == 32).then(|| Uuid::try_parse(id).ok())??;
        let is_secret = secret.len() == 2 * SECRET_BYTES && secret.bytes().all(|b| b.is_ascii_hexdigit());
        is_secret.then(|| Self { id, secret: secret.to_owned() })
    }

    /// Returns the token in the form that its owner stores. It is shown once.
    pub fn reveal(&self) -> String {
        format!("und_{}_{}", self.id.simple(), self.secret)
    }

    /// Returns the part that lists show, which is enough to distinguish tokens.
    pub fn prefix(&self) -> String {
        let id = self.id.simple().to_string();
        format!("und_{}", &id[id.len() - 8..])
    }

    /// Returns the hash that is stored.
    pub fn hash(&self) -> String {
        sha256_hex(self.secret.as_bytes())
    }

    /// Returns whether the stored hash belongs to this secret. Takes constant time.
    pub fn matches(&self, stored: &str) -> bool {
        secrets_match(&self.hash(), stored)
    }
}

/// `unl_<id>_<secret>`: the secret in a link that is sent by mail and can be used once.
pub struct LinkSecret(ApiSecret);

impl LinkSecret {
    /// Generates the secret for the row with this id.
    ///
    /// # Errors
    /// `internal` when the system provides no randomness.
    pub fn new(id: Uuid) -> Result<Self> {
        ApiSecret::new(id).map(Self)
    }

    /// Parses a secret; `None` if it is malformed.
    pub fn parse(token: &str) -> Option<Self> {
        ApiSecret::parse_unprefixed(token.strip_prefix("unl_")?).map(Self)
    }

    /// Returns the id of the row that the link belongs to.
    pub fn id(&self) -> Uuid {
        self.0.id
    }

    /// Returns the secret in the form that the link contains.
    pub fn reveal(&self) -> String {
        format!("unl_{}_{}", self.0.id.simple(), self.0.secret)
    }

    /// Returns the hash that is stored.
    pub fn hash(&self) -> String {
        self.0.hash()
    }

    /// Returns whether the stored hash belongs to this secret. Takes constant time.
    pub fn matches(&self, stored: &str) -> bool {
        self.0.matches(stored)
    }
}

/// Returns the SHA-256 of the concatenated pieces.
pub fn sha256(pieces: &[&[u8]]) -> digest::Digest {
    let mut context = digest::Context::new(&digest::SHA256);
    pieces.iter().for_each(|piece| context.update(piece));
    context.finish()
}

/// Returns the SHA-256 of `bytes` in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(sha256(&[bytes]).as_ref())
}

/// Compares two hashes in constant time.
pub fn secrets_match(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

/// Generates `N` random bytes.
///
/// # Errors
/// `internal` when the system provides no randomness.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Refusal::new(Code::Internal).because("no randomness"))?;
    Ok(bytes)
}

/// Encodes bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// Decodes `N` bytes from hexadecimal; `None` if the text is not exactly that.
pub fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_tokens_parse_back() {
        let token = ApiSecret::new(Uuid::from_u128(7)).unwrap();
        let read = ApiSecret::parse(&token.reveal()).unwrap();
        assert_eq!(read.id, token.id);
        assert!(read.matches(&token.hash()));
        assert!(!ApiSecret::new(token.id).unwrap().matches(&token.hash()));
        for wrong in ["", "und_", "und_x_y", "und_00000000000000000000000000000007_", &token.reveal()[1..]] {
            assert!(ApiSecret::parse(wrong).is_none(), "{wrong}");
        }
        assert!(ApiSecret::parse(&format!("{}é", &token.reveal()[..token.reveal().len() - 2])).is_none());
    }

    #[test]
    fn secrets_of_links_are_not_api_tokens() {
        let link = LinkSecret::new(Uuid::from_u128(7)).unwrap();
        assert!(LinkSecret::parse(&link.reveal()).unwrap().matches(&link.hash()));
        assert!(ApiSecret::parse(&link.reveal()).is_none());
        assert!(LinkSecret::parse(&ApiSecret::new(link.id()).unwrap().reveal()).is_none());
    }
}
