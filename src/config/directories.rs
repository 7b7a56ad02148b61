//! Settings of directories that groups come from.

use providers::directory::{DirectoryLimits, Reach};
use serde::Deserialize;
use std::time::Duration;

/// Directories that groups come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectoriesConfig {
    /// The hosts that administrators of tenants may have this server connect to: `public` for all on the public internet,
    /// `*`, a name, `*.` and what names end in, an address or a network.
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
    /// Whether directories may be at this host, as far as its name or address tells.
    pub fn admits(&self, host: &str) -> bool {
        self.reach().may_name(host)
    }

    /// Entries that cannot be read are an error of [`check`](Self::check), which comes first.
    fn reach(&self) -> Reach {
        Reach::read(&self.hosts).unwrap_or_default()
    }

    /// As the runs take it.
    pub fn settings(&self) -> jobs::directory_sync::DirectoriesConfig {
        jobs::directory_sync::DirectoriesConfig {
            limits: DirectoryLimits {
                connect: Duration::from_secs_f64(self.connect_seconds),
                request: Duration::from_secs_f64(self.request_seconds),
                retries: self.retries,
                reach: self.reach(),
            },
            time_limit: Duration::from_secs_f64(self.sync_minutes * 60.0),
            sweep_every: Duration::from_secs_f64(self.sweep_seconds),
            read_in_full_after: Duration::from_secs_f64(self.read_in_full_hours * 3_600.0),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        Reach::read(&self.hosts).map_err(|why| why.to_string())?;
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
