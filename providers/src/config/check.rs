use std::collections::HashSet;
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::Resolve;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::{
    CircuitConfig, ConfigError, ModelConfig, ProviderConfig, ProviderKind, ProvidersConfig, Secret, Timeouts,
};

/// A provider whose settings are valid.
pub(crate) struct CheckedProvider {
    pub(crate) name: String,
    pub(crate) kind: ProviderKind,
    pub(crate) base_url: Url,
    pub(crate) api_key: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) models: Vec<ModelConfig>,
    pub(crate) timeouts: Timeouts,
    pub(crate) retries: u32,
    pub(crate) circuit: CircuitConfig,
    /// The DNS resolver, if connections to some addresses are blocked.
    pub(crate) resolver: Option<Arc<dyn Resolve>>,
}

impl CheckedProvider {
    /// Creates a provider of the OpenAI kind with default settings.
    pub(crate) fn new(name: &str, base_url: Url) -> Self {
        let ProviderConfig { kind, timeouts, retries, circuit, .. } = ProviderConfig::openai(name, "");
        let (name, headers) = (name.to_owned(), HeaderMap::new());
        Self {
            name,
            kind,
            base_url,
            api_key: None,
            headers,
            models: Vec::new(),
            timeouts,
            retries,
            circuit,
            resolver: None,
        }
    }
}

/// Names that a configured provider cannot have.
const RESERVED: [&str; 1] = ["builtin"];

/// Validates all providers.
///
/// # Errors
/// Returns all faults, one per line, each with its provider and key.
pub(crate) fn check(config: &ProvidersConfig) -> Result<Vec<CheckedProvider>, ConfigError> {
    let (checked, faults) = read(config);
    match faults.is_empty() {
        true => Ok(checked),
        false => {
            let faults: Vec<_> = faults.into_iter().map(|fault| fault.0).collect();
            Err(ConfigError(faults.join("\n")))
        }
    }
}

/// Returns the valid providers, the first fault of each invalid one, and the faults of settings that refer to
/// providers.
pub(super) fn read(config: &ProvidersConfig) -> (Vec<CheckedProvider>, Vec<ConfigError>) {
    let mut faults = Vec::new();
    if !(1.0..=86_400.0).contains(&config.probe_every_s) {
        faults.push(ConfigError("models.probe_seconds must be from 1 to 86400".to_owned()));
    }
    let mut names = HashSet::new();
    let mut checked = Vec::with_capacity(config.providers.len());
    for provider in &config.providers {
        let fault = |what: String| ConfigError(format!("provider {:?}: {what}", provider.name));
        if !names.insert(provider.name.as_str()) {
            faults.push(fault("two providers have this name".to_owned()));
            continue;
        }
        match one(provider) {
            Ok(provider) => checked.push(provider),
            Err(error) => faults.push(fault(error.0)),
        }
    }
    faults.extend(CHAT.check(config, config.default_model.as_deref()).err());
    faults.extend(EMBEDDING.check(config, config.default_embedding.as_deref()).err());
    faults.extend(super::fallbacks::check(config).err());
    (checked, faults)
}

fn one(provider: &ProviderConfig) -> Result<CheckedProvider, ConfigError> {
    let fault = |what: &str| ConfigError(what.to_owned());
    let sound = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    if provider.name.is_empty() || !provider.name.chars().all(sound) {
        return Err(fault("a name is made of lower-case letters, digits, `.`, `_` and `-`"));
    }
    if RESERVED.contains(&provider.name.as_str()) {
        return Err(fault("this name is reserved for the built-in models"));
    }
    let Timeouts { first_byte_s, idle_s, connect_s } = provider.timeouts;
    if [first_byte_s, idle_s, connect_s].iter().any(|s| !(0.001..=86_400.0).contains(s)) {
        return Err(fault("time-outs must be from 0.001 to 86400 seconds"));
    }
    if provider.retries > 10 {
        return Err(fault("retries must be at most 10"));
    }
    if let Some(model) = provider.models.iter().find(|m| m.id.trim().is_empty()) {
        return Err(ConfigError(format!("models: {:?} is not a model's id", model.id)));
    }
    for model in &provider.models {
        model.prices()?;
        model.unit_price_nanos()?;
        if model.max_batch.is_some_and(|texts| !(1..=crate::embed::MAX_BATCH).contains(&texts)) {
            let (id, most) = (&model.id, crate::embed::MAX_BATCH);
            return Err(ConfigError(format!("model {id}: max_batch must be from 1 to {most}")));
        }
    }
    provider.circuit.check()?;
    Ok(CheckedProvider {
        name: provider.name.clone(),
        kind: provider.kind,
        base_url: provider.kind.address(&provider.base_url)?,
        api_key: provider.api_key.as_ref().map(|key| resolve("api_key", key)).transpose()?,
        headers: headers(provider)?,
        models: provider.models.clone(),
        timeouts: provider.timeouts,
        retries: provider.retries,
        circuit: provider.circuit,
        resolver: None,
    })
}

