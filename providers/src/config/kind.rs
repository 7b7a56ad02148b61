use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

use super::{ConfigError, ProviderConfig, Secret};

/// The API of a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// OpenAI's Chat Completions API, which most servers implement.
    #[default]
    Openai,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's Gemini API: `generateContent`.
    Gemini,
}

impl ProviderKind {
    const ALL: [Self; 3] = [Self::Openai, Self::Anthropic, Self::Gemini];

    /// The default base URL.
    #[must_use]
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }

    /// The name of the provider configured by environment variables, and the variables for its key and its base URL.
    const fn variables(self) -> (&'static str, &'static [&'static str], &'static str) {
        match self {
            Self::Openai => ("openai", &["OPENAI_API_KEY"], "OPENAI_BASE_URL"),
            Self::Anthropic => ("anthropic", &["ANTHROPIC_API_KEY"], "ANTHROPIC_BASE_URL"),
            Self::Gemini => ("gemini", &["GEMINI_API_KEY", "GOOGLE_API_KEY"], "GEMINI_BASE_URL"),
        }
    }

    /// Returns the providers that environment variables configure; `set` reads a variable.
    pub(super) fn of_environment(set: impl Fn(&str) -> Option<String>) -> Vec<ProviderConfig> {
        let from_variables = |kind: Self| {
            let (name, keys, url) = kind.variables();
            let (key, url) = (keys.iter().find_map(|key| set(key)), set(url));
            let base_url = url.as_deref().unwrap_or(kind.base_url()).to_owned();
            let provider = ProviderConfig { kind, ..ProviderConfig::openai(name, base_url) };
            let is_configured = key.is_some() || url.is_some();
            is_configured.then(|| ProviderConfig { api_key: key.map(Secret::from), ..provider })
        };
        Self::ALL.into_iter().filter_map(from_variables).collect()
    }

    /// Parses a configured base URL, without a trailing slash. An empty one means the default.
    pub(super) fn address(self, text: &str) -> Result<Url, ConfigError> {
        let text = text.trim();
        let mut url = super::check::base_url(if text.is_empty() { self.base_url() } else { text })?;
        // The official clients of these two providers take the base URL without the version.
        if self != Self::Openai && matches!(url.path(), "" | "/") {
            let version = self.base_url().rsplit('/').next().unwrap_or_default();
            url.set_path(version);
        }
        Ok(url)
    }
}

/// When requests to a failing provider are suspended; see the documentation of providers.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CircuitConfig {
    /// Number of consecutive failures after which requests are suspended; 0 disables the circuit breaker.
    pub failures: u32,
    /// The first pause in seconds; each further pause is twice as long.
    pub pause_s: f64,
    /// The longest pause in seconds.
    pub longest_pause_s: f64,
}

impl Default for CircuitConfig {
    fn default() -> Self {
        Self { failures: 5, pause_s: 2.0, longest_pause_s: 60.0 }
    }
}

impl CircuitConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if [self.pause_s, self.longest_pause_s].iter().any(|s| !(0.001..=86_400.0).contains(s)) {
            return Err(ConfigError("circuit: pauses must be from 0.001 to 86400 seconds".to_owned()));
        }
        Ok(())
    }

    pub(crate) fn first_pause(&self) -> Duration {
        Duration::from_secs_f64(self.pause_s)
    }

    pub(crate) fn longest_pause(&self) -> Duration {
        Duration::from_secs_f64(self.longest_pause_s.max(self.pause_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_adds_the_default_version_for_anthropic_and_gemini() {
        for (kind, address, expected) in [
            (ProviderKind::Openai, "", "https://api.openai.com/v1"),
            (ProviderKind::Openai, "http://x", "http://x/"),
            (ProviderKind::Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1"),
            (ProviderKind::Anthropic, "http://x/anthropic/", "http://x/anthropic"),
            (ProviderKind::Gemini, "http://x/", "http://x/v1beta"),
            (ProviderKind::Gemini, "http://x/v1", "http://x/v1"),
        ] {
            assert_eq!(kind.address(address).unwrap().as_str(), expected);
        }
    }
}
