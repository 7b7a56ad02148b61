//! Web push: messages to browsers, by the push service that each of them names.
//!
//! A message is encrypted for the one browser (RFC 8291), so that the service cannot read it, and the request
//! proves its sender (VAPID, RFC 8292), so that no other sender can use the subscription.

mod encrypt;
mod vapid;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::time::Duration;

pub use vapid::PushKey;

use crate::web::WebRequest;

/// The longest text of a message, in bytes: a service takes bodies of 4,096, and encryption needs 103 of them.
pub const LONGEST: usize = 4_096 - encrypt::OVERHEAD;
/// How long a service keeps a message for a browser that is not there.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Why no message can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// The browser's keys are none.
    #[error("the browser's keys cannot be used: {0}")]
    Keys(&'static str),
    /// The address of the push service is none.
    #[error("the address of the push service cannot be used")]
    Address,
    /// The message is too long.
    #[error("a message has at most {LONGEST} bytes")]
    TooLong,
    /// The system's cryptography failed, at the named step.
    #[error("no cryptography: {0}")]
    Crypto(&'static str),
}

/// What a browser gave to be reached by.
#[derive(Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The address at its push service.
    pub endpoint: String,
    /// Its public key: an uncompressed point of P-256.
    pub p256dh: Vec<u8>,
    /// `auth`: the 16 secret bytes that the browser chose.
    pub auth: Vec<u8>,
}

impl std::fmt::Debug for Subscription {
    /// Without the secret, and without the address, which is one, too.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

/// How much a message matters to a device that saves its power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// It can wait for power or a good network.
    Low,
    /// `normal`, the default.
    Normal,
    /// At once, if need be with the last of the battery.
    High,
}

impl Urgency {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// Bytes that a browser wrote as base64, with or without padding, in either alphabet.
///
/// # Errors
/// They are not base64.
pub fn read_key(text: &str) -> Result<Vec<u8>, PushError> {
    let plain = text.trim().trim_end_matches('=').replace('+', "-").replace('/', "_");
    URL_SAFE_NO_PAD.decode(plain).map_err(|_| PushError::Keys("they are not base64"))
}

impl Subscription {
    /// With keys as a browser writes them.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(endpoint: &str, p256dh: &str, auth: &str) -> Result<Self, PushError> {
        let one = Self { endpoint: endpoint.to_owned(), p256dh: read_key(p256dh)?, auth: read_key(auth)? };
        one.check()?;
        Ok(one)
    }

    /// Whether something can be encrypted for it.
    ///
    /// # Errors
    /// What is wrong with its keys.
    pub fn check(&self) -> Result<(), PushError> {
        if self.auth.len() != 16 {
            return Err(PushError::Keys("`auth` has to be 16 bytes"));
        }
        if self.p256dh.len() != 65 || self.p256dh.first() != Some(&4) {
            return Err(PushError::Keys("`p256dh` has to be an uncompressed point of P-256"));
        }
        // Whether the point is on the curve shows when it is used.
        encrypt::encrypt(self, b"").map(drop)
    }
}

/// The request that hands a message to the push service. `topic` are up to 32 letters of base64: a service that still
/// holds a message of the same topic puts this one in its place.
///
/// # Errors
/// No such message can be made.
pub fn message(
    key: &PushKey,
    to: &Subscription,
    contact: &str,
    topic: &str,
    urgency: Urgency,
    text: &[u8],
) -> Result<WebRequest, PushError> {
    let body = encrypt::encrypt(to, text)?;
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let headers = vec![
        header("content-type", "application/octet-stream"),
        header("content-encoding", "aes128gcm"),
        header("authorization", &key.authorization(&to.endpoint, contact)?),
        header("ttl", &KEPT_FOR.as_secs().to_string()),
        header("urgency", urgency.as_str()),
        header("topic", topic),
    ];
    Ok(WebRequest {
        headers,
        body: Some(body.into()),
        redirects: false,
        ..WebRequest::new("POST", &to.endpoint)
    })
}
