//! The sections of the settings. `default.toml` describes them in more detail, with the defaults.

use super::own_paths;
use domain::credentials::PasswordHasher;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// `[server]`: sockets and threads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// The address to listen on; port 0 selects a free port.
    pub listen: SocketAddr,
    /// The URL under which users reach the server behind a proxy.
    pub public_url: Option<String>,
    /// Whether the caller's address is taken from `X-Forwarded-For`.
    pub trust_forwarded: bool,
    /// The number of worker threads that serve requests; 0 for one per core.
    pub workers: usize,
    /// The maximum number of open connections per worker.
    pub max_connections: usize,
    /// The time limit for receiving the head of a request, in seconds.
    pub head_seconds: u64,
    /// The time after which an idle connection is closed, in seconds.
    pub keep_alive_seconds: u64,
    /// The callers that may read `/metrics`.
    pub metrics: MetricsAccess,
    /// The certificate of the listener; without it the server speaks plain HTTP.
    pub tls: Option<super::TlsConfig>,
}

/// The callers that may read `/metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricsAccess {
    /// Callers on this machine.
    Local,
    /// Everyone.
    Open,
    /// No caller.
    Off,
}

impl ServerConfig {
    /// Whether clients reach the server over TLS: its own, or a proxy's. In this case cookies are `Secure`.
    pub fn is_https(&self) -> bool {
        self.tls.is_some() || self.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
    }

    /// The path of `public_url`, without a trailing slash: empty, or for example `/ai`.
    pub fn base_path(&self) -> &str {
        let url = self.public_url.as_deref().unwrap_or_default();
        let path = url.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
        path.unwrap_or_default().trim_end_matches('/')
    }

