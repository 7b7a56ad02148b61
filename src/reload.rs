//! Reloads the configuration while the server is running.

use crate::App;
use crate::config::{Config, ConfigError};
use crate::tls::Certificates;
use std::sync::Arc;

/// The program around a server, which provides its configuration and its log.
pub trait Environment {
    /// Reads the configuration again.
    ///
    /// # Errors
    /// All faults of the configuration.
    fn load(&self) -> Result<Config, ConfigError>;

    /// Changes the log filter to `log.level`.
    ///
    /// # Errors
    /// `log.level` is not a list of levels, or the log cannot be changed.
    fn set_log_level(&self, config: &Config) -> Result<(), String>;

    /// Called before the listener is shut down: later messages of the HTTP server about it are not errors.
    fn listener_shuts(&self);
}

/// Applies those parts of a new configuration that a running server can change: providers and models, log level,
/// certificate. Logs the changes. A configuration with a fault changes nothing.
///
/// `current` is the configuration in effect, and is replaced by the new one.
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
    // Validate everything that can fail before the first change.
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
    // Compare with the configuration at startup, so that every reload reports these sections until the restart.
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