/// Parses a base URL and removes trailing slashes, so that paths can be appended.
pub(crate) fn base_url(text: &str) -> Result<Url, ConfigError> {
    let fault = |why: &str| ConfigError(format!("base_url {why}"));
    // The URL is not repeated in the message, since it may contain a key.
    let mut url = Url::parse(text.trim()).map_err(|e| fault(&format!("is not a valid URL: {e}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(fault("must begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(fault("must not carry a user or password; put the key into api_key"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    url.set_fragment(None);
    Ok(url)
}

fn headers(provider: &ProviderConfig) -> Result<HeaderMap, ConfigError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &provider.headers {
        let key: HeaderName =
            name.parse().map_err(|_| ConfigError(format!("headers: {name:?} is not a header's name")))?;
        let value = resolve(name, value)?;
        let mut value: HeaderValue =
            value.parse().map_err(|_| ConfigError(format!("headers: the value of {name} cannot be sent")))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

fn resolve(key: &str, secret: &Secret) -> Result<String, ConfigError> {
    let value = match secret.variable() {
        None => secret.expose().to_owned(),
        Some(name) => std::env::var(name).ok().filter(|v| !v.trim().is_empty()).ok_or_else(|| {
            ConfigError(format!("{key} = \"env:{name}\": {name} is not in the environment"))
        })?,
    };
    let value = value.trim();
    if value.is_empty() || !value.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
        return Err(ConfigError(format!("{key} is empty or has characters no header can carry")));
    }
    Ok(value.to_owned())
}

/// A setting that names a model. A model that can never be found is a misspelling and is reported at once.
struct Choice {
    key: &'static str,
    /// The built-in model of this kind.
    builtin: &'static str,
    /// Whether a configured model is of the kind.
    fits: fn(&ModelConfig) -> bool,
    /// How to correct the configuration of a model that does not fit.
    remedy: &'static str,
}

impl Choice {
    fn check(&self, config: &ProvidersConfig, id: Option<&str>) -> Result<(), ConfigError> {
        let Some(id) = id else {
            return Ok(());
        };
        let fault = |why: &str| Err(ConfigError(format!("{} {id:?}: {why}", self.key)));
        let Some((name, model)) = id.split_once('/') else {
            return fault("must be the full id, <provider>/<model>");
        };
        if let Some(provider) = config.providers.iter().find(|p| p.name == name) {
            return match provider.models.iter().find(|m| m.id == model) {
                Some(model) if !(self.fits)(model) => fault(self.remedy),
                None if !provider.models.is_empty() => fault("its provider is configured without this model"),
                _ => Ok(()),
            };
        }
        let probed = config.probe_local && super::is_probed_name(name);
        if name == "builtin" && model == self.builtin || probed {
            return Ok(());
        }
        fault("there is no such provider")
    }
}

/// The settings that name a model.
const CHAT: Choice = Choice {
    key: "models.default",
    builtin: crate::scribe::NAME,
    fits: ModelConfig::chats,
    remedy: "it is an embedding model; add the tag `chat` if it can chat as well",
};
const EMBEDDING: Choice = Choice {
    key: "models.default_embedding",
    builtin: crate::embed::NAME,
    fits: ModelConfig::embeds,
    remedy: "it is not an embedding model; add the tag `embedding` if it is",
};

#[cfg(test)]
mod tests {
    use super::*;

    fn fault_of(edit: impl FnOnce(&mut ProviderConfig)) -> String {
        let mut provider = ProviderConfig::openai("acme", "http://x/v1");
        edit(&mut provider);
        let config = ProvidersConfig { providers: vec![provider], ..ProvidersConfig::default() };
        check(&config).err().expect("a fault").to_string()
    }

    #[test]
    fn check_reports_the_provider_and_the_key() {
        assert!(fault_of(|p| p.base_url = "gpu:80".into()).contains("base_url"));
        assert!(fault_of(|p| p.base_url = "ftp://x/".into()).contains("http://"));
        assert!(fault_of(|p| p.timeouts.idle_s = 0.0).contains("time-outs"));
        assert!(fault_of(|p| p.timeouts.idle_s = f64::NAN).contains("time-outs"));
        assert!(fault_of(|p| p.retries = 11).contains("retries"));
        assert!(fault_of(|p| p.models = vec![ModelConfig::id(" ")]).contains("models"));
        assert!(fault_of(|p| p.name = "builtin".into()).contains("reserved"));
        assert!(fault_of(|p| p.name = "My Acme".into()).contains("lower-case"));
        let unset = fault_of(|p| p.api_key = Some("env:UNDERSTUDY_NO_SUCH_VARIABLE".into()));
        assert!(unset.contains("acme") && unset.contains("UNDERSTUDY_NO_SUCH_VARIABLE"));
    }

    #[test]
    fn check_does_not_repeat_secrets() {
        let in_url = fault_of(|p| p.base_url = "https://user:hunter2@x/v1".into());
        let in_key = fault_of(|p| p.api_key = Some("hunter2\n\u{1}".into()));
        let header = |p: &mut ProviderConfig| {
            p.headers.insert("x".into(), "hunter2\u{7}".into());
        };
        for fault in [in_url, in_key, fault_of(header)] {
            assert!(!fault.contains("hunter2"), "{fault}");
        }
    }

    #[test]
    fn base_url_removes_trailing_slashes_and_keeps_the_query() {
        assert_eq!(base_url("http://x/v1//").unwrap().as_str(), "http://x/v1");
        assert_eq!(base_url("http://x/v1/?api-version=1").unwrap().query(), Some("api-version=1"));
    }

    #[test]
    fn check_rejects_an_impossible_default() {
        let fault = |id: &str, probe_local| {
            let mut provider = ProviderConfig::openai("acme", "http://x/v1");
            provider.models = vec![ModelConfig::id("a/b")];
            let config = ProvidersConfig {
                providers: vec![provider, ProviderConfig::openai("open", "http://y/v1")],
                default_model: Some(id.to_owned()),
                probe_local,
                ..ProvidersConfig::default()
            };
            check(&config).err()
        };
        for good in ["acme/a/b", "open/anything", "builtin/scribe", "ollama/x"] {
            assert_eq!(fault(good, true), None);
        }
        for bad in ["a/b", "acme/c", "builtin/scribbler", "scribe", "nowhere/x"] {
            assert!(fault(bad, true).is_some(), "{bad}");
        }
        assert!(fault("ollama/x", false).is_some());
    }
}
