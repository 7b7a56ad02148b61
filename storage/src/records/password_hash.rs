//! Password hashes.

use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The hash of a user's password. It is a separate record, so that no response can contain it. Stored in the system
/// partition under the user's id.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PasswordHash {
    /// The hash in PHC form.
    pub phc: String,
}

impl std::fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

impl Record for PasswordHash {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"pw";
    const NAME: &'static str = "password_hash";
    const GROWTH: Growth<Self> = Growth::OnePer("user");
}
