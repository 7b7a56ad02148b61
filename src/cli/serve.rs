//! `understudy serve`.

use super::{Done, Failure, Place, say};
use crate::accounts::FirstStart;
use crate::config::{Config, LogConfig, LogFormat};
use crate::server::{Server, Signals, StartError};
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

pub(super) fn serve(place: &Place, listen: Option<SocketAddr>) -> Done {
    let mut config = place.settings()?;
    if let Some(listen) = listen {
        config.server.listen = listen;
    }
    start_log(&config.log)?;
    if let Err(why) = confinement::hide_memory() {
        tracing::warn!(%why, "processes of the same user may read the memory of this one, with its keys");
    }
    for name in Config::strange_variables() {
        tracing::warn!(name, "this variable is not one of ours; settings are UNDERSTUDY_<SECTION>__<KEY>");
    }
    let data = config.storage.data.clone();
    if is_open_to_others(&data) {
        tracing::warn!(data = %data.display(), "other users of this machine can look into the data folder; chmod 700 keeps it shut");
    }
    actix_web::rt::System::new().block_on(async move {
        let server = Server::start(config).await.map_err(|error| match error {
            StartError::Open(error) => error.into(),
            StartError::Config(_) | StartError::Providers(_) | StartError::Mail(_) => Failure::misuse(error),
            other => Failure::new(other),
        })?;
        let signals = Signals::hear().map_err(Failure::new)?;
        say(&greeting(&server, &data));
        server.run(signals).await.map_err(Failure::new)
    })
}

/// Whether a folder that is there lets everybody in.
fn is_open_to_others(data: &Path) -> bool {
    std::fs::metadata(data).is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o007 != 0)
}

/// Where it listens; and on the first start the administrator, once, with a line that works when
/// it is pasted.
fn greeting(server: &Server, data: &Path) -> String {
    let (version, addr, data) = (env!("CARGO_PKG_VERSION"), server.addr, data.display());
    let mut said = format!(
        "Understudy {version} listens on http://{addr}\nData in {data}, reference at http://{addr}/api/docs\n"
    );
    let Some(FirstStart { email, password }) = &server.first_start else { return said };
    said.push_str(&format!("\nThis is the first start: an administrator was made.\n  e-mail    {email}\n"));
    let Some(password) = password else {
        said.push_str("  password  the one in UNDERSTUDY_ADMIN_PASSWORD\n");
        return said;
    };
    let body = serde_json::json!({"email": email, "password": password}).to_string().replace('\'', "'\\''");
    said.push_str(&format!("  password  {password}   (shown this once)\n\nLog in:\n"));
    said.push_str(&format!(
        "  curl -s http://{addr}/api/auth/login/ -H 'content-type: application/json' -d '{body}'\n\n"
    ));
    said
}

fn start_log(config: &LogConfig) -> Done {
    // Whether a tool server does its part is told by us; the library behind would call it an error of ours. Whoever
    // wants its lines names it in the level: what comes later counts.
    // The same holds for what is no HTTP: it is answered, and anybody can send it without end.
    let level = format!("rmcp=off,actix_http=off,{}", config.level);
    let filter = EnvFilter::try_new(level).map_err(|error| Failure::misuse(format!("log.level: {error}")))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match config.format {
        LogFormat::Json => log.json().flatten_event(true).finish().try_init(),
        LogFormat::Pretty => log.with_ansi(std::io::stderr().is_terminal()).finish().try_init(),
    };
    started.map_err(Failure::new)
}
