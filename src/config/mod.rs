//! Settings: the commented default file, then the file of `--config`, then the environment, then
//! the command line. A key that nobody knows is an error that names it.

mod automations;
mod blobs;
mod catalog;
mod directories;
mod external;
mod knowledge;
mod mail;
mod notifications;
mod sandbox;
mod sections;
mod tool_servers;
mod video;

pub use automations::AutomationsConfig;
pub use blobs::{BlobsConfig, BlobsKind};
pub use catalog::CatalogConfig;
pub use directories::DirectoriesConfig;
pub use external::ExternalServiceConfig;
pub use knowledge::KnowledgeConfig;
pub use mail::MailConfig;
pub use notifications::NotificationsConfig;
pub use sandbox::SandboxConfig;
pub use sections::*;
pub use tool_servers::ToolServersConfig;
pub use video::VideoConfig;

use actors::connections::ConnectionSettings;
use figment::Figment;
use figment::providers::{Env, Format, Toml};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

/// Every setting with its default, commented.
pub const DEFAULT: &str = include_str!("default.toml");

/// Variables that are read elsewhere and are not settings of the file.
const OWN_VARIABLES: [&str; 8] =
    ["ADMIN_EMAIL", "ADMIN_PASSWORD", "SECRETS_KEY", "DATA", "LISTEN", "CONFIG", "URL", "TOKEN"];

/// All settings of a server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Sockets and threads.
    pub server: ServerConfig,
    /// Credentials.
    pub auth: AuthConfig,
    /// How much one caller may ask for.
    pub limits: LimitsConfig,
    /// Live runs.
    pub runs: RunsConfig,
    /// Automations.
    pub automations: AutomationsConfig,
    /// The data folder.
    pub storage: StorageConfig,
    /// Files.
    pub blobs: BlobsConfig,
    /// Logging.
    pub log: LogConfig,
    /// Web pages of other origins.
    pub cors: CorsConfig,
    /// Letters.
    pub mail: MailConfig,
    /// Notifications that are sent out.
    pub notifications: NotificationsConfig,
    /// Requests that workflows and links send out.
    pub web: WebConfig,
    /// Workflows.
    #[serde(default)]
    pub workflows: WorkflowsConfig,
    /// Services at which users log in, by name.
    #[serde(default)]
    pub external_services: BTreeMap<String, ExternalServiceConfig>,
    /// Tool servers that assistants are connected to.
    #[serde(default)]
    pub tool_servers: ToolServersConfig,
    /// Where packages come from.
    #[serde(default)]
    pub catalog: CatalogConfig,
    /// Where scripts run.
    pub sandbox: SandboxConfig,
    /// How documents are read and found.
    pub knowledge: KnowledgeConfig,
    /// Video jobs.
    pub video: VideoConfig,
    /// Models.
    pub models: ModelsConfig,
    /// Directories that groups come from.
    pub directories: DirectoriesConfig,
    /// Model providers.
    #[serde(default)]
    pub providers: Vec<providers::ProviderConfig>,
}

