//! The configuration of outgoing web requests.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::guard::Guard;
use super::secrets::Secrets;
use crate::config::{ConfigError, Secret};

/// The configuration of outgoing web requests.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebConfig {
    /// Addresses outside the public internet that may be reached: a name (`intranet.example`), an address
    /// (`10.0.0.5`) or a network (`10.0.0.0/8`), each with or without a port (`localhost:8080`).
    pub allow: Vec<String>,
    /// Timeout in seconds for connecting, including DNS lookup and TLS.
    pub connect_s: f64,
    /// Header values that requests refer to by name.
    pub secrets: BTreeMap<String, WebSecret>,
}

impl Default for WebConfig {
    fn default() -> Self {
        Self { allow: Vec::new(), connect_s: 10.0, secrets: BTreeMap::new() }
    }
}

/// A secret header value that requests can send without revealing it to users.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebSecret {
    /// The complete value of the header, or `env:NAME` to read it from the environment.
    pub value: Secret,
    /// The servers to which it may be sent over TLS: `api.example.org`, `api.example.org:8443`. For a server without
    /// TLS, include the scheme: `http://10.0.0.5:8080`.
    pub hosts: Vec<String>,
    /// Ids of the tenants that may use it; `*` for all tenants.
    pub tenants: Vec<String>,
}

impl WebConfig {
    /// Replaces `env:NAME` references by the values of environment variables, which `lookup` reads.
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

    /// Returns all faults, each with its entry. Empty if [`super::WebClient::new`] accepts the configuration.
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
