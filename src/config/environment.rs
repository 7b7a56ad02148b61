//! Validates everything outside the file that settings refer to: variables, files, other settings. Runs before anything
//! is started.

use super::{Config, ConfigError, LogConfig};
use crate::tls::Certificates;
use domain::accounts::first_start::FirstAdmin;
use tracing_subscriber::EnvFilter;

impl LogConfig {
    /// The filter for log lines.
    ///
    /// # Errors
    /// `level` is not a list of levels and modules.
    pub fn filter(&self) -> Result<EnvFilter, String> {
        // rmcp logs faults of tool servers as errors of this process. To see its lines, name it in the level: of two
        // directives for one target the later one takes precedence. Malformed HTTP gets a response, and anyone can send
        // it endlessly, so the lines of actix_http require no action.
        let level = format!("rmcp=off,actix_http=off,{}", self.level);
        EnvFilter::try_new(level).map_err(|error| format!("log.level: {error}"))
    }
}

impl Config {
    /// Validates everything that the settings refer to: environment variables, keys, certificates, models, addresses. A
    /// start that fails here has created nothing. A start that passes can fail only for reasons that cannot be known in
    /// advance, such as a port in use or a damaged data folder.
    ///
    /// # Errors
    /// All faults at once, each with its key or variable.
    pub fn verify(&self) -> Result<(), ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let mut faults: Vec<String> = Vec::new();
        faults.extend(self.log.filter().err());
        faults.extend(self.auth.password_hasher().err().map(|error| format!("auth.password_*: {error}")));
        faults.extend(self.providers().faults().into_iter().map(|fault| fault.to_string()));
        faults.extend(self.web().faults().into_iter().map(|fault| fault.to_string()));
        let services = self.external_services.iter();
        faults.extend(services.filter_map(|(name, service)| service.settings(name, &lookup).err()));
        faults.extend(self.tool_servers.clients(&lookup).err());
        faults.extend(self.telemetry.settings(&lookup).err());
        faults.extend(self.branding.logo().err());
        faults.extend(self.mail.mailer().err().map(|error| error.to_string()));
        faults.extend(self.server.tls.as_ref().and_then(|tls| Certificates::read(tls).err()));
        if let Some(key) = lookup(storage::SECRETS_KEY_VARIABLE) {
            let error = storage::check_secrets_key(&key).err();
            faults.extend(error.map(|error| format!("{}: {error}", storage::SECRETS_KEY_VARIABLE)));
        }
        // The variables of the first administrator are ignored once there is an administrator.
        if !self.storage.data.join("engine").exists() {
            faults.extend(FirstAdmin::from_environment().err().into_iter().flatten());
        }
        match faults.is_empty() {
            true => Ok(()),
            false => Err(ConfigError(faults)),
        }
    }

    /// The sections that differ from another configuration and take effect only after a restart. Values of secrets are
    /// not compared.
    pub(crate) fn needing_restart(&self, other: &Self) -> Vec<&'static str> {
        let text = |value: &dyn std::fmt::Debug| format!("{value:?}");
        // Certificates, providers and the log level are already in effect.
        let server = |config: &Self| {
            let mut server = config.server.clone();
            if let (Some(ours), Some(theirs)) = (&mut server.tls, &self.server.tls) {
                ours.clone_from(theirs);
            }
            text(&server)
        };
        let log = |config: &Self| text(&LogConfig { level: String::new(), ..config.log.clone() });
        let mut changed = Vec::new();
        changed.extend((server(self) != server(other)).then_some("server"));
        changed.extend((log(self) != log(other)).then_some("log"));
        /// Compares sections. It names all of them, so that a new section does not compile until it is handled here.
        macro_rules! compare {
            ($($section:ident),+) => {
                let Self { $($section,)+ server: _, log: _, models: _, providers: _ } = self;
                $(changed.extend((text($section) != text(&other.$section)).then_some(stringify!($section)));)+
            };
        }
        compare!(
            branding,
            auth,
            limits,
            runs,
            automations,
            storage,
            blobs,
            telemetry,
            cors,
            mail,
            notifications,
            web,
            workflows,
            external_services,
            tool_servers,
            catalog,
            sandbox,
            knowledge,
            video,
            directories
        );
        changed
    }
}
