//! Settings of automations.

use serde::Deserialize;
use std::time::Duration;

/// `[automations]`: limits on automations.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutomationsConfig {
    /// The time limit of one run, in minutes.
    pub run_minutes: u64,
    pub keep_runs: usize,
    /// How many days runs are retained.
    pub keep_days: u64,
}

impl AutomationsConfig {
    /// The settings in the form that the scheduler takes.
    pub fn settings(&self) -> jobs::automation::AutomationSettings {
        jobs::automation::AutomationSettings {
            run_timeout: Duration::from_secs(self.run_minutes.saturating_mul(60)),
            keep_runs: self.keep_runs,
            keep_for: Duration::from_secs(self.keep_days.saturating_mul(24 * 60 * 60)),
            ..jobs::automation::AutomationSettings::default()
        }
    }
}