    /// The scheme of the listener itself.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Whether passwords and tokens would travel unencrypted over a network: the listener is reachable from other
    /// machines, speaks plain HTTP, and no setting indicates a proxy in front of it.
    pub fn is_exposed(&self) -> bool {
        !self.listen.ip().is_loopback() && !self.is_https() && !self.trust_forwarded
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.public_url.as_deref() {
            Some(url) if !url.starts_with("https://") && !url.starts_with("http://") => {
                Err("server.public_url must begin with http:// or https://".to_owned())
            }
            Some(url) if self.tls.is_some() && url.starts_with("http://") => {
                Err("server.public_url begins with http://, but server.tls is set; write https://".to_owned())
            }
            Some(_) if !is_plain_path(self.base_path()) => {
                Err("the path of server.public_url may contain only letters, digits, `-`, `_`, `.`, `~` and single `/`"
                    .to_owned())
            }
            Some(_) if own_paths::contain_base_path(self.base_path()) => {
                Err("the path of server.public_url must not begin like a path of the server itself, such as /api"
                    .to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Whether a path can be compared with the paths of requests, and is valid in cookies and links, as it is.
fn is_plain_path(path: &str) -> bool {
    let plain = |segment: &str| {
        !matches!(segment, "" | "." | "..")
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
    };
    path.split('/').skip(1).all(plain)
}

/// `[auth]`: passwords, sessions and tokens.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthConfig {
    /// The lifetime of an access token, in minutes.
    pub access_minutes: u64,
    /// The lifetime of an unused refresh token, in days.
    pub refresh_days: u64,
    /// The lifetime of an impersonation token, in minutes.
    pub impersonation_minutes: u64,
    /// The total time for which an impersonation token can be renewed, in hours.
    pub impersonation_hours: u64,
    /// The maximum lifetime of an API token in days if the tenant sets none; 0 for no limit.
    pub token_max_days: u32,
    /// The number of failed logins from one network after which an account is throttled there.
    pub failures_per_account: u32,
    /// The number of failed logins from all networks after which new networks get fewer attempts on an account.
    pub failures_per_account_everywhere: u32,
    /// The number of failed logins after which a network is throttled.
    pub failures_per_address: u32,
    /// The time window in which failures are counted, in minutes.
    pub failures_minutes: u64,
    /// The memory for one password hash, in KiB.
    pub password_memory_kib: u32,
    /// The number of passes of one password hash.
    pub password_passes: u32,
    /// The number of password hashes that are computed at once.
    pub password_hashes_at_once: u32,
    /// The sites from which browsers send the cookies of a login.
    pub cookie_same_site: CookieSameSite,
}

/// The sites from which browsers send the cookies of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CookieSameSite {
    /// Pages of the server's own site.
    Lax,
    /// Pages of any site; only the origins in `cors.origins` can use the cookies.
    None,
}

impl AuthConfig {
    pub(super) fn check(&self, server: &ServerConfig, cors: &CorsConfig) -> Result<(), String> {
        let fit = server.is_https() && cors.origins.iter().any(|origin| origin.starts_with("https://"));
        match self.cookie_same_site == CookieSameSite::None && !fit {
            true => Err("auth.cookie_same_site = \"none\" needs a server.public_url that begins with https://, and the \
                         https origins of the pages that use the cookies in cors.origins"
                .to_owned()),
            false => Ok(()),
        }
    }

    /// Creates the password hasher.
    ///
    /// # Errors
    /// `password_memory_kib` or `password_passes` is out of range.
    pub(crate) fn password_hasher(&self) -> domain::Result<PasswordHasher, argon2::Error> {
        PasswordHasher::new(self.password_memory_kib, self.password_passes)
    }

    /// The lifetime of an access token.
    pub fn access(&self) -> Duration {
        Duration::from_secs(self.access_minutes * 60)
    }

    /// The lifetime of a refresh token.
    pub fn refresh(&self) -> Duration {
        Duration::from_secs(self.refresh_days * 24 * 60 * 60)
    }

    /// The lifetime of an impersonation token.
    pub fn impersonation(&self) -> Duration {
        Duration::from_secs(self.impersonation_minutes * 60)
    }
}

/// `[limits]`: limits on requests and stored data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// The maximum size of a JSON body, in bytes.
    pub json_bytes: usize,
    /// The maximum size of a JSON body that may contain images for a model, in bytes.
    pub chat_bytes: usize,
    /// The maximum size of a single uploaded file, in bytes.
    pub upload_bytes: u64,
    /// The maximum size of a form, in bytes.
    pub form_bytes: u64,
    pub form_files: usize,
    /// The maximum number of parts of one form, including files.
    pub form_parts: usize,
    /// The time limit for receiving a JSON body, in seconds.
    pub body_seconds: u64,
    /// The sustained request rate of one session or API token, per second.
    pub credential_per_second: u32,
    /// The number of such requests that may arrive at once.
    pub credential_burst: u32,
    /// The sustained request rate of one address, per second.
    pub address_per_second: u32,
    /// The number of such requests that may arrive at once.
    pub address_burst: u32,
    /// The maximum number of messages of one conversation, on all branches; 0 for no limit.
    pub conversation_messages: u64,
    /// The maximum size of the messages of one conversation, in MiB; 0 for no limit.
    pub conversation_mib: u64,
    /// The number of conversations that are read as a whole at the same time.
    pub conversation_reads: usize,
    /// The maximum number of live connections of one user.
    pub live_connections: usize,
    /// The maximum number of subscriptions of one live connection.
    pub live_subscriptions: usize,
    /// The maximum storage of one user in one tenant, in MiB; 0 for no limit.
    pub stored_mib_per_user: u64,
    /// The maximum storage of one tenant, in MiB; 0 for no limit.
    pub stored_mib_per_tenant: u64,
    /// The maximum number of API tokens of one user in one tenant; 0 for no limit, as for all following limits.
    pub api_tokens_per_user: u64,
    /// The maximum number of automations of one user in one tenant.
    pub automations_per_user: u64,
    pub data_items_per_assistant: u64,
    pub documents_per_knowledge_base: u64,
    /// The maximum number of pending requests to join one tenant.
    pub join_requests_per_tenant: u64,
    /// The maximum number of memories of one user in one tenant.
    pub memories_per_user: u64,
    /// The maximum number of addresses to which notifications of one user in one tenant are delivered.
    pub notification_endpoints_per_user: u64,
    pub service_accounts_per_tenant: u64,
}

impl LimitsConfig {
    /// The time limit for receiving a JSON body.
    pub fn body_patience(&self) -> Duration {
        Duration::from_secs(self.body_seconds)
    }

    /// The limits on stored data, in the form that the store takes.
    pub fn stored(&self) -> storage::StoredLimits {
        let bytes = |mib: u64| mib.saturating_mul(1 << 20);
        storage::StoredLimits {
            conversation_messages: self.conversation_messages,
            conversation_bytes: bytes(self.conversation_mib),
            user_bytes: bytes(self.stored_mib_per_user),
            tenant_bytes: bytes(self.stored_mib_per_tenant),
            counts: storage::CountLimits {
                api_tokens_per_user: self.api_tokens_per_user,
                automations_per_user: self.automations_per_user,
                data_items_per_assistant: self.data_items_per_assistant,
                documents_per_knowledge_base: self.documents_per_knowledge_base,
                join_requests_per_tenant: self.join_requests_per_tenant,
                memories_per_user: self.memories_per_user,
                notification_endpoints_per_user: self.notification_endpoints_per_user,
                service_accounts_per_tenant: self.service_accounts_per_tenant,
            },
        }
    }

    /// The time limit for receiving an upload: ten times that of a JSON body.
    pub fn upload_patience(&self) -> Duration {
        Duration::from_secs(self.body_seconds * 10)
    }
}

/// `[runs]`: limits on live runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsConfig {
    /// The maximum number of live runs of all tenants.
    pub total: usize,
    /// The maximum number of live runs of one tenant.
    pub per_tenant: usize,
    /// The maximum number of live runs of one user.
    pub per_user: usize,
    /// The maximum number of additional runs of one user that are queued.
    pub queued_per_user: usize,
    /// The maximum number of runs of one user that are parked.
    pub resting_per_user: usize,
    /// The time in seconds after which a parked run is unloaded from memory.
    pub unload_after_seconds: f64,
    /// The number of runs that read their journals concurrently after a start.
    pub recovery_concurrency: usize,
    /// The maximum number of recovered runs that are waiting for their first response from one provider.
    pub recovery_per_provider: usize,
    /// The time in hours during which readers can attach to the stream of a finished run.
    pub stream_ttl_hours: f64,
    /// The same time in minutes for an answer outside of a conversation.
    pub chat_ttl_minutes: f64,
    /// The time in seconds after which an answer without readers is stopped; 0 lets it continue.
    pub abandoned_chat_seconds: u64,
    /// The memory in MiB for the events of all live runs.
    pub journal_memory_mib: usize,
    /// The time in seconds that runs have to finish when the server is stopped.
    pub shutdown_grace_seconds: u64,
}

impl RunsConfig {
    /// The settings in the form that the run layer takes.
    pub fn actors(&self) -> runs::ActorsConfig {
        runs::ActorsConfig {
            limits: runs::RunLimits {
                total: self.total,
                per_tenant: self.per_tenant,
                per_user: self.per_user,
                queued_per_user: self.queued_per_user,
                parked_per_user: self.resting_per_user,
            },
            recovery: runs::RecoveryLimits {
                concurrency: self.recovery_concurrency,
                per_provider: self.recovery_per_provider,
            },
            unload_after: Duration::from_secs_f64(self.unload_after_seconds.clamp(0.0, 1e6)),
            journal_memory: self.journal_memory_mib.saturating_mul(1 << 20),
            stream_ttl: Duration::from_secs_f64(self.stream_ttl_hours.clamp(0.0, 1e6) * 3600.0),
            // A client that waits for the complete answer reads it after the run has ended.
            chat_ttl: Duration::from_secs_f64(self.chat_ttl_minutes.clamp(0.05, 1e6) * 60.0),
            abandoned_after: (self.abandoned_chat_seconds > 0)
                .then(|| Duration::from_secs(self.abandoned_chat_seconds)),
            ..runs::ActorsConfig::default()
        }
    }
}

/// `[storage]`: the data folder and durability.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageConfig {
    /// The path of the data folder.
    pub data: PathBuf,
    /// The kind of failure that commits survive.
    pub durability: DurabilityConfig,
    /// The size of the database cache, in MiB.
    pub cache_mib: u64,
    /// The free disk space in MiB below which new runs and uploads are refused; 0 disables the check.
    pub low_water_mib: u64,
    /// The free disk space in MiB below which nothing is written; 0 disables the check.
    pub reserve_mib: u64,
}

