//! Secret values that are never displayed.

use std::fmt;

use serde::Deserialize;

/// A key or another secret value. Its `Debug` output hides the value, and it implements neither `Display` nor
/// `Serialize`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Returns the value, for the code that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The name of the environment variable if the secret is a reference such as `env:OPENAI_API_KEY`.
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
        // A reference is not secret, and its name helps with debugging.
        match self.variable() {
            Some(name) => write!(f, "[secret from {name}]"),
            None => f.write_str("[secret]"),
        }
    }
}
