//! What settings refer to: variables, files, other settings. Looked at as a whole before anything is started.

use super::{Config, ConfigError, LogConfig};
use crate::accounts::FirstAdmin;
use crate::http::credentials::Passwords;
use crate::tls::Certificates;
use tracing_subscriber::EnvFilter;

impl LogConfig {
    /// What is logged.
    ///
    /// # Errors
    /// `level` is not a list of levels and modules.
    pub fn filter(&self) -> Result<EnvFilter, String> {
        // The client library of tool servers logs as errors of ours what is theirs. Whoever wants its lines names it in
        // the level: of two directives for one target the later one counts.
        // What is not HTTP is answered, and anybody can send it without end: the HTTP library's lines say nothing to act on.
        let level = format!("rmcp=off,actix_http=off,{}", self.level);
        EnvFilter::try_new(level).map_err(|error| format!("log.level: {error}"))
    }
}

impl Config {
    /// Examines everything that the settings refer to: variables of the environment, keys, certificates, models,
    /// addresses. A start that this refuses has made nothing; one that passes fails only for what cannot be known
    /// before, such as a port in use or a damaged data folder.
    ///
    /// # Errors
    /// All faults at once, each naming its key or variable.
    pub fn verify(&self) -> Result<(), ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let mut faults: Vec<String> = Vec::new();
        faults.extend(self.log.filter().err());
        faults.extend(Passwords::new(&self.auth).err().map(|error| format!("auth.password_*: {error}")));
        faults.extend(self.providers().faults().into_iter().map(|fault| fault.to_string()));
        faults.extend(self.web().faults().into_iter().map(|fault| fault.to_string()));
        let services = self.external_services.iter();
        faults.extend(services.filter_map(|(name, service)| service.settings(name, &lookup).err()));
        faults.extend(self.tool_servers.clients(&lookup).err());
        faults.extend(self.telemetry.settings(&lookup).err());
        faults.extend(self.mail.mailer().err().map(|error| error.to_string()));
        faults.extend(self.server.tls.as_ref().and_then(|tls| Certificates::read(tls).err()));
        if let Some(key) = lookup(storage::SECRETS_KEY_VARIABLE) {
            let error = storage::check_secrets_key(&key).err();
            faults.extend(error.map(|error| format!("{}: {error}", storage::SECRETS_KEY_VARIABLE)));
        }
        // The variables of the first administrator count for nothing once there is one.
        if !self.storage.data.join("engine").exists() {
            faults.extend(FirstAdmin::from_environment().err().into_iter().flatten());
        }
        match faults.is_empty() {
            true => Ok(()),
            false => Err(ConfigError(faults)),
        }
    }

    /// The sections in which another configuration differs and that only a restart puts into effect. Values of secrets
    /// are not compared.
    pub(crate) fn needing_restart(&self, other: &Self) -> Vec<&'static str> {
        let text = |value: &dyn std::fmt::Debug| format!("{value:?}");
        // Certificates, providers and the level of the log are in effect already.
        let server = |config: &Self| {
            let mut server = config.server.clone();
            if let (Some(ours), Some(theirs)) = (&mut server.tls, &self.server.tls) {
                ours.clone_from(theirs);
            }
            text(&server)
        };
        let log = |config: &Self| text(&LogConfig { level: String::new(), ..config.log.clone() });
        let pairs = [
            ("server", server(self), server(other)),
            ("auth", text(&self.auth), text(&other.auth)),
            ("limits", text(&self.limits), text(&other.limits)),
            ("runs", text(&self.runs), text(&other.runs)),
            ("automations", text(&self.automations), text(&other.automations)),
            ("storage", text(&self.storage), text(&other.storage)),
            ("blobs", text(&self.blobs), text(&other.blobs)),
            ("log", log(self), log(other)),
            ("cors", text(&self.cors), text(&other.cors)),
            ("mail", text(&self.mail), text(&other.mail)),
            ("notifications", text(&self.notifications), text(&other.notifications)),
            ("web", text(&self.web), text(&other.web)),
            ("workflows", text(&self.workflows), text(&other.workflows)),
            ("external_services", text(&self.external_services), text(&other.external_services)),
            ("tool_servers", text(&self.tool_servers), text(&other.tool_servers)),
            ("catalog", text(&self.catalog), text(&other.catalog)),
            ("sandbox", text(&self.sandbox), text(&other.sandbox)),
            ("knowledge", text(&self.knowledge), text(&other.knowledge)),
            ("video", text(&self.video), text(&other.video)),
            ("directories", text(&self.directories), text(&other.directories)),
        ];
        pairs.into_iter().filter(|(_, ours, theirs)| ours != theirs).map(|(name, ..)| name).collect()
    }
}
