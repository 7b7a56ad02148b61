//! `understudy serve`.

use super::{Done, Failure, Place};
use crate::config::{Config, LogConfig, LogFormat};
use crate::server::{Server, StartError};
use std::io::IsTerminal;
use std::net::SocketAddr;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

pub(super) fn serve(place: &Place, listen: Option<SocketAddr>) -> Done {
    let mut config = place.settings()?;
    if let Some(listen) = listen {
        config.server.listen = listen;
    }
    start_log(&config.log)?;
    for name in Config::strange_variables() {
        tracing::warn!(name, "this variable is not one of ours; settings are UNDERSTUDY_<SECTION>__<KEY>");
    }
    let data = config.storage.data.clone();
    actix_web::rt::System::new().block_on(async move {
        let server = Server::start(config).await.map_err(|error| match error {
            StartError::Config(_) | StartError::Providers(_) => Failure::misuse(error),
            other => Failure::new(other),
        })?;
        println!("Understudy {} listens on http://{}", env!("CARGO_PKG_VERSION"), server.addr);
        println!("Data in {}, reference at http://{}/api/docs", data.display(), server.addr);
        greet(&server);
        server.run().await.map_err(Failure::new)
    })
}

/// Shows the first administrator, once, with a line that works when it is pasted.
fn greet(server: &Server) {
    let Some(first) = &server.first_start else { return };
    println!("\nThis is the first start: an administrator was made.\n  e-mail    {}", first.email);
    let password = match &first.password {
        Some(password) => {
            println!("  password  {password}   (shown this once)");
            password.as_str()
        }
        None => return println!("  password  the one in UNDERSTUDY_ADMIN_PASSWORD\n"),
    };
    let body = serde_json::json!({"email": first.email, "password": password}).to_string();
    println!(
        "\nLog in:\n  curl -s http://{}/api/auth/login/ -H 'content-type: application/json' -d '{}'\n",
        server.addr,
        body.replace('\'', "'\\''"),
    );
}

fn start_log(config: &LogConfig) -> Done {
    let filter = EnvFilter::try_new(&config.level).map_err(|error| Failure::misuse(format!("log.level: {error}")))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match config.format {
        LogFormat::Json => log.json().flatten_event(true).finish().try_init(),
        LogFormat::Pretty => log.with_ansi(std::io::stderr().is_terminal()).finish().try_init(),
    };
    started.map_err(Failure::new)
}
