//! Settings of directories that groups come from.

use providers::directory::DirectoryLimits;
use serde::Deserialize;
use std::time::Duration;

/// Directories that groups come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectoriesConfig {
    /// The hosts that administrators of tenants may have this server connect to: `*`, a name, or `*.` and what names
    /// end in.
    pub hosts: Vec<String>,
    /// How long one may take to be reached.
    pub connect_seconds: f64,
    /// How long one may take over an answer.
    pub request_seconds: f64,
    /// How often a request is repeated.
    pub retries: u32,
    /// How long one synchronisation may take.
    pub sync_minutes: f64,
    /// How often synchronisations that are due are looked for.
    pub sweep_seconds: f64,
    /// How long groups that the directory calls unchanged are not read again.
    pub read_in_full_hours: f64,
}

impl DirectoriesConfig {
    /// Whether directories may be at this host.
    pub fn admits(&self, host: &str) -> bool {
        self.hosts.iter().map(|entry| entry.to_lowercase()).any(|entry| match entry.strip_prefix('*') {
            Some("") => true,
            Some(end) => end.starts_with('.') && host.ends_with(end),
            None => entry == host,
        })
    }

    /// As the runs take it.
    pub fn settings(&self) -> actors::directory_sync::DirectoriesConfig {
        actors::directory_sync::DirectoriesConfig {
            limits: DirectoryLimits {
                connect: Duration::from_secs_f64(self.connect_seconds),
                request: Duration::from_secs_f64(self.request_seconds),
                retries: self.retries,
            },
            time_limit: Duration::from_secs_f64(self.sync_minutes * 60.0),
            sweep_every: Duration::from_secs_f64(self.sweep_seconds),
            read_in_full_after: Duration::from_secs_f64(self.read_in_full_hours * 3_600.0),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let day = 24.0 * 3_600.0;
        for (name, seconds) in [
            ("connect_seconds", self.connect_seconds),
            ("request_seconds", self.request_seconds),
            ("sync_minutes", self.sync_minutes * 60.0),
            ("sweep_seconds", self.sweep_seconds),
        ] {
            if !(0.001..=day).contains(&seconds) {
                return Err(format!("directories.{name} must be above 0 and at most a day"));
            }
        }
        if self.retries > 10 {
            return Err("directories.retries must be at most 10".to_owned());
        }
        match (0.0..=365.0 * 24.0).contains(&self.read_in_full_hours) {
            true => Ok(()),
            false => Err("directories.read_in_full_hours must be at most a year".to_owned()),
        }
    }
}