/// The kind of failure that commits survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DurabilityConfig {
    /// A crash of the process.
    Process,
    /// A power failure as well.
    Power,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// A format for people.
    Pretty,
    /// A format for machines.
    Json,
}

/// `[log]`: log lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    /// The format: for people or for machines.
    pub format: LogFormat,
    /// The log level, optionally by module.
    pub level: String,
    /// Whether each request is logged.
    pub requests: bool,
}

/// `[cors]`: web pages of other origins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorsConfig {
    /// The origins that may call the API.
    pub origins: Vec<String>,
}

impl CorsConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        // Credentials are sent with these requests, so `*` is not allowed.
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

/// `[web]`: outgoing requests of workflows and links.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebConfig {
    /// The hosts that may be reached in addition to the public internet: names, addresses, networks, each with or
    /// without a port.
    pub allow: Vec<String>,
    /// The time limit for connecting to a server, in seconds.
    pub connect_seconds: f64,
}

impl WebConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        let good = self.connect_seconds > 0.0 && self.connect_seconds <= 3600.0;
        if good { Ok(()) } else { Err("web.connect_seconds must be more than 0 and at most 3600".to_owned()) }
    }
}

/// `[workflows]`: secrets of HTTP nodes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkflowsConfig {
    /// Values of headers that nodes refer to by name instead of containing them.
    pub secrets: BTreeMap<String, providers::web::WebSecret>,
}

