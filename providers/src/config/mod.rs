//! Which providers there are: from the configuration file and from the environment.

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

/// Whether the built-in chat model, Scribe, is there. It needs no network and does not think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScribeUse {
    /// Until a provider is configured that has chat models for everyone.
    #[default]
    Auto,
    /// Beside all others, and as the last default where no model is chosen.
    On,
    /// Never.
    Off,
}

/// All providers of a server.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProvidersConfig {
    /// The providers, in order of preference.
    pub providers: Vec<ProviderConfig>,
    /// The full id (`<provider>/<model>`) of the model to use when none was chosen. Without it
    /// the first model of the first provider that has one, and at last `builtin/scribe` where that is there.
    pub default_model: Option<String>,
    /// When `builtin/scribe` is available.
    pub scribe: ScribeUse,
    /// The full id of the embedding model of knowledge bases for which none was chosen. Without it
    /// the first one of the first provider that has one, and at last `builtin/hash`.
    pub default_embedding: Option<String>,
    /// Whether to look for Ollama, LM Studio, vLLM and llama.cpp on their usual local ports.
    pub probe_local: bool,
    /// Local ports to leave alone while probing, above all the one we listen on ourselves.
    pub probe_exclude: Vec<u16>,
    /// Seconds between two looks at the local ports.
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
    /// Adds what the environment says, as `lookup` reads it:
    ///
    /// - `OPENAI_API_KEY` or `OPENAI_BASE_URL` give a provider named `openai`, `ANTHROPIC_API_KEY` or
    ///   `ANTHROPIC_BASE_URL` one named `anthropic`, `GEMINI_API_KEY` (or `GOOGLE_API_KEY`) or
    ///   `GEMINI_BASE_URL` one named `gemini`, unless one of that name is configured already.
    /// - A key or header written as `env:NAME` is replaced by the value of `NAME`. A variable that
    ///   `lookup` does not know stays as it is; [`crate::Models::load`] refuses it by name.
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
    /// All that is wrong with it, each fault with the provider and the key it is in. Empty where
    /// [`crate::Models::load`] takes it.
    #[must_use]
    pub fn faults(&self) -> Vec<ConfigError> {
        check::read(self).1
    }
}

/// A provider and its models, as configured.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// Its name, the first part of its models' ids: lower-case letters, digits, `.`, `_`, `-`.
    pub name: String,
    /// The API that it speaks.
    #[serde(default)]
    pub kind: ProviderKind,
    /// Where its interface is, up to and including the version, as in `https://host/v1`; empty: where
    /// the interface of its kind usually is.
    #[serde(default)]
    pub base_url: String,
    /// Its key: the key itself, or `env:NAME` to read it from the environment. None for servers
    /// that want no key, and where each tenant has its own.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// Its models. Empty: ask the server.
    #[serde(default)]
    pub models: Vec<ModelConfig>,
    /// How long to wait for it.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// How often to ask again when it is busy, broken or out of reach, before the answer's first
    /// byte.
    #[serde(default = "default_retries")]
    pub retries: u32,
    /// When it is left alone for a while.
    #[serde(default)]
    pub circuit: CircuitConfig,
    /// Further headers to send. Their values are treated as secrets.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
}

impl ProviderConfig {
    /// A provider that speaks the OpenAI interface at `base_url`, everything else by default.
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

/// How long to wait for a provider, in seconds; fractions are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// From sending the request to the answer's first byte.
    pub first_byte_s: f64,
    /// Between two bytes of the answer.
    pub idle_s: f64,
    /// For the connection, name lookup and TLS included.
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

/// What is wrong with the configuration of the providers.
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
    fn a_file_with_everything() {
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
    fn misspelt_keys_are_named() {
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
    fn the_usual_variables_make_a_provider() {
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
    fn gemini_has_two_names_for_its_key() {
        for name in ["GEMINI_API_KEY", "GOOGLE_API_KEY"] {
            let lookup = |variable: &str| (variable == name).then(|| "g".to_owned());
            let config = ProvidersConfig::default().with_environment(lookup);
            assert_eq!(config.providers[0].kind, ProviderKind::Gemini);
            assert_eq!(config.providers[0].base_url, ProviderKind::Gemini.base_url());
        }
    }

    #[test]
    fn a_configured_openai_wins_over_the_environment() {
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
    fn references_are_resolved_and_never_shown() {
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
