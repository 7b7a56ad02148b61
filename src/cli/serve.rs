//! `understudy serve`.

use super::log::Log;
use super::{Done, Failure, Locations, say};
use crate::config::{Config, ConfigError};
use crate::reload::Environment;
use crate::server::{Server, StartError};
use crate::signals::Signals;
use domain::accounts::first_start::FirstStart;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub(super) fn serve(locations: &Locations, listen: Option<SocketAddr>, when_serving: fn()) -> Done {
    let program = Program { locations: locations.clone(), listen, log: Log::default() };
    let config = program.load()?;
    program.log.start(&config.log)?;
    if let Err(why) = confinement::hide_memory() {
        tracing::warn!(%why, "processes of the same user may read the memory of this one, with its keys");
    }
    warn_of(&config);
    let data = config.storage.data.clone();
    actix_web::rt::System::new().block_on(async move {
        // From here on, only signals that stop a server end the process.
        let mut signals = Signals::listen().map_err(Failure::new)?;
        let server = Server::start(config).await.map_err(failure)?;
        signals.listen_to_stop().map_err(Failure::new)?;
        say(&greeting(&server, &data));
        when_serving();
        server.run(signals, &program).await.map_err(Failure::new)
    })
}

/// Distinguishes errors in the settings from errors of the machine: retrying helps only against the latter.
fn failure(error: StartError) -> Failure {
    match error {
        StartError::Open(error) => error.into(),
        StartError::Config(_)
        | StartError::Providers(_)
        | StartError::Mail(_)
        | StartError::Passwords(_)
        | StartError::Telemetry(_)
        | StartError::Certificate(_) => Failure::usage_error(error),
        StartError::FirstStart(error) if error.is_about_input() => Failure::usage_error(error.shown_detail()),
        other => Failure::new(other),
    }
}

/// The process that runs the server.
struct Program {
    locations: Locations,
    listen: Option<SocketAddr>,
    log: Log,
}

impl Environment for Program {
    fn load(&self) -> Result<Config, ConfigError> {
        let mut config = self.locations.settings()?;
        if let Some(listen) = self.listen {
            config.server.listen = listen;
        }
        Ok(config)
    }

    fn set_log_level(&self, config: &Config) -> Result<(), String> {
        self.log.set_level(&config.log)
    }

    fn listener_shuts(&self) {
        self.log.hide_listener();
    }
}

fn warn_of(config: &Config) {
    for name in Config::unknown_variables() {
        tracing::warn!(name, "unknown variable; settings are UNDERSTUDY_<SECTION>__<KEY>");
    }
    let data = &config.storage.data;
    if is_open_to_others(data) {
        tracing::warn!(data = %data.display(), "other users of this machine can access the data folder; chmod 700 prevents this");
    }
    let listen = config.server.listen;
    if config.server.is_exposed() {
        tracing::warn!(
            %listen,
            "other machines can reach the server without TLS: passwords and tokens travel unencrypted. Set server.tls, or \
             listen on 127.0.0.1 behind a proxy that ends TLS and set server.public_url"
        );
    }
    if listen.ip().is_unspecified() && config.server.public_url.is_none() {
        tracing::warn!(
            links = config.base(listen),
            "server.public_url is not set: links in emails, and redirects of logins, work only on this machine"
        );
    }
}

/// Whether an existing folder is accessible to all users of the machine.
fn is_open_to_others(data: &Path) -> bool {
    std::fs::metadata(data).is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o007 != 0)
}

/// The startup message: the address and, until the first login, the first administrator, with a command that works when
/// it is pasted.
fn greeting(server: &Server, data: &Path) -> String {
    let (version, base, data) = (env!("CARGO_PKG_VERSION"), server.base(), data.display());
    // The address for programs that start the server is the last word of the first line.
    let local = server.local_url();
    let mut said =
        format!("Understudy {version} listens on {local}\nData in {data}, reference at {base}/api/docs\n");
    let Some(FirstStart { email, password, is_created, is_password_configured }) = &server.first_start else {
        return said;
    };
    said.push_str(match is_created {
        true => "\nFirst start: created an administrator account.\n",
        false => "\nNo one has logged in yet. The administrator account:\n",
    });
    said.push_str(&format!("  e-mail    {email}\n"));
    let Some(password) = password else {
        said.push_str(match is_password_configured {
            true => "  password  the one in UNDERSTUDY_ADMIN_PASSWORD\n",
            false => {
                "  password  the one that UNDERSTUDY_ADMIN_PASSWORD had at the first start; set it again to change it\n"
            }
        });
        return said;
    };
    let body = serde_json::json!({"email": email, "password": password}).to_string().replace('\'', "'\\''");
    said.push_str(&format!("  password  {password}   (shown until the first login)\n\n"));
    said.push_str(&format!("Log in at {base}/login#email={email}, or with a command:\n"));
    said.push_str(&format!(
        "  curl -s {local}/api/auth/login/ -H 'content-type: application/json' -d '{body}'\n\n"
    ));
    said
}
