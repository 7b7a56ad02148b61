//! The sections of the settings. What each means is said in `default.toml`.
#![allow(missing_docs)]

use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    pub listen: SocketAddr,
    pub public_url: Option<String>,
    pub trust_forwarded: bool,
    pub workers: usize,
    pub max_connections: usize,
    pub head_seconds: u64,
    pub keep_alive_seconds: u64,
    pub metrics: MetricsAccess,
}

/// Who may read `/metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricsAccess {
    Local,
    Open,
    Off,
}

impl ServerConfig {
    /// Whether cookies may only travel over TLS.
    pub fn is_https(&self) -> bool {
        self.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.public_url.as_deref() {
            Some(url) if !url.starts_with("https://") && !url.starts_with("http://") => {
                Err("server.public_url must begin with http:// or https://".to_owned())
            }
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthConfig {
    pub access_minutes: u64,
    pub refresh_days: u64,
    pub impersonation_minutes: u64,
    pub impersonation_hours: u64,
    pub token_max_days: u32,
    pub failures_per_account: u32,
    pub failures_per_address: u32,
    pub failures_minutes: u64,
    pub password_memory_kib: u32,
    pub password_passes: u32,
    pub password_hashes_at_once: u32,
}

impl AuthConfig {
    /// The life of an access token.
    pub fn access(&self) -> Duration {
        Duration::from_secs(self.access_minutes * 60)
    }

    /// The life of a refresh token.
    pub fn refresh(&self) -> Duration {
        Duration::from_secs(self.refresh_days * 24 * 60 * 60)
    }

    /// The life of an impersonation token.
    pub fn impersonation(&self) -> Duration {
        Duration::from_secs(self.impersonation_minutes * 60)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    pub json_bytes: usize,
    pub upload_bytes: u64,
    pub form_bytes: u64,
    pub form_files: usize,
    pub body_seconds: u64,
    pub credential_per_second: u32,
    pub credential_burst: u32,
    pub address_per_second: u32,
    pub address_burst: u32,
}

impl LimitsConfig {
    /// In which a JSON body must arrive.
    pub fn body_patience(&self) -> Duration {
        Duration::from_secs(self.body_seconds)
    }

    /// In which an upload must arrive.
    pub fn upload_patience(&self) -> Duration {
        Duration::from_secs(self.body_seconds * 10)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsConfig {
    pub total: usize,
    pub per_tenant: usize,
    pub per_user: usize,
    pub queued_per_user: usize,
    pub stream_ttl_hours: f64,
    pub shutdown_grace_seconds: u64,
}

impl RunsConfig {
    /// As the actors take it.
    pub fn actors(&self) -> actors::ActorsConfig {
        actors::ActorsConfig {
            limits: actors::RunLimits {
                total: self.total,
                per_tenant: self.per_tenant,
                per_user: self.per_user,
                queued_per_user: self.queued_per_user,
            },
            stream_ttl: Duration::from_secs_f64(self.stream_ttl_hours.clamp(0.0, 1e6) * 3600.0),
            ..actors::ActorsConfig::default()
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageConfig {
    pub data: PathBuf,
    pub durability: DurabilityConfig,
    pub cache_mib: u64,
}

/// What a commit survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DurabilityConfig {
    Process,
    Power,
}

/// Where files are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlobsKind {
    Files,
    Folder,
    S3,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlobsConfig {
    pub kind: BlobsKind,
    pub folder: Option<PathBuf>,
    pub bucket: Option<String>,
    pub region: Option<String>,
    pub endpoint: Option<String>,
    pub access_key_id: Option<String>,
    pub secret_access_key: Option<String>,
    pub allow_http: bool,
}

impl std::fmt::Debug for BlobsConfig {
    /// Without the credential.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlobsConfig").field("kind", &self.kind).field("bucket", &self.bucket).finish_non_exhaustive()
    }
}

impl BlobsConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        self.store().map(drop)
    }

    /// As the store takes it, or what is missing.
    pub fn store(&self) -> Result<storage::BlobConfig, String> {
        let needed = |value: &Option<String>, name: &str| {
            value.clone().ok_or_else(|| format!("blobs.{name} is needed when blobs.kind is \"s3\""))
        };
        Ok(match self.kind {
            BlobsKind::Files => storage::BlobConfig::Files,
            BlobsKind::Folder => storage::BlobConfig::Folder(
                self.folder.clone().ok_or("blobs.folder is needed when blobs.kind is \"folder\"")?,
            ),
            BlobsKind::S3 => storage::BlobConfig::S3 {
                bucket: needed(&self.bucket, "bucket")?,
                region: self.region.clone().unwrap_or_else(|| "us-east-1".to_owned()),
                endpoint: self.endpoint.clone(),
                credential: match (&self.access_key_id, &self.secret_access_key) {
                    (Some(id), Some(secret)) => Some((id.clone(), secret.clone())),
                    (None, None) => None,
                    _ => return Err("blobs: access_key_id and secret_access_key belong together".to_owned()),
                },
                allow_http: self.allow_http,
            },
        })
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Pretty,
    Json,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    pub format: LogFormat,
    pub level: String,
    pub requests: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorsConfig {
    pub origins: Vec<String>,
}

impl CorsConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        // Credentials travel with these requests, so there is no `*`.
        let good = |origin: &&String| {
            let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            rest.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*']))
        };
        match self.origins.iter().find(|origin| !good(origin)) {
            Some(bad) => Err(format!("cors.origins: `{bad}` is not an origin like https://app.example.org")),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelsConfig {
    pub default: Option<String>,
    pub probe_local: bool,
    pub probe_seconds: f64,
}

impl super::Config {
    /// As the models take it, with what the environment adds.
    pub fn providers(&self) -> providers::ProvidersConfig {
        let config = providers::ProvidersConfig {
            providers: self.providers.clone(),
            default_model: self.models.default.clone(),
            probe_local: self.models.probe_local,
            // Our own port is not a model server.
            probe_exclude: vec![self.server.listen.port()],
            probe_every_s: self.models.probe_seconds,
        };
        config.with_environment(|name| std::env::var(name).ok())
    }

    /// As the store takes it.
    pub fn store(&self) -> Result<storage::StoreOptions, super::ConfigError> {
        let mut options = storage::StoreOptions::new(&self.storage.data);
        options.durability = match self.storage.durability {
            DurabilityConfig::Process => storage::Durability::Process,
            DurabilityConfig::Power => storage::Durability::Power,
        };
        options.cache_bytes = self.storage.cache_mib << 20;
        options.blobs = self.blobs.store().map_err(super::ConfigError)?;
        Ok(options)
    }
}
