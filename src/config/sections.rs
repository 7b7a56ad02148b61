//! The sections of the settings; `default.toml` says more of each, with the defaults.

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
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The address under which people reach the server, behind a proxy.
    pub public_url: Option<String>,
    /// Whether `X-Forwarded-For` tells the caller's address.
    pub trust_forwarded: bool,
    /// Threads that answer requests; 0 for one per core.
    pub workers: usize,
    /// Connections open at once, per worker.
    pub max_connections: usize,
    /// Seconds in which a request's head must arrive.
    pub head_seconds: u64,
    /// Seconds for which an idle connection is kept.
    pub keep_alive_seconds: u64,
    /// Who may read `/metrics`.
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
    /// Whether clients reach the server over TLS: its own, or that of a proxy. Cookies are `Secure` then.
    pub fn is_https(&self) -> bool {
        self.tls.is_some() || self.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
    }

    /// The scheme of the listener itself.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Whether passwords and tokens would travel unencrypted over a network: the listener can be reached from other
    /// machines, speaks plain HTTP, and nothing says that a proxy stands in front of it.
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
            _ => Ok(()),
        }
    }
}

/// `[auth]`: passwords, sessions and tokens.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthConfig {
    /// Life of an access token.
    pub access_minutes: u64,
    /// Life of a refresh token that is not used.
    pub refresh_days: u64,
    /// Life of an impersonation token.
    pub impersonation_minutes: u64,
    /// For how long in all one can be renewed.
    pub impersonation_hours: u64,
    /// Longest life of an API token where the tenant sets none; 0 for any.
    pub token_max_days: u32,
    /// Failed logins from one network after which an account has to wait there.
    pub failures_per_account: u32,
    /// Failed logins from all networks after which an account gets fewer attempts from new ones.
    pub failures_per_account_everywhere: u32,
    /// Failed logins after which a network has to wait.
    pub failures_per_address: u32,
    /// The time in which they are counted.
    pub failures_minutes: u64,
    /// Memory of one password hash.
    pub password_memory_kib: u32,
    /// Passes of one password hash.
    pub password_passes: u32,
    /// Password hashes in work at once.
    pub password_hashes_at_once: u32,
    /// From which sites browsers send the cookies of a login.
    pub cookie_same_site: CookieSameSite,
}

/// From which sites browsers send the cookies of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CookieSameSite {
    /// From pages of the server's own site.
    Lax,
    /// From pages of any site; those of `cors.origins` can use them.
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

    /// What hashes passwords.
    ///
    /// # Errors
    /// `password_memory_kib` or `password_passes` is out of range.
    pub(crate) fn password_hasher(&self) -> domain::Result<PasswordHasher, argon2::Error> {
        PasswordHasher::new(self.password_memory_kib, self.password_passes)
    }

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

/// How much one caller may ask for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// The largest JSON body.
    pub json_bytes: usize,
    /// The largest JSON body that asks a model: it may hold pictures.
    pub chat_bytes: usize,
    /// The largest single upload.
    pub upload_bytes: u64,
    /// The largest form.
    pub form_bytes: u64,
    pub form_files: usize,
    /// Parts of one form, files included.
    pub form_parts: usize,
    /// Seconds in which a JSON body must arrive.
    pub body_seconds: u64,
    /// Requests a second of one session or API token.
    pub credential_per_second: u32,
    /// How many of those may come at once.
    pub credential_burst: u32,
    /// Requests a second from one address.
    pub address_per_second: u32,
    /// How many of those may come at once.
    pub address_burst: u32,
    /// Messages of one conversation, on all branches; 0 for no limit.
    pub conversation_messages: u64,
    /// Mebibytes of the messages of one conversation; 0 for no limit.
    pub conversation_mib: u64,
    /// Conversations that are read as a whole at the same time.
    pub conversation_reads: usize,
    /// Mebibytes stored for one user in one tenant; 0 for no limit.
    pub stored_mib_per_user: u64,
    /// Mebibytes stored for one tenant; 0 for no limit.
    pub stored_mib_per_tenant: u64,
    /// API tokens of one user in one tenant; 0 for no limit, as for all that follow.
    pub api_tokens_per_user: u64,
    /// Automations of one user in one tenant.
    pub automations_per_user: u64,
    pub data_items_per_assistant: u64,
    pub documents_per_knowledge_base: u64,
    /// Requests to join one tenant that wait for an answer.
    pub join_requests_per_tenant: u64,
    /// Memories of one user in one tenant.
    pub memories_per_user: u64,
    /// Addresses to which notifications of one user in one tenant are delivered.
    pub notification_endpoints_per_user: u64,
    pub service_accounts_per_tenant: u64,
}

