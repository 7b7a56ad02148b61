//! Refresh tokens of login sessions.

use super::keys::SigningKeys;
use domain::Refusal;
use domain::credentials::{hex, random, secrets_match, sha256_hex, unhex};
use ring::hmac;
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// The number of random bytes in a refresh token, and the length of the mark that proves that this server issued it.
const REFRESH_RANDOM: usize = 24;
const REFRESH_MARK: usize = 16;

/// `unr_<session>_<secret>`: renews an expired access token, once.
///
/// The secret ends with a mark that only this server can create. A token that this server issued and that is not the
/// current one of its session is therefore known to be spent, however old it is, and only the hash of the current token
/// needs to be stored.
pub struct RefreshSecret {
    /// The session that the token renews.
    pub session: Uuid,
    random: [u8; REFRESH_RANDOM],
    mark: [u8; REFRESH_MARK],
}

impl RefreshSecret {
    /// Creates a token for a session.
    pub fn new(keys: &SigningKeys, session: Uuid) -> Result<Self, Refusal> {
        let random = random()?;
        Ok(Self { session, random, mark: mark(keys, session, &random) })
    }

    /// Parses a token that this server issued; `None` for anything else.
    pub fn parse(keys: &SigningKeys, token: &str) -> Option<Self> {
        let (session, secret) = token.strip_prefix("unr_")?.split_once('_')?;
        let session = (session.len() == 32).then(|| Uuid::try_parse(session).ok())??;
        let bytes = unhex::<{ REFRESH_RANDOM + REFRESH_MARK }>(secret)?;
        let (random, tag) = bytes.split_at(REFRESH_RANDOM);
        let random: [u8; REFRESH_RANDOM] = random.try_into().ok()?;
        let mark = mark(keys, session, &random);
        bool::from(mark.ct_eq(tag)).then_some(Self { session, random, mark })
    }

    /// The text of the token, as the client receives it.
    pub fn reveal(&self) -> String {
        format!("unr_{}_{}{}", self.session.simple(), hex(&self.random), hex(&self.mark))
    }

    /// The hash that is stored.
    pub fn hash(&self) -> String {
        sha256_hex(&self.random)
    }

    /// Whether `stored` is the hash of this token.
    pub fn matches(&self, stored: &str) -> bool {
        secrets_match(&self.hash(), stored)
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
