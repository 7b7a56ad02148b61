//! Values that are never shown.

use std::fmt;

use serde::Deserialize;

/// A key or another value that is never shown: its `Debug` form hides it, and it has no
/// `Display` and no `Serialize`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The value itself, for the one place that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The variable's name if the secret is only a reference, as in `env:OPENAI_API_KEY`.
    #[must_use]
    pub fn variable(&self) -> Option<&str> {
        self.0.strip_prefix("env:")
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(value: T) -> Self {
        Self(value.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A reference is no secret, and seeing it helps.
        match self.variable() {
            Some(name) => write!(f, "[secret from {name}]"),
            None => f.write_str("[secret]"),
        }
    }
}
