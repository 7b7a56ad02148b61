//! What a configuration says of the way out.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::guard::Guard;
use super::secrets::Secrets;
use crate::config::{ConfigError, Secret};

/// What a configuration says of the way out.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebConfig {
    /// What may be reached although it is not on the public internet: a name (`intranet.example`), an
    /// address (`10.0.0.5`) or a network (`10.0.0.0/8`), each with or without a port (`localhost:8080`).
    pub allow: Vec<String>,
    /// Seconds for a connection, name lookup and TLS included.
    pub connect_s: f64,
    /// Values of headers that requests name instead of holding them.
    pub secrets: BTreeMap<String, WebSecret>,
}

impl Default for WebConfig {
    fn default() -> Self {
        Self { allow: Vec::new(), connect_s: 10.0, secrets: BTreeMap::new() }
    }
}

/// A value that requests may send without anybody seeing it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebSecret {
    /// The whole value of the header, or `env:NAME` to read it from the environment.
    pub value: Secret,
    /// The servers that it may be sent to, by TLS: `api.example.org`, `api.example.org:8443`. One that
    /// is to get it without TLS is written with its scheme: `http://10.0.0.5:8080`.
    pub hosts: Vec<String>,
    /// Ids of the tenants that may use it; `*` for all.
    pub tenants: Vec<String>,
}

impl WebConfig {
    /// Puts values of the environment, as `lookup` reads it, where `env:NAME` stands.
    #[must_use]
    pub fn with_environment(mut self, lookup: impl Fn(&str) -> Option<String>) -> Self {
        for secret in self.secrets.values_mut() {
            let value = secret.value.variable().and_then(&lookup).filter(|value| !value.trim().is_empty());
            if let Some(value) = value {
                secret.value = Secret::from(value);
            }
        }
        self
    }

    /// All that is wrong with it, each fault naming its entry. Empty where [`super::WebClient::new`] takes it.
    #[must_use]
    pub fn faults(&self) -> Vec<ConfigError> {
        let allowed = self.allow.iter().map(|entry| Guard::read(std::slice::from_ref(entry)).map(drop));
        let secrets = self
            .secrets
            .iter()
            .map(|(name, secret)| Secrets::read(&BTreeMap::from([(name.clone(), secret.clone())])).map(drop));
        allowed.chain(secrets).filter_map(Result::err).collect()
    }

    pub(super) fn connect_timeout(&self) -> Duration {
        Duration::try_from_secs_f64(self.connect_s).unwrap_or(Duration::from_secs(10))
    }
}
