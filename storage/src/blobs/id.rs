//! The id of a blob.

use crate::error::{Error, Result};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// The id of a blob: the SHA-256 of its bytes, in 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, ToSchema)]
#[serde(transparent)]
pub struct BlobId(String);

impl BlobId {
    /// Parses an id. `Err(Invalid)` if it is malformed.
    pub fn parse(text: &str) -> Result<Self> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() != 64 || !digits {
            return Err(Error::Invalid("not the id of a blob".into()));
        }
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn from_digest(digest: &[u8]) -> Self {
        Self(HEXLOWER.encode(digest))
    }

    /// The SHA-256 of the content, in hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for BlobId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}
