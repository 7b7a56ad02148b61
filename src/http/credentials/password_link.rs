//! The credential in a link for choosing a new password.

use super::keys::SigningKeys;
use domain::credentials::{hex, unhex};
use ring::hmac;
use storage::Timestamp;
use uuid::Uuid;

/// The length in bytes of the mark, which only this server can create.
const MARK: usize = 32;

/// `unp_<user>_<end>_<mark>`: allows its bearer to choose a new password for a user, once, until it expires.
///
/// The mark is computed over the hash of the password to be replaced. Nothing needs to be stored, and a link becomes
/// void as soon as the password changes: through this link, through another one, or by its owner.
pub struct PasswordLink {
    user: Uuid,
    ends: Timestamp,
    mark: [u8; MARK],
}

impl PasswordLink {
    /// Creates a link for a user whose password has this hash.
    pub fn new(keys: &SigningKeys, user: Uuid, ends: Timestamp, phc: &str) -> Self {
        let mut mark = [0; MARK];
        mark.copy_from_slice(&hmac::sign(keys.refresh(), &signed_bytes(user, ends, phc)).as_ref()[..MARK]);
        Self { user, ends, mark }
    }

    /// Parses the token of a link, without checking its mark.
    pub fn parse(token: &str) -> Option<Self> {
        let mut parts = token.strip_prefix("unp_")?.split('_');
        let (user, ends, mark) = (parts.next()?, parts.next()?, parts.next()?);
        let user = (user.len() == 32).then(|| Uuid::try_parse(user).ok())??;
        let ends = (ends.len() == 16).then(|| u64::from_str_radix(ends, 16).ok())??;
        let ends = Timestamp::from_millis(i64::try_from(ends).ok()?);
        parts.next().is_none().then_some(Self { user, ends, mark: unhex(mark)? })
    }

    /// The user whose password the link replaces.
    pub fn user(&self) -> Uuid {
        self.user
    }

    /// Time of expiry.
    pub fn ends(&self) -> Timestamp {
        self.ends
    }

    /// The token of the link.
    pub fn reveal(&self) -> String {
        let ends = self.ends.as_millis().cast_unsigned();
        format!("unp_{}_{ends:016x}_{}", self.user.simple(), hex(&self.mark))
    }

    /// Whether this server created the link, for the password with this hash.
    pub fn matches(&self, keys: &SigningKeys, phc: &str) -> bool {
        hmac::verify(keys.refresh(), &signed_bytes(self.user, self.ends, phc), &self.mark).is_ok()
    }
}

/// The bytes that the mark is computed over. Their length differs from the input of any refresh token's mark.
fn signed_bytes(user: Uuid, ends: Timestamp, phc: &str) -> Vec<u8> {
    [b"password link".as_slice(), user.as_bytes(), &ends.as_millis().to_be_bytes(), phc.as_bytes()].concat()
}
