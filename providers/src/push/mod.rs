//! Web push: messages to browsers, sent through each browser's push service.
//!
//! A message is encrypted for one browser (RFC 8291), so that the push service cannot read it. The request
//! authenticates the sender (VAPID, RFC 8292), so that other senders cannot use the subscription.

mod encrypt;
mod vapid;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::time::Duration;

pub use vapid::PushKey;

use crate::web::WebRequest;

/// Maximum length of a message's text in bytes: push services accept bodies of 4,096 bytes, of which encryption needs
/// 103.
pub const MAX_MESSAGE_BYTES: usize = 4_096 - encrypt::OVERHEAD;
/// How long a push service stores a message for a browser that is offline.
const TIME_TO_LIVE: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a message cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// The browser's keys are invalid.
    #[error("the browser's keys cannot be used: {0}")]
    Keys(&'static str),
    /// The URL of the push service is invalid.
    #[error("the address of the push service cannot be used")]
    Address,
    /// The message is too long.
    #[error("a message has at most {MAX_MESSAGE_BYTES} bytes")]
    TooLong,
    /// A cryptographic operation failed, in the named step.
    #[error("encryption failed: {0}")]
    Crypto(&'static str),
}

/// The push subscription of a browser.
#[derive(Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The URL at its push service.
    pub endpoint: String,
    /// The public key: an uncompressed point of P-256.
    pub p256dh: Vec<u8>,
    /// The `auth` secret: 16 bytes chosen by the browser.
    pub auth: Vec<u8>,
}

impl std::fmt::Debug for Subscription {
    /// Omits the secret and the URL, which is secret too.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

/// How important a message is for a device in power-saving mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// The message can wait for external power or a good network.
    Low,
    /// `normal`, the default.
    Normal,
    /// The message is delivered immediately, even with a low battery.
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

/// Decodes base64 from a browser, with or without padding, in either alphabet.
///
/// # Errors
/// Returns an error if the text is not base64.
pub fn read_key(text: &str) -> Result<Vec<u8>, PushError> {
    let plain = text.trim().trim_end_matches('=').replace('+', "-").replace('/', "_");
    URL_SAFE_NO_PAD.decode(plain).map_err(|_| PushError::Keys("they are not base64"))
}

impl Subscription {
    /// Creates a subscription with keys as encoded by a browser.
    ///
    /// # Errors
    /// Returns an error if a key is invalid.
    pub fn read(endpoint: &str, p256dh: &str, auth: &str) -> Result<Self, PushError> {
        let one = Self { endpoint: endpoint.to_owned(), p256dh: read_key(p256dh)?, auth: read_key(auth)? };
        one.check()?;
        Ok(one)
    }

    /// Checks whether messages can be encrypted for the subscription.
    ///
    /// # Errors
    /// Returns an error if a key is invalid.
    pub fn check(&self) -> Result<(), PushError> {
        if self.auth.len() != 16 {
            return Err(PushError::Keys("`auth` has to be 16 bytes"));
        }
        if self.p256dh.len() != 65 || self.p256dh.first() != Some(&4) {
            return Err(PushError::Keys("`p256dh` has to be an uncompressed point of P-256"));
        }
        // Whether the point is on the curve is checked when it is used.
        encrypt::encrypt(self, b"").map(drop)
    }
}

/// Creates the request that sends a message to the push service. `topic` is up to 32 characters of base64: a push
/// service replaces a stored message with the same topic by this one.
///
/// # Errors
/// Returns an error if the message cannot be created.
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
        header("ttl", &TIME_TO_LIVE.as_secs().to_string()),
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
