//! The key that signs access tokens, and the claims of access tokens.

use domain::Code;
use domain::credentials::sha256;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use ring::signature::{Ed25519KeyPair, KeyPair};
use ring::{hmac, rand};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use std::time::Duration;
use storage::Timestamp;
use utoipa::ToSchema;
use uuid::Uuid;

/// The name of the key file in the data folder (PKCS#8, DER).
pub const FILE: &str = "signing.key";
/// The tolerated clock difference in seconds.
const LEEWAY: u64 = 5;

/// The claims of an access token.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Claims {
    /// The user.
    pub sub: Uuid,
    /// The tenant.
    pub tid: Uuid,
    /// The session.
    pub sid: Uuid,
    /// The user's role in the tenant when the token was issued. Each request is authorized by the current role.
    pub role: storage::records::Role,
    /// The administrator who impersonates the user, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Uuid>,
    /// When the token was issued, in seconds since 1970.
    pub iat: i64,
    /// When the token expires, in seconds since 1970.
    pub exp: i64,
    /// The unique id of the token.
    pub jti: Uuid,
}

impl Claims {
    /// Creates the claims of a token that is issued now and valid for `life`.
    pub fn new(
        user: Uuid,
        tenant: Uuid,
        session: Uuid,
        role: storage::records::Role,
        life: Duration,
    ) -> Self {
        let iat = Timestamp::now().as_millis() / 1000;
        let exp = iat + life.as_secs() as i64;
        Self { sub: user, tid: tenant, sid: session, role, act: None, iat, exp, jti: storage::new_id() }
    }

    /// Time of expiry.
    pub fn ends(&self) -> Timestamp {
        Timestamp::from_millis(self.exp.saturating_mul(1000))
    }
}

/// The server's Ed25519 key and the keys derived from it.
pub struct SigningKeys {
    sign: EncodingKey,
    verify: DecodingKey,
    validation: Validation,
    refresh: hmac::Key,
}

impl SigningKeys {
    /// Reads the key of a data folder, or creates it. The file is readable only by its owner.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let path = dir.join(FILE);
        let document = match std::fs::read(&path) {
            Ok(document) => document,
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(&path)?,
            Err(error) => return Err(error),
        };
        Self::from_pkcs8(&document).map_err(|error| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is not an Ed25519 key: {error}", path.display()),
            )
        })
    }

    /// Checks the key of a data folder without creating one; returns `false` if there is none.
    ///
    /// # Errors
    /// The key cannot be read, or the file does not contain a key.
    pub fn check(dir: &Path) -> io::Result<bool> {
        match dir.join(FILE).try_exists()? {
            true => Self::open(dir).map(|_| true),
            false => Ok(false),
        }
    }

    fn from_pkcs8(document: &[u8]) -> Result<Self, ring::error::KeyRejected> {
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(document)?;
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.leeway = LEEWAY;
        validation.validate_aud = false;
        Ok(Self {
            sign: EncodingKey::from_ed_der(document),
            verify: DecodingKey::from_ed_der(pair.public_key().as_ref()),
            validation,
            refresh: hmac::Key::new(hmac::HMAC_SHA256, sha256(&[b"refresh tokens", document]).as_ref()),
        })
    }

    /// Signs the claims of an access token.
    pub fn sign(&self, claims: &Claims) -> Result<String, Code> {
        jsonwebtoken::encode(&Header::new(Algorithm::EdDSA), claims, &self.sign).map_err(|_| Code::Internal)
    }

    /// Verifies the signature and the times of an access token. Does not check anything that can change.
    pub fn verify(&self, token: &str) -> Result<Claims, Code> {
        let read = jsonwebtoken::decode::<Claims>(token, &self.verify, &self.validation);
        read.map(|read| read.claims).map_err(|error| match error.kind() {
            ErrorKind::ExpiredSignature => Code::CredentialsExpired,
            _ => Code::CredentialsInvalid,
        })
    }

    /// The key that authenticates refresh tokens of this server.
    pub(super) fn refresh(&self) -> &hmac::Key {
        &self.refresh
    }
}

fn make(path: &Path) -> io::Result<Vec<u8>> {
    let document = Ed25519KeyPair::generate_pkcs8(&rand::SystemRandom::new())
        .map_err(|_| io::Error::other("the operating system provides no random numbers"))?;
    storage::write_key_file(path, document.as_ref())?;
    Ok(document.as_ref().to_vec())
}
