//! Settings of video jobs.

use serde::Deserialize;
use std::time::Duration;

/// `[video]`: video jobs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VideoConfig {
    /// The maximum number of active jobs of one user.
    pub jobs_per_user: usize,
    /// The time limit of one job, in minutes.
    pub job_minutes: f64,
    /// The maximum pause between two progress queries, in seconds.
    pub poll_seconds: f64,
    /// The maximum size of a video that is fetched, in MiB.
    pub largest_mib: u64,
    /// The time for which a finished video can be downloaded, in hours.
    pub keep_hours: f64,
}

impl VideoConfig {
    /// The settings in the form that runs take.
    pub fn settings(&self) -> jobs::video::VideoConfig {
        jobs::video::VideoConfig {
            jobs_per_user: self.jobs_per_user,
            time_limit: Duration::from_secs_f64(self.job_minutes * 60.0),
            longest_pause: Duration::from_secs_f64(self.poll_seconds),
            largest: self.largest_mib << 20,
            keep: Duration::from_secs_f64(self.keep_hours * 3_600.0),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if self.jobs_per_user == 0 {
            return Err("video.jobs_per_user must be at least 1".to_owned());
        }
        if !(self.job_minutes > 0.0 && self.job_minutes <= 24.0 * 60.0) {
            return Err("video.job_minutes must be above 0 and at most a day".to_owned());
        }
        if !(1..=65_536).contains(&self.largest_mib) {
            return Err("video.largest_mib must be between 1 and 65536".to_owned());
        }
        if !(0.1..=600.0).contains(&self.poll_seconds) {
            return Err("video.poll_seconds must be between 0.1 and 600".to_owned());
        }
        match self.keep_hours > 0.0 && self.keep_hours <= 24.0 * 3_650.0 {
            true => Ok(()),
            false => Err("video.keep_hours must be above 0 and at most ten years".to_owned()),
        }
    }
}