/// `[models]`: default models and local servers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelsConfig {
    /// The model to use by default, as `<provider>/<model>`.
    pub default: Option<String>,
    /// The default embedding model for knowledge bases, as `<provider>/<model>`.
    pub default_embedding: Option<String>,
    /// Whether `builtin/scribe` is available: `auto`, `on`, `off`.
    pub scribe: providers::ScribeUse,
    /// Whether to search for model servers on their usual local ports.
    pub probe_local: bool,
    /// The interval between two searches, in seconds.
    pub probe_seconds: f64,
}

impl super::Config {
    /// The settings in the form that the models take, combined with the environment.
    pub fn providers(&self) -> providers::ProvidersConfig {
        let config = providers::ProvidersConfig {
            providers: self.providers.clone(),
            default_model: self.models.default.clone(),
            default_embedding: self.models.default_embedding.clone(),
            scribe: self.models.scribe,
            probe_local: self.models.probe_local,
            // The server's own port is not a model server.
            probe_exclude: vec![self.server.listen.port()],
            probe_every_s: self.models.probe_seconds,
        };
        config.with_environment(|name| std::env::var(name).ok())
    }

    /// The settings in the form that the web client takes, combined with the environment.
    pub fn web(&self) -> providers::web::WebConfig {
        let config = providers::web::WebConfig {
            allow: self.web.allow.clone(),
            connect_s: self.web.connect_seconds,
            secrets: self.workflows.secrets.clone(),
        };
        config.with_environment(|name| std::env::var(name).ok())
    }

    /// The settings in the form that the store takes.
    pub fn store(&self) -> Result<storage::StoreOptions, super::ConfigError> {
        let mut options = storage::StoreOptions::new(&self.storage.data);
        options.durability = match self.storage.durability {
            DurabilityConfig::Process => storage::Durability::Process,
            DurabilityConfig::Power => storage::Durability::Power,
        };
        options.cache_bytes = self.storage.cache_mib << 20;
        options.limits = self.limits.stored();
        options.room = storage::RoomOptions {
            low_water: self.storage.low_water_mib.saturating_mul(1 << 20),
            reserve: self.storage.reserve_mib.saturating_mul(1 << 20),
        };
        options.blobs = self.blobs.store()?;
        Ok(options)
    }
}