/// Why the settings cannot be used, in words for whoever started the program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl Config {
    /// The defaults, overridden by a file, if one is given, and by the environment.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let mut figment = Figment::from(Toml::string(DEFAULT));
        if let Some(file) = file {
            let text = std::fs::read_to_string(file)
                .map_err(|error| ConfigError(format!("cannot read {}: {error}", file.display())))?;
            figment = figment.merge(Toml::string(&text));
        }
        let environment =
            Env::prefixed("UNDERSTUDY_").filter(|name| name.as_str().contains("__")).split("__");
        let config: Self =
            figment.merge(environment).extract().map_err(|error| ConfigError(explain(error, file)))?;
        config.check()?;
        Ok(config)
    }

    /// Variables that look like ours and are not: worth a warning, since a typing error hides so.
    pub fn strange_variables() -> Vec<String> {
        let ours = |name: &str| name.contains("__") || OWN_VARIABLES.contains(&name);
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let strange = |name: &String| name.strip_prefix("UNDERSTUDY_").is_some_and(|rest| !ours(rest));
        names.filter(strange).collect()
    }

    /// The address under which browsers reach the server, without a slash at its end; `addr` is where it listens.
    pub fn base(&self, addr: SocketAddr) -> String {
        match self.server.public_url.as_deref() {
            Some(url) => url.trim_end_matches('/').to_owned(),
            // Every address of the machine is none that a browser can open.
            None if addr.ip().is_unspecified() => format!("http://localhost:{}", addr.port()),
            None => format!("http://{addr}"),
        }
    }

    /// What logins at other servers go by; `addr` is where the server listens. Reads the environment.
    ///
    /// # Errors
    /// A variable that a secret is to come from is not set.
    pub fn connections(&self, addr: SocketAddr) -> Result<ConnectionSettings, ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let services = self.external_services.iter();
        let services = services.map(|(name, one)| Ok((name.clone(), one.settings(name, &lookup)?)));
        Ok(ConnectionSettings {
            base: self.base(addr),
            services: services.collect::<Result<_, _>>().map_err(ConfigError)?,
            clients: self.tool_servers.clients(&lookup).map_err(ConfigError)?,
        })
    }

    /// As everything that runs takes it.
    pub fn actors(&self) -> actors::ActorsConfig {
        let ingests_at_once = self.knowledge.documents_at_once;
        let (video, directories) = (self.video.settings(), self.directories.settings());
        actors::ActorsConfig { ingests_at_once, video, directories, ..self.runs.actors() }
    }

    fn check(&self) -> Result<(), ConfigError> {
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
            ("automations.run_minutes", self.automations.run_minutes),
            ("automations.keep_runs", self.automations.keep_runs as u64),
            ("automations.keep_days", self.automations.keep_days),
            ("storage.cache_mib", self.storage.cache_mib),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(ConfigError(format!("{name} must be at least 1")));
        }
        if self.auth.access_minutes > 24 * 60 || self.auth.refresh_days > 3650 {
            return Err(ConfigError("auth: tokens of such a long life are no tokens any more".into()));
        }
        // A number that is none, or that overflows when it is counted in milliseconds, would be met in the midst of work.
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
            ("runs.shutdown_grace_seconds", self.runs.shutdown_grace_seconds as f64),
        ];
        if let Some((name, _)) = spans.iter().find(|(_, minutes)| !(0.0..=century).contains(minutes)) {
            return Err(ConfigError(format!("{name} must be a number from 0 to a hundred years")));
        }
        for (name, service) in &self.external_services {
            service.check(name).map_err(ConfigError)?;
        }
        self.blobs.check().map_err(ConfigError)?;
        self.web.check().map_err(ConfigError)?;
        self.tool_servers.check().map_err(ConfigError)?;
        self.catalog.check().map_err(ConfigError)?;
        self.sandbox.check().map_err(ConfigError)?;
        self.knowledge.check().map_err(ConfigError)?;
        self.video.check().map_err(ConfigError)?;
        self.directories.check().map_err(ConfigError)?;
        self.cors.check().map_err(ConfigError)?;
        self.auth.check(&self.server, &self.cors).map_err(ConfigError)?;
        self.mail.check(self.server.public_url.as_deref()).map_err(ConfigError)?;
        self.notifications.check().map_err(ConfigError)?;
        self.server.check().map_err(ConfigError)
    }
}

impl Default for Config {
    /// What the default file says.
    fn default() -> Self {
        match Figment::from(Toml::string(DEFAULT)).extract() {
            Ok(config) => config,
            Err(error) => unreachable!("the default file, which a test reads, is wrong: {error}"),
        }
    }
}

/// Names the key and where it comes from.
fn explain(error: figment::Error, file: Option<&Path>) -> String {
    let explained = error.into_iter().map(|error| {
        let from = error.metadata.as_ref().map(|metadata| metadata.name.to_string()).unwrap_or_default();
        let from = match file {
            _ if from.contains("environment") => "environment".to_owned(),
            Some(file) => file.display().to_string(),
            None => "configuration".to_owned(),
        };
        let mut key = error.path.clone();
        if let figment::error::Kind::UnknownField(field, known) = &error.kind {
            if key.last().is_none_or(|last| last != field) {
                key.push(field.clone());
            }
            let near =
                nearest(field, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return format!("{from}: there is no setting `{}`{near}", key.join("."));
        }
        let at = if key.is_empty() { String::new() } else { format!("{}: ", key.join(".")) };
        format!("{from}: {at}{}", error.kind)
    });
    explained.collect::<Vec<_>>().join("\n")
}

/// The known name that a misspelt one is closest to.
fn nearest(wrong: &str, known: &'static [&'static str]) -> Option<&'static str> {
    let distance = |name: &&&str| {
        let mut row: Vec<usize> = (0..=name.len()).collect();
        for (i, a) in wrong.bytes().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], i + 1);
            for (j, b) in name.bytes().enumerate() {
                let cost = diagonal + usize::from(a != b);
                diagonal = row[j + 1];
                row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
            }
        }
        row[name.len()]
    };
    let best = known.iter().min_by_key(distance)?;
    (distance(&best) <= 3).then_some(*best)
}

#[cfg(test)]
mod tests;
