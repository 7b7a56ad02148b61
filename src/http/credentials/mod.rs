//! Credentials: what callers present, and the identities they prove.

mod cache;
mod cookies;
mod identity;
pub(crate) mod keys;
mod last_used;
pub(crate) mod password;
pub(crate) mod password_link;
mod presented;
pub(crate) mod throttle;
pub(crate) mod tokens;

pub use cookies::{ACCESS_COOKIE, Cookies, REFRESH_COOKIE};
pub use domain::credentials::sha256_hex;
pub use identity::Identity;
pub use keys::{Claims, FILE as SIGNING_KEY, SigningKeys};
pub use password::Passwords;
pub use password_link::PasswordLink;
pub use presented::{Presented, bearer, missing, refusal, same_origin};
pub use throttle::{LoginThrottle, SignUpThrottle};
pub use tokens::RefreshSecret;

use domain::Caller;
use domain::Code;
use std::sync::Arc;

/// The result of checking the credential of a request. It is determined before any extractor runs; handlers access it
/// through [`Auth`](crate::http::Auth).
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The request has no credential.
    Anonymous,
    /// The credential does not parse, with the reason.
    Malformed(&'static str),
    /// The credential parses, but is not valid.
    Refused(Code),
    /// The credential cannot be looked up at present.
    Unavailable,
    /// The credential is valid.
    Known(Arc<Caller>),
}
