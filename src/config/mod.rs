//! Settings. Layers in order of increasing precedence: the commented default file, the file of `--config`, the
//! environment, the command line. An unknown key is an error that names it.

mod automations;
mod blobs;
mod branding;
mod catalog;
mod directories;
mod environment;
pub(crate) mod external;
mod knowledge;
pub(crate) mod layers;
mod mail;
mod notifications;
pub(crate) mod own_paths;
mod sandbox;
mod sections;
pub(crate) mod telemetry;
pub(crate) mod tool_servers;
mod video;

pub use self::telemetry::TelemetryConfig;
pub use crate::tls::TlsConfig;
pub use automations::AutomationsConfig;
pub use blobs::{BlobsConfig, BlobsKind};
pub use branding::{BrandingConfig, BrandingLogo};
pub use catalog::CatalogConfig;
pub use directories::DirectoriesConfig;
pub use external::ExternalServiceConfig;
pub use knowledge::KnowledgeConfig;
pub use mail::MailConfig;
pub use notifications::NotificationsConfig;
pub use own_paths::is_screen;
pub use sandbox::SandboxConfig;
pub use sections::*;
pub use tool_servers::ToolServersConfig;
pub use video::VideoConfig;

use assist::connections::ConnectionSettings;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

/// Every setting with its default, commented.
pub const DEFAULT: &str = include_str!("default.toml");

/// Environment variables that are read elsewhere and do not correspond to settings of the file.
const OWN_VARIABLES: [&str; 8] =
    ["ADMIN_EMAIL", "ADMIN_PASSWORD", "SECRETS_KEY", "DATA", "LISTEN", "CONFIG", "URL", "TOKEN"];

/// All settings of a server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// `[server]`: sockets and threads.
    pub server: ServerConfig,
    /// `[branding]`: the name and the logo of the installation.
    pub branding: BrandingConfig,
    /// `[auth]`: passwords, sessions and tokens.
    pub auth: AuthConfig,
    /// `[limits]`: limits on requests and stored data.
    pub limits: LimitsConfig,
    /// `[runs]`: limits on live runs.
    pub runs: RunsConfig,
    /// `[automations]`: limits on automations.
    pub automations: AutomationsConfig,
    /// `[storage]`: the data folder and durability.
    pub storage: StorageConfig,
    /// `[blobs]`: the storage of files.
    pub blobs: BlobsConfig,
    /// `[log]`: log lines.
    pub log: LogConfig,
    /// `[telemetry]`: the export of traces and metrics.
    pub telemetry: TelemetryConfig,
    /// `[cors]`: web pages of other origins.
    pub cors: CorsConfig,
    /// `[mail]`: outgoing emails.
    pub mail: MailConfig,
    /// `[notifications]`: notifications that are delivered to endpoints.
    pub notifications: NotificationsConfig,
    /// `[web]`: outgoing requests of workflows and links.
    pub web: WebConfig,
    /// `[workflows]`: secrets of HTTP nodes.
    #[serde(default)]
    pub workflows: WorkflowsConfig,
    /// `[external_services]`: services at which users log in, by name.
    #[serde(default)]
    pub external_services: BTreeMap<String, ExternalServiceConfig>,
    /// `[tool_servers]`: limits and clients for tool servers that assistants connect to.
    #[serde(default)]
    pub tool_servers: ToolServersConfig,
    /// `[catalog]`: the sources of packages.
    #[serde(default)]
    pub catalog: CatalogConfig,
    /// `[sandbox]`: the processes in which scripts run.
    pub sandbox: SandboxConfig,
    /// `[knowledge]`: extracting and searching documents.
    pub knowledge: KnowledgeConfig,
    /// `[video]`: video jobs.
    pub video: VideoConfig,
    /// `[models]`: default models and local servers.
    pub models: ModelsConfig,
    /// `[directories]`: directories that provide groups.
    pub directories: DirectoriesConfig,
    /// `[[providers]]`: model providers, in order of preference.
    #[serde(default)]
    pub providers: Vec<providers::ProviderConfig>,
}

