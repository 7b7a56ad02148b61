//! TOML as figment reads it, by the parser that the rest of the program uses: figment's own is an older version of it.

use figment::providers::Format;
use serde::de::DeserializeOwned;

/// The format of the settings.
pub(super) struct Toml;

impl Format for Toml {
    type Error = toml::de::Error;

    const NAME: &'static str = "TOML";

    fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Self::Error> {
        toml::from_str(text)
    }
}
