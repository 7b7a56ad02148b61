//! Settings of notifications that are delivered to endpoints.

use jobs::delivery::DeliverySettings;
use serde::Deserialize;
use std::time::Duration;

/// The number of concurrent deliveries to the endpoints of one user.
const CONCURRENT_PER_USER: usize = 4;
/// The interval at which queues are checked in the absence of a change notification.
const SWEEP_INTERVAL: Duration = Duration::from_secs(30);

/// Settings of notifications that are delivered to browsers, webhooks and mailboxes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotificationsConfig {
    /// The pauses between delivery attempts, in seconds.
    pub retry_seconds: Vec<f64>,
    /// The age in hours at which an undelivered notification is discarded.
    pub give_up_hours: f64,
    /// The time limit for a receiver's response, in seconds.
    pub request_seconds: f64,
    /// The number of endpoints that are delivered to at once.
    pub at_once: usize,
    /// The interval at which budgets are checked, in seconds.
    pub budget_seconds: f64,
    /// The contact address of the operator, sent to push services.
    pub contact: Option<String>,
    /// The prefix of links in emails: the URL of the user interface. Without it, emails contain no links.
    pub link_base: Option<String>,
}

impl NotificationsConfig {
    /// The settings in the form that the deliverer takes.
    pub fn settings(&self, public_url: Option<&str>) -> DeliverySettings {
        let contact = self.contact.clone();
        let page = public_url.filter(|url| url.starts_with("https://")).map(str::to_owned);
        DeliverySettings {
            pauses: self.retry_seconds.iter().map(|seconds| Duration::from_secs_f64(*seconds)).collect(),
            give_up_after: Duration::from_secs_f64(self.give_up_hours * 3_600.0),
            patience: Duration::from_secs_f64(self.request_seconds),
            at_once: self.at_once,
            at_once_of_user: CONCURRENT_PER_USER.min(self.at_once),
            contact: contact.or(page).unwrap_or_else(|| "mailto:admin@localhost".to_owned()),
            link_base: self.link_base.clone(),
            sweep_every: SWEEP_INTERVAL,
            budgets_every: Duration::from_secs_f64(self.budget_seconds),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let day = 24.0 * 3_600.0;
        if self.retry_seconds.len() > 20
            || self.retry_seconds.iter().any(|pause| !(0.001..=day).contains(pause))
        {
            return Err(
                "notifications.retry_seconds must be up to 20 pauses, each above 0 and at most a day"
                    .to_owned(),
            );
        }
        if !(0.01..=24.0 * 30.0).contains(&self.give_up_hours) {
            return Err("notifications.give_up_hours must be above 0 and at most a month".to_owned());
        }
        if !(0.001..=120.0).contains(&self.request_seconds) {
            return Err("notifications.request_seconds must be above 0 and at most 120".to_owned());
        }
        if !(0.01..=day).contains(&self.budget_seconds) {
            return Err("notifications.budget_seconds must be above 0 and at most a day".to_owned());
        }
        if !(1..=1_000).contains(&self.at_once) {
            return Err("notifications.at_once must be from 1 to 1000".to_owned());
        }
        let base = self.link_base.as_deref().unwrap_or("https://");
        if !base.starts_with("https://") && !base.starts_with("http://") {
            return Err("notifications.link_base must begin with http:// or https://".to_owned());
        }
        let contact = self.contact.as_deref().unwrap_or("mailto:");
        match contact.starts_with("mailto:") || contact.starts_with("https://") {
            true => Ok(()),
            false => Err("notifications.contact must begin with mailto: or https://".to_owned()),
        }
    }
}
