//! The log of the process. Its level can change at run time.

use super::{Done, Failure};
use crate::config::{LogConfig, LogFormat};
use std::io::IsTerminal;
use std::sync::OnceLock;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::reload::Handle;
use tracing_subscriber::util::SubscriberInitExt;

/// The filter for modules that log the end of the listener as an error even if it was shut down on purpose.
const LISTENER: &str = "actix_server::accept=off";

/// The log of the process with its current level.
#[derive(Default)]
pub(super) struct Log {
    set: OnceLock<SetFilter>,
    level: parking_lot::Mutex<Option<LogConfig>>,
}

type SetFilter = Box<dyn Fn(EnvFilter) -> Result<(), String> + Send + Sync>;

impl Log {
    /// Starts logging to the standard error output.
    pub fn start(&self, config: &LogConfig) -> Done {
        let filter = config.filter().map_err(Failure::usage_error)?;
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        match config.format {
            LogFormat::Json => {
                let log = log.json().flatten_event(true).with_filter_reloading();
                self.changes(setter(log.reload_handle()), config);
                log.finish().try_init()
            }
            LogFormat::Pretty => {
                let log = log.with_ansi(std::io::stderr().is_terminal()).with_filter_reloading();
                self.changes(setter(log.reload_handle()), config);
                log.finish().try_init()
            }
        }
        .map_err(Failure::new)
    }

    fn changes(&self, set: SetFilter, config: &LogConfig) {
        let _ = self.set.set(set);
        *self.level.lock() = Some(config.clone());
    }

    /// Changes the filter to `log.level`.
    pub fn set_level(&self, config: &LogConfig) -> Result<(), String> {
        let filter = config.filter()?;
        *self.level.lock() = Some(config.clone());
        self.set.get().map_or(Ok(()), |set| set(filter))
    }

    /// Hides messages of the HTTP server about its listener. Must be called before the listener is shut down.
    pub fn hide_listener(&self) {
        let filter = self.level.lock().as_ref().and_then(|config| config.filter().ok());
        if let (Some(set), Some(filter), Ok(directive)) = (self.set.get(), filter, LISTENER.parse()) {
            let _ = set(filter.add_directive(directive));
        }
    }
}

fn setter<S: 'static>(handle: Handle<EnvFilter, S>) -> SetFilter {
    Box::new(move |filter| {
        handle.reload(filter).map_err(|error| format!("the log level cannot be changed: {error}"))
    })
}
