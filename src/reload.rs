//! Reading the configuration again while the server runs.

use crate::App;
use crate::config::{Config, ConfigError};
use crate::tls::Certificates;
use std::sync::Arc;

/// The program around a server: where its configuration comes from, and where its log goes.
pub trait Environment {
    /// Reads the configuration again.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn load(&self) -> Result<Config, ConfigError>;

    /// Changes what is logged, as `log.level` says.
    ///
    /// # Errors
    /// It is not a list of levels, or the log cannot be changed.
    fn set_log_level(&self, config: &Config) -> Result<(), String>;

    /// The listener is about to be shut: what the HTTP server logs about it from now on is not a fault.
    fn listener_shuts(&self);
}

/// Puts a new configuration into effect as far as a running server can: providers and models, log level, certificate.
/// Logs what was done. A configuration with a fault changes nothing at all.
///
/// `current` is the configuration in effect, which becomes the new one.
pub(crate) async fn reload(
    app: &App,
    certificates: Option<&Arc<Certificates>>,
    around: &dyn Environment,
    current: &mut Config,
) -> Result<(), String> {
    let outcome = apply(app, certificates, around, current).await;
    if let Err(faults) = &outcome {
        tracing::error!(%faults, "the configuration was not reloaded; the previous one stays in effect");
    }
    outcome
}

async fn apply(
    app: &App,
    certificates: Option<&Arc<Certificates>>,
    around: &dyn Environment,
    current: &mut Config,
) -> Result<(), String> {
    let in_words = |error: ConfigError| error.to_string();
    let new = around.load().map_err(in_words)?;
    // All that can be refused is refused here, before the first change.
    new.verify().map_err(in_words)?;
    let certificate = match (certificates, &new.server.tls) {
        (Some(certificates), Some(files)) => Some((certificates, Certificates::read(files)?)),
        _ => None,
    };
    let models = app.models.reload(&new.providers()).await.map_err(|error| error.to_string())?;
    if let Some((certificates, read)) = &certificate {
        certificates.replace_with(read);
    }
    let level_changed = new.log.level != current.log.level;
    around.set_log_level(&new)?;
    // Compared with the start, so that every reload says so until the restart.
    let restart = app.config.needing_restart(&new);
    tracing::info!(
        providers_opened = ?models.opened,
        providers_closed = ?models.closed,
        providers_kept = ?models.unchanged,
        certificate_read = certificate.is_some(),
        log_level_changed = level_changed,
        "the configuration was reloaded"
    );
    if !restart.is_empty() {
        tracing::warn!(sections = ?restart, "these sections have changed and take effect after a restart");
    }
    *current = new;
    Ok(())
}