impl LimitsConfig {
    /// In which a JSON body must arrive.
    pub fn body_patience(&self) -> Duration {
        Duration::from_secs(self.body_seconds)
    }

    /// Limits on stored data, as the store takes them.
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

    /// In which an upload must arrive.
    pub fn upload_patience(&self) -> Duration {
        Duration::from_secs(self.body_seconds * 10)
    }
}

/// `[runs]`: limits on live runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsConfig {
    /// Live runs of all tenants.
    pub total: usize,
    /// Live runs of one tenant.
    pub per_tenant: usize,
    /// Live runs of one user.
    pub per_user: usize,
    /// How many more of a user's may wait.
    pub queued_per_user: usize,
    /// How many of a user's may wait for something outside.
    pub resting_per_user: usize,
    /// Seconds that a run has to wait for something outside until it leaves memory.
    pub unload_after_seconds: f64,
    /// Runs that read their journals at once after a start.
    pub recovery_concurrency: usize,
    /// Recovered runs that have not had an answer from one provider yet.
    pub recovery_per_provider: usize,
    /// How long the stream of a finished run can be attached to.
    pub stream_ttl_hours: f64,
    /// The same of an answer that stands in no conversation.
    pub chat_ttl_minutes: f64,
    /// Seconds after which an answer without readers is stopped; 0 lets it go on.
    pub abandoned_chat_seconds: u64,
    /// Mebibytes that the events of all live runs may take in memory.
    pub journal_memory_mib: usize,
    /// Seconds that runs have to finish in when the server is told to stop.
    pub shutdown_grace_seconds: u64,
}

impl RunsConfig {
    /// As the actors take it.
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
            // A client that waits for the whole answer reads it after its end.
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
    /// The data folder.
    pub data: PathBuf,
    /// What a commit survives.
    pub durability: DurabilityConfig,
    /// Mebibytes of the database kept in memory.
    pub cache_mib: u64,
    /// Mebibytes of free disk space below which new runs and uploads are refused; 0 switches it off.
    pub low_water_mib: u64,
    /// Mebibytes of free disk space below which nothing is written; 0 switches it off.
    pub reserve_mib: u64,
}

/// What a commit survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DurabilityConfig {
    /// The end of the process.
    Process,
    /// A power cut, too.
    Power,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// For machines.
    Json,
}

/// `[log]`: log lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    /// For people or for machines.
    pub format: LogFormat,
    /// What is logged, also by module.
    pub level: String,
    /// Whether each request gets a line.
    pub requests: bool,
}

/// Web pages of other origins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorsConfig {
    /// The origins that may call the API.
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

/// Requests that workflows and links send out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebConfig {
    /// What may be reached besides the public internet: names, addresses, networks, each with or without a port.
    pub allow: Vec<String>,
    /// Seconds to connect to a server.
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
    /// Values of headers that nodes name instead of holding them.
    pub secrets: BTreeMap<String, providers::web::WebSecret>,
}

/// `[models]`: default models and local servers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelsConfig {
    /// The model to use by default, as `<provider>/<model>`.
    pub default: Option<String>,
    /// The model that embeds for knowledge bases by default, as `<provider>/<model>`.
    pub default_embedding: Option<String>,
    /// Whether `builtin/scribe` is there: `auto`, `on`, `off`.
    pub scribe: providers::ScribeUse,
    /// Whether to look for model servers on their usual local ports.
    pub probe_local: bool,
    /// Seconds between two looks.
    pub probe_seconds: f64,
}

impl super::Config {
    /// As the models take it, with what the environment adds.
    pub fn providers(&self) -> providers::ProvidersConfig {
        let config = providers::ProvidersConfig {
            providers: self.providers.clone(),
            default_model: self.models.default.clone(),
            default_embedding: self.models.default_embedding.clone(),
            scribe: self.models.scribe,
            probe_local: self.models.probe_local,
            // Our own port is not a model server.
            probe_exclude: vec![self.server.listen.port()],
            probe_every_s: self.models.probe_seconds,
        };
        config.with_environment(|name| std::env::var(name).ok())
    }

    /// As the web client takes it, with what the environment adds.
    pub fn web(&self) -> providers::web::WebConfig {
        let config = providers::web::WebConfig {
            allow: self.web.allow.clone(),
            connect_s: self.web.connect_seconds,
            secrets: self.workflows.secrets.clone(),
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
        options.limits = self.limits.stored();
        options.room = storage::RoomOptions {
            low_water: self.storage.low_water_mib.saturating_mul(1 << 20),
            reserve: self.storage.reserve_mib.saturating_mul(1 << 20),
        };
        options.blobs = self.blobs.store()?;
        Ok(options)
    }
}
