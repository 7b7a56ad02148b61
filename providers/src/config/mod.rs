//! Provider configuration, from the configuration file and environment variables.

mod check;
mod fallbacks;
mod kind;
mod model;
mod probed;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

#[cfg(test)]
pub(crate) use check::base_url;
pub(crate) use check::{CheckedProvider, check};
pub use kind::{CircuitConfig, ProviderKind};
pub use model::ModelConfig;
pub(crate) use probed::{LOCAL_SERVERS, is_probed_name};

pub use crate::secret::Secret;

/// When the built-in chat model, Scribe, is available. It needs no network and does not reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScribeUse {
    /// Until a provider with chat models for all users is configured, or if the configuration names it.
    #[default]
    Auto,
    /// Always; it is the last choice for requests that name no model.
    On,
    /// Never.
    Off,
}

/// The configuration of all providers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProvidersConfig {
    /// The providers, in order of preference.
    pub providers: Vec<ProviderConfig>,
    /// The full id (`<provider>/<model>`) of the model for requests that name none. If unset, the first model of the
    /// first provider that has one, and finally `builtin/scribe` if it is available.
    pub default_model: Option<String>,
    /// When `builtin/scribe` is available.
    pub scribe: ScribeUse,
    /// The full id of the embedding model for knowledge bases that name none. If unset, the first embedding model of
    /// the first provider that has one, and finally `builtin/hash`.
    pub default_embedding: Option<String>,
    /// Whether to probe the default local ports of Ollama, LM Studio, vLLM and llama.cpp.
    pub probe_local: bool,
    /// Local ports that are not probed, in particular the server's own port.
    pub probe_exclude: Vec<u16>,
    /// Interval in seconds between two probes of the local ports.
    pub probe_every_s: f64,
}

impl Default for ProvidersConfig {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            default_model: None,
            scribe: ScribeUse::Auto,
            default_embedding: None,
            probe_local: true,
            probe_exclude: Vec::new(),
            probe_every_s: 60.0,
        }
    }
}

impl ProvidersConfig {
    /// Adds settings from environment variables, which `lookup` reads:
    ///
    /// - `OPENAI_API_KEY` or `OPENAI_BASE_URL` configure a provider named `openai`, `ANTHROPIC_API_KEY` or
    ///   `ANTHROPIC_BASE_URL` one named `anthropic`, `GEMINI_API_KEY` (or `GOOGLE_API_KEY`) or `GEMINI_BASE_URL` one
    ///   named `gemini`, unless a provider of that name is already configured.
    /// - A key or header written as `env:NAME` is replaced by the value of `NAME`. If `lookup` does not know the
    ///   variable, the reference remains, and [`crate::Models::load`] rejects it by name.
    ///
    /// Empty variables count as unset.
    #[must_use]
    pub fn with_environment(mut self, lookup: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| lookup(name).filter(|value| !value.trim().is_empty());
        for from_environment in ProviderKind::of_environment(set) {
            if !self.providers.iter().any(|p| p.name == from_environment.name) {
                self.providers.push(from_environment);
            }
        }
        for provider in &mut self.providers {
            for secret in provider.api_key.iter_mut().chain(provider.headers.values_mut()) {
                if let Some(value) = secret.variable().and_then(&set) {
                    *secret = Secret::from(value);
                }
            }
        }
        self
    }
}

impl ProvidersConfig {
    /// Returns all faults, each with its provider and key. Empty if [`crate::Models::load`] accepts the
    /// configuration.
    #[must_use]
    pub fn faults(&self) -> Vec<ConfigError> {
        check::read(self).1
    }
}

/// The configuration of a provider and its models.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// The name, which is the first part of its models' ids: lower-case letters, digits, `.`, `_`, `-`.
    pub name: String,
    /// The API of the provider.
    #[serde(default)]
    pub kind: ProviderKind,
    /// The base URL up to and including the version, such as `https://host/v1`. If empty, the default of the kind.
    #[serde(default)]
    pub base_url: String,
    /// The key itself, or `env:NAME` to read it from the environment. Unset for servers that require no key, and if
    /// each tenant has its own.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// The models. If empty, they are requested from the provider.
    #[serde(default)]
    pub models: Vec<ModelConfig>,
    /// The timeouts for requests.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// Maximum number of retries if the provider is busy, failing or unreachable before the first byte of the
    /// response.
    #[serde(default = "default_retries")]
    pub retries: u32,
    /// When requests to the provider are suspended after failures.
    #[serde(default)]
    pub circuit: CircuitConfig,
    /// Additional headers of every request. Their values are treated as secrets.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
}

impl ProviderConfig {
    /// Creates a provider of the OpenAI kind at `base_url`, with default settings otherwise.
    pub fn openai(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: ProviderKind::Openai,
            base_url: base_url.into(),
            api_key: None,
            models: Vec::new(),
            timeouts: Timeouts::default(),
            retries: default_retries(),
            circuit: CircuitConfig::default(),
            headers: BTreeMap::new(),
        }
    }
}

/// Timeouts of a provider in seconds; fractions are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// From sending the request to the first byte of the response.
    pub first_byte_s: f64,
    /// Between two bytes of the response.
    pub idle_s: f64,
    /// For connecting, including DNS lookup and TLS.
    pub connect_s: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { first_byte_s: 60.0, idle_s: 60.0, connect_s: 10.0 }
    }
}