/// Reports why the settings cannot be used: all faults that were found, each with its key.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.0.join("\n"))]
pub struct ConfigError(Vec<String>);

impl ConfigError {
    /// The faults, one line each.
    pub fn faults(&self) -> &[String] {
        &self.0
    }
}

impl From<String> for ConfigError {
    fn from(fault: String) -> Self {
        Self(vec![fault])
    }
}

impl Config {
    /// Loads the defaults, overridden by the file, if one is given, and by the environment.
    ///
    /// # Errors
    /// All faults at once: unknown keys, values of a wrong type, and values out of range.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let (config, mut faults) = layers::read(file);
        faults.extend(config.iter().flat_map(Self::faults));
        match config {
            Some(config) if faults.is_empty() => Ok(config),
            _ => Err(ConfigError(faults)),
        }
    }

    /// Returns all faults of the defaults overridden by a file and by the environment and `adjusted` by the command
    /// line: the faults that [`load`](Self::load) and [`verify`](Self::verify) report, together.
    pub fn examine(file: Option<&Path>, adjusted: impl FnOnce(&mut Self)) -> Vec<String> {
        let (config, mut faults) = layers::read(file);
        if let Some(mut config) = config {
            adjusted(&mut config);
            faults.extend(config.faults());
            let refers = config.verify().err();
            let refers = refers.iter().flat_map(|error| error.faults());
            faults.extend(refers.filter(|fault| !faults.contains(fault)).cloned().collect::<Vec<_>>());
        }
        faults
    }

    /// Environment variables that have the prefix of settings but are not recognized. Worth a warning because they may
    /// be misspelled.
    pub fn unknown_variables() -> Vec<String> {
        let for_debug_builds = |name: &str| cfg!(debug_assertions) && name == "CONSOLE_DIST";
        let ours =
            |name: &str| name.contains("__") || OWN_VARIABLES.contains(&name) || for_debug_builds(name);
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let strange = |name: &String| name.strip_prefix("UNDERSTUDY_").is_some_and(|rest| !ours(rest));
        names.filter(strange).collect()
    }

    /// The base URL under which browsers reach the server, without a trailing slash. `addr` is the address the server
    /// listens on.
    pub fn base(&self, addr: SocketAddr) -> String {
        match self.server.public_url.as_deref() {
            Some(url) => url.trim_end_matches('/').to_owned(),
            // The unspecified address is not one that a browser can open.
            None if addr.ip().is_unspecified() => {
                format!("{}://localhost:{}", self.server.scheme(), addr.port())
            }
            None => format!("{}://{addr}", self.server.scheme()),
        }
    }

    /// The settings for logins at other servers. `addr` is the address the server listens on. Reads the environment.
    ///
    /// # Errors
    /// An environment variable that should contain a secret is not set.
    pub fn connections(&self, addr: SocketAddr) -> Result<ConnectionSettings, ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let services = self.external_services.iter();
        let services = services.map(|(name, one)| Ok((name.clone(), one.settings(name, &lookup)?)));
        Ok(ConnectionSettings {
            base: self.base(addr),
            services: services.collect::<Result<_, String>>()?,
            clients: self.tool_servers.clients(&lookup)?,
        })
    }

    /// The settings in the form that the run layer takes.
    pub fn actors(&self) -> runs::ActorsConfig {
        self.runs.actors()
    }

    /// The settings in the form that the run kinds take.
    pub fn run_kinds(&self) -> crate::run_kinds::RunKindsConfig {
        crate::run_kinds::RunKindsConfig {
            ingests_at_once: self.knowledge.documents_at_once,
            video: self.video.settings(),
            directories: self.directories.settings(),
        }
    }

    /// The faults of values: every non-positive number and invalid duration, and the first fault of each section.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let positive = [
            ("auth.access_minutes", self.auth.access_minutes),
            ("auth.refresh_days", self.auth.refresh_days),
            ("auth.impersonation_minutes", self.auth.impersonation_minutes),
            ("auth.password_hashes_at_once", u64::from(self.auth.password_hashes_at_once)),
            ("auth.failures_minutes", self.auth.failures_minutes),
            ("limits.json_bytes", self.limits.json_bytes as u64),
            ("limits.chat_bytes", self.limits.chat_bytes as u64),
            ("limits.body_seconds", self.limits.body_seconds),
            ("limits.credential_per_second", u64::from(self.limits.credential_per_second)),
            ("limits.credential_burst", u64::from(self.limits.credential_burst)),
            ("limits.address_per_second", u64::from(self.limits.address_per_second)),
            ("limits.address_burst", u64::from(self.limits.address_burst)),
            ("limits.conversation_reads", self.limits.conversation_reads as u64),
            ("limits.live_connections", self.limits.live_connections as u64),
            ("limits.live_subscriptions", self.limits.live_subscriptions as u64),
            ("automations.run_minutes", self.automations.run_minutes),
            ("automations.keep_runs", self.automations.keep_runs as u64),
            ("automations.keep_days", self.automations.keep_days),
            ("runs.recovery_concurrency", self.runs.recovery_concurrency as u64),
            ("runs.recovery_per_provider", self.runs.recovery_per_provider as u64),
            ("storage.cache_mib", self.storage.cache_mib),
        ];
        let zero = positive.iter().filter(|(_, value)| *value == 0);
        faults.extend(zero.map(|(name, _)| format!("{name} must be at least 1")));
        if self.auth.access_minutes > 24 * 60 {
            faults.push("auth.access_minutes must be at most a day (1440)".to_owned());
        }
        if self.auth.refresh_days > 3650 {
            faults.push("auth.refresh_days must be at most ten years (3650)".to_owned());
        }
        // Check now: a value that is not finite, or that overflows in milliseconds, would otherwise cause an error
        // during operation.
        let century = 100.0 * 365.0 * 24.0 * 60.0;
        let spans = [
            ("auth.impersonation_minutes", self.auth.impersonation_minutes as f64),
            ("auth.impersonation_hours", self.auth.impersonation_hours as f64 * 60.0),
            ("auth.failures_minutes", self.auth.failures_minutes as f64),
            ("limits.body_seconds", self.limits.body_seconds as f64),
            ("automations.run_minutes", self.automations.run_minutes as f64),
            ("automations.keep_days", self.automations.keep_days as f64 * 24.0 * 60.0),
            ("runs.stream_ttl_hours", self.runs.stream_ttl_hours * 60.0),
            ("runs.chat_ttl_minutes", self.runs.chat_ttl_minutes),
            ("runs.abandoned_chat_seconds", self.runs.abandoned_chat_seconds as f64),
            ("runs.unload_after_seconds", self.runs.unload_after_seconds),
            ("runs.shutdown_grace_seconds", self.runs.shutdown_grace_seconds as f64),
        ];
        let beyond = spans.iter().filter(|(_, minutes)| !(0.0..=century).contains(minutes));
        faults.extend(beyond.map(|(name, _)| format!("{name} must be a number from 0 to a hundred years")));
        let services = self.external_services.iter().map(|(name, service)| service.check(name));
        let sections = [
            self.branding.check(),
            self.blobs.check(),
            self.web.check(),
            self.tool_servers.check(),
            self.catalog.check(),
            self.sandbox.check(),
            self.knowledge.check(),
            self.video.check(),
            self.directories.check(),
            self.cors.check(),
            self.telemetry.check(),
            self.auth.check(&self.server, &self.cors),
            self.mail.check(self.server.public_url.as_deref()),
            self.notifications.check(),
            self.server.check(),
        ];
        faults.extend(services.chain(sections).filter_map(Result::err));
        faults
    }
}

impl Default for Config {
    /// Returns the values of the default file.
    fn default() -> Self {
        layers::defaults()
    }
}
