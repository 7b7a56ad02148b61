//! Opaque tokens: API tokens and refresh tokens.

use super::keys::SigningKeys;
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac};
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// Bytes of randomness in an API token.
const API_SECRET: usize = 32;
/// Bytes of randomness in a refresh token, and of the mark that shows we made it.
const REFRESH_RANDOM: usize = 24;
const REFRESH_MARK: usize = 16;

/// `und_<id>_<secret>`: a credential for programs.
pub struct ApiSecret {
    /// The token's id.
    pub id: Uuid,
    /// The secret half.
    secret: String,
}

impl ApiSecret {
    /// A new one.
    pub fn new(id: Uuid) -> Result<Self, ring::error::Unspecified> {
        Ok(Self { id, secret: HEXLOWER.encode(&random::<API_SECRET>()?) })
    }

    /// Whether a credential claims to be one.
    pub fn is_like(token: &str) -> bool {
        token.starts_with("und_")
    }

    /// Reads one.
    pub fn parse(token: &str) -> Option<Self> {
        Self::read(token.strip_prefix("und_")?)
    }

    fn read(token: &str) -> Option<Self> {
        let (id, secret) = token.split_once('_')?;
        let id = (id.len() == 32).then(|| Uuid::try_parse(id).ok())??;
        let sound = secret.len() == 2 * API_SECRET && secret.bytes().all(|b| b.is_ascii_hexdigit());
        sound.then(|| Self { id, secret: secret.to_owned() })
    }

    /// What its owner keeps; it is shown once.
    pub fn reveal(&self) -> String {
        format!("und_{}_{}", self.id.simple(), self.secret)
    }

    /// What lists show, enough to tell one from another.
    pub fn prefix(&self) -> String {
        let id = self.id.simple().to_string();
        format!("und_{}", &id[id.len() - 8..])
    }

    /// What is stored.
    pub fn hash(&self) -> String {
        sha256_hex(self.secret.as_bytes())
    }

    /// Whether it is the one whose hash is stored; takes the same time either way.
    pub fn matches(&self, stored: &str) -> bool {
        same(&self.hash(), stored)
    }
}

/// `unl_<id>_<secret>`: what a link carries that is sent to somebody, to be used once.
pub struct LinkSecret(ApiSecret);

impl LinkSecret {
    /// A new one, for the row of this id.
    pub fn new(id: Uuid) -> Result<Self, ring::error::Unspecified> {
        ApiSecret::new(id).map(Self)
    }

    /// Reads one.
    pub fn parse(token: &str) -> Option<Self> {
        ApiSecret::read(token.strip_prefix("unl_")?).map(Self)
    }

    /// The row that it opens.
    pub fn id(&self) -> Uuid {
        self.0.id
    }

    /// What the link carries.
    pub fn reveal(&self) -> String {
        format!("unl_{}_{}", self.0.id.simple(), self.0.secret)
    }

    /// What is stored.
    pub fn hash(&self) -> String {
        self.0.hash()
    }

    /// Whether it is the one whose hash is stored; takes the same time either way.
    pub fn matches(&self, stored: &str) -> bool {
        self.0.matches(stored)
    }
}

/// `unr_<session>_<secret>`: what an expired access token is renewed with, once.
///
/// The secret ends with a mark that only this server can make. So a token that we made and that
/// is not the current one of its session is known to be spent, however old, and nothing but the
/// current one's hash needs to be stored.
pub struct RefreshSecret {
    /// The session.
    pub session: Uuid,
    random: [u8; REFRESH_RANDOM],
    mark: [u8; REFRESH_MARK],
}

impl RefreshSecret {
    /// A new one for a session.
    pub fn new(keys: &SigningKeys, session: Uuid) -> Result<Self, ring::error::Unspecified> {
        let random = random()?;
        Ok(Self { session, random, mark: mark(keys, session, &random) })
    }

    /// Reads one that this server made; anything else is `None`.
    pub fn parse(keys: &SigningKeys, token: &str) -> Option<Self> {
        let (session, secret) = token.strip_prefix("unr_")?.split_once('_')?;
        let session = (session.len() == 32).then(|| Uuid::try_parse(session).ok())??;
        let bytes = unhex::<{ REFRESH_RANDOM + REFRESH_MARK }>(secret)?;
        let (random, given) = bytes.split_at(REFRESH_RANDOM);
        let random: [u8; REFRESH_RANDOM] = random.try_into().ok()?;
        let mark = mark(keys, session, &random);
        bool::from(mark.ct_eq(given)).then_some(Self { session, random, mark })
    }

    /// What its owner keeps.
    pub fn reveal(&self) -> String {
        format!(
            "unr_{}_{}{}",
            self.session.simple(),
            HEXLOWER.encode(&self.random),
            HEXLOWER.encode(&self.mark)
        )
    }

    /// What is stored.
    pub fn hash(&self) -> String {
        sha256_hex(&self.random)
    }

    /// Whether it is the one whose hash is stored.
    pub fn matches(&self, stored: &str) -> bool {
        same(&self.hash(), stored)
    }
}

fn mark(keys: &SigningKeys, session: Uuid, random: &[u8]) -> [u8; REFRESH_MARK] {
    let mut context = hmac::Context::with_key(keys.refresh());
    context.update(session.as_bytes());
    context.update(random);
    let mut mark = [0; REFRESH_MARK];
    mark.copy_from_slice(&context.sign().as_ref()[..REFRESH_MARK]);
    mark
}

/// SHA-256 of several pieces, one after the other.
pub(super) fn sha256(pieces: &[&[u8]]) -> digest::Digest {
    let mut context = digest::Context::new(&digest::SHA256);
    pieces.iter().for_each(|piece| context.update(piece));
    context.finish()
}

/// SHA-256 in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(sha256(&[bytes]).as_ref())
}

fn same(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

fn random<const N: usize>() -> Result<[u8; N], ring::error::Unspecified> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes)?;
    Ok(bytes)
}

/// Bytes from hexadecimal; none where it is anything else.
pub(super) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
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
    fn what_links_carry_is_no_api_token() {
        let link = LinkSecret::new(Uuid::from_u128(7)).unwrap();
        assert!(LinkSecret::parse(&link.reveal()).unwrap().matches(&link.hash()));
        assert!(ApiSecret::parse(&link.reveal()).is_none());
        assert!(LinkSecret::parse(&ApiSecret::new(link.id()).unwrap().reveal()).is_none());
    }

    #[test]
    fn refresh_tokens_are_known_as_ours() {
        let dir = tempfile::tempdir().unwrap();
        let keys = SigningKeys::open(dir.path()).unwrap();
        let token = RefreshSecret::new(&keys, Uuid::from_u128(9)).unwrap();
        let text = token.reveal();
        assert!(RefreshSecret::parse(&keys, &text).unwrap().matches(&token.hash()));
        // One that somebody made up for a session whose id they know.
        let forged = text.replace(&text[text.len() - 8..], "00000000");
        assert!(RefreshSecret::parse(&keys, &forged).is_none());
        let moved = text.replace("00000000000000000000000000000009", "0000000000000000000000000000000a");
        assert!(RefreshSecret::parse(&keys, &moved).is_none());
    }
}
