//! Settings of directories that provide groups.

use providers::directory::{DirectoryLimits, Reach};
use serde::Deserialize;
use std::time::Duration;

/// Limits for directories that provide groups.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectoriesConfig {
    /// The hosts that administrators of tenants may configure: `public` for the whole public internet, `*`, a name,
    /// `*.` followed by a domain, an address or a network.
    pub hosts: Vec<String>,
    /// The time limit for connecting, in seconds.
    pub connect_seconds: f64,
    /// The time limit for a response, in seconds.
    pub request_seconds: f64,
    /// The maximum number of retries of a request.
    pub retries: u32,
    /// The time limit of one synchronisation, in minutes.
    pub sync_minutes: f64,
    /// The interval at which due synchronisations are searched for, in seconds.
    pub sweep_seconds: f64,
    /// The time in hours after which even groups that the directory reports as unchanged are read again.
    pub read_in_full_hours: f64,
}

impl DirectoriesConfig {
    /// Whether directories may be located at this host, judging by its name or address.
    pub fn admits(&self, host: &str) -> bool {
        self.reach().may_name(host)
    }

    /// Invalid entries are an error of [`check`](Self::check), which runs first.
    fn reach(&self) -> Reach {
        Reach::read(&self.hosts).unwrap_or_default()
    }

    /// The settings in the form that runs take.
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