impl Timeouts {
    pub(crate) fn first_byte(&self) -> Duration {
        Duration::from_secs_f64(self.first_byte_s)
    }

    pub(crate) fn idle(&self) -> Duration {
        Duration::from_secs_f64(self.idle_s)
    }

    pub(crate) fn connect(&self) -> Duration {
        Duration::from_secs_f64(self.connect_s)
    }
}

/// A fault in the configuration of the providers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub(crate) String);

fn default_retries() -> u32 {
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ProvidersConfig, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn providers_config_parses_every_field() {
        let config = parse(
            r#"
            default_model = "acme/large"
            probe_local = false
            probe_exclude = [8080]
            [[providers]]
            name = "acme"
            kind = "openai"
            base_url = "http://gpu.example:8000/v1"
            api_key = "env:ACME_KEY"
            retries = 0
            timeouts = { first_byte_s = 120, idle_s = 0.5 }
            headers = { "api-key" = "env:ACME_HEADER" }
            models = ["small", { id = "large", input_price = 2.5, tags = ["chat", "vision"] }]
            "#,
        )
        .unwrap();
        let acme = &config.providers[0];
        assert_eq!(acme.timeouts.first_byte(), Duration::from_secs(120));
        assert_eq!(acme.timeouts.idle(), Duration::from_millis(500));
        assert_eq!(acme.timeouts.connect_s, 10.0);
        assert_eq!((acme.models[0].id.as_str(), acme.models[1].id.as_str()), ("small", "large"));
        assert_eq!(acme.api_key.as_ref().unwrap().variable(), Some("ACME_KEY"));
    }

    #[test]
    fn providers_config_reports_unknown_keys() {
        for (text, key) in [
            ("probe_locals = true", "probe_locals"),
            ("[[providers]]\nname = 'a'\napi_kei = 'x'", "api_kei"),
            ("[[providers]]\nname = 'a'\nmodels = [{ id = 'm', pric = 1 }]", "pric"),
            ("[[providers]]\nname = 'a'\ntimeouts = { idel_s = 1 }", "idel_s"),
            ("[[providers]]\nname = 'a'\nkind = 'anthropics'", "anthropics"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }

    #[test]
    fn with_environment_adds_a_provider_from_the_usual_variables() {
        let config = ProvidersConfig::default().with_environment(|name| match name {
            "OPENAI_API_KEY" => Some("sk-test-1".into()),
            _ => None,
        });
        let openai = &config.providers[0];
        assert_eq!(
            (openai.name.as_str(), openai.base_url.as_str()),
            ("openai", ProviderKind::Openai.base_url())
        );
        assert_eq!(openai.api_key.as_ref().unwrap().expose(), "sk-test-1");

        let config = ProvidersConfig::default().with_environment(|name| match name {
            "OPENAI_BASE_URL" => Some("http://localhost:9/v1".into()),
            _ => Some(String::new()),
        });
        assert_eq!(config.providers[0].base_url, "http://localhost:9/v1");
        assert_eq!(config.providers[0].api_key, None);
        assert!(ProvidersConfig::default().with_environment(|_| None).providers.is_empty());
    }

    #[test]
    fn with_environment_accepts_both_key_variables_of_gemini() {
        for name in ["GEMINI_API_KEY", "GOOGLE_API_KEY"] {
            let lookup = |variable: &str| (variable == name).then(|| "g".to_owned());
            let config = ProvidersConfig::default().with_environment(lookup);
            assert_eq!(config.providers[0].kind, ProviderKind::Gemini);
            assert_eq!(config.providers[0].base_url, ProviderKind::Gemini.base_url());
        }
    }

    #[test]
    fn with_environment_prefers_a_configured_provider() {
        let mut config = ProvidersConfig::default();
        config.providers.push(ProviderConfig::openai("openai", "http://gateway/v1"));
        let config = config.with_environment(|_| Some("value".into()));
        let names: Vec<_> = config.providers.iter().map(|p| (p.name.as_str(), p.kind)).collect();
        let more = [("anthropic", ProviderKind::Anthropic), ("gemini", ProviderKind::Gemini)];
        assert_eq!(names[0], ("openai", ProviderKind::Openai));
        assert_eq!(names[1..], more);
        assert_eq!(config.providers[0].base_url, "http://gateway/v1");
    }

    #[test]
    fn with_environment_resolves_references_and_hides_values() {
        let mut provider = ProviderConfig::openai("acme", "http://x/v1");
        provider.api_key = Some("env:ACME_KEY".into());
        provider.headers.insert("api-key".into(), "env:MISSING".into());
        let config = ProvidersConfig { providers: vec![provider], ..ProvidersConfig::default() }
            .with_environment(|name| (name == "ACME_KEY").then(|| "very-secret".to_owned()));
        let acme = &config.providers[0];
        assert_eq!(acme.api_key.as_ref().unwrap().expose(), "very-secret");
        assert_eq!(acme.headers["api-key"].variable(), Some("MISSING"));
        let shown = format!("{config:?}");
        assert!(!shown.contains("very-secret") && shown.contains("[secret]"), "{shown}");
    }
}
